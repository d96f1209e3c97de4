/*
 * cugraph_exec.c: instantiating and launching graphs
 */
#include "core/site.h"
#include "core/stream.h"
#include "cudart/capture.h"
#include "cudart/exec.h"

enum {
    FLAGS = cudaGraphInstantiateFlagAutoFreeOnLaunch |
            cudaGraphInstantiateFlagDeviceLaunch |
            cudaGraphInstantiateFlagUseNodePriority,
    FREE_ON_DEVICE = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                     cudaGraphInstantiateFlagDeviceLaunch,
};

/* The first node that device code cannot launch, or NULL. */
static cudaGraphNode_t host_node(const struct CUgraph_st *g)
{
    for (struct CUgraphNode_st *n = g->first; n; n = n->next) {
        const enum cudaGraphNodeType type = n->params.type;
        const cudaGraphNode_t inner = n->child ? host_node(n->child) : NULL;
        if (inner)
            return inner;
        if (n->foreign ||
            (type != cudaGraphNodeTypeKernel &&
             type != cudaGraphNodeTypeMemcpy &&
             type != cudaGraphNodeTypeMemset && type != cudaGraphNodeTypeGraph))
            return n;
    }
    return NULL;
}

static cudaError_t instantiate(cudaGraphExec_t *out, cudaGraph_t graph,
                               unsigned long long flags,
                               unsigned long long allowed,
                               cudaGraphNode_t *wrong)
{
    *wrong = NULL;
    if (!out || !cugraph_is_live(graph) || (flags & ~allowed) ||
        (flags & FREE_ON_DEVICE) == FREE_ON_DEVICE)
        return cudaErrorInvalidValue;
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        *wrong = host_node(graph);
    return *wrong ? cudaErrorNotSupported : exec_new(graph, flags, out, wrong);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                 unsigned long long flags)
{
    API_ENTER();
    cudaGraphNode_t wrong;
    return api_return(instantiate(pGraphExec, graph, flags, FLAGS, &wrong));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec,
                                          cudaGraph_t graph,
                                          unsigned long long flags)
{
    API_ENTER();
    cudaGraphNode_t wrong;
    return api_return(instantiate(pGraphExec, graph, flags, FLAGS, &wrong));
}

cudaError_t
cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                               cudaGraphInstantiateParams *instantiateParams)
{
    API_ENTER();
    cudaGraphNode_t wrong;
    if (!instantiateParams)
        return api_return(cudaErrorInvalidValue);
    const cudaError_t err =
        instantiate(pGraphExec, graph, instantiateParams->flags,
                    FLAGS | cudaGraphInstantiateFlagUpload, &wrong);
    instantiateParams->errNode_out = wrong;
    instantiateParams->result_out =
        err == cudaSuccess ? cudaGraphInstantiateSuccess
        : err == cudaErrorNotSupported
            ? cudaGraphInstantiateNodeOperationNotSupported
        : wrong ? cudaGraphInstantiateInvalidStructure
                : cudaGraphInstantiateError;
    return api_return(err);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graphExec,
                                  unsigned long long *flags)
{
    const struct CUgraphExec_st *const e = exec_find(graphExec);
    if (!e || !flags)
        return api_return(cudaErrorInvalidValue);
    *flags = e->flags;
    return api_return(cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec)
{
    API_ENTER();
    struct CUgraphExec_st *const e = exec_find(graphExec);
    if (!e)
        return api_return(cudaErrorInvalidValue);
    exec_delete(e);
    return api_return(cudaSuccess);
}

/* ---- launching ----------------------------------------------------------- */

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    API_ENTER();
    api_refuse_graphs_in_device_code(__builtin_return_address(0));
    struct stream *s;
    struct CUgraphExec_st *const e = exec_find(graphExec);
    cudaError_t err = api_stream(stream, &s);
    if (err == cudaSuccess)
        err = capture_allows_call(s);
    if (err == cudaSuccess)
        err = e ? exec_launch(e, s, CALLER_SITE()) : cudaErrorInvalidValue;
    return api_return(err);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    API_ENTER();
    struct stream *s;
    const cudaError_t err = api_stream(stream, &s);
    return api_return(err != cudaSuccess     ? err
                      : exec_find(graphExec) ? cudaSuccess
                                             : cudaErrorInvalidValue);
}

/* ---- nodes of executable graphs -------------------------------------- */

struct CUgraphNode_st *exec_node(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    struct CUgraphExec_st *const e = exec_find(exec);
    return e && node ? node_copy_of(e->graph, node) : NULL;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec,
                                    cudaGraphNode_t hNode,
                                    unsigned int isEnabled)
{
    struct CUgraphNode_st *const n = exec_node(hGraphExec, hNode);
    if (!n || (n->params.type != cudaGraphNodeTypeKernel &&
               n->params.type != cudaGraphNodeTypeMemcpy &&
               n->params.type != cudaGraphNodeTypeMemset))
        return api_return(cudaErrorInvalidValue);
    n->disabled = !isEnabled;
    return api_return(cudaSuccess);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec,
                                    cudaGraphNode_t hNode,
                                    unsigned int *isEnabled)
{
    const struct CUgraphNode_st *const n = exec_node(hGraphExec, hNode);
    if (!n || !isEnabled)
        return api_return(cudaErrorInvalidValue);
    *isEnabled = !n->disabled;
    return api_return(cudaSuccess);
}
