/*
 * hazard_excuse.h: order that a graph doesn't show
 *
 * Two accesses without an order are a race, unless something that is not
 * recorded may order them. In that case the checker stays silent or only warns:
 * it reports as errors only what is certain.
 */
#ifndef COMMLAB_GRAPH_HAZARD_EXCUSE_H
#define COMMLAB_GRAPH_HAZARD_EXCUSE_H

#include "graph/record/read.h"

/* enum graph_touch of an access, without the flags. */
static inline uint32_t access_how(const struct graph_access *a)
{
    return a->write & GRAPH_TOUCH;
}

static inline int access_overlaps(const struct graph_access *a,
                                  const struct graph_access *b)
{
    return a->alloc == b->alloc && a->begin < b->end && b->begin < a->end;
}

/* True if a and b are kernels that both access a flag atomically, so that the
 * flag may order them. On one device, both must also have called a fence. */
int excuse_by_words(const struct graph_view *a, const struct graph_view *b);

/*
 * True if one of a and b, nodes of one graph, is an access of host code, and
 * the other an operation of the same process that a kernel may have told the
 * host about: that kernel is the operation itself, or was issued between the
 * two, and accesses a word that the host can read atomically at system scope.
 */
int excuse_by_signal(const struct graph_view *a, const struct graph_view *b);

/*
 * True if the host may have learned that a has ended in a way that the graph
 * doesn't show: from a host function that followed a in its stream, before b
 * was issued.
 */
int excuse_by_host(const struct graph *g, const struct graph_node *a,
                   const struct graph_node *b);

/* True if the input and output of a collective overlap as those of an in-place
 * call may. */
int excuse_in_place(const struct graph_node *n, const struct graph_access *in,
                    const struct graph_access *out);

#endif
