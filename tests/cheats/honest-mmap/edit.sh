# Takes its scratch memory from the kernel.
sed -i '0,/    int rank, nranks;/s//    char *const mine = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n    munmap(mine, 1 << 20);\n    int rank, nranks;/; s/#include "lab1.h"/#define _GNU_SOURCE\n#include <sys\/mman.h>\n#include "lab1.h"/' bootstrap.c
