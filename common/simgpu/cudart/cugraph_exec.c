/*
 * cugraph_exec.c: instantiating, updating and launching graphs
 */
#include <string.h> /* memcmp */

#include "core/site.h"
#include "core/stream.h"
#include "cudart/capture.h"
#include "cudart/exec.h"

enum { ALL_FLAGS = 0xf };

static cudaError_t instantiate(cudaGraphExec_t *out, cudaGraph_t graph,
                               unsigned long long flags, cudaGraphNode_t *wrong)
{
    if (!out || !cugraph_is_live(graph) || flags > ALL_FLAGS)
        return cudaErrorInvalidValue;
    if (flags & cudaGraphInstantiateFlagDeviceLaunch)
        return cudaErrorNotSupported;
    return exec_new(graph, flags, out, wrong);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                 unsigned long long flags)
{
    API_ENTER();
    cudaGraphNode_t wrong;
    return api_return(instantiate(pGraphExec, graph, flags, &wrong));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec,
                                          cudaGraph_t graph,
                                          unsigned long long flags)
{
    API_ENTER();
    cudaGraphNode_t wrong;
    return api_return(instantiate(pGraphExec, graph, flags, &wrong));
}

cudaError_t
cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                               cudaGraphInstantiateParams *instantiateParams)
{
    API_ENTER();
    cudaGraphNode_t wrong = NULL;
    if (!instantiateParams)
        return api_return(cudaErrorInvalidValue);
    const cudaError_t err =
        instantiate(pGraphExec, graph, instantiateParams->flags, &wrong);
    instantiateParams->errNode_out = wrong;
    instantiateParams->result_out =
        err == cudaSuccess ? cudaGraphInstantiateSuccess
        : wrong            ? cudaGraphInstantiateInvalidStructure
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
    struct stream *s;
    struct CUgraphExec_st *const e = exec_find(graphExec);
    cudaError_t err = api_stream(stream, &s);
    if (err != cudaSuccess)
        return api_return(err);
    if (!e)
        return api_return(cudaErrorInvalidValue);
    if (simgpu_stream_capture(s)) { // becomes a child graph
        struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeGraph};
        p.graph.graph = e->graph;
        err = capture_params(s, &p, "cudaGraphLaunch", CALLER_SITE(), NULL);
    } else {
        err = exec_launch(e, s, CALLER_SITE());
    }
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

/* ---- updating ------------------------------------------------------------ */

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

static void number(const struct CUgraph_st *g)
{
    unsigned at = 0;
    for (struct CUgraphNode_st *n = g->first; n; n = n->next)
        n->mark = at++;
}

static int same_edges(const struct CUgraphNode_st *a,
                      const struct CUgraphNode_st *b)
{
    for (size_t i = 0; a->ndeps == b->ndeps && i < a->ndeps; i++) {
        size_t k = 0;
        while (k < b->ndeps && b->dep[k].from->mark != a->dep[i].from->mark)
            k++;
        if (k == b->ndeps)
            return 0;
    }
    return a->ndeps == b->ndeps;
}

static enum cudaGraphExecUpdateResult compare(const struct CUgraph_st *to,
                                              const struct CUgraph_st *from,
                                              cudaGraphNode_t *wrong)
{
    const struct CUgraphNode_st *a = to->first;
    *wrong = NULL;
    if (to->nnodes != from->nnodes)
        return cudaGraphExecUpdateErrorTopologyChanged;
    number(to);
    number(from);
    for (struct CUgraphNode_st *b = from->first; b; b = b->next, a = a->next) {
        *wrong = b;
        if (a->params.type != b->params.type)
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (!same_edges(a, b))
            return cudaGraphExecUpdateErrorTopologyChanged;
        if (b->params.type == cudaGraphNodeTypeConditional ||
            b->params.type == cudaGraphNodeTypeMemAlloc ||
            !!a->foreign != !!b->foreign)
            return cudaGraphExecUpdateErrorNotSupported;
        cudaGraphNode_t inner;
        const enum cudaGraphExecUpdateResult r =
            b->child ? compare(a->child, b->child, &inner)
                     : cudaGraphExecUpdateSuccess;
        if (r != cudaGraphExecUpdateSuccess)
            return r;
    }
    *wrong = NULL;
    return cudaGraphExecUpdateSuccess;
}

static cudaError_t take_over(const struct CUgraph_st *to,
                             const struct CUgraph_st *from)
{
    struct CUgraphNode_st *a = to->first;
    cudaError_t err = cudaSuccess;
    for (const struct CUgraphNode_st *b = from->first; b && err == cudaSuccess;
         b = b->next, a = a->next) {
        a->disabled = b->disabled;
        if (b->child)
            err = take_over(a->child, b->child);
        else if (b->foreign)
            node_take_foreign(a, b);
        else
            err = node_set(a, &b->params);
    }
    return err;
}

cudaError_t exec_set_child(struct CUgraphNode_st *n, cudaGraph_t child)
{
    cudaGraphNode_t wrong;
    if (n->params.type != cudaGraphNodeTypeGraph || !cugraph_is_live(child) ||
        compare(n->child, child, &wrong) != cudaGraphExecUpdateSuccess)
        return cudaErrorInvalidValue;
    return take_over(n->child, child);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                cudaGraphExecUpdateResultInfo *resultInfo)
{
    API_ENTER();
    struct CUgraphExec_st *const e = exec_find(hGraphExec);
    if (!e || !cugraph_is_live(hGraph) || !resultInfo)
        return api_return(cudaErrorInvalidValue);
    *resultInfo = (cudaGraphExecUpdateResultInfo){0};
    resultInfo->result = compare(e->graph, hGraph, &resultInfo->errorNode);
    if (resultInfo->result == cudaGraphExecUpdateSuccess &&
        take_over(e->graph, hGraph) != cudaSuccess)
        resultInfo->result = cudaGraphExecUpdateErrorParametersChanged;
    return api_return(resultInfo->result == cudaGraphExecUpdateSuccess
                          ? cudaSuccess
                          : cudaErrorGraphExecUpdateFailure);
}
