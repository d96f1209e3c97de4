echo 'this is not C' >> p2p.c
