/*
 * index.h: building a struct graph, for read.c and live.c
 */
#ifndef COMMLAB_GRAPH_INDEX_H
#define COMMLAB_GRAPH_INDEX_H

#include "graph/read.h"
#include "graph/segment.h"

struct graph_index {
    struct arena arena;      /* arrays that views point to */
    struct segment *segment; /* nranks of them, read from files; or NULL */
    void **bytes;            /* the files, */
    size_t *mapped;          /* or mappings of this size; 0: from malloc */
    const struct segment *
        *seen; /* nranks of them, owned by a caller; or NULL */
    uint32_t *first, *since;
    uint32_t *thread_prev, *queue_prev; /* by position */
    uint32_t *match;                    /* its number, 0: none */
    uint32_t *match_begin;              /* in match_member, by number */
    uint32_t *match_member;             /* positions */
};

/* A graph of nnodes empty views, with its index. NULL if memory runs out. */
struct graph *graph_new(uint32_t nranks, uint32_t nnodes);

/* The segment of a rank's nodes; NULL if it is unknown. */
const struct segment *graph_index_segment(const struct graph *g, uint32_t rank);

/* Copy the notes of all segments, which must be known. Returns -1 if memory
 * runs out. */
int graph_index_notes(struct graph *g);

/* Index the order of the nodes, once nodes and first[] are in place. Returns -1
 * if memory runs out. */
int graph_index_build(struct graph *g);

#endif
