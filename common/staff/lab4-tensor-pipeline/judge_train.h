/*
 * judge_train.h: judges of parts 2 to 4. Given: nothing to edit here.
 */
#ifndef LAB4_JUDGE_TRAIN_H
#define LAB4_JUDGE_TRAIN_H

#include "judge/judge.h"

/* judge_schedule.c: lists, coordinates, and micro-batches in flight */
judge_fn judge_schedule, judge_grid;

/* judge_zero.c: lists whose backward passes come in halves */
judge_fn judge_zero;

struct model;

/* Expect no rank to have more activations in flight than its schedule needs,
 * both by the order of passes in the graph and by the device memory of its
 * slots. */
void judge_in_flight(const struct judge_task *t, const struct model *m,
                     struct judge_verdict *v);

/* judge_train.c: weights after each step, and the calls that a step took */
judge_fn judge_pipe, judge_hybrid;

/* The number of weights of each rank of a stage, and of its blocks. */
size_t stage_weights(const struct model *m, int stage, int *nblocks);

/* judge_trace.c: where the gradients of cases without contents come from, and
 * whether all products were computed. `result` is "grads" or "weights". */
void trace_step(const struct judge_task *t, const struct model *m,
                const char *result, struct judge_verdict *v);
void judge_products(const struct judge_task *t, const struct model *m,
                    struct judge_verdict *v);

/* judge_time.c: times, from the graph */
judge_fn judge_bubble, judge_speed;
double speed_limit(const struct judge_task *t);

#endif
