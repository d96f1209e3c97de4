/*
 * judge_train.h: judges of parts 2 to 4. Given: nothing to edit here.
 */
#ifndef LAB4_JUDGE_TRAIN_H
#define LAB4_JUDGE_TRAIN_H

#include "judge/judge.h"

/* judge_schedule.c: lists, coordinates, and what is under way at once */
judge_fn judge_schedule, judge_grid;

struct model;

/* No rank has more activations in flight than its schedule asks for, by the
 * order of passes in the graph and by the device memory that slots take. */
void judge_in_flight(const struct judge_task *t, const struct model *m,
                     struct judge_verdict *v);

/* judge_train.c: weights after each step, and what it took to get there */
judge_fn judge_pipe, judge_hybrid;

/* judge_time.c: times, from the graph */
judge_fn judge_bubble, judge_speed;
double speed_limit(const struct judge_task *t);

#endif
