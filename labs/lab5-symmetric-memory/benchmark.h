/*
 * benchmark.h: lab 5's --benchmark. Given: nothing to edit here.
 */
#ifndef LAB5_BENCHMARK_H
#define LAB5_BENCHMARK_H

#include "lab/lab.h"

/*
 * All ranks call. Prints put and signal against a message of NCCL's, your
 * all-reduces against NCCL's own, from 8 B up, where they cross, and what ring
 * buffer and hash map get through. Exit status.
 */
int benchmark_main(struct lab_run *r, int argc, char **argv);

#endif
