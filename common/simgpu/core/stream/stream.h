/*
 * stream.h: ordered queues of operations, each with a worker thread
 *
 * SIMGPU_SCHEDULE determines when a worker may start an op that is ready:
 *   eager        at once
 *   late         when it is demanded (by a synchronisation, an op that follows
 *                it, a peer in its collective, any wait on a flag), otherwise
 *                after 2 ms during which the thread that enqueued it sleeps or
 *                has a core: code that forgot to synchronise fails every time
 *   random:SEED  after a pseudo-random delay of 0 to 200 us
 *
 * Streams are never freed, because a fence may outlive its stream.
 */
#ifndef SIMGPU_CORE_STREAM_STREAM_H
#define SIMGPU_CORE_STREAM_STREAM_H

#include "core/stream/op.h"

enum stream_kind { STREAM_LEGACY, STREAM_BLOCKING, STREAM_NONBLOCKING };

/* Create a stream on a device. Its worker starts with its first op. */
struct stream *stream_new(int device, enum stream_kind kind, int priority);

/* Destroy a stream when its ops have completed, without waiting for them. */
void stream_release(struct stream *s);

/* Destroy all streams of a device that stream_new() created. */
void stream_release_all(int device);

/*
 * The calling thread is about to issue n operations, such as an NCCL group's,
 * which wait for each other: a planted fault that kills the rank, or takes the
 * device away, strikes before all of them. op->announced is then set for each;
 * an operation without it is announced when it is enqueued.
 */
void simgpu_stream_ahead(int device, int n, const char *call, uint32_t site);

/*
 * Append op to stream, with the legacy default stream's rules applied, and
 * record its node; the op's owner has filled in kind, cost and name. Takes
 * ownership of op. Returns its fence.
 */
struct fence simgpu_stream_enqueue(struct stream *s, struct op *op);

/*
 * The stream that a cudaStream_t (as void *) denotes in the calling thread: 0
 * and cudaStreamLegacy (1) are the current device's legacy stream,
 * cudaStreamPerThread (2) is the thread's own. NULL if the handle is not a live
 * stream.
 */
struct stream *simgpu_stream_of(void *handle);

int simgpu_stream_device(const struct stream *s);

/* What the runtime stores for a stream that is being captured
 * (cudart/graphs/capture.h); NULL if it is not. */
void *simgpu_stream_capture(const struct stream *s);
void stream_set_capture(struct stream *s, void *capture);

/*
 * What the calling thread enqueues from now on belongs to a launch that was
 * paid for as a whole: each operation costs the host this much, and kernels
 * start sooner. 0 ends this.
 */
void stream_replay(uint64_t host_ps);

enum stream_kind stream_kind_of(const struct stream *s);
int stream_priority(const struct stream *s);
void stream_set_priority(struct stream *s, int priority);
uint32_t stream_queue(const struct stream *s); /* its number in the graph */

/* The fence of the last op enqueued. */
struct fence simgpu_stream_tail(struct stream *s);

/* Get the fences that cudaDeviceSynchronize waits for, or with blocking_only
 * those that a synchronisation of the legacy stream waits for. Fills in at most
 * cap. Returns their number. */
int stream_tails(int device, int blocking_only, struct fence *out, int cap);

/* Wait until all streams are empty; nothing is recorded. */
void stream_drain_all(void);

#endif
