/*
 * sweep.h: lab6 --topology-sweep. Given: nothing to edit here.
 */
#ifndef LAB6_SWEEP_H
#define LAB6_SWEEP_H

#include "lab/lab.h"

/*
 * Measure and print the machine's links: every pair one way and both ways, with
 * and without peer access, latencies, all pairs at once, and NCCL's all-reduce
 * (run it again with NCCL_ALGO=RING and TREE to compare). A lab_command.
 */
int sweep_run(struct lab_run *r, int argc, char **argv);

#endif
