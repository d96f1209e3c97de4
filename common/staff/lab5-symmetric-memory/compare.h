/*
 * compare.h: lab 5's commands that compare your functions with NCCL, by size.
 * Given: nothing to edit here.
 *
 * Each takes [--max-kb N] [-o FILE.svg], prints a table and draws it. All ranks
 * call. Returns an exit status.
 */
#ifndef LAB5_COMPARE_H
#define LAB5_COMPARE_H

#include "lab/lab.h"

/* --latency: all-reduces in memory that is registered once or in every call. */
int compare_latency(struct lab_run *r, int argc, char **argv);

/* --windows: all-reduces in NCCL's windows, by loads and by the switch. */
int compare_windows(struct lab_run *r, int argc, char **argv);

/* --sync: from gradients to updated weights, by all-reduce and by parameter
 * servers; verifies the weights. */
int compare_sync(struct lab_run *r, int argc, char **argv);

/* --cache: look-ups of an adapter that is in the cache, that a get fetches, or
 * that its owner sends with NCCL. */
int compare_cache(struct lab_run *r, int argc, char **argv);

#endif
