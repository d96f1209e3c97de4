/*
 * stream_state.h: what stream.c and mark.c share
 */
#ifndef SIMGPU_CORE_STREAM_STATE_H
#define SIMGPU_CORE_STREAM_STATE_H

#include <pthread.h> /* pthread_mutex_t */

#include "core/stream.h"

struct stream {
    int device, priority;
    enum stream_kind kind;
    uint32_t queue;
    int live;            /* a handle that programs may use */
    int has_handle;      /* it was created, not there from the beginning */
    int started;         /* its worker runs */
    struct stream *next; /* all streams, newest first */

    pthread_mutex_t lock; /* over the list of ops */
    struct op *head, **tail;
    uint32_t last_node;
    uint64_t joined;    /* the last op that a host thread has waited for, */
    uint32_t joined_by; /* and the thread */

    _Atomic uint64_t issued, completed, demanded; /* sequence numbers */
    _Atomic uint32_t bell;    /* futex of the worker: ops, demands, release */
    _Atomic uint32_t resting; /* the worker sleeps on the bell */
    _Atomic uint32_t done;    /* futex: completed's low bits */
    _Atomic uint32_t waiters; /* threads that sleep on done */
};

/* "stream", "default stream" ... as messages and the graph call it. */
const char *stream_kind_name(enum stream_kind kind);

/* Wake the worker of s: there is an op, a demand, or nothing more to come. */
void stream_ring(struct stream *s);

/* Sleep until m has passed, for `call` at `site`. */
void mark_wait(struct mark m, const char *call, uint32_t site);

#endif
