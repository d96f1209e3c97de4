/*
 * stream_state.h: what stream.c and fence.c share
 */
#ifndef SIMGPU_CORE_STREAM_STREAM_STATE_H
#define SIMGPU_CORE_STREAM_STREAM_STATE_H

#include <pthread.h> /* pthread_mutex_t */

#include "core/stream/stream.h"
#include "core/wait.h" /* simgpu_wake */

struct stream {
    int device, priority;
    enum stream_kind kind;
    const char *name; /* its kind's name, for messages and the graph */
    uint32_t queue;
    int live;            /* the program may use its handle */
    int has_handle;      /* created by stream_new(), not predefined */
    int started;         /* its worker runs */
    void *capture;       /* simgpu_stream_capture() */
    struct stream *next; /* all streams, newest first */

    pthread_mutex_t lock; /* protects the list of ops */
    struct op *head, **tail;
    uint32_t last_node;
    uint64_t joined;    /* the last op that a host thread waited for */
    uint32_t joined_by; /* the thread that waited for it */

    _Atomic uint64_t failed; /* number of the first failed op, or UINT64_MAX */
    _Atomic uint64_t issued, completed, demanded, polled; /* sequence numbers */
    _Atomic uint32_t bell;    /* the worker's futex: ops, demands, release */
    _Atomic uint32_t resting; /* the worker sleeps on the bell */
    _Atomic uint32_t done;    /* fence_wait()'s futex */
    _Atomic uint64_t awaited; /* first op whose end wakes it, or NOT_AWAITED */
};

#define NOT_AWAITED UINT64_MAX

/* Wake the worker of s: there is an op or a demand, or no
 * more ops will follow. */
static inline void stream_ring(struct stream *s)
{
    atomic_fetch_add(&s->bell, 1);
    if (atomic_load(&s->resting))
        simgpu_wake(&s->bell);
}

#endif
