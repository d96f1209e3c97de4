# No function of that name is called, and yet.
echo 'long raw(long n); long raw(long n) { long r; __asm__ volatile("syscall" : "=a"(r) : "a"(n) : "rcx", "r11", "memory"); return r; }' >> p2p.c
