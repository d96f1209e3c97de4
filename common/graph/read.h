/*
 * read.h: reading execution graphs, live or saved
 *
 * A graph is the segments of all ranks, or the part of them that is the causal
 * past of one node: what it follows through its thread, its queue, its deps
 * and its matches. The causal past doesn't depend on how fast any process
 * happened to run, so nothing computed from it does.
 */
#ifndef COMMLAB_GRAPH_READ_H
#define COMMLAB_GRAPH_READ_H

#include "graph/record.h"

struct graph_view {         /* one node with its variable parts */
    struct graph_node node; /* flops, moves, accesses: amendments added */
    const struct graph_ref *deps;
    const struct graph_move *moves;
    const struct graph_access *accesses;
    const char *name;
    const char *site;
};

struct graph {
    uint32_t nranks;
    size_t nnodes;
    struct graph_view *nodes; /* by (rank, index) */
    /* private to read.c from here */
    struct graph_index *index;
};

/*
 * Load a saved run: DIR/rank-N.graph for all N. On failure returns NULL and
 * writes "file: offset: what" to err. Never crashes on a damaged file.
 */
struct graph *graph_load(const char *dir, char *err, size_t err_nbytes);

/* The live segments of a running job; a segment is mapped, not copied. */
struct graph_live;
struct graph_live *graph_live_new(uint32_t nranks);
int graph_live_attach(struct graph_live *l, uint32_t rank, int fd);
void graph_live_free(struct graph_live *l);

/*
 * The causal past of `last`, itself included. With `cut` non-NULL, what lies
 * before the latest cut (a moment that orders everything before it before
 * everything after it) is left out, and *cut gets the cut's identity.
 */
struct graph *graph_past(struct graph_live *l, struct graph_ref last);

void graph_free(struct graph *g);

/* NULL when the graph doesn't hold it. */
const struct graph_view *graph_node_at(const struct graph *g,
                                       struct graph_ref ref);

#endif
