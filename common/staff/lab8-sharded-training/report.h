/*
 * report.h: the command of lab 8. Given: nothing to edit here.
 */
#ifndef LAB8_REPORT_H
#define LAB8_REPORT_H

#include "lab/lab.h"

/* lab8 --costs: what a rank holds and sends in a step of data parallel training
 * and of each way to shard it, next to the formulas. */
int report_costs(struct lab_run *r, int argc, char **argv);

#endif
