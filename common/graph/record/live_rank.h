/*
 * live_rank.h: the state that live.c keeps for one rank's segment
 *
 * Each node is examined once, when it is read, in the order of its rank's
 * numbers; everything here can be determined at that time.
 */
#ifndef COMMLAB_GRAPH_LIVE_RANK_H
#define COMMLAB_GRAPH_LIVE_RANK_H

#include "base/map.h"
#include "graph/mapped.h"
#include "graph/segment.h"

enum { LIVE_KNOWN = 1, LIVE_BATCH_KNOWN = 2 }; /* live_node.known */

struct live_node {
    uint32_t thread_prev; /* see graph_thread_prev(), 0: none */
    uint32_t queue_prev;  /* see graph_queue_prev(), 0: none */
    uint32_t batch_prev;  /* the last node in its queue of another group */
    uint32_t known;       /* the host has joined it; it and its batch */
    uint32_t question;    /* the last query that reached it */
    uint32_t parts;       /* how many of its parts it reached; enum reach */
    int waits;            /* it is on the work list */
};

struct live_thread {
    uint32_t last;    /* node */
    uint32_t join;    /* last node that waited for something */
    uint64_t host_ps; /* host time since then */
    uint32_t joined;  /* the last of its calls that thread 0 has waited for */
};

struct live_candidate { /* for a cut */
    uint32_t node;
    uint64_t match;
    uint64_t open; /* sum over all matches so far: see live_rank.c */
    int idle;      /* everything before it has been joined, with all threads,
                    by thread 0 */
};

struct live_list {
    uint32_t *item;
    uint32_t count, room;
};

struct live_rank {
    struct segment segment;
    const struct format_header *header; /* NULL: not attached */
    struct mapped mapped;               /* the segment's bytes */
    struct live_node *node;             /* from 1 */
    uint32_t nnodes;                    /* examined */
    struct map queues;                  /* last node of each */
    struct map threads;                 /* number in thread[], from 1 */
    struct live_thread *thread;
    uint32_t nthreads;
    struct live_candidate *candidate;
    uint32_t ncandidates;
    uint32_t nknown;
    uint64_t open;
    struct live_list work; /* of live_rank_next() */
};

/* True if the thread that issued it waits for something in it. */
int live_joins(const struct graph_node *n);

/* Examine node nnodes + 1, which the segment must hold. Returns -1 if memory
 * runs out. */
int live_rank_next(struct live_rank *r);

void live_rank_release(struct live_rank *r);

/* Append. Returns -1 if memory runs out. */
int live_push(struct live_list *l, uint32_t item);

/* Make room for entry `at` of an array that doubles. Returns -1 if memory runs
 * out. */
int live_room(void *array, uint32_t at, size_t nbytes);

#endif
