# Code that the loader runs.
echo 'static int one(void) { return 1; }
static int (*pick(void))(void) { return one; }
int early(void) __attribute__((ifunc("pick")));' >> p2p.c
