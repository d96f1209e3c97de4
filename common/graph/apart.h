/*
 * apart.h: operations of which only host threads know that they are in order
 *
 *     thread 0   copy A ... wait for it ... unlock
 *     thread 1                              lock ... copy B, which reads A's
 *
 * Locks are not in the graph. Thread 1's host time may be the time at which it
 * fell asleep, so in a replay B would begin before A has ended, and a chain of
 * such copies would take the time of its longest. For hazards they are in
 * order, by the order in which they were recorded (hazard_order.h). So that
 * they are in time as well, each such pair that touches the same bytes becomes
 * a dependence.
 */
#ifndef COMMLAB_GRAPH_APART_H
#define COMMLAB_GRAPH_APART_H

#include "graph/read.h"

/*
 * Find the pairs (graph.apart), in a graph that is whole. A rank whose devices
 * get their work from one thread has none. Returns -1 if memory runs out.
 */
int apart_find(struct graph *g);

#endif
