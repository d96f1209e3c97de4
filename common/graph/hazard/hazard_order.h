/*
 * hazard_order.h: happens-before
 *
 * For *time*, every matched operation is a rendezvous. For hazards, only order
 * that a program may rely on counts: a broadcast moves data from its root to
 * the others, not back, and a send may end long before its receive begins.
 *
 * A *chain* is a sequence of operations each of which ends before the next one
 * begins: a queue, or the host-only operations of a thread. Operations of a
 * chain are numbered from 1. A vector *clock* holds for each chain the number
 * up to which its operations are known to have ended. So
 *
 *     operation `number` of `chain` has ended when v begins
 *         <=>  clock of v's beginning [chain] >= number
 *
 * Rules beyond record.h's:
 * - The nodes of a group are one *unit*, even in several queues: it begins when
 *   everything before it in any of these queues has ended, and ends as a whole;
 *   its nodes are unordered. Waiting for one of its nodes is waiting for all.
 * - FROM_ROOT: the root's beginning is before the others' ends. TO_ROOT: all
 *   beginnings are before the root's end. ALL: every beginning is before every
 *   end. MESSAGE, and PAIR of device operations: the sender's beginning is
 *   before the receiver's end. PAIR of host-only nodes: also vice versa.
 * - Locks, joins and flags between the host threads of a process are not in the
 *   graph. So anything one thread knew when another issued an operation (by the
 *   order of recording) counts as known to both. This can miss a bug, but never
 *   invents one.
 * - Members of a match that are not in the graph order nothing.
 */
#ifndef COMMLAB_GRAPH_HAZARD_ORDER_H
#define COMMLAB_GRAPH_HAZARD_ORDER_H

#include "graph/record/read.h"

struct hazard_point { /* an operation's place in its chain */
    uint32_t chain, number;
};

/*
 * Called when node `at` begins, with the clock `known` of nchains entries: once
 * for each node, after the calls for all nodes that end before. Returning -1
 * ends the walk.
 */
typedef int hazard_begin_fn(void *arg, uint32_t at, struct hazard_point point,
                            const uint32_t *known, uint32_t nchains);

enum hazard_threads {
    HAZARD_TOGETHER, /* all threads of a rank know what one of them knows:
                        see above */
    HAZARD_APART,    /* a thread knows what it has waited for, and what its
                        predecessor knew where it began (graph_thread_prev()) */
};

/*
 * Walk through a graph. Nodes that can never begin, because the run hung, are
 * left out. Returns 0, or -1 if memory runs out or fn returned -1.
 */
int hazard_order(const struct graph *g, enum hazard_threads threads,
                 hazard_begin_fn *fn, void *arg);

#endif
