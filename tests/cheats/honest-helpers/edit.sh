# Helpers with everyday names, an assertion, a clock that is only read.
echo '#include <assert.h>
#include <time.h>
void write_block(int n); void write_block(int n) { struct timespec t; assert(n >= 0); clock_gettime(CLOCK_MONOTONIC, &t); }
int swap(int a); int swap(int a) { return -a; }' >> bootstrap.c
