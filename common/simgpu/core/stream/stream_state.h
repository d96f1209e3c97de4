/*
 * stream_state.h: what stream.c and fence.c share
 */
#ifndef SIMGPU_CORE_STREAM_STATE_H
#define SIMGPU_CORE_STREAM_STATE_H

#include <pthread.h> /* pthread_mutex_t */

#include "core/stream.h"
#include "core/wait.h" /* simgpu_wake */

struct stream {
    int device, priority;
    enum stream_kind kind;
    const char *name; /* of its kind, for messages and the graph */
    uint32_t queue;
    int live;       /* a handle that programs may use */
    int has_handle; /* made by stream_new(), not there from the beginning */
    int started;    /* its worker runs */
    void *capture;  /* simgpu_stream_capture() */
    struct stream *next; /* all streams, newest first */

    pthread_mutex_t lock; /* over the list of ops */
    struct op *head, **tail;
    uint32_t last_node;
    uint64_t joined;    /* the last op that a host thread has waited for, */
    uint32_t joined_by; /* and the thread */

    _Atomic uint64_t failed; /* the first op that has, or UINT64_MAX */
    _Atomic uint64_t issued, completed, demanded, polled; /* sequence numbers */
    _Atomic uint32_t bell;    /* futex of the worker: ops, demands, release */
    _Atomic uint32_t resting; /* the worker sleeps on the bell */
    _Atomic uint32_t done;    /* futex of fence_wait() */
    _Atomic uint64_t awaited; /* the first op that wakes it, or NOT_AWAITED */
};

#define NOT_AWAITED UINT64_MAX

/* Wake the worker of s: there is an op, a demand, or nothing more to come. */
static inline void stream_ring(struct stream *s)
{
    atomic_fetch_add(&s->bell, 1);
    if (atomic_load(&s->resting))
        simgpu_wake(&s->bell);
}

#endif
