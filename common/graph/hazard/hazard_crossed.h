/*
 * hazard_crossed.h: collectives that two ranks issue in opposite orders
 *
 *     rank 0: collective A, then B      rank 1: B, then A
 *
 * Each waits on the device until all its ranks have begun. On different streams
 * both may run at once, but a device that has no room for both, or that a call
 * synchronises, runs the first alone: then each rank waits for the other. The
 * calls of one communicator are matched in the order of issue, so A and B have
 * different communicators. NCCL asks for the same order on all ranks.
 *
 * Calls of one group have no order, nor have those of two host threads.
 */
#ifndef COMMLAB_GRAPH_HAZARD_CROSSED_H
#define COMMLAB_GRAPH_HAZARD_CROSSED_H

#include "graph/record/read.h"

struct hazard_crossed { /* positions of nodes */
    uint32_t first[2];  /* the lower rank's, in its order of issue */
    uint32_t second[2]; /* the other's: its member of first[1]'s match, then
                           that of first[0]'s */
};

/* Call fn for pairs of collectives that ranks issue in opposite orders.
 * Returns 0, or -1 if memory runs out or fn returned -1. */
int hazard_crossed(const struct graph *g,
                   int (*fn)(void *arg, const struct hazard_crossed *c),
                   void *arg);

#endif
