/*
 * apart.h: pairs of operations that are ordered only through host threads
 *
 *     thread 0   copy A ... wait for it ... unlock
 *     thread 1                              lock ... copy B, which reads A's
 *
 * Locks are not in the graph. Thread 1's host time may be that at which it fell
 * asleep, so in a replay B would begin before A has ended, and a chain of such
 * copies would take only the time of its longest. For hazards the order of
 * recording orders these copies (hazard_order.h). To order them in time as
 * well, each such pair that touches the same bytes becomes a dependence.
 */
#ifndef COMMLAB_GRAPH_APART_H
#define COMMLAB_GRAPH_APART_H

#include "graph/record/read.h"

/*
 * Find the pairs (graph.apart) of a whole graph. A rank whose devices get their
 * work from a single thread has none. Returns -1 if memory runs out.
 */
int apart_find(struct graph *g);

#endif
