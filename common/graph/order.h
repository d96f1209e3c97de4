/*
 * order.h: a graph's order, the other way round: who follows a node
 *
 * A *batch* is what starts together in a queue: one node, or neighbours of one
 * group. It is named by its first node. The next batch of the queue waits for
 * all of it.
 */
#ifndef COMMLAB_GRAPH_ORDER_H
#define COMMLAB_GRAPH_ORDER_H

#include "graph/read.h"

/*
 * All of a node in one place: replay visits nodes of many ranks in turn, and
 * most of its time goes into fetching them.
 */
struct order_node {
    uint32_t child, sibling; /* host parts that begin when this one's is over:
                                the first, and the next after it */
    uint32_t batch;          /* the batch it is in */
    uint32_t next_batch;     /* if it names a batch: the one behind it */
    uint32_t nbatch;         /* and its nodes */
    uint32_t queue_next;     /* the node behind it in its queue */
    uint32_t dep_begin;      /* in order.dep, up to the next node's */
    uint32_t nbefore;        /* what it waits for: issue, batch before, deps */
};

struct order {
    struct order_node *node; /* by position, and one more */
    uint32_t *dep;           /* nodes that have this one among their deps */
};

/* 0, or -1 with a line in err: a dep that the graph doesn't hold. */
int order_init(struct order *o, const struct graph *g, char *err,
               size_t err_nbytes);
void order_release(struct order *o);

/*
 * Are the members that every operation waits for in the graph, once each? 0, or
 * -1 with a line in err.
 */
int order_check_matches(const struct graph *g, char *err, size_t err_nbytes);

#endif
