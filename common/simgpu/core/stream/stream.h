/*
 * stream.h: ordered queues of operations, each with a worker thread
 *
 * SIMGPU_SCHEDULE says when a worker may start an op that is ready:
 *   eager        at once
 *   late         when it is demanded (by a synchronisation, an op that follows
 *                it, a peer in its collective, any wait on a flag), else after
 *                2 ms, in which the thread that enqueued it sleeps or has a
 *                core: code that forgot to synchronise fails every time
 *   random:SEED  after a pseudo-random delay of 0 to 200 us
 *
 * Streams are never freed: a fence may outlive its stream.
 */
#ifndef SIMGPU_CORE_STREAM_H
#define SIMGPU_CORE_STREAM_H

#include "core/op.h"

enum stream_kind { STREAM_LEGACY, STREAM_BLOCKING, STREAM_NONBLOCKING };

/* A new stream on a device; its worker starts with its first op. */
struct stream *stream_new(int device, enum stream_kind kind, int priority);

/* Destroy when its ops have completed; doesn't wait for them. */
void stream_release(struct stream *s);

/* Destroy all streams of a device that stream_new() made. */
void stream_release_all(int device);

/*
 * Append op to stream, with the legacy default stream's rules applied, and
 * record its node; the op's owner has filled in kind, cost and name. Takes
 * ownership of op. Returns its fence.
 */
struct fence simgpu_stream_enqueue(struct stream *s, struct op *op);

/*
 * The stream that a cudaStream_t (as void *) means to the calling thread: 0
 * and cudaStreamLegacy (1) are the current device's legacy stream,
 * cudaStreamPerThread (2) the thread's own. NULL: not a live stream.
 */
struct stream *simgpu_stream_of(void *handle);

int simgpu_stream_device(const struct stream *s);

/* What the runtime notes about a stream that records instead of working
 * (cudart/capture.h); NULL: it works. */
void *simgpu_stream_capture(const struct stream *s);
void stream_set_capture(struct stream *s, void *capture);

/* Work of another library on streams that record. */
struct stream_work {
    const char *name;
    uint32_t site;
    void (*enqueue)(void *arg, void *stream); /* all of it, to that stream */
    void (*release)(void *arg);
    void *arg;
};

/*
 * Make the work a node that follows what has been recorded on all of the n
 * streams, and that they all follow. -1: they do not all record the same graph,
 * and the recording fails.
 */
int simgpu_stream_defer(struct stream *const *streams, int n,
                        const struct stream_work *work);
typedef int stream_defer(struct stream *const *streams, int n,
                         const struct stream_work *work);
void stream_set_defer(stream_defer *defer); /* the runtime's part of it */

/*
 * What the calling thread enqueues is part of a launch that was paid for as a
 * whole: each operation costs the host this much, and a kernel starts sooner.
 * 0: no longer.
 */
void stream_replay(uint64_t host_ps);

enum stream_kind stream_kind_of(const struct stream *s);
int stream_priority(const struct stream *s);
void stream_set_priority(struct stream *s, int priority);
uint32_t stream_queue(const struct stream *s); /* its number in the graph */

/* The fence of the last op enqueued. */
struct fence simgpu_stream_tail(struct stream *s);

/* The fences that cudaDeviceSynchronize, or a synchronisation of the legacy
 * stream (blocking_only), waits for. Fills at most cap; returns how many. */
int stream_tails(int device, int blocking_only, struct fence *out, int cap);

/* Wait until all streams are empty; nothing is recorded. */
void stream_drain_all(void);

#endif
