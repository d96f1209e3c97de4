/*
 * cugraph_nodes.c: adding nodes, a function for each type
 *
 * All begin with the same arguments: where the new node goes, its graph, and
 * the nodes that it depends on.
 */
#include <stdatomic.h> /* atomic_store */

#include "core/site.h"
#include "cudart/graphs/cugraph.h"
#include "cudart/graphs/cugraph_params.h"
#include "cudart/memory/direction.h"
#include "cudart/memory/symbol.h"

static cudaError_t add(cudaGraphNode_t *out, cudaGraph_t graph,
                       const cudaGraphNode_t *deps, size_t ndeps,
                       const cudaGraphEdgeData *data,
                       struct cudaGraphNodeParams *params, const char *name,
                       uint32_t site)
{
    if (!out || !cugraph_is_live(graph))
        return cudaErrorInvalidValue;
    return cugraph_add(graph, deps, data, ndeps, params, name, site, out);
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph,
                             const cudaGraphNode_t *deps,
                             const cudaGraphEdgeData *data, size_t ndeps,
                             struct cudaGraphNodeParams *nodeParams)
{
    API_ENTER();
    if (!nodeParams)
        return api_return(cudaErrorInvalidValue);
    const cudaError_t err = add(out, graph, deps, ndeps, data, nodeParams,
                                "cudaGraphAddNode", CALLER_SITE());
    if (err == cudaSuccess && nodeParams->type == cudaGraphNodeTypeConditional)
        nodeParams->conditional.phGraph_out =
            (*out)->params.conditional.phGraph_out;
    return api_return(err);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                   const cudaGraphNode_t *deps, size_t ndeps,
                                   const struct cudaKernelNodeParams *k)
{
    API_ENTER();
    if (!k)
        return api_return(cudaErrorInvalidValue);
    struct cudaGraphNodeParams p = params_of_kernel(k);
    return api_return(
        add(out, graph, deps, ndeps, NULL, &p, "kernel", CALLER_SITE()));
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                   const cudaGraphNode_t *deps, size_t ndeps,
                                   const struct cudaMemcpy3DParms *c)
{
    API_ENTER();
    if (!c)
        return api_return(cudaErrorInvalidValue);
    struct cudaGraphNodeParams p = params_of_copy(c);
    return api_return(add(out, graph, deps, ndeps, NULL, &p,
                          "cudaGraphAddMemcpyNode", CALLER_SITE()));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t graph,
                                     const cudaGraphNode_t *deps, size_t ndeps,
                                     void *dst, const void *src, size_t count,
                                     enum cudaMemcpyKind kind)
{
    API_ENTER();
    if (!direction_is_kind(kind))
        return api_return(cudaErrorInvalidMemcpyDirection);
    struct cudaGraphNodeParams p = params_of_bytes(dst, src, count, kind);
    return api_return(add(out, graph, deps, ndeps, NULL, &p,
                          "cudaGraphAddMemcpyNode1D", CALLER_SITE()));
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(
    cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *deps,
    size_t ndeps, const void *symbol, const void *src, size_t count,
    size_t offset, enum cudaMemcpyKind kind)
{
    API_ENTER();
    struct cudaGraphNodeParams p = params_of_bytes(
        (char *)symbol_address(symbol) + offset, src, count, symbol_kind(kind));
    return api_return(add(out, graph, deps, ndeps, NULL, &p,
                          "cudaGraphAddMemcpyNodeToSymbol", CALLER_SITE()));
}

cudaError_t
cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *out, cudaGraph_t graph,
                                 const cudaGraphNode_t *deps, size_t ndeps,
                                 void *dst, const void *symbol, size_t count,
                                 size_t offset, enum cudaMemcpyKind kind)
{
    API_ENTER();
    struct cudaGraphNodeParams p = params_of_bytes(
        dst, (char *)symbol_address(symbol) + offset, count, symbol_kind(kind));
    return api_return(add(out, graph, deps, ndeps, NULL, &p,
                          "cudaGraphAddMemcpyNodeFromSymbol", CALLER_SITE()));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                   const cudaGraphNode_t *deps, size_t ndeps,
                                   const struct cudaMemsetParams *m)
{
    API_ENTER();
    if (!m)
        return api_return(cudaErrorInvalidValue);
    struct cudaGraphNodeParams p = params_of_fill(m);
    return api_return(add(out, graph, deps, ndeps, NULL, &p,
                          "cudaGraphAddMemsetNode", CALLER_SITE()));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                 const cudaGraphNode_t *deps, size_t ndeps,
                                 const struct cudaHostNodeParams *h)
{
    API_ENTER();
    if (!h)
        return api_return(cudaErrorInvalidValue);
    struct cudaGraphNodeParams p = params_of_host(h);
    return api_return(add(out, graph, deps, ndeps, NULL, &p,
                          "cudaGraphAddHostNode", CALLER_SITE()));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                       const cudaGraphNode_t *deps,
                                       size_t ndeps, cudaGraph_t childGraph)
{
    API_ENTER();
    struct cudaGraphNodeParams p = params_of_child(childGraph);
    return api_return(add(out, graph, deps, ndeps, NULL, &p,
                          "cudaGraphAddChildGraphNode", CALLER_SITE()));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                  const cudaGraphNode_t *deps, size_t ndeps)
{
    API_ENTER();
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeEmpty};
    return api_return(add(out, graph, deps, ndeps, NULL, &p,
                          "cudaGraphAddEmptyNode", CALLER_SITE()));
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                        const cudaGraphNode_t *deps,
                                        size_t ndeps, cudaEvent_t event)
{
    API_ENTER();
    struct cudaGraphNodeParams p =
        params_of_event(cudaGraphNodeTypeEventRecord, event);
    return api_return(add(out, graph, deps, ndeps, NULL, &p,
                          "cudaGraphAddEventRecordNode", CALLER_SITE()));
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                      const cudaGraphNode_t *deps, size_t ndeps,
                                      cudaEvent_t event)
{
    API_ENTER();
    struct cudaGraphNodeParams p =
        params_of_event(cudaGraphNodeTypeWaitEvent, event);
    return api_return(add(out, graph, deps, ndeps, NULL, &p,
                          "cudaGraphAddEventWaitNode", CALLER_SITE()));
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                     const cudaGraphNode_t *deps, size_t ndeps,
                                     struct cudaMemAllocNodeParams *a)
{
    API_ENTER();
    if (!a)
        return api_return(cudaErrorInvalidValue);
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeMemAlloc};
    p.alloc.poolProps = a->poolProps;
    p.alloc.bytesize = a->bytesize;
    const cudaError_t err =
        api_return(add(out, graph, deps, ndeps, NULL, &p,
                       "cudaGraphAddMemAllocNode", CALLER_SITE()));
    if (err == cudaSuccess)
        a->dptr = p.alloc.dptr;
    return err;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                    const cudaGraphNode_t *deps, size_t ndeps,
                                    void *dptr)
{
    API_ENTER();
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeMemFree};
    p.free.dptr = dptr;
    return api_return(add(out, graph, deps, ndeps, NULL, &p,
                          "cudaGraphAddMemFreeNode", CALLER_SITE()));
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle,
                                             cudaGraph_t graph,
                                             unsigned int defaultLaunchValue,
                                             unsigned int flags)
{
    API_ENTER();
    if (!handle || !cugraph_is_live(graph) ||
        flags > cudaGraphCondAssignDefault)
        return api_return(cudaErrorInvalidValue);
    *handle = cugraph_condition(defaultLaunchValue, (int)flags);
    return api_return(cudaSuccess);
}

/* Called in device code. */
void cudaGraphSetConditional(cudaGraphConditionalHandle handle,
                             unsigned int value)
{
    struct condition *const c = (struct condition *)(uintptr_t)handle;
    if (c)
        atomic_store(&c->value, value);
}
