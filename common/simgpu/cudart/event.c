/*
 * event.c: events, in this process and shared between processes
 *
 * Recording takes a snapshot of a stream: a fence. An event for other processes
 * also counts its records, and those that have passed, in a memfd that they
 * map: another process waits until the records that it saw have passed. The
 * memfd holds the records' nodes, so that the graph shows the dependence.
 */
#define _GNU_SOURCE
#include <fcntl.h>    /* O_RDWR */
#include <pthread.h>  /* pthread_mutex_t */
#include <sched.h>    /* sched_yield */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* calloc */
#include <string.h>   /* memcpy */
#include <sys/mman.h> /* memfd_create */
#include <unistd.h>   /* ftruncate */

#include "core/clock.h"
#include "core/host.h"
#include "core/peer.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream.h"
#include "core/wait.h"
#include "cudart/capture.h"
#include "cudart/event.h"

enum { RECORDS = 64 };

struct shared {                /* in the memfd */
    _Atomic uint32_t issued;   /* records, by all processes */
    _Atomic uint32_t recorded; /* those of them that are in a graph */
    _Atomic uint32_t bell;     /* futex: records passed */
    _Atomic uint64_t
        node[RECORDS]; /* rank and index of the latest, by number */
    _Atomic uint32_t passed[RECORDS]; /* the number, once it has */
};

struct CUevent_st {
    unsigned flags;
    int live, refs; /* refs: the program, and records under way */
    struct fence fence;
    struct captured
        captured;          /* recorded in a capture, and nowhere else since */
    uint32_t number;       /* number of that record, if shared */
    struct shared *shared; /* NULL unless cudaEventInterprocess */
    int fd, imported;
    struct CUevent_st *next;
};

static struct CUevent_st *events; /* all that were made, for validation */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct CUevent_st *find(cudaEvent_t event)
{
    pthread_mutex_lock(&lock);
    struct CUevent_st *e = events;
    while (e && (e != event || !e->live))
        e = e->next;
    pthread_mutex_unlock(&lock);
    return e;
}

static struct CUevent_st *create(unsigned flags)
{
    struct CUevent_st *const e = simgpu_need(calloc(1, sizeof *e), "an event");
    e->flags = flags;
    e->fd = -1;
    e->live = e->refs = 1;
    pthread_mutex_lock(&lock);
    e->next = events;
    events = e;
    pthread_mutex_unlock(&lock);
    return e;
}

/* Drop the reference of the program, or of a record. */
static void unref(struct CUevent_st *e)
{
    pthread_mutex_lock(&lock);
    const int last = --e->refs == 0;
    struct CUevent_st **link = &events;
    while (last && *link != e)
        link = &(*link)->next;
    if (last)
        *link = e->next;
    pthread_mutex_unlock(&lock);
    if (!last)
        return;
    captured_release(&e->captured);
    if (e->shared)
        munmap(e->shared, sizeof *e->shared);
    if (e->fd >= 0)
        close(e->fd);
    free(e);
}

static cudaError_t share(struct CUevent_st *e, int fd)
{
    e->shared = mmap(NULL, sizeof *e->shared, PROT_READ | PROT_WRITE,
                     MAP_SHARED, fd, 0);
    if (e->shared == MAP_FAILED) {
        e->shared = NULL;
        return cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    API_ENTER();
    simgpu_proc();
    if (!event || flags > 7 ||
        ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming)))
        return api_return(cudaErrorInvalidValue);
    struct CUevent_st *const e = create(flags);
    cudaError_t err = cudaSuccess;
    if (flags & cudaEventInterprocess) {
        e->fd = memfd_create("simgpu-event", MFD_CLOEXEC);
        err = e->fd >= 0 && ftruncate(e->fd, sizeof *e->shared) == 0
                  ? share(e, e->fd)
                  : cudaErrorMemoryAllocation;
    }
    if (err != cudaSuccess)
        unref(e);
    else
        *event = e;
    return api_return(err);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    API_ENTER();
    struct CUevent_st *const e = find(event);
    if (!e)
        return api_return(cudaErrorInvalidResourceHandle);
    e->live = 0;
    unref(e);
    return api_return(cudaSuccess);
}

