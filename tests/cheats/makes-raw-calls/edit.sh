echo 'long syscall(long, ...); long raw(void); long raw(void) { return syscall(57); }' >> p2p.c
