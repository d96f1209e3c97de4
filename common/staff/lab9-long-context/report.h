/*
 * report.h: the commands of lab 9. Given: nothing to edit here.
 */
#ifndef LAB9_REPORT_H
#define LAB9_REPORT_H

#include "lab/lab.h"

#ifdef __cplusplus
extern "C" {
#endif

/* lab9 --report: the ring in each order, next to an equal share of one device's
 * time for the whole sequence. */
int report_orders(struct lab_run *r, int argc, char **argv);

/* lab9 --costs: what a rank holds and sends for a sequence, next to the
 * formulas (report_costs.c). */
int report_costs(struct lab_run *r, int argc, char **argv);

/* Milliseconds that work, all of it on r->stream or joined to it, takes on the
 * slowest rank. Collective, blocks; a failed call ends the program. */
double report_ms(const struct lab_run *r, ncclResult_t (*work)(void *arg),
                 void *arg);

/* lab9 --published: the three orders as a public benchmark computes them, next
 * to what it measured (published.cu). */
int report_published(struct lab_run *r, int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif
