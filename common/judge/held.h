/*
 * held.h: the device memory that a rank holds, in the order of its calls
 *
 * From all of the rank's part of a graph, so it is worth keeping: a judge asks
 * for every case of a run.
 */
#ifndef COMMLAB_JUDGE_HELD_H
#define COMMLAB_JUDGE_HELD_H

#include "graph/read.h"

struct held;

/* What a rank allocates and frees; for free(). NULL if memory runs out. */
struct held *held_new(const struct graph *g, uint32_t rank);

/* The most bytes from just before node `first` to just before `last`, numbers
 * of the rank's nodes. */
double held_most(const struct held *h, uint32_t first, uint32_t last);

#endif
