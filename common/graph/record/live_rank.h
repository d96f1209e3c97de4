/*
 * live_rank.h: the state that live.c keeps for one rank's segment
 *
 * Each node is examined once, when it is read, in the order of its rank's
 * numbers. Everything here can be determined at that time.
 */
#ifndef COMMLAB_GRAPH_LIVE_RANK_H
#define COMMLAB_GRAPH_LIVE_RANK_H

#include "base/map.h"
#include "graph/record/mapped.h"
#include "graph/record/segment.h"

enum { LIVE_KNOWN = 1, LIVE_BATCH_KNOWN = 2 }; /* live_node.known */

struct live_node {
    uint32_t thread_prev; /* see graph_thread_prev(); 0: none */
    uint32_t queue_prev;  /* see graph_queue_prev(); 0: none */
    uint32_t batch_prev;  /* last node of another group before it in its
                             queue */
    uint32_t known;       /* the host has joined it, or it and its batch */
    uint32_t question;    /* the last query that reached it */
    uint32_t parts;       /* number of its parts that the query reached;
                             enum reach */
    int waits;            /* it is on the work list */
};

struct live_thread {
    uint32_t last;    /* index of its last node */
    uint32_t join;    /* last node that waited for something */
    uint64_t host_ps; /* host time since that node */
    uint32_t joined;  /* last of its calls that thread 0 has waited for */
};

struct live_candidate { /* a candidate for a cut */
    uint32_t node;
    uint64_t match;
    uint64_t open; /* sum over all matches before it: see live_rank.c */
    int idle;      /* thread 0 has joined everything before it, including
                      all threads */
};

struct live_list {
    uint32_t *item;
    uint32_t count, room;
};

struct live_rank {
    struct segment segment;
    const struct format_header *header; /* NULL if the segment is not
                                           attached */
    struct mapped mapped;               /* the segment's bytes */
    struct live_node *node;             /* by index, from 1 */
    uint32_t nnodes;                    /* nodes examined so far */
    struct map queues;                  /* by queue: its last node */
    struct map threads;                 /* by thread: its number in
                                           thread[], from 1 */
    struct live_thread *thread;
    uint32_t nthreads;
    struct live_candidate *candidate;
    uint32_t ncandidates;
    uint32_t nknown;
    uint64_t open;
    uint32_t nbroken;      /* notes of broken operations that `open` has */
    struct live_list work; /* used by live_rank_next() */
};

/* Examine node nnodes + 1, which the segment must hold. Returns -1 if memory
 * runs out. */
int live_rank_next(struct live_rank *r);

/* Close the matches of operations that were noted as broken after they had been
 * examined; those noted earlier are never open. */
void live_rank_break(struct live_rank *r);

void live_rank_release(struct live_rank *r);

/* Append an item. Returns -1 if memory runs out. */
int live_push(struct live_list *l, uint32_t item);

/* Make space for entry `at` of an array that doubles. Returns -1 if
 * memory runs out. */
int live_room(void *array, uint32_t at, size_t nbytes);

#endif
