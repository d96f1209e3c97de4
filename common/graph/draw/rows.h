/*
 * rows.h: the rows of a timeline
 *
 * There is a row for each host thread and for each queue with operations,
 * ordered by (rank, threads before queues, number).
 */
#ifndef COMMLAB_GRAPH_ROWS_H
#define COMMLAB_GRAPH_ROWS_H

#include "graph/replay/replay.h"

struct graph_row {
    uint32_t rank;
    int is_queue;
    uint32_t number; /* number of the thread or queue */
    int32_t place;   /* place of the queue's first operation */
    char name[64];   /* "rank 0 host", "rank 0 G1 stream 2" */
};

struct rows {
    struct graph_row *row;
    uint32_t n;
    uint32_t *host;   /* by position: row of its host part */
    uint32_t *device; /* by position: row of its device part;
                         GRAPH_NOWHERE: none */
};

/* Returns -1 if memory runs out. */
int rows_init(struct rows *rows, const struct graph *g);
void rows_release(struct rows *rows);

/*
 * A node is drawn as pieces of time on its rows. Each piece has a single look
 * and is never empty.
 */
enum look {
    LOOK_HOST,    /* a call on a host thread */
    LOOK_WAIT,    /* a blocked host thread */
    LOOK_COMPUTE, /* a kernel */
    LOOK_LOCAL,   /* a copy to or from the host, a memset, a host function */
    LOOK_HIDDEN,  /* communication while the device computes */
    LOOK_EXPOSED, /* communication while it does not */
    LOOK_PENDING, /* communication that waits for its peers */
    LOOK_FAULT,   /* a host thread that a planted fault holds up */
    LOOKS
};

struct graph_piece {
    uint32_t node, row; /* position and row */
    enum look look;
    uint64_t begin_ps, end_ps;
};

struct overlap;
typedef void piece_fn(void *arg, const struct graph_piece *p);

/* Call fn for each piece of node `at`, in the order of time. */
void rows_pieces(const struct rows *rows, const struct graph *g,
                 const struct replay_time *time, const struct overlap *o,
                 uint32_t at, piece_fn *fn, void *arg);

#endif
