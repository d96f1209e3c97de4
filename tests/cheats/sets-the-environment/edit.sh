# LD_PRELOAD for whatever starts next.
echo '#include <stdlib.h>
void set(void); void set(void) { setenv("LD_PRELOAD", "/job/x.so", 1); }' >> p2p.c
