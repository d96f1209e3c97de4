/*
 * report.h: lab 3's commands, which measure your functions
 */
#ifndef LAB3_REPORT_H
#define LAB3_REPORT_H

#include "lab/lab.h"

/*
 * --overlap-report: compute, communication, hidden and exposed time with your
 * buckets, and the fraction of a step that is exposed; and the same step with
 * an all-reduce for each gradient after the backward pass.
 */
int report_overlap(struct lab_run *r, int argc, char **argv);

/* --zero-report: AdamW's state per rank, unsharded and sharded. */
int report_zero(struct lab_run *r, int argc, char **argv);

#endif
