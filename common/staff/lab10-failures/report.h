/*
 * report.h: lab 10's command. Given: nothing to edit here.
 */
#ifndef LAB10_REPORT_H
#define LAB10_REPORT_H

#include "lab/lab.h"

/* --goodput: for each interval between checkpoints, the share of time that
 * trains, by the formula and by a simulated job. */
int report_goodput(struct lab_run *r, int argc, char **argv);

#endif
