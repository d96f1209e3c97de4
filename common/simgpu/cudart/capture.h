/*
 * capture.h: streams that record a graph instead of working
 *
 * A capture begins on a stream, its origin, and spreads to each stream that
 * waits for an event recorded in it. Each stream of the capture has a set of
 * nodes that the next one will follow. An event recorded in a capture is a copy
 * of such a set. The capture ends on its origin, which must by then follow all
 * that was captured on the other streams.
 *
 * A call that capture forbids invalidates it, with the error that CUDA gives.
 */
#ifndef SIMGPU_CUDART_CAPTURE_H
#define SIMGPU_CUDART_CAPTURE_H

#include "cudart/copy.h"
#include "cudart/cugraph.h"

struct capture;

struct node_set { /* nodes that something follows */
    struct CUgraphNode_st **node;
    size_t n;
};

/* An event's part in a capture; capture NULL: none. */
struct captured {
    struct capture *capture;
    uint64_t id; /* of the capture, which may be over */
    struct node_set nodes;
};
void captured_release(struct captured *c);

/*
 * Errors of calls that are unsafe while this thread, or another in global mode,
 * captures; of calls that use the legacy stream; and of work on a stream, which
 * an invalid capture takes no longer.
 */
cudaError_t capture_allows_unsafe(void);
cudaError_t capture_allows_legacy(const struct stream *s);
cudaError_t capture_allows_work(const struct stream *s);
/* A call that no graph can hold ends the stream's capture, with its error; so
 * does a wait for a stream that captures. */
cudaError_t capture_allows_call(const struct stream *s);
cudaError_t capture_allows_sync(struct stream *s);
cudaError_t capture_allows_device_sync(int device);

/* Passes an error on, which ends a capture of the stream. */
cudaError_t capture_failed(const struct stream *s, cudaError_t err);
/* True while streams are captured into this graph. */
int capture_writes(const struct CUgraph_st *graph);
/* The stream is about to be destroyed: the capture that began on it is over,
 * another one that it is part of is invalid. */
void capture_leave(struct stream *s);

/* What a call becomes on a stream that captures. */
cudaError_t capture_params(struct stream *s, struct cudaGraphNodeParams *params,
                           const char *name, uint32_t site,
                           struct CUgraphNode_st **out);
cudaError_t capture_copy(struct stream *s, const struct copy *c);
cudaError_t capture_fill(struct stream *s, const struct fill *f);
cudaError_t capture_record(struct stream *s, struct captured *into);
/* Also when only the event was captured: the stream joins the capture. */
cudaError_t capture_wait(struct stream *s, const struct captured *event);
/* True, too, if the capture is invalid. */
int capture_is_over(const struct captured *event);
/* The host cannot wait for a captured event: trying to `ends` the capture. */
cudaError_t capture_allows_host(const struct captured *event, int ends);

#endif
