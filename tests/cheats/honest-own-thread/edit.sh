# Thinks in a thread, and waits for it.
sed -i '0,/    int rank, nranks;/s//    pthread_t t;\n    if (pthread_create(\&t, NULL, think, NULL) == 0)\n        pthread_join(t, NULL);\n    int rank, nranks;/; s/#include "lab1.h"/#include <pthread.h>\n#include "lab1.h"\nstatic void *think(void *x) { return x; }/' bootstrap.c
