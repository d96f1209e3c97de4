/*
 * rows.h: the rows of a timeline
 *
 * There is one row for each host thread and one for each queue with operations,
 * ordered by (rank, threads before queues, number).
 */
#ifndef COMMLAB_GRAPH_ROWS_H
#define COMMLAB_GRAPH_ROWS_H

#include "graph/replay.h"

struct row {
    uint32_t rank;
    int is_queue;
    uint32_t number; /* of the thread or queue */
    int32_t place;   /* of the queue's first operation */
    char name[64];   /* "rank 0 host", "rank 0 G1 stream 2" */
};

struct rows {
    struct row *row;
    uint32_t n;
    uint32_t *host;   /* by position: the row of its host part, */
    uint32_t *device; /* and of its device part; GRAPH_NOWHERE: none */
};

/* Returns -1 if memory runs out. */
int rows_init(struct rows *rows, const struct graph *g);
void rows_release(struct rows *rows);

/*
 * A node is drawn as pieces of time on its rows, each with one look. A piece is
 * never empty.
 */
enum look {
    LOOK_HOST,    /* a call on a host thread */
    LOOK_WAIT,    /* a blocked host thread */
    LOOK_COMPUTE, /* a kernel */
    LOOK_LOCAL,   /* a copy to or from the host, a memset, a host function */
    LOOK_HIDDEN,  /* communication while the device computes */
    LOOK_EXPOSED, /* communication while it does not */
    LOOK_PENDING, /* communication that waits for its peers */
    LOOKS
};

struct piece {
    uint32_t node, row; /* position, row */
    enum look look;
    uint64_t begin_ps, end_ps;
};

struct overlap;
typedef void piece_fn(void *arg, const struct piece *p);

/* Call fn for each piece of node `at`, in order of time. */
void rows_pieces(const struct rows *rows, const struct graph *g,
                 const struct replay_time *time, const struct overlap *o,
                 uint32_t at, piece_fn *fn, void *arg);

#endif
