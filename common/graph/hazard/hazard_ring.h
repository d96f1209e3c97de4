/*
 * hazard_ring.h: collectives of three or more communicators, in a ring of
 * waits
 *
 *     rank 0: A, then B      rank 1: B, then C      rank 2: C, then A
 *
 * No two ranks issue the same two collectives in opposite orders, and yet
 * each rank's first collective waits for a rank whose own first one waits: for
 * what that means on a device see hazard_crossed.h, which finds two ranks.
 *
 * Each issuer, a host thread on a device, is taken through its groups of calls
 * in order. A collective is over once all of its members are in their issuer's
 * current group. If issuers are left, they wait; those that wait for each other
 * are a ring. Collectives that lack a member are never over, but no ring.
 */
#ifndef COMMLAB_GRAPH_HAZARD_RING_H
#define COMMLAB_GRAPH_HAZARD_RING_H

#include "graph/record/read.h"

struct hazard_link { /* positions of two calls of one issuer, in its order */
    uint32_t first, then;
};

/*
 * Call fn with the links of the first ring, which has at least two: link i's
 * second call is of the same match as link i - 1's first, and link 0's as the
 * last's. Returns 0, or -1 if memory runs out or fn returned -1.
 */
int hazard_ring(const struct graph *g,
                int (*fn)(void *arg, const struct hazard_link *link,
                          uint32_t n),
                void *arg);

#endif
