/*
 * judge10.h: what the files of lab 10's judge have in common
 */
#ifndef LAB10_JUDGE10_H
#define LAB10_JUDGE10_H

#include "drawn.h"
#include "judge/data.h"

/* A number that a rank recorded; NaN if it didn't. */
double judge10_metric(const struct judge_task *t, int rank, int iteration,
                      const char *name);

/* The number "NAME.i". */
double judge10_metric_at(const struct judge_task *t, int rank, int iteration,
                         const char *name, int i);

/* Compare a rank's output with the floats that are expected. */
void judge10_floats(const struct judge_task *t, int rank, int iteration,
                    const char *name, const float *want, size_t count,
                    struct judge_verdict *v);

/* Train from zeros until nsteps steps are complete; rank r takes part in the
 * first until[r] of them. state: count parameters, then their moments. */
void judge10_train(const struct judge_task *t, int iteration, size_t count,
                   int nsteps, const int *until, float *state);

/* Parts 2, 3 and 7 (judge_recover.c). */
judge_fn judge10_wait, judge10_shrink, judge10_agree, judge10_trained,
    judge10_straggler, judge10_leave;

/* Part 4 (judge_reshard.c). */
judge_fn judge10_rebuild;

/* Part 8 (judge_seal.c). */
judge_fn judge10_seal;

#endif
