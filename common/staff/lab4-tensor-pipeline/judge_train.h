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

/* judge_time.c: times, from the graph */
judge_fn judge_bubble, judge_speed;
double speed_limit(const struct judge_task *t);

#endif
