/*
 * cugraph_exec.c: instantiating and launching graphs
 */
#include "core/site.h"
#include "core/stream/stream.h"
#include "cudart/graphs/capture.h"
#include "cudart/graphs/exec.h"
#include "cudart/graphs/locals.h"

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

/* The first node because of which device code cannot launch the graph. */
static cudaError_t check_for_device(cudaGraph_t graph,
                                    cudaGraphInstantiateParams *p)
{
    p->errNode_out = host_node(graph);
    if (p->errNode_out)
        p->result_out = cudaGraphInstantiateNodeOperationNotSupported;
    return graph->first && !p->errNode_out ? cudaSuccess
                                           : cudaErrorInvalidValue;
}

/* Instantiate a graph. p->flags may contain `allowed` flags only. Sets the
 * members of p that CUDA returns. */
static cudaError_t instantiate(cudaGraphExec_t *out, cudaGraph_t graph,
                               unsigned long long allowed,
                               cudaGraphInstantiateParams *p)
{
    p->errNode_out = NULL;
    p->result_out = cudaGraphInstantiateError;
    if ((p->flags & ~allowed) || (p->flags & FREE_ON_DEVICE) == FREE_ON_DEVICE)
        return cudaErrorInvalidValue;
    cudaError_t err = capture_allows_unsafe();
    if (err == cudaSuccess && (!out || !cugraph_is_live(graph)))
        err = cudaErrorInvalidValue;
    if (err == cudaSuccess && (p->flags & cudaGraphInstantiateFlagDeviceLaunch))
        err = check_for_device(graph, p);
    if (err != cudaSuccess)
        return err;
    err = exec_new(graph, p->flags, out, &p->errNode_out);
    if (err == cudaSuccess)
        p->result_out = cudaGraphInstantiateSuccess;
    else if (p->errNode_out)
        p->result_out = cudaGraphInstantiateInvalidStructure;
    return err;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                 unsigned long long flags)
{
    API_ENTER();
    cudaGraphInstantiateParams p = {.flags = flags};
    return api_return(instantiate(pGraphExec, graph, FLAGS, &p));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec,
                                          cudaGraph_t graph,
                                          unsigned long long flags)
{
    API_ENTER();
    cudaGraphInstantiateParams p = {.flags = flags};
    return api_return(instantiate(pGraphExec, graph, FLAGS, &p));
}

cudaError_t
cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                               cudaGraphInstantiateParams *instantiateParams)
{
    API_ENTER();
    return api_return(instantiateParams
                          ? instantiate(pGraphExec, graph,
                                        FLAGS | cudaGraphInstantiateFlagUpload,
                                        instantiateParams)
                          : cudaErrorInvalidValue);
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

/* Like api_stream(), except that a captured graph cannot contain a launch. */
static cudaError_t launch_stream(cudaStream_t stream, struct stream **out)
{
    *out = simgpu_stream_of(stream);
    return *out ? capture_allows_call(*out) : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    API_ENTER();
    api_refuse_graphs_in_device_code(__builtin_return_address(0));
    struct stream *s;
    struct CUgraphExec_st *const e = exec_find(graphExec);
    cudaError_t err = launch_stream(stream, &s);
    if (err == cudaSuccess && e)
        locals_check(e->graph, __builtin_dwarf_cfa(), CALLER_SITE());
    if (err == cudaSuccess)
        err = e ? exec_launch(e, s, CALLER_SITE()) : cudaErrorInvalidValue;
    return api_return(err);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    API_ENTER();
    struct stream *s;
    const cudaError_t err = launch_stream(stream, &s);
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

/* The executable graph's copy of a node that launches may skip, or NULL. */
static struct CUgraphNode_st *exec_work(cudaGraphExec_t exec,
                                        cudaGraphNode_t node)
{
    struct CUgraphNode_st *const n = exec_node(exec, node);
    return n && (n->params.type == cudaGraphNodeTypeKernel ||
                 n->params.type == cudaGraphNodeTypeMemcpy ||
                 n->params.type == cudaGraphNodeTypeMemset)
               ? n
               : NULL;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec,
                                    cudaGraphNode_t hNode,
                                    unsigned int isEnabled)
{
    struct CUgraphNode_st *const n = exec_work(hGraphExec, hNode);
    if (!n)
        return api_return(cudaErrorInvalidValue);
    n->disabled = !isEnabled;
    return api_return(cudaSuccess);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec,
                                    cudaGraphNode_t hNode,
                                    unsigned int *isEnabled)
{
    const struct CUgraphNode_st *const n = exec_work(hGraphExec, hNode);
    if (!n || !isEnabled)
        return api_return(cudaErrorInvalidValue);
    *isEnabled = !n->disabled;
    return api_return(cudaSuccess);
}
