/*
 * order.h: a graph's order in reverse: what follows each node
 *
 * A *batch* is one node, or adjacent nodes of one group, that start together in
 * a queue. Its first node stands for it. The next batch of the queue waits for
 * the whole batch, and what depends on a node of a batch waits for the nodes
 * before it there, too.
 */
#ifndef COMMLAB_GRAPH_ORDER_H
#define COMMLAB_GRAPH_ORDER_H

#include "graph/record/read.h"

/*
 * Everything about a node fits in one cache line or two: a replay visits nodes
 * of many ranks alternately, and spends most of its time fetching them.
 */
struct order_node {
    uint32_t child, sibling; /* list of the host parts that begin when this
                                node's ends */
    uint32_t batch;          /* its batch */
    uint32_t next_batch;     /* the next batch in the queue */
    uint32_t nbatch;         /* number of nodes in the batch */
    uint32_t queue_next;     /* the next node in its queue */
    uint32_t dep_begin;      /* start in order.dep; ends at the next node's */
    uint32_t nbefore;        /* events awaited: its issue, previous batch,
                                deps */
};

struct order {
    struct order_node *node; /* by position, and one more */
    uint32_t *dep;           /* nodes that depend on this one */
};

/* Returns 0, or -1 with a line in err if the graph lacks a dependence. */
int order_init(struct order *o, const struct graph *g, char *err,
               size_t err_nbytes);
void order_release(struct order *o);

/*
 * Check that the members that each operation waits for are in the graph, once
 * each. Returns 0, or -1 with a line in err.
 */
int order_check_matches(const struct graph *g, char *err, size_t err_nbytes);

/* The same check for one match, whose n > 0 members graph_matched()
 * returned. */
int order_is_whole(const struct graph *g, const uint32_t *member, uint32_t n);

#endif
