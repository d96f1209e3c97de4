/*
 * capture_state.h: what captures know of themselves
 */
#ifndef SIMGPU_CUDART_CAPTURE_STATE_H
#define SIMGPU_CUDART_CAPTURE_STATE_H

#include "cudart/capture.h"

struct member { /* a stream's part in a capture: simgpu_stream_capture() */
    struct member *next;
    struct capture *capture;
    struct stream *stream;
    struct node_set follows;  /* what the stream's next node follows */
    cudaGraphEdgeData *edges; /* what the program was told of these edges */
};

struct capture {
    struct capture *next;
    uint64_t id;
    struct CUgraph_st *graph;
    int given; /* the graph is the program's */
    struct stream *origin;
    enum cudaStreamCaptureMode mode;
    uint32_t thread;
    int invalid;
    struct member *members;
};

/* The first capture under way; none begins, ends or changes until they are
 * unlocked. Add and remove them while locked; adding gives an id. */
struct capture *captures_lock(void);
void captures_unlock(void);
void captures_add(struct capture *c);
void captures_remove(struct capture *c);

void node_set_to(struct node_set *s, struct CUgraphNode_st *const *node,
                 size_t n);
void node_set_join(struct node_set *s, struct CUgraphNode_st *const *node,
                   size_t n);

/* The error of using the legacy stream while streams that synchronise with it
 * are captured; `invalidate` ends these captures. */
cudaError_t capture_legacy_error(const struct stream *s, int invalidate);

#endif
