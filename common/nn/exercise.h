/*
 * exercise.h: what cases of several labs do around a student's training step
 *
 *     struct exercise *const e = exercise_new(r);     network, optimizer, data
 *     exercise_same(e, r);                            rank 0's parameters
 *     lab_begin(r);
 *     for (int step = 0; step < e->task.steps; step++) {
 *         ...the student's step, with exercise_batch(e, step, j)...
 *         exercise_note(e, step);                     on the stream: no waiting
 *     }
 *     lab_end(r);
 *     exercise_show(e, r);
 *
 * There is one exercise at a time: making one releases the one before, which
 * may have been left in the middle.
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
    struct nn_optimizer optimizer; /* as the task says */
    struct nn_batch batch[EXERCISE_STEPS][EXERCISE_MICRO];
    float *shown[EXERCISE_STEPS]; /* parameters after each step */
};

/* All data of the run is on the device when it returns. */
struct exercise *exercise_new(struct lab_run *r);

/* As exercise_new(), of a task that no plan describes. */
struct exercise *exercise_of(struct lab_run *r, const struct nn_task *k);

void exercise_release(void);

/* Give all ranks rank 0's parameters. Waits. */
void exercise_same(struct exercise *e, struct lab_run *r);

/* Micro-batch j of a step; steps and micro-batches are used over again. */
const struct nn_batch *exercise_batch(const struct exercise *e, int step,
                                      int micro);

/* Keep the parameters of this moment, on the network's stream. */
void exercise_note(struct exercise *e, int step);
void exercise_show(struct exercise *e, struct lab_run *r);

#ifdef __cplusplus
}
#endif
#endif