struct event_op {
    struct op op;
    struct CUevent_st *event;
    uint32_t number;       /* of the record, for other processes */
    struct graph_ref node; /* of a wait: that record's */
};

static void run_record(struct op *op)
{
    struct event_op *const r = (struct event_op *)op;
    struct CUevent_st *const e = r->event;
    if (e->shared) {
        atomic_store(&e->shared->passed[r->number % RECORDS], r->number);
        atomic_fetch_add(&e->shared->bell, 1);
        simgpu_wake(&e->shared->bell);
    }
}

static void release_record(struct op *op)
{
    unref(((struct event_op *)op)->event);
    free(op);
}

int event_is_live(cudaEvent_t event)
{
    return find(event) != NULL;
}

/* An operation of a graph that records or awaits the event. */
static cudaError_t capture_external(struct stream *s, cudaEvent_t event,
                                    enum cudaGraphNodeType type,
                                    const char *name, uint32_t site)
{
    struct cudaGraphNodeParams p = {.type = type};
    p.eventRecord.event = event; // as eventWait's
    return capture_params(s, &p, name, site, NULL);
}

cudaError_t event_record_on(struct stream *s, cudaEvent_t event, uint32_t site)
{
    struct CUevent_st *const e = find(event);
    if (!e)
        return cudaErrorInvalidResourceHandle;
    captured_release(&e->captured);
    struct event_op *const op = simgpu_op_new(
        sizeof *op, run_record, GRAPH_MARK, "cudaEventRecord", site);
    op->op.release = release_record;
    op->event = e;
    pthread_mutex_lock(&lock);
    e->refs++;
    if (e->shared)
        op->number = atomic_fetch_add(&e->shared->issued, 1) + 1;
    pthread_mutex_unlock(&lock);
    const uint32_t number = op->number;
    e->fence = simgpu_stream_enqueue(s, &op->op);
    if (e->shared) { // it has a node now, so others may wait for it
        e->number = number;
        atomic_store(&e->shared->node[number % RECORDS],
                     (uint64_t)simgpu_proc()->rank << 32 | e->fence.node);
        atomic_store(&e->shared->recorded, number);
    }
    return cudaSuccess;
}

static cudaError_t record(cudaEvent_t event, cudaStream_t stream,
                          unsigned flags, uint32_t site)
{
    struct stream *s;
    struct CUevent_st *const e = find(event);
    const cudaError_t err = api_stream(stream, &s);
    if (err != cudaSuccess || !e)
        return err ? err : cudaErrorInvalidResourceHandle;
    if (flags > cudaEventRecordExternal)
        return cudaErrorInvalidValue;
    if (flags && !simgpu_stream_capture(s))
        return cudaErrorIllegalState;
    if (!simgpu_stream_capture(s))
        return event_record_on(s, event, site);
    return flags ? capture_external(s, event, cudaGraphNodeTypeEventRecord,
                                    "cudaEventRecordWithFlags", site)
                 : capture_record(s, &e->captured);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    API_ENTER();
    return api_return(record(event, stream, 0, CALLER_SITE()));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                     unsigned int flags)
{
    API_ENTER();
    return api_return(record(event, stream, flags, CALLER_SITE()));
}

/* ---- waits for events of other processes --------------------------------- */

static void describe_remote(const void *arg, char *out, size_t nbytes)
{
    (void)arg;
    snprintf(out, nbytes, "waits for another process's event");
}

static int remote_passed(struct shared *s, uint32_t number)
{
    // if a later record has taken the place, the earlier one has passed
    return number == 0 ||
           (int32_t)(atomic_load(&s->passed[number % RECORDS]) - number) >= 0;
}

/* True if the event's latest record is another process's. Otherwise its fence
 * is all that counts. */
