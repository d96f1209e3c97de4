/*
 * synthetic.h: execution graphs made by hand
 *
 * The ranks of a run as segments of one process: what a test records is what a
 * run would have. Any failure here ends the test.
 */
#ifndef COMMLAB_TESTS_SYNTHETIC_H
#define COMMLAB_TESTS_SYNTHETIC_H

#include "graph/live.h"
#include "graph/read.h"

enum { SYNTHETIC_DEPS = 8, SYNTHETIC_MOVES = 4, SYNTHETIC_ACCESSES = 4 };

struct synthetic {
    uint32_t nranks;
    struct graph_segment **rank;
    char dir[64]; /* a temporary one, removed at the end */
};

struct synthetic_op {
    struct graph_node node; /* its counts follow from the arrays */
    const char *name;
    struct graph_ref deps[SYNTHETIC_DEPS];    /* up to the first with index 0 */
    struct graph_move moves[SYNTHETIC_MOVES]; /* up to the first of 0 bytes */
    struct graph_access accesses[SYNTHETIC_ACCESSES]; /* likewise */
};

void synthetic_init(struct synthetic *s, uint32_t nranks);
void synthetic_release(struct synthetic *s);

struct graph_ref synthetic_add(struct synthetic *s, uint32_t rank,
                               const struct synthetic_op *op);

/* SYNTHETIC(s, rank, .node = {...}, .deps = {...}) */
#define SYNTHETIC(s, rank, ...)                                                \
    synthetic_add(s, rank, &(const struct synthetic_op){__VA_ARGS__})

/* From now on operations of this rank belong to a range; NULL: to none. */
void synthetic_range(struct synthetic *s, uint32_t rank, const char *name);

/* Saved and loaded again; and as a running job. Freed by the caller. */
struct graph *synthetic_load(struct synthetic *s);
struct graph_live *synthetic_live(struct synthetic *s);

#endif
