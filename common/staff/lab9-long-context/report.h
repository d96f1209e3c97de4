/*
 * report.h: the commands of lab 9. Given: nothing to edit here.
 */
#ifndef LAB9_REPORT_H
#define LAB9_REPORT_H

#include "lab/lab.h"

/* lab9 --report: the ring in each order, next to an equal share of one device's
 * time for the whole sequence. */
int report_orders(struct lab_run *r, int argc, char **argv);

/* lab9 --costs: what a rank holds and sends for a sequence, next to the
 * formulas (report_costs.c). */
int report_costs(struct lab_run *r, int argc, char **argv);

#endif