static int is_remote(const struct CUevent_st *e)
{
    return e->shared && atomic_load(&e->shared->recorded) != e->number;
}

/* The node of a record in another process; index 0 if it is forgotten, or not
 * in this job's graph. */
static struct graph_ref remote_node(const struct CUevent_st *e, uint32_t number)
{
    const uint64_t node = atomic_load(&e->shared->node[number % RECORDS]);
    const uint32_t rank = (uint32_t)(node >> 32);
    if (number == 0 || rank == simgpu_proc()->rank ||
        rank >= simgpu_proc()->nranks ||
        atomic_load(&e->shared->recorded) - number >= RECORDS)
        return (struct graph_ref){0, 0};
    return (struct graph_ref){rank, (uint32_t)node};
}

static void remote_wait(struct shared *s, uint32_t number, uint32_t site)
{
    const struct wait_note note = {.call = "cudaStreamWaitEvent",
                                   .site = site,
                                   .describe = describe_remote};
    for (;;) {
        const uint32_t seen = atomic_load(&s->bell);
        if (remote_passed(s, number))
            return;
        simgpu_wait(&s->bell, seen, &note);
    }
}

static void run_remote_wait(struct op *op)
{
    const struct event_op *const r = (struct event_op *)op;
    const struct graph_ref node = r->node;
    remote_wait(r->event->shared, r->number, op->node.site);
    if (node.index)
        simgpu_op_part(op, &(struct graph_point){node.rank, node.index, 0}, 1,
                       0);
}

cudaError_t event_wait_on(struct stream *s, cudaEvent_t event, uint32_t site)
{
    struct CUevent_st *const e = find(event);
    if (!e)
        return cudaErrorInvalidResourceHandle;
    const int remote = is_remote(e);
    struct event_op *const op =
        simgpu_op_new(sizeof *op, remote ? run_remote_wait : NULL, GRAPH_MARK,
                      "cudaStreamWaitEvent", site);
    op->event = e;
    op->op.release = release_record;
    pthread_mutex_lock(&lock);
    e->refs++;
    pthread_mutex_unlock(&lock);
    if (remote) {
        op->number = atomic_load(&e->shared->recorded);
        op->node = remote_node(e, op->number);
    } else
        simgpu_op_after(&op->op, e->fence);
    simgpu_stream_enqueue(s, &op->op);
    return cudaSuccess;
}

/* An event that was never recorded is no wait, even in a capture. */
static cudaError_t wait_for(struct stream *s, cudaEvent_t event, uint32_t site)
{
    struct CUevent_st *const e = find(event);
    const int captures = simgpu_stream_capture(s) != NULL;
    if (e->captured.capture && capture_is_over(&e->captured))
        return capture_wait(s, &(struct captured){0});
    if (e->captured.capture)
        return capture_wait(s, &e->captured);
    if (!captures)
        return event_wait_on(s, event, site);
    return e->fence.stream || is_remote(e) ? capture_wait(s, &e->captured)
                                           : cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned int flags)
{
    API_ENTER();
    struct stream *s;
    struct CUevent_st *const e = find(event);
    const cudaError_t err = api_stream(stream, &s);
    if (err != cudaSuccess || !e)
        return api_return(err ? err : cudaErrorInvalidResourceHandle);
    const int captures = simgpu_stream_capture(s) != NULL;
    if (flags > cudaEventWaitExternal ||
        (!captures && e->captured.capture && capture_is_over(&e->captured)))
        return api_return(cudaErrorInvalidValue);
    if (flags && !captures)
        return api_return(cudaErrorIllegalState);
    if (flags)
        return api_return(capture_external(s, event, cudaGraphNodeTypeWaitEvent,
                                           "cudaStreamWaitEvent",
                                           CALLER_SITE()));
    return api_return(wait_for(s, event, CALLER_SITE()));
}

