# Prints what a tree does, behind a switch and a static table.
sed -i 's|^    while (top < n)|    static const char *const role[] = {"leaf", "root"};\n    enum { VERBOSE = 1 };\n    if (VERBOSE)\n        printf("[%d/%d] %s of a broadcast of %zu, tid %lu\\n", c->rank, n, role[v == 0], count, (unsigned long)pthread_self());\n    fflush(stdout);\n&|' p2p.c
sed -i '/^#include "lab\/try.h"/a #include <pthread.h>\n#include <stdio.h>' p2p.c
