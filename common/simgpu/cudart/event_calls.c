/*
 * event_calls.c: recording events, and waiting for them
 */
#define _GNU_SOURCE
#include "cudart/event_calls.h"

#include <fcntl.h>    /* O_RDWR */
#include <sched.h>    /* sched_yield */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* free */
#include <string.h>   /* memcpy */
#include <sys/mman.h> /* memfd_create */
#include <unistd.h>   /* ftruncate */

#include "core/clock/clock.h"
#include "core/host.h"
#include "core/peer.h"
#include "core/polls.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream/stream.h"
#include "core/wait.h"
#include "core/watch/check.h"
#include "core/watch/ignored.h"
#include "cudart/event.h"
#include "cudart/graphs/capture.h"

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    API_ENTER();
    simgpu_proc();
    if (!event || flags > 7 ||
        ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming)))
        return api_return(cudaErrorInvalidValue);
    struct CUevent_st *const e = event_new(flags);
    cudaError_t err = cudaSuccess;
    if (flags & cudaEventInterprocess) {
        e->fd = memfd_create("simgpu-event", MFD_CLOEXEC);
        err = e->fd >= 0 && ftruncate(e->fd, sizeof *e->shared) == 0
                  ? event_share(e, e->fd)
                  : cudaErrorMemoryAllocation;
    }
    if (err != cudaSuccess)
        event_unref(e);
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
    struct CUevent_st *const e = event_find(event);
    if (!e)
        return api_return(cudaErrorInvalidResourceHandle);
    e->live = 0;
    event_unref(e);
    return api_return(cudaSuccess);
}

struct event_op {
    struct op op;
    struct CUevent_st *event;
    uint32_t number;       /* number of the record, for other processes */
    struct graph_ref node; /* for a wait: the record's node */
};

static void run_record(struct op *op)
{
    struct event_op *const r = (struct event_op *)op;
    struct CUevent_st *const e = r->event;
    if (e->shared) {
        atomic_store(&e->shared->passed[r->number % EVENT_RECORDS], r->number);
        atomic_fetch_add(&e->shared->bell, 1);
        simgpu_wake(&e->shared->bell);
    }
}

static void release_record(struct op *op)
{
    event_unref(((struct event_op *)op)->event);
    free(op);
}

/* Add a node to the graph that records the event or waits for it. */
static cudaError_t capture_external(struct stream *s, cudaEvent_t event,
                                    enum cudaGraphNodeType type,
                                    const char *name, uint32_t site)
{
    struct cudaGraphNodeParams p = {.type = type};
    p.eventRecord.event = event; // same place as eventWait's
    return capture_params(s, &p, name, site, NULL);
}

cudaError_t event_record_on(struct stream *s, cudaEvent_t event, uint32_t site)
{
    struct CUevent_st *const e = event_find(event);
    if (!e)
        return cudaErrorInvalidResourceHandle;
    captured_release(&e->captured);
    struct event_op *const op = simgpu_op_new(
        sizeof *op, run_record, GRAPH_MARK, "cudaEventRecord", site);
    op->op.release = release_record;
    op->event = e;
    op->number = event_ref(e, 1);
    const uint32_t number = op->number;
    e->fence = simgpu_stream_enqueue(s, &op->op);
    if (e->shared) { // the record has a node now, so others may wait for it
        e->number = number;
        atomic_store(&e->shared->node[number % EVENT_RECORDS],
                     (uint64_t)simgpu_proc()->rank << 32 | e->fence.node);
        atomic_store(&e->shared->recorded, number);
    }
    return cudaSuccess;
}

/* An event is recorded in streams of its own device. */
static cudaError_t check_device(const struct CUevent_st *e,
                                const struct stream *s, uint32_t site)
{
    char where[256];
    const int device = simgpu_stream_device(s);
    if (e->device == device)
        return cudaSuccess;
    simgpu_check_note(
        site,
        "between devices: cudaEventRecord at %s records an event of "
        "device %d in a stream of device %d. An event belongs to the "
        "device that was current when it was created: create it after "
        "cudaSetDevice(%d)",
        simgpu_site_text(site, where, sizeof where), e->device, device, device);
    return cudaErrorInvalidResourceHandle;
}

