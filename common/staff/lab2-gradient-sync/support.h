/*
 * support.h: one process with many devices, for cases and commands
 */
#ifndef LAB2_SUPPORT_H
#define LAB2_SUPPORT_H

#include "lab2.h"
#include "nn/exercise.h"

enum { SUPPORT_DEVICES = 16 };

/*
 * all[i] = all ranks' rows of step i of e, on rank 0's device, rank 0's rows
 * first; empty on other ranks. All ranks call.
 */
void support_gather(struct lab_run *r, const struct exercise *e,
                    struct nn_batch all[EXERCISE_STEPS]);

/* Make replicas of e's network on devices 0 .. n-1; r[0] has e's parameters.
 * Called on the rank that drives device 0. A failure stops the run. */
void support_make_replicas(struct replica *r, int n, const struct exercise *e);
void support_drop_replicas(struct replica *r, int n);

#endif
