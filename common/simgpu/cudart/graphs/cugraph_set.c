/*
 * cugraph_set.c: reading and replacing nodes' parameters
 */
#include "cudart/graphs/cugraph.h"
#include "cudart/graphs/cugraph_params.h"
#include "cudart/memory/symbol.h"

/* ---- in graphs ----------------------------------------------------------- */

static cudaError_t check(cudaGraphNode_t node, enum cudaGraphNodeType type,
                         const void *out)
{
    return node && out && node->params.type == type && !node->foreign
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

static cudaError_t set(cudaGraphNode_t node,
                       const struct cudaGraphNodeParams *p)
{
    return node && node_find(node->graph, node) ? node_set(node, p)
                                                : cudaErrorInvalidValue;
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node,
                                   struct cudaGraphNodeParams *nodeParams)
{
    return api_return(nodeParams ? set(node, nodeParams)
                                 : cudaErrorInvalidValue);
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                         struct cudaKernelNodeParams *out)
{
    const cudaError_t err = check(node, cudaGraphNodeTypeKernel, out);
    if (err == cudaSuccess) {
        const struct cudaKernelNodeParamsV2 *const k = &node->params.kernel;
        *out = (struct cudaKernelNodeParams){k->func,         k->gridDim,
                                             k->blockDim,     k->sharedMemBytes,
                                             k->kernelParams, k->extra};
    }
    return api_return(err);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams *k)
{
    if (!k)
        return api_return(cudaErrorInvalidValue);
    const struct cudaGraphNodeParams p = params_of_kernel(k);
    return api_return(set(node, &p));
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
                                         struct cudaMemcpy3DParms *out)
{
    const cudaError_t err = check(node, cudaGraphNodeTypeMemcpy, out);
    if (err == cudaSuccess)
        *out = node->params.memcpy.copyParams;
    return api_return(err);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemcpy3DParms *c)
{
    if (!c)
        return api_return(cudaErrorInvalidValue);
    const struct cudaGraphNodeParams p = params_of_copy(c);
    return api_return(set(node, &p));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst,
                                           const void *src, size_t count,
                                           enum cudaMemcpyKind kind)
{
    const struct cudaGraphNodeParams p = params_of_bytes(dst, src, count, kind);
    return api_return(set(node, &p));
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node,
                                                 const void *symbol,
                                                 const void *src, size_t count,
                                                 size_t offset,
                                                 enum cudaMemcpyKind kind)
{
    const struct cudaGraphNodeParams p = params_of_bytes(
        (char *)symbol_address(symbol) + offset, src, count, symbol_kind(kind));
    return api_return(set(node, &p));
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node,
                                                   void *dst,
                                                   const void *symbol,
                                                   size_t count, size_t offset,
                                                   enum cudaMemcpyKind kind)
{
    const struct cudaGraphNodeParams p = params_of_bytes(
        dst, (char *)symbol_address(symbol) + offset, count, symbol_kind(kind));
    return api_return(set(node, &p));
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
                                         struct cudaMemsetParams *out)
{
    const cudaError_t err = check(node, cudaGraphNodeTypeMemset, out);
    if (err == cudaSuccess) {
        const struct cudaMemsetParamsV2 *const m = &node->params.memset;
        *out = (struct cudaMemsetParams){m->dst,         m->pitch, m->value,
                                         m->elementSize, m->width, m->height};
    }
    return api_return(err);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaMemsetParams *m)
{
    if (!m)
        return api_return(cudaErrorInvalidValue);
    const struct cudaGraphNodeParams p = params_of_fill(m);
    return api_return(set(node, &p));
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                       struct cudaHostNodeParams *out)
{
    const cudaError_t err = check(node, cudaGraphNodeTypeHost, out);
    if (err == cudaSuccess)
        *out = (struct cudaHostNodeParams){node->params.host.fn,
                                           node->params.host.userData};
    return api_return(err);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                       const struct cudaHostNodeParams *h)
{
    if (!h)
        return api_return(cudaErrorInvalidValue);
    const struct cudaGraphNodeParams p = params_of_host(h);
    return api_return(set(node, &p));
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node,
                                            cudaGraph_t *pGraph)
{
    const cudaError_t err = check(node, cudaGraphNodeTypeGraph, pGraph);
    if (err == cudaSuccess)
        *pGraph = node->child;
    return api_return(err);
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node,
                                             cudaEvent_t *event_out)
{
    const cudaError_t err =
        check(node, cudaGraphNodeTypeEventRecord, event_out);
    if (err == cudaSuccess)
        *event_out = node->params.eventRecord.event;
    return api_return(err);
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node,
                                             cudaEvent_t event)
{
    const struct cudaGraphNodeParams p =
        params_of_event(cudaGraphNodeTypeEventRecord, event);
    return api_return(set(node, &p));
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node,
                                           cudaEvent_t *event_out)
{
    const cudaError_t err = check(node, cudaGraphNodeTypeWaitEvent, event_out);
    if (err == cudaSuccess)
        *event_out = node->params.eventWait.event;
    return api_return(err);
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node,
                                           cudaEvent_t event)
{
    const struct cudaGraphNodeParams p =
        params_of_event(cudaGraphNodeTypeWaitEvent, event);
    return api_return(set(node, &p));
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                           struct cudaMemAllocNodeParams *out)
{
    const cudaError_t err = check(node, cudaGraphNodeTypeMemAlloc, out);
    if (err == cudaSuccess)
        *out = (struct cudaMemAllocNodeParams){
            .poolProps = node->params.alloc.poolProps,
            .bytesize = node->params.alloc.bytesize,
            .dptr = node->params.alloc.dptr};
    return api_return(err);
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out)
{
    const cudaError_t err = check(node, cudaGraphNodeTypeMemFree, dptr_out);
    if (err == cudaSuccess)
        *(void **)dptr_out = node->params.free.dptr;
    return api_return(err);
}

/* ---- in executable graphs ------------------------------------------------ */

static cudaError_t set_in(cudaGraphExec_t exec, cudaGraphNode_t node,
                          const struct cudaGraphNodeParams *p)
{
    struct CUgraphNode_st *const n = exec_node(exec, node);
    if (!n || (p->type == cudaGraphNodeTypeConditional) ||
        p->type == cudaGraphNodeTypeMemAlloc ||
        p->type == cudaGraphNodeTypeMemFree)
        return cudaErrorInvalidValue;
    return p->type == cudaGraphNodeTypeGraph ? exec_set_child(n, p->graph.graph)
                                             : node_set(n, p);
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec,
                                       cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *nodeParams)
{
    return api_return(nodeParams ? set_in(graphExec, node, nodeParams)
                                 : cudaErrorInvalidValue);
}

cudaError_t
cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec,
                                 cudaGraphNode_t node,
                                 const struct cudaKernelNodeParams *k)
{
    if (!k)
        return api_return(cudaErrorInvalidValue);
    const struct cudaGraphNodeParams p = params_of_kernel(k);
    return api_return(set_in(hGraphExec, node, &p));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec,
                                             cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *c)
{
    if (!c)
        return api_return(cudaErrorInvalidValue);
    const struct cudaGraphNodeParams p = params_of_copy(c);
    return api_return(set_in(hGraphExec, node, &p));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec,
                                               cudaGraphNode_t node, void *dst,
                                               const void *src, size_t count,
                                               enum cudaMemcpyKind kind)
{
    const struct cudaGraphNodeParams p = params_of_bytes(dst, src, count, kind);
    return api_return(set_in(hGraphExec, node, &p));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t node, const void *symbol,
    const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    const struct cudaGraphNodeParams p = params_of_bytes(
        (char *)symbol_address(symbol) + offset, src, count, symbol_kind(kind));
    return api_return(set_in(hGraphExec, node, &p));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst,
    const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    const struct cudaGraphNodeParams p = params_of_bytes(
        dst, (char *)symbol_address(symbol) + offset, count, symbol_kind(kind));
    return api_return(set_in(hGraphExec, node, &p));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec,
                                             cudaGraphNode_t node,
                                             const struct cudaMemsetParams *m)
{
    if (!m)
        return api_return(cudaErrorInvalidValue);
    const struct cudaGraphNodeParams p = params_of_fill(m);
    return api_return(set_in(hGraphExec, node, &p));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec,
                                           cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *h)
{
    if (!h)
        return api_return(cudaErrorInvalidValue);
    const struct cudaGraphNodeParams p = params_of_host(h);
    return api_return(set_in(hGraphExec, node, &p));
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec,
                                                 cudaGraphNode_t node,
                                                 cudaGraph_t childGraph)
{
    const struct cudaGraphNodeParams p = params_of_child(childGraph);
    return api_return(set_in(hGraphExec, node, &p));
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec,
                                                 cudaGraphNode_t hNode,
                                                 cudaEvent_t event)
{
    const struct cudaGraphNodeParams p =
        params_of_event(cudaGraphNodeTypeEventRecord, event);
    return api_return(set_in(hGraphExec, hNode, &p));
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec,
                                               cudaGraphNode_t hNode,
                                               cudaEvent_t event)
{
    const struct cudaGraphNodeParams p =
        params_of_event(cudaGraphNodeTypeWaitEvent, event);
    return api_return(set_in(hGraphExec, hNode, &p));
}
