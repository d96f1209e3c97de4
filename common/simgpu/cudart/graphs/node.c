/*
 * node.c: what each type of node does when its graph is launched
 */
#include "core/stream/stream.h"
#include "cudart/event_calls.h"
#include "cudart/graphs/cugraph.h"
#include "cudart/graphs/graph_memory.h"
#include "cudart/host_function.h"
#include "cudart/kernels/launch.h"
#include "cudart/memory/copy.h"

struct cudaMemcpy3DParms node_box(void *dst, const void *src, size_t count,
                                  enum cudaMemcpyKind kind)
{
    return (struct cudaMemcpy3DParms){
        .srcPtr = {(void *)src, count, count, 1},
        .dstPtr = {dst, count, count, 1},
        .extent = {count, 1, 1},
        .kind = kind,
    };
}

static cudaError_t run_kernel(const struct CUgraphNode_st *n, struct stream *s)
{
    const struct cudaKernelNodeParamsV2 *const k = &n->params.kernel;
    return launch_run(&(struct launch_call){
        .func = k->func,
        .grid = k->gridDim,
        .block = k->blockDim,
        .args = k->kernelParams,
        .shared_nbytes = k->sharedMemBytes,
        .stream = s,
        .site = n->site,
        .attr = n->attr,
        .nattrs = n->nattrs,
        .declared = n->is_declared ? &n->declared : NULL,
    });
}

static cudaError_t run_fill(const struct CUgraphNode_st *n, struct stream *s)
{
    const struct cudaMemsetParamsV2 *const m = &n->params.memset;
    return simgpu_fill(&(struct fill){
        .name = n->name,
        .site = n->site,
        .dst = m->dst,
        .value = m->value,
        .elem_nbytes = m->elementSize,
        .width = m->width * m->elementSize,
        .height = m->height,
        .depth = 1,
        .pitch = m->pitch,
        .stream = (cudaStream_t)s,
    });
}

cudaError_t node_enqueue(struct CUgraphNode_st *n, struct stream *s)
{
    if (n->foreign) {
        n->foreign->enqueue(n->foreign->arg, s);
        return cudaSuccess;
    }
    switch (n->params.type) {
    case cudaGraphNodeTypeKernel: return run_kernel(n, s);
    case cudaGraphNodeTypeMemcpy:
        return copy_node(n->name, n->site, &n->params.memcpy.copyParams,
                         (cudaStream_t)s);
    case cudaGraphNodeTypeMemset: return run_fill(n, s);
    case cudaGraphNodeTypeHost:
        host_function_enqueue(s, n->params.host.fn, n->params.host.userData,
                              n->name, n->site);
        return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
        return event_wait_on(s, n->params.eventWait.event, n->site);
    case cudaGraphNodeTypeEventRecord:
        return event_record_on(s, n->params.eventRecord.event, n->site);
    case cudaGraphNodeTypeMemAlloc:
        return graph_memory_begin_on(s, n->params.alloc.dptr, n->site);
    case cudaGraphNodeTypeMemFree:
        return graph_memory_end_on(s, n->params.free.dptr, n->site);
    default: return cudaSuccess;
    }
}
