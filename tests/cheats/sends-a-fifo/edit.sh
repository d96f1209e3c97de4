rm p2p.c
mkfifo p2p.c
