/*
 * captured.h: an event's part in a capture
 */
#ifndef SIMGPU_CUDART_GRAPHS_CAPTURED_H
#define SIMGPU_CUDART_GRAPHS_CAPTURED_H

#include <stddef.h>
#include <stdint.h>

struct capture;
struct CUgraphNode_st;

struct node_set { /* nodes that something follows */
    struct CUgraphNode_st **node;
    size_t n;
};

/* The nodes that an event recorded; capture NULL: not recorded in a capture. */
struct captured {
    struct capture *capture;
    uint64_t id; /* the capture's, which may have ended */
    struct node_set nodes;
};

void captured_release(struct captured *c);

#endif
