/*
 * capture_rules.h: the captures in progress, and what they forbid
 */
#ifndef SIMGPU_CUDART_GRAPHS_CAPTURE_RULES_H
#define SIMGPU_CUDART_GRAPHS_CAPTURE_RULES_H

#include "cudart/api.h"

struct CUgraph_st;

/*
 * Errors of calls that are unsafe while this thread, or another thread in
 * global mode, captures; of calls that use the legacy stream; and of work on a
 * stream whose capture has become invalid.
 */
cudaError_t capture_allows_unsafe(void);
cudaError_t capture_allows_legacy(const struct stream *s);
cudaError_t capture_allows_work(const struct stream *s);
/* Errors of calls that a graph cannot contain, and of waits for a captured
 * stream; both end the stream's capture. */
cudaError_t capture_allows_call(const struct stream *s);
cudaError_t capture_allows_sync(struct stream *s);
cudaError_t capture_allows_device_sync(int device);

/* Returns err, which ends the stream's capture if there is one. */
cudaError_t capture_failed(const struct stream *s, cudaError_t err);
/* True while streams are captured into this graph. */
int capture_writes(const struct CUgraph_st *graph);

#endif
