/*
 * graph_memory.h: memory that graphs allocate
 *
 * As in CUDA, an allocation node has its address from the moment that it is
 * added. The memory stays reserved until it has been freed and no graph has the
 * node any more. Launches only begin and end the allocation's lifetime in the
 * execution graph.
 */
#ifndef SIMGPU_CUDART_GRAPHS_GRAPH_MEMORY_H
#define SIMGPU_CUDART_GRAPHS_GRAPH_MEMORY_H

#include "cudart/api.h"

/* Reserve memory for a new node, and set p->dptr. */
cudaError_t graph_memory_add(struct cudaMemAllocNodeParamsV2 *p, uint32_t site);

/* True if p is the start of such memory. */
int graph_memory_has(const void *p);

/* Count a node that uses it (+1), or no longer does (-1). */
void graph_memory_keep(void *p);
void graph_memory_drop(void *p);

/* Handle freeing p, by the program or by a node. Returns
 * what the caller must do. */
enum graph_memory_end {
    GRAPH_MEMORY_NONE,  /* not such memory: free it */
    GRAPH_MEMORY_ENDED, /* not allocated at this moment: an error */
    GRAPH_MEMORY_KEPT,  /* graphs may allocate it again: don't free it */
    GRAPH_MEMORY_LAST,  /* no graph will allocate it again: free it */
};
enum graph_memory_end graph_memory_end(void *p);

/* Begin or end its lifetime at this point of the stream. */
cudaError_t graph_memory_begin_on(struct stream *s, void *p, uint32_t site);
cudaError_t graph_memory_end_on(struct stream *s, void *p, uint32_t site);

#endif
