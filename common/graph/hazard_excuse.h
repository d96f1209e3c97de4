/*
 * hazard_excuse.h: orders that a graph doesn't show
 *
 * Two accesses that nothing orders are a race, unless something might that is not
 * recorded. Then the checker says nothing, or less: it accuses of what is certain.
 */
#ifndef COMMLAB_GRAPH_HAZARD_EXCUSE_H
#define COMMLAB_GRAPH_HAZARD_EXCUSE_H

#include "graph/read.h"

/* enum graph_touch of an access, without its flags. */
static inline uint32_t access_how(const struct graph_access *a)
{
    return a->write & GRAPH_TOUCH;
}

static inline int access_overlaps(const struct graph_access *a,
                                  const struct graph_access *b)
{
    return a->alloc == b->alloc && a->begin < b->end && b->begin < a->end;
}

/* Kernels of two devices that touch a word atomically may order themselves. */
int excuse_by_words(const struct graph_view *a, const struct graph_view *b);

/*
 * Could the host have learned of a's end in a way that the graph doesn't show? A
 * host function behind a, in its stream, may have told it, before b was issued.
 */
int excuse_by_host(const struct graph *g, const struct graph_node *a,
                   const struct graph_node *b);

#endif
