/*
 * report.h: lab 3's commands, which measure what you wrote
 */
#ifndef LAB3_REPORT_H
#define LAB3_REPORT_H

#include "lab/lab.h"

/*
 * --overlap-report: compute, communication, hidden, exposed, the share of a step
 * in which it waits, with your buckets; and the same step with all gradients
 * reduced after the backward pass (no_overlap), one all-reduce for each.
 */
int report_overlap(struct lab_run *r, int argc, char **argv);

/* --zero-report: bytes of AdamW's state on each rank, whole and sharded. */
int report_zero(struct lab_run *r, int argc, char **argv);

#endif
