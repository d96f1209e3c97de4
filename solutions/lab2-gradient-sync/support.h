/*
 * support.h: what cases and commands share: a process with many devices
 */
#ifndef LAB2_SUPPORT_H
#define LAB2_SUPPORT_H

#include "lab2.h"
#include "nn/exercise.h"

enum { SUPPORT_DEVICES = 16 };

/*
 * All ranks' rows of each step of e, on rank 0's device: rank 0's first. Returns
 * an array by step, until the next call; its entries are empty on other ranks.
 * All ranks call.
 */
const struct nn_batch *support_gather(struct lab_run *r,
                                      const struct exercise *e);

/* Replicas of e's network on devices 0 .. n-1; r[0] has e's parameters. A
 * failure stops the run. The calling rank drives device 0 otherwise. */
void support_make_replicas(struct replica *r, int n, const struct exercise *e);
void support_drop_replicas(struct replica *r, int n);

#endif
