/*
 * capture_state.h: the state of captures
 */
#ifndef SIMGPU_CUDART_GRAPHS_CAPTURE_STATE_H
#define SIMGPU_CUDART_GRAPHS_CAPTURE_STATE_H

#include "cudart/api.h"
#include "cudart/graphs/captured.h"

struct member { /* a stream's part in a capture: simgpu_stream_capture() */
    struct member *next;
    struct capture *capture;
    struct stream *stream;
    struct node_set follows;  /* what the stream's next node follows */
    cudaGraphEdgeData *edges; /* the edges last returned to the program */
};

struct capture {
    struct capture *next;
    uint64_t id;
    struct CUgraph_st *graph;
    int given; /* the program passed the graph in */
    struct stream *origin;
    enum cudaStreamCaptureMode mode;
    uint32_t thread;
    int invalid;
    struct member *members;
};

/* Lock the captures and return the first one in progress; until they are
 * unlocked, none begins, ends or changes. Add and remove captures while locked;
 * adding assigns an id. */
struct capture *captures_lock(void);
void captures_unlock(void);
void captures_add(struct capture *c);
void captures_remove(struct capture *c);

void node_set_to(struct node_set *s, struct CUgraphNode_st *const *node,
                 size_t n);
void node_set_join(struct node_set *s, struct CUgraphNode_st *const *node,
                   size_t n);

/* The error of using the legacy stream while streams that synchronise with it
 * are captured; `invalidate` invalidates their captures. */
cudaError_t capture_legacy_error(const struct stream *s, int invalidate);

#endif
