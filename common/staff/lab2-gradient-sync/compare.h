/*
 * compare.h: lab 2's commands, which measure your functions
 *
 * Each takes the runner's lab_run and its arguments and returns an exit status.
 */
#ifndef LAB2_COMPARE_H
#define LAB2_COMPARE_H

#include "lab/lab.h"

/*
 * --bucket-sweep [--mb N]: the time of bucket_sync() for N MiB of gradients in
 * 32 parameters, by bucket size and element type, in nccl-tests' columns.
 */
int compare_sweep(struct lab_run *r, int argc, char **argv);

/*
 * --compare [--tensor-mb N]: the time of a step, or of a synchronisation, by
 * the methods of this lab: an all-reduce for each of 32 parameters or 6
 * buckets, one process for all devices or one for each, a new communicator in
 * each step or the same one.
 */
int compare_ways(struct lab_run *r, int argc, char **argv);

#endif
