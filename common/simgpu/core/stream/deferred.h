/*
 * deferred.h: other libraries' work on streams that may be captured
 *
 * The runtime captures streams (cudart/graphs/capture.h). A library asks
 * whether a capture forbids its work. Work that it gives to a captured stream
 * becomes one node of the graph, and each launch enqueues it on a stream of the
 * executable graph.
 */
#ifndef SIMGPU_CORE_STREAM_DEFERRED_H
#define SIMGPU_CORE_STREAM_DEFERRED_H

#include "core/stream/stream.h"

enum stream_work_kind { STREAM_WORK_KERNEL, STREAM_WORK_MEMORY_OPS };

struct stream_work {
    const char *name;
    uint32_t site;
    enum stream_work_kind kind;               /* the type of the node */
    void (*enqueue)(void *arg, void *stream); /* enqueues all on that stream */
    void (*release)(void *arg);
    void *arg;
};

/*
 * CUDA's error if a capture forbids the calling thread to give the stream work
 * or, if `waits`, to wait for that work; the capture is invalid then. Else 0. A
 * library asks before it changes anything.
 */
int simgpu_stream_refuses(struct stream *s, int waits);

/*
 * Add the work as a node that follows what has been captured on all of the n
 * streams; all of them then follow the node. Returns -1 if they are not all
 * captured into the same graph, and the capture fails.
 */
int simgpu_stream_defer(struct stream *const *streams, int n,
                        const struct stream_work *work);

/*
 * Enqueue a kernel's operation of nbytes, or add it to the graph that the
 * stream is captured into. Each launch then enqueues a copy, after checking
 * that the memory of its accesses still exists; so op must own nothing. Takes
 * ownership of op. Returns its fence, which is empty if it was captured.
 */
struct fence simgpu_stream_submit(struct stream *s, struct op *op,
                                  size_t nbytes);

/* The runtime's part. */
struct stream_captures {
    int (*refuses)(struct stream *s, int waits);
    int (*defer)(struct stream *const *streams, int n,
                 const struct stream_work *work);
};
void stream_set_captures(const struct stream_captures *runtime);

#endif
