/*
 * graph_memory.h: memory that graphs allocate
 *
 * An allocation node has its address from the moment that it is added, as in
 * CUDA. The memory stays reserved until the last graph with the node is gone
 * and it has been freed: launches only begin and end its life in the execution
 * graph.
 */
#ifndef SIMGPU_CUDART_GRAPH_MEMORY_H
#define SIMGPU_CUDART_GRAPH_MEMORY_H

#include "cudart/api.h"

/* Reserve memory for a new node; sets p->dptr. */
cudaError_t graph_memory_add(struct cudaMemAllocNodeParamsV2 *p, uint32_t site);

/* True if p is the beginning of such memory. */
int graph_memory_has(const void *p);

/* One more, or one less, node has it. */
void graph_memory_keep(void *p);
void graph_memory_drop(void *p);

/* The program, or a node, frees p. */
enum graph_memory_end {
    GRAPH_MEMORY_NONE,  /* it is no such memory: free it */
    GRAPH_MEMORY_ENDED, /* it was not allocated at this moment: an error */
    GRAPH_MEMORY_KEPT,  /* graphs may allocate it again: do not free it */
    GRAPH_MEMORY_LAST,  /* no graph will: free it */
};
enum graph_memory_end graph_memory_end(void *p);

/* Its life begins or ends here in the stream. */
cudaError_t graph_memory_begin_on(struct stream *s, void *p, uint32_t site);
cudaError_t graph_memory_end_on(struct stream *s, void *p, uint32_t site);

#endif
