/*
 * index.h: building a struct graph, for read.c and live.c
 */
#ifndef COMMLAB_GRAPH_INDEX_H
#define COMMLAB_GRAPH_INDEX_H

#include "base/map.h"
#include "graph/record/read.h"
#include "graph/record/segment.h"

struct graph_index {
    struct arena arena;      /* arrays that views point to */
    struct segment *segment; /* the nranks segments, if read from files;
                                else NULL */
    void **bytes;            /* the files' contents */
    size_t *mapped;          /* sizes, if they are mappings; 0: from malloc() */
    const struct segment *
        *seen; /* the nranks segments, if a caller owns them; else NULL */
    uint32_t *first, *since;
    uint32_t *thread_prev, *queue_prev; /* by position */
    uint32_t *match;                    /* by position: number of its
                                           match, or 0 */
    uint32_t *match_begin;              /* by match: start in match_member */
    uint32_t *match_member;             /* positions */
};

/* Make a graph of nnodes empty views, and its index. NULL if memory runs
 * out. */
struct graph *graph_new(uint32_t nranks, uint32_t nnodes);

/* The segment with a rank's nodes; NULL if it is unknown. */
const struct segment *graph_index_segment(const struct graph *g, uint32_t rank);

/* Copy the notes of all segments, which must be known. Returns -1 if memory
 * runs out. */
int graph_index_notes(struct graph *g);

/* Add the harms of a rank's segment. Returns -1 if memory runs out. */
int graph_index_harms(struct graph *g, uint32_t rank, const struct segment *s);

/* Add the matches of a segment's broken operations to a set, from the given
 * note on. Returns -1 if memory runs out. */
int graph_index_broken(const struct segment *s, uint32_t from,
                       struct map *broken);

/* Take nodes whose match is broken out of it: they cost nothing. */
void graph_index_break(struct graph *g, const struct map *broken);

/* Index the order of the nodes, once nodes and first[] are in place. Returns -1
 * if memory runs out. */
int graph_index_build(struct graph *g);

#endif
