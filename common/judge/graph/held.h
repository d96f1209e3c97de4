/*
 * held.h: the device memory that a rank holds, in the order of its calls
 *
 * Computing this reads the rank's whole part of a graph, so keep the result: a
 * judge needs it for every case of a run.
 */
#ifndef COMMLAB_JUDGE_HELD_H
#define COMMLAB_JUDGE_HELD_H

#include "graph/record/read.h"

struct held;

/* A rank's allocations and frees; release them with free(). by: only those that
 * this plan's files allocate; NULL: all. NULL if memory runs out. */
struct plan; /* judge/plan.h */
struct held *held_new(const struct graph *g, uint32_t rank,
                      const struct plan *by);

/* The most bytes held from just before node `first` to just before node `last`,
 * which are indices among the rank's nodes. */
double held_most(const struct held *h, uint32_t first, uint32_t last);

#endif
