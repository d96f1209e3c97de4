/*
 * cugraph_params.h: a node's parameters, from those of the older functions
 *
 * cudaGraphAddNode() takes all parameters in one struct with a type; the
 * functions before it have arguments of their own for each type of node.
 */
#ifndef SIMGPU_CUDART_GRAPHS_CUGRAPH_PARAMS_H
#define SIMGPU_CUDART_GRAPHS_CUGRAPH_PARAMS_H

#include "cudart/api.h"

struct cudaGraphNodeParams
params_of_kernel(const struct cudaKernelNodeParams *k);
struct cudaGraphNodeParams params_of_copy(const struct cudaMemcpy3DParms *c);
struct cudaGraphNodeParams params_of_bytes(void *dst, const void *src,
                                           size_t count,
                                           enum cudaMemcpyKind kind);
struct cudaGraphNodeParams params_of_fill(const struct cudaMemsetParams *m);
struct cudaGraphNodeParams params_of_host(const struct cudaHostNodeParams *h);
struct cudaGraphNodeParams params_of_event(enum cudaGraphNodeType type,
                                           cudaEvent_t event);
struct cudaGraphNodeParams params_of_child(cudaGraph_t child);

#endif
