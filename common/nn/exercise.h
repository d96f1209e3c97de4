/*
 * exercise.h: the setup for a student's training step, for cases of several
 * labs
 *
 *     struct exercise *const e = exercise_new(r);     network, optimizer, data
 *     exercise_same(e, r);                            rank 0's parameters
 *     lab_begin(r);
 *     for (int step = 0; step < e->task.steps; step++) {
 *         ...the student's step, with exercise_batch(e, step, j)...
 *         exercise_note(e, step);                     does not block
 *     }
 *     lab_end(r);
 *     exercise_show(e, r);
 *
 * There is one exercise at a time: exercise_new() releases the previous one,
 * which a case may have left halfway.
 */
#ifndef COMMLAB_NN_EXERCISE_H
#define COMMLAB_NN_EXERCISE_H

#include "lab/lab.h"
#include "nn/mlp.h"
#include "nn/optimizer.h"
#include "nn/task.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { EXERCISE_STEPS = 8, EXERCISE_MICRO = 4 };

struct exercise {
    struct nn_task task;
    struct nn m;                   /* parameters from the rank's own seed */
    struct nn_optimizer optimizer; /* the optimizer of the task */
    struct nn_batch batch[EXERCISE_STEPS][EXERCISE_MICRO];
    float *shown[EXERCISE_STEPS]; /* parameters after each step */
};

/* Set up the exercise of the plan's case, with all data on the device.
 * Blocks. */
struct exercise *exercise_new(struct lab_run *r);

/* Like exercise_new(), for a task that does not come from a plan. */
struct exercise *exercise_of(struct lab_run *r, const struct nn_task *k);

void exercise_release(void);

/* Give all ranks rank 0's parameters. Blocks. */
void exercise_same(struct exercise *e, struct lab_run *r);

/* A micro-batch of a step; both numbers wrap around. */
const struct nn_batch *exercise_batch(const struct exercise *e, int step,
                                      int micro);

/* Copy the current parameters, on the network's stream. */
void exercise_note(struct exercise *e, int step);
/* Record all copies as outputs. Call it after lab_end(). */
void exercise_show(struct exercise *e, struct lab_run *r);

#ifdef __cplusplus
}
#endif
#endif
