/*
 * benchmark.h: lab 5's --benchmark. Given: nothing to edit here.
 */
#ifndef LAB5_BENCHMARK_H
#define LAB5_BENCHMARK_H

#include "lab/lab.h"

/*
 * All ranks call. Prints, for sizes from 8 B on, the times of put and signal
 * and of an NCCL message, of your all-reduces and NCCL's; then the crossovers,
 * and the throughput of ring buffer and hash map. Returns an exit status.
 */
int benchmark_main(struct lab_run *r, int argc, char **argv);

/* The size from which its memory needs no contents, as in lab.h. */
const char *benchmark_dataless(int argc, char **argv);

#endif