static cudaError_t record(cudaEvent_t event, cudaStream_t stream,
                          unsigned flags, uint32_t site)
{
    struct stream *s;
    struct CUevent_st *const e = event_find(event);
    cudaError_t err = api_stream(stream, &s);
    if (err == cudaSuccess)
        err = e ? check_device(e, s, site) : cudaErrorInvalidResourceHandle;
    if (err != cudaSuccess)
        return err;
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

static int remote_passed(struct event_shared *s, uint32_t number)
{
    // if a later record is at its place, the earlier one has passed
    return number == 0 ||
           (int32_t)(atomic_load(&s->passed[number % EVENT_RECORDS]) -
                     number) >= 0;
}

/* True if the event's latest record was made by another process. Otherwise only
 * its fence matters. */
static int is_remote(const struct CUevent_st *e)
{
    return e->shared && atomic_load(&e->shared->recorded) != e->number;
}

/* The node of another process's record. Index 0 if it has been overwritten, or
 * is not in this job's graph. */
static struct graph_ref remote_node(const struct CUevent_st *e, uint32_t number)
{
    const uint64_t node = atomic_load(&e->shared->node[number % EVENT_RECORDS]);
    const uint32_t rank = (uint32_t)(node >> 32);
    if (number == 0 || rank == simgpu_proc()->rank ||
        rank >= simgpu_proc()->nranks ||
        atomic_load(&e->shared->recorded) - number >= EVENT_RECORDS)
        return (struct graph_ref){0, 0};
    return (struct graph_ref){rank, (uint32_t)node};
}

static void remote_wait(struct event_shared *s, uint32_t number, uint32_t site)
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
    struct CUevent_st *const e = event_find(event);
    if (!e)
        return cudaErrorInvalidResourceHandle;
    const int remote = is_remote(e);
    struct event_op *const op =
        simgpu_op_new(sizeof *op, remote ? run_remote_wait : NULL, GRAPH_MARK,
                      "cudaStreamWaitEvent", site);
    op->event = e;
    op->op.release = release_record;
    event_ref(e, 0);
    if (remote) {
        op->number = atomic_load(&e->shared->recorded);
        op->node = remote_node(e, op->number);
    } else
        simgpu_op_after(&op->op, e->fence);
    simgpu_stream_enqueue(s, &op->op);
    return cudaSuccess;
}

/* Waiting for an event that was never recorded does
 * nothing, even in a capture. */
static cudaError_t wait_for(struct stream *s, cudaEvent_t event, uint32_t site)
{
    struct CUevent_st *const e = event_find(event);
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
    struct CUevent_st *const e = event_find(event);
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

/* Wait on the host for the latest record; the host is then ordered after it. */
static void join_remote(const struct CUevent_st *e, const char *call,
                        uint32_t site)
{
    const uint32_t number = atomic_load(&e->shared->recorded);
    const struct graph_ref node = remote_node(e, number);
    remote_wait(e->shared, number, site);
    simgpu_host_record(call, site, simgpu_proc()->costs->sync_host_ps, &node,
                       node.index != 0);
}

/* Like simgpu_fence_poll(), for an event that another process recorded. */
static int remote_poll(const struct CUevent_st *e, const char *call,
                       uint32_t site)
{
    const int passed =
        remote_passed(e->shared, atomic_load(&e->shared->recorded));
    if (passed)
        join_remote(e, call, site);
    else {
        simgpu_poll_failed();
        sched_yield();
    }
    return passed;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    API_ENTER();
    struct CUevent_st *const e = event_find(event);
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
    struct CUevent_st *const e = event_find(event);
    if (!e)
        return api_return(cudaErrorInvalidResourceHandle);
    const cudaError_t err = capture_allows_host(&e->captured, 1);
    if (err != cudaSuccess)
        return api_return(err);
    const int passed =
        is_remote(e)
            ? remote_poll(e, "cudaEventQuery", CALLER_SITE())
            : simgpu_fence_poll(&e->fence, 1, "cudaEventQuery", CALLER_SITE());
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

static cudaError_t have_one_device(const struct CUevent_st *a,
                                   const struct CUevent_st *b, uint32_t site)
{
    char where[256];
    if (a->device == b->device)
        return cudaSuccess;
    simgpu_check_note(
        site,
        "between devices: cudaEventElapsedTime at %s gets an event of "
        "device %d and one of device %d, whose clocks differ. Record "
        "both on one device",
        simgpu_site_text(site, where, sizeof where), a->device, b->device);
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    const struct CUevent_st *const a = event_find(start), *const b =
                                                              event_find(end);
    if (!ms)
        return api_return(cudaErrorInvalidValue);
    cudaError_t err = has_time(a);
    if (err == cudaSuccess)
        err = has_time(b);
    if (err == cudaSuccess)
        err = have_one_device(a, b, CALLER_SITE());
    if (err != cudaSuccess)
        return api_return(err);
    if (!fence_passed(a->fence) || !fence_passed(b->fence)) {
        // not a query: the program that does not look uses *ms
        simgpu_ignored_note(IGNORED_CUDA, "cudaEventElapsedTime",
                            "cudaErrorNotReady", __builtin_return_address(0));
        return api_return(cudaErrorNotReady);
    }
    *ms = clock_elapsed_ms(a->fence, b->fence);
    return api_return(cudaSuccess);
}

/* ---- between processes --------------------------------------------------- */

struct event_handle { /* contents of a cudaIpcEventHandle_t */
    struct proc_id owner;
    int32_t fd;
};

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle,
                                  cudaEvent_t event)
{
    const struct CUevent_st *const e = event_find(event);
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
    const struct peer *const owner = simgpu_peer_attach(&h.owner);
    if (!owner)
        return api_return(cudaErrorMapBufferObjectFailed);
    if (simgpu_peer_node(owner) != simgpu_proc()->node)
        return api_return(cudaErrorInvalidValue);
    const int fd = simgpu_proc_open(h.owner.pid, h.fd, O_RDWR);
    if (fd < 0)
        return api_return(cudaErrorMapBufferObjectFailed);
    struct CUevent_st *const e =
        event_new(cudaEventDisableTiming | cudaEventInterprocess);
    e->imported = 1;
    e->fd = fd;
    const cudaError_t err = event_share(e, fd);
    if (err != cudaSuccess)
        event_unref(e);
    else
        *event = e;
    return api_return(err);
}
