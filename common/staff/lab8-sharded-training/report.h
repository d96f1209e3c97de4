/*
 * report.h: the commands of lab 8. Given: nothing to edit here.
 */
#ifndef LAB8_REPORT_H
#define LAB8_REPORT_H

#include "lab/lab.h"

#ifdef __cplusplus
extern "C" {
#endif

/* lab8 --costs: what a rank holds and sends in a step of data parallel training
 * and of each way to shard it, next to the formulas. */
int report_costs(struct lab_run *r, int argc, char **argv);

/*
 * lab8 --scaling: a step of FSDP, in bf16, of a transformer without contents
 * (report_scaling.c): on 8 ranks, on 32, on 128 ....
 */
int report_scaling(struct lab_run *r, int argc, char **argv);

struct report_cost { /* the highest on any rank */
    double held, sent, ms;
};

/* Take two steps and measure the second one: the first also gathers what is
 * gathered only once. held is the peak of memory. */
struct report_cost report_second_step(struct lab_run *r,
                                      ncclResult_t (*step)(void *arg),
                                      void *arg);

#ifdef __cplusplus
}
#endif
#endif
