/*
 * cugraph_nodes.c: adding nodes, and their parameters
 */
#include <stdatomic.h> /* atomic_store */

#include "core/site.h"
#include "cudart/copy.h"
#include "cudart/cugraph.h"
#include "cudart/symbol.h"

typedef struct cudaGraphNodeParams params_t;

/* Where a node goes: the arguments that all of the functions have. */
#define PLACE                                                                  \
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph,                            \
        const cudaGraphNode_t *pDependencies, size_t numDependencies

static cudaError_t add(PLACE, const cudaGraphEdgeData *data, params_t *params,
                       const char *name, uint32_t site)
{
    if (!pGraphNode || !cugraph_is_live(graph))
        return cudaErrorInvalidValue;
    return cugraph_add(graph, pDependencies, data, numDependencies, params,
                       name, site, pGraphNode);
}

#define ADD(name, params)                                                      \
    api_return(add(pGraphNode, graph, pDependencies, numDependencies, NULL,    \
                   params, name, CALLER_SITE()))

/* ---- parameters as the older functions take them ------------------------- */

static params_t of_kernel(const struct cudaKernelNodeParams *k)
{
    params_t p = {.type = cudaGraphNodeTypeKernel};
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

static params_t of_copy(const struct cudaMemcpy3DParms *c)
{
    params_t p = {.type = cudaGraphNodeTypeMemcpy};
    p.memcpy.copyParams = *c;
    return p;
}

static params_t of_bytes(void *dst, const void *src, size_t count,
                         enum cudaMemcpyKind kind)
{
    const struct cudaMemcpy3DParms box = node_box(dst, src, count, kind);
    return of_copy(&box);
}

static params_t of_fill(const struct cudaMemsetParams *m)
{
    params_t p = {.type = cudaGraphNodeTypeMemset};
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

static params_t of_host(const struct cudaHostNodeParams *h)
{
    params_t p = {.type = cudaGraphNodeTypeHost};
    p.host.fn = h->fn;
    p.host.userData = h->userData;
    return p;
}

static params_t of_event(enum cudaGraphNodeType type, cudaEvent_t event)
{
    params_t p = {.type = type};
    p.eventRecord.event = event; // as eventWait's
    return p;
}

static params_t of_child(cudaGraph_t child)
{
    params_t p = {.type = cudaGraphNodeTypeGraph};
    p.graph.graph = child;
    return p;
}

/* ---- adding -------------------------------------------------------------- */

cudaError_t cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                             const cudaGraphNode_t *pDependencies,
                             const cudaGraphEdgeData *dependencyData,
                             size_t numDependencies,
                             struct cudaGraphNodeParams *nodeParams)
{
    API_ENTER();
    if (!nodeParams)
        return api_return(cudaErrorInvalidValue);
    const cudaError_t err =
        add(pGraphNode, graph, pDependencies, numDependencies, dependencyData,
            nodeParams, "cudaGraphAddNode", CALLER_SITE());
    if (err == cudaSuccess && nodeParams->type == cudaGraphNodeTypeConditional)
        nodeParams->conditional.phGraph_out =
            (*pGraphNode)->params.conditional.phGraph_out;
    return api_return(err);
}

cudaError_t cudaGraphAddKernelNode(PLACE, const struct cudaKernelNodeParams *k)
{
    API_ENTER();
    if (!k)
        return api_return(cudaErrorInvalidValue);
    params_t p = of_kernel(k);
    return ADD("kernel", &p);
}

cudaError_t cudaGraphAddMemcpyNode(PLACE, const struct cudaMemcpy3DParms *c)
{
    API_ENTER();
    if (!c)
        return api_return(cudaErrorInvalidValue);
    params_t p = of_copy(c);
    return ADD("cudaGraphAddMemcpyNode", &p);
}

cudaError_t cudaGraphAddMemcpyNode1D(PLACE, void *dst, const void *src,
                                     size_t count, enum cudaMemcpyKind kind)
{
    API_ENTER();
    if (!copy_is_kind(kind))
        return api_return(cudaErrorInvalidMemcpyDirection);
    params_t p = of_bytes(dst, src, count, kind);
    return ADD("cudaGraphAddMemcpyNode1D", &p);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(PLACE, const void *symbol,
                                           const void *src, size_t count,
                                           size_t offset,
                                           enum cudaMemcpyKind kind)
{
    API_ENTER();
    params_t p = of_bytes((char *)symbol_address(symbol) + offset, src, count,
                          symbol_kind(kind));
    return ADD("cudaGraphAddMemcpyNodeToSymbol", &p);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(PLACE, void *dst,
                                             const void *symbol, size_t count,
                                             size_t offset,
                                             enum cudaMemcpyKind kind)
{
    API_ENTER();
    params_t p = of_bytes(dst, (char *)symbol_address(symbol) + offset, count,
                          symbol_kind(kind));
    return ADD("cudaGraphAddMemcpyNodeFromSymbol", &p);
}

cudaError_t cudaGraphAddMemsetNode(PLACE, const struct cudaMemsetParams *m)
{
    API_ENTER();
    if (!m)
        return api_return(cudaErrorInvalidValue);
    params_t p = of_fill(m);
    return ADD("cudaGraphAddMemsetNode", &p);
}

cudaError_t cudaGraphAddHostNode(PLACE, const struct cudaHostNodeParams *h)
{
    API_ENTER();
    if (!h)
        return api_return(cudaErrorInvalidValue);
    params_t p = of_host(h);
    return ADD("cudaGraphAddHostNode", &p);
}

cudaError_t cudaGraphAddChildGraphNode(PLACE, cudaGraph_t childGraph)
{
    API_ENTER();
    params_t p = of_child(childGraph);
    return ADD("cudaGraphAddChildGraphNode", &p);
}

cudaError_t cudaGraphAddEmptyNode(PLACE)
{
    API_ENTER();
    params_t p = {.type = cudaGraphNodeTypeEmpty};
    return ADD("cudaGraphAddEmptyNode", &p);
}

cudaError_t cudaGraphAddEventRecordNode(PLACE, cudaEvent_t event)
{
    API_ENTER();
    params_t p = of_event(cudaGraphNodeTypeEventRecord, event);
    return ADD("cudaGraphAddEventRecordNode", &p);
}

cudaError_t cudaGraphAddEventWaitNode(PLACE, cudaEvent_t event)
{
    API_ENTER();
    params_t p = of_event(cudaGraphNodeTypeWaitEvent, event);
    return ADD("cudaGraphAddEventWaitNode", &p);
}

cudaError_t cudaGraphAddMemAllocNode(PLACE, struct cudaMemAllocNodeParams *a)
{
    API_ENTER();
    if (!a)
        return api_return(cudaErrorInvalidValue);
    params_t p = {.type = cudaGraphNodeTypeMemAlloc};
    p.alloc.poolProps = a->poolProps;
    p.alloc.bytesize = a->bytesize;
    const cudaError_t err = ADD("cudaGraphAddMemAllocNode", &p);
    if (err == cudaSuccess)
        a->dptr = p.alloc.dptr;
    return err;
}

cudaError_t cudaGraphAddMemFreeNode(PLACE, void *dptr)
{
    API_ENTER();
    params_t p = {.type = cudaGraphNodeTypeMemFree};
    p.free.dptr = dptr;
    return ADD("cudaGraphAddMemFreeNode", &p);
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

/* In device code. */
void cudaGraphSetConditional(cudaGraphConditionalHandle handle,
                             unsigned int value)
{
    struct condition *const c = (struct condition *)(uintptr_t)handle;
    if (c)
        atomic_store(&c->value, value);
}

/* ---- reading and replacing parameters ------------------------------------ */

static cudaError_t check(cudaGraphNode_t node, enum cudaGraphNodeType type,
                         const void *out)
{
    return node && out && node->params.type == type && !node->foreign
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

static cudaError_t set(cudaGraphNode_t node, const params_t *p)
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
    const params_t p = of_kernel(k);
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
    const params_t p = of_copy(c);
    return api_return(set(node, &p));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst,
                                           const void *src, size_t count,
                                           enum cudaMemcpyKind kind)
{
    const params_t p = of_bytes(dst, src, count, kind);
    return api_return(set(node, &p));
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node,
                                                 const void *symbol,
                                                 const void *src, size_t count,
                                                 size_t offset,
                                                 enum cudaMemcpyKind kind)
{
    const params_t p = of_bytes((char *)symbol_address(symbol) + offset, src,
                                count, symbol_kind(kind));
    return api_return(set(node, &p));
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node,
                                                   void *dst,
                                                   const void *symbol,
                                                   size_t count, size_t offset,
                                                   enum cudaMemcpyKind kind)
{
    const params_t p = of_bytes(dst, (char *)symbol_address(symbol) + offset,
                                count, symbol_kind(kind));
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
    const params_t p = of_fill(m);
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
    const params_t p = of_host(h);
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
    const params_t p = of_event(cudaGraphNodeTypeEventRecord, event);
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
    const params_t p = of_event(cudaGraphNodeTypeWaitEvent, event);
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
                          const params_t *p)
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
    const params_t p = of_kernel(k);
    return api_return(set_in(hGraphExec, node, &p));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec,
                                             cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *c)
{
    if (!c)
        return api_return(cudaErrorInvalidValue);
    const params_t p = of_copy(c);
    return api_return(set_in(hGraphExec, node, &p));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec,
                                               cudaGraphNode_t node, void *dst,
                                               const void *src, size_t count,
                                               enum cudaMemcpyKind kind)
{
    const params_t p = of_bytes(dst, src, count, kind);
    return api_return(set_in(hGraphExec, node, &p));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t node, const void *symbol,
    const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    const params_t p = of_bytes((char *)symbol_address(symbol) + offset, src,
                                count, symbol_kind(kind));
    return api_return(set_in(hGraphExec, node, &p));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst,
    const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    const params_t p = of_bytes(dst, (char *)symbol_address(symbol) + offset,
                                count, symbol_kind(kind));
    return api_return(set_in(hGraphExec, node, &p));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec,
                                             cudaGraphNode_t node,
                                             const struct cudaMemsetParams *m)
{
    if (!m)
        return api_return(cudaErrorInvalidValue);
    const params_t p = of_fill(m);
    return api_return(set_in(hGraphExec, node, &p));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec,
                                           cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *h)
{
    if (!h)
        return api_return(cudaErrorInvalidValue);
    const params_t p = of_host(h);
    return api_return(set_in(hGraphExec, node, &p));
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec,
                                                 cudaGraphNode_t node,
                                                 cudaGraph_t childGraph)
{
    const params_t p = of_child(childGraph);
    return api_return(set_in(hGraphExec, node, &p));
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec,
                                                 cudaGraphNode_t hNode,
                                                 cudaEvent_t event)
{
    const params_t p = of_event(cudaGraphNodeTypeEventRecord, event);
    return api_return(set_in(hGraphExec, hNode, &p));
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec,
                                               cudaGraphNode_t hNode,
                                               cudaEvent_t event)
{
    const params_t p = of_event(cudaGraphNodeTypeWaitEvent, event);
    return api_return(set_in(hGraphExec, hNode, &p));
}
