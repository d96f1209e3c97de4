/*
 * sweep.h: lab6 --topology-sweep. Given: nothing to edit here.
 */
#ifndef LAB6_SWEEP_H
#define LAB6_SWEEP_H

#include "lab/lab.h"

/*
 * Print what the machine's links can do: every pair one way and both ways, with
 * peer access and without, latencies, all pairs at once, and an all-reduce by
 * NCCL (run it again with NCCL_ALGO=RING and TREE to compare). As lab_command.
 */
int sweep_run(struct lab_run *r, int argc, char **argv);

#endif