/* The host waits for the latest record and is ordered after it. */
static void join_remote(const struct CUevent_st *e, const char *call,
                        uint32_t site)
{
    const uint32_t number = atomic_load(&e->shared->recorded);
    const struct graph_ref node = remote_node(e, number);
    remote_wait(e->shared, number, site);
    simgpu_host_record(call, site, simgpu_proc()->costs->sync_host_ps, &node,
                       node.index != 0);
}

/* As fence_poll(), for another process's event. */
static int remote_poll(const struct CUevent_st *e, const char *call,
                       uint32_t site)
{
    const int passed =
        remote_passed(e->shared, atomic_load(&e->shared->recorded));
    if (passed)
        join_remote(e, call, site);
    else
        sched_yield();
    return passed;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    API_ENTER();
    struct CUevent_st *const e = find(event);
    if (!e)
        return api_return(cudaErrorInvalidResourceHandle);
    const cudaError_t err = capture_allows_host(&e->captured, 1);
    if (err != cudaSuccess)
        return api_return(err);
    if (is_remote(e))
        join_remote(e, "cudaEventSynchronize", CALLER_SITE());
    else
        simgpu_fence_join(&e->fence, 1, "cudaEventSynchronize", CALLER_SITE());
    return api_return(cudaSuccess);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    API_ENTER();
    struct CUevent_st *const e = find(event);
    if (!e)
        return api_return(cudaErrorInvalidResourceHandle);
    const cudaError_t err = capture_allows_host(&e->captured, 1);
    if (err != cudaSuccess)
        return api_return(err);
    const int passed =
        is_remote(e)
            ? remote_poll(e, "cudaEventQuery", CALLER_SITE())
            : fence_poll(&e->fence, 1, "cudaEventQuery", CALLER_SITE());
    return api_return(passed ? cudaSuccess : cudaErrorNotReady);
}

static cudaError_t has_time(const struct CUevent_st *e)
{
    if (e && e->captured.capture)
        return capture_allows_host(&e->captured, 0);
    return e && e->fence.stream && !(e->flags & cudaEventDisableTiming)
               ? cudaSuccess
               : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    const struct CUevent_st *const a = find(start), *const b = find(end);
    if (!ms)
        return api_return(cudaErrorInvalidValue);
    cudaError_t err = has_time(a);
    if (err == cudaSuccess)
        err = has_time(b);
    if (err != cudaSuccess)
        return api_return(err);
    if (!fence_passed(a->fence) || !fence_passed(b->fence))
        return api_return(cudaErrorNotReady);
    *ms = clock_elapsed_ms(a->fence, b->fence);
    return api_return(cudaSuccess);
}

/* ---- between processes --------------------------------------------------- */

struct event_handle { /* inside cudaIpcEventHandle_t */
    struct proc_id owner;
    int32_t fd;
};

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle,
                                  cudaEvent_t event)
{
    const struct CUevent_st *const e = find(event);
    if (!event)
        return api_return(cudaErrorInvalidValue);
    if (!e || !e->shared || e->imported)
        return api_return(cudaErrorInvalidResourceHandle);
    if (!handle)
        return api_return(cudaErrorInvalidValue);
    const struct event_handle h = {simgpu_proc()->id, e->fd};
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &h, sizeof h);
    return api_return(cudaSuccess);
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event,
                                   cudaIpcEventHandle_t handle)
{
    struct event_handle h;
    memcpy(&h, &handle, sizeof h);
    if (!event)
        return api_return(cudaErrorInvalidValue);
    if (!simgpu_peer_attach(&h.owner))
        return api_return(cudaErrorMapBufferObjectFailed);
    const int fd = simgpu_proc_open(h.owner.pid, h.fd, O_RDWR);
    if (fd < 0)
        return api_return(cudaErrorMapBufferObjectFailed);
    struct CUevent_st *const e =
        create(cudaEventDisableTiming | cudaEventInterprocess);
    e->imported = 1;
    e->fd = fd;
    const cudaError_t err = share(e, fd);
    if (err != cudaSuccess)
        unref(e);
    else
        *event = e;
    return api_return(err);
}
