/*
 * capture.h: streams that record a graph instead of executing work
 *
 * A capture begins on one stream, its origin, and spreads to each stream that
 * waits for an event recorded in the capture. Each captured stream has a set of
 * nodes that its next node will follow. An event recorded in a capture has a
 * copy of such a set. The capture ends on its origin, which must by then follow
 * everything that the other streams have captured.
 *
 * A call that is forbidden during capture invalidates the capture and returns
 * CUDA's error.
 */
#ifndef SIMGPU_CUDART_GRAPHS_CAPTURE_H
#define SIMGPU_CUDART_GRAPHS_CAPTURE_H

#include "cudart/graphs/capture_rules.h"
#include "cudart/graphs/captured.h"
#include "cudart/graphs/cugraph.h"

struct copy;
struct fill;

/* Called before the stream is destroyed: ends a capture that began on it, and
 * invalidates another that it is part of, unless that has joined its work. */
void capture_leave(struct stream *s);

/* Record a call on a captured stream. */
cudaError_t capture_params(struct stream *s, struct cudaGraphNodeParams *params,
                           const char *name, uint32_t site,
                           struct CUgraphNode_st **out);
cudaError_t capture_copy(struct stream *s, const struct copy *c);
cudaError_t capture_fill(struct stream *s, const struct fill *f);
cudaError_t capture_record(struct stream *s, struct captured *into);
/* If only the event was captured, the stream joins the capture. */
cudaError_t capture_wait(struct stream *s, const struct captured *event);
/* Also true if the capture is invalid. */
int capture_is_over(const struct captured *event);
/* The error of the host's use of a captured event; `ends` if that invalidates
 * the capture, as waiting for the event does. */
cudaError_t capture_allows_host(const struct captured *event, int ends);

#endif
