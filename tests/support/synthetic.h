/*
 * synthetic.h: execution graphs built by hand
 *
 * The ranks of a run are segments in one process, so a test records what a real
 * run would. Any failure here ends the test.
 */
#ifndef COMMLAB_TESTS_SYNTHETIC_H
#define COMMLAB_TESTS_SYNTHETIC_H

#include "graph/record/live.h"
#include "graph/record/read.h"

enum { SYNTHETIC_DEPS = 8, SYNTHETIC_MOVES = 4, SYNTHETIC_ACCESSES = 4 };

struct synthetic {
    uint32_t nranks;
    struct graph_segment **rank;
    char dir[64]; /* temporary, removed at the end */
};

struct synthetic_op {
    struct graph_node node; /* counts are set from the arrays */
    const char *name;
    struct graph_ref deps[SYNTHETIC_DEPS];    /* ended by an index of 0 */
    struct graph_move moves[SYNTHETIC_MOVES]; /* ended by a move of 0 bytes */
    struct graph_access accesses[SYNTHETIC_ACCESSES]; /* ended by an
                                                         empty access */
};

void synthetic_init(struct synthetic *s, uint32_t nranks);
void synthetic_release(struct synthetic *s);

struct graph_ref synthetic_add(struct synthetic *s, uint32_t rank,
                               const struct synthetic_op *op);

/* SYNTHETIC(s, rank, .node = {...}, .deps = {...}) adds an operation. */
#define SYNTHETIC(s, rank, ...)                                                \
    synthetic_add(s, rank, &(const struct synthetic_op){__VA_ARGS__})

/* Put later operations of this rank into a range; NULL: into none. */
void synthetic_range(struct synthetic *s, uint32_t rank, const char *name);

/* Save the graph and load it, or open it as that of a running job. The caller
 * frees the result. */
struct graph *synthetic_load(struct synthetic *s);
struct graph_live *synthetic_live(struct synthetic *s);

#endif
