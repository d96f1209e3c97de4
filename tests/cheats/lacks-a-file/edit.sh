rm p2p.c
