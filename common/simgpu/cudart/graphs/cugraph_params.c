#include "cudart/graphs/cugraph_params.h"

#include "cudart/graphs/cugraph.h" /* node_box */

struct cudaGraphNodeParams
params_of_kernel(const struct cudaKernelNodeParams *k)
{
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeKernel};
    p.kernel = (struct cudaKernelNodeParamsV2){
        .func = k->func,
        .gridDim = k->gridDim,
        .blockDim = k->blockDim,
        .sharedMemBytes = k->sharedMemBytes,
        .kernelParams = k->kernelParams,
        .extra = k->extra,
    };
    return p;
}

struct cudaGraphNodeParams params_of_copy(const struct cudaMemcpy3DParms *c)
{
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeMemcpy};
    p.memcpy.copyParams = *c;
    return p;
}

struct cudaGraphNodeParams params_of_bytes(void *dst, const void *src,
                                           size_t count,
                                           enum cudaMemcpyKind kind)
{
    const struct cudaMemcpy3DParms box = node_box(dst, src, count, kind);
    return params_of_copy(&box);
}

struct cudaGraphNodeParams params_of_fill(const struct cudaMemsetParams *m)
{
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeMemset};
    p.memset = (struct cudaMemsetParamsV2){
        .dst = m->dst,
        .pitch = m->pitch,
        .value = m->value,
        .elementSize = m->elementSize,
        .width = m->width,
        .height = m->height,
    };
    return p;
}

struct cudaGraphNodeParams params_of_host(const struct cudaHostNodeParams *h)
{
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeHost};
    p.host.fn = h->fn;
    p.host.userData = h->userData;
    return p;
}

struct cudaGraphNodeParams params_of_event(enum cudaGraphNodeType type,
                                           cudaEvent_t event)
{
    struct cudaGraphNodeParams p = {.type = type};
    p.eventRecord.event = event; // as eventWait's
    return p;
}

struct cudaGraphNodeParams params_of_child(cudaGraph_t child)
{
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeGraph};
    p.graph.graph = child;
    return p;
}
