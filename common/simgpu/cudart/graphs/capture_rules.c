#include "cudart/graphs/capture_rules.h"

#include <pthread.h>   /* pthread_mutex_t */
#include <stdatomic.h> /* atomic_load */

#include "core/stream/stream.h"
#include "core/thread.h"
#include "cudart/graphs/capture_state.h"

/* Captures in progress. */
static struct {
    pthread_mutex_t lock;
    struct capture *first;
    _Atomic int n;
    uint64_t last_id;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local enum cudaStreamCaptureMode thread_mode =
    cudaStreamCaptureModeGlobal;

/* ---- the list of captures ------------------------------------------------ */

struct capture *captures_lock(void)
{
    pthread_mutex_lock(&all.lock);
    return all.first;
}

void captures_unlock(void)
{
    pthread_mutex_unlock(&all.lock);
}

void captures_add(struct capture *c)
{
    c->id = ++all.last_id;
    c->next = all.first;
    all.first = c;
    atomic_fetch_add(&all.n, 1);
}

void captures_remove(struct capture *c)
{
    struct capture **link = &all.first;
    while (*link != c)
        link = &(*link)->next;
    *link = c->next;
    atomic_fetch_sub(&all.n, 1);
}

int capture_writes(const struct CUgraph_st *graph)
{
    const struct capture *c = captures_lock();
    while (c && c->graph != graph)
        c = c->next;
    captures_unlock();
    return c != NULL;
}

/* ---- what captures forbid ------------------------------------------------ */

/* True if a capture in this mode affects the calling thread. The
 * caller must hold the lock. */
static int concerns(const struct capture *c)
{
    if (thread_mode == cudaStreamCaptureModeRelaxed ||
        c->mode == cudaStreamCaptureModeRelaxed)
        return 0;
    return c->thread == thread_number() ||
           (thread_mode == cudaStreamCaptureModeGlobal &&
            c->mode == cudaStreamCaptureModeGlobal);
}

cudaError_t capture_allows_unsafe(void)
{
    cudaError_t err = cudaSuccess;
    if (atomic_load(&all.n) == 0)
        return err;
    for (struct capture *c = captures_lock(); c; c = c->next)
        if (concerns(c)) {
            c->invalid = 1;
            err = cudaErrorStreamCaptureUnsupported;
        }
    captures_unlock();
    return err;
}

/* True if streams of a device, or only its blocking ones, are captured;
 * `invalidate` invalidates their captures. */
static int captured_on(int device, int blocking_only, int invalidate)
{
    int any = 0;
    for (struct capture *c = captures_lock(); c; c = c->next)
        for (const struct member *m = c->members; m; m = m->next)
            if (simgpu_stream_device(m->stream) == device &&
                (!blocking_only ||
                 stream_kind_of(m->stream) == STREAM_BLOCKING)) {
                c->invalid |= invalidate;
                any = 1;
            }
    captures_unlock();
    return any;
}

cudaError_t capture_legacy_error(const struct stream *s, int invalidate)
{
    return atomic_load(&all.n) && stream_kind_of(s) == STREAM_LEGACY &&
                   captured_on(simgpu_stream_device(s), 1, invalidate)
               ? cudaErrorStreamCaptureImplicit
               : cudaSuccess;
}

cudaError_t capture_allows_legacy(const struct stream *s)
{
    return capture_legacy_error(s, 1);
}

cudaError_t capture_allows_work(const struct stream *s)
{
    const cudaError_t err = capture_allows_legacy(s);
    const struct member *const m = simgpu_stream_capture(s);
    return err == cudaSuccess && m && m->capture->invalid
               ? cudaErrorStreamCaptureInvalidated
               : err;
}

cudaError_t capture_allows_call(const struct stream *s)
{
    const cudaError_t err = capture_allows_legacy(s);
    if (err != cudaSuccess)
        return err;

    struct member *const m = simgpu_stream_capture(s);
    if (!m)
        return cudaSuccess;
    m->capture->invalid = 1;
    return cudaErrorStreamCaptureUnsupported;
}

cudaError_t capture_allows_sync(struct stream *s)
{
    const cudaError_t err = capture_allows_call(s);
    return err != cudaSuccess ? err : capture_allows_unsafe();
}

cudaError_t capture_allows_device_sync(int device)
{
    if (atomic_load(&all.n) == 0)
        return cudaSuccess;
    return captured_on(device, 0, 1) ? cudaErrorStreamCaptureUnsupported
                                     : capture_allows_unsafe();
}

cudaError_t capture_failed(const struct stream *s, cudaError_t err)
{
    const struct member *const m = simgpu_stream_capture(s);
    if (m && err != cudaSuccess)
        m->capture->invalid = 1;
    return err;
}

/* The calling thread's mode, which determines the captures that affect it. */
cudaError_t
cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    API_ENTER();
    if (!mode)
        return api_return(cudaErrorInvalidValue);
    const enum cudaStreamCaptureMode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return api_return(cudaSuccess);
}

cudaError_t api_stream(cudaStream_t stream, struct stream **out)
{
    *out = simgpu_stream_of(stream);
    return *out ? capture_allows_work(*out) : cudaErrorInvalidResourceHandle;
}
