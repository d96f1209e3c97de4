echo '#include <stdio.h>
int peek(void); int peek(void) { return fopen("/job/rank-0.job", "r") != 0; }' >> p2p.c
