/*
 * index.h: what read.c and live.c share in making a struct graph
 */
#ifndef COMMLAB_GRAPH_INDEX_H
#define COMMLAB_GRAPH_INDEX_H

#include "graph/read.h"
#include "graph/segment.h"

struct graph_index {
    struct arena arena;          /* arrays that views point to */
    struct segment *segment;     /* nranks of them, read from files; or NULL */
    void **bytes;                /* and the files, */
    size_t *mapped;              /* or mappings of this size; 0: from malloc */
    const struct segment **seen; /* nranks of them, somebody else's; or NULL */
    uint32_t *first, *since;
    uint32_t *thread_prev, *queue_prev; /* by position */
    uint32_t *match;                    /* its number, 0: none */
    uint32_t *match_begin;              /* in match_member, by number */
    uint32_t *match_member;             /* positions */
};

/* A graph of nnodes empty views, with its index. NULL: no memory. */
struct graph *graph_new(uint32_t nranks, uint32_t nnodes);

/* The segment that a rank's nodes came from; NULL if that isn't known. */
const struct segment *graph_index_segment(const struct graph *g, uint32_t rank);

/* Copy the notes of all segments, which are known. -1: no memory. */
int graph_index_notes(struct graph *g);

/* All nodes and first[] are in place: find what orders them. -1: no memory. */
int graph_index_build(struct graph *g);

#endif
