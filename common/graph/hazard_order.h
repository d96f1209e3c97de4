/*
 * hazard_order.h: happens-before
 *
 * For *time* everything that belongs together is a rendezvous; for hazards only
 * what a program may rely on counts: data moves from a broadcast's root to the
 * others, not back, and a send may be over long before its receive begins.
 *
 * A *chain* is a sequence of operations of which each ends before the next one
 * begins: a queue, or the host-only operations of a thread. Operations of a
 * chain are numbered from 1. What is known at some point is a *clock*: for each
 * chain, the number up to which its operations are known to have ended. So
 *
 *     operation `number` of `chain` is over when v begins
 *         <=>  clock of v's beginning [chain] >= number
 *
 * Rules beyond record.h's:
 * - Nodes of one group are one *unit*, whatever their queues: it begins when all
 *   that is before it in any of them has ended, and ends as a whole; nothing
 *   orders what is inside. Waiting for one of its nodes is waiting for all.
 * - FROM_ROOT: the root's beginning is before the others' ends. TO_ROOT: all
 *   beginnings are before the root's end. ALL: all before all. MESSAGE, and PAIR
 *   of device operations: the sender's beginning before the receiver's end. PAIR
 *   of host-only nodes: also the other way round.
 * - Host threads of a process: locks, joins and flags between them are not in
 *   the graph, so what one of them knew when another issued an operation (as
 *   the order of recording shows) is taken as known to both. That can miss a
 *   mistake; it doesn't invent one.
 * - A part of a match that is not in the graph orders nothing.
 */
#ifndef COMMLAB_GRAPH_HAZARD_ORDER_H
#define COMMLAB_GRAPH_HAZARD_ORDER_H

#include "graph/read.h"

struct hazard_point { /* an operation's place */
    uint32_t chain, number;
};

/*
 * Node `at` begins; `known` is the clock of that moment. Called once for each
 * node, after it was called for all that end before. -1 ends the walk.
 */
typedef int hazard_begin_fn(void *arg, uint32_t at, struct hazard_point point,
                            const uint32_t *known);

/*
 * Walk through a graph. What can never begin, since the run hung before it, is
 * left out. 0, or -1: no memory, or fn said so.
 */
int hazard_order(const struct graph *g, hazard_begin_fn *fn, void *arg);

#endif
