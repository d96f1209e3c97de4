/*
 * cugraph_calls.c: functions of whole graphs: their nodes and edges
 */
#include "cudart/graphs/capture.h"
#include "cudart/graphs/cugraph.h"
#include "cudart/graphs/user_object.h"

cudaError_t cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags)
{
    API_ENTER();
    if (!pGraph || flags != 0)
        return api_return(cudaErrorInvalidValue);
    *pGraph = cugraph_new(0);
    return api_return(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    API_ENTER();
    if (!cugraph_is_live(graph) || graph->owned)
        return api_return(cudaErrorInvalidValue);
    if (capture_writes(graph))
        return api_return(cudaErrorIllegalState);
    cugraph_delete(graph);
    return api_return(cudaSuccess);
}

cudaError_t cudaGraphClone(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph)
{
    API_ENTER();
    if (!pGraphClone || !cugraph_is_live(originalGraph))
        return api_return(cudaErrorInvalidValue);
    if (!cugraph_can_copy(originalGraph))
        return api_return(cudaErrorNotSupported);
    *pGraphClone = cugraph_copy(originalGraph, 0);
    return api_return(cudaSuccess);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *pNode,
                                     cudaGraphNode_t originalNode,
                                     cudaGraph_t clonedGraph)
{
    if (!pNode || !originalNode || !cugraph_is_live(clonedGraph))
        return api_return(cudaErrorInvalidValue);
    *pNode = node_copy_of(clonedGraph, originalNode);
    return api_return(*pNode ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- lists --------------------------------------------------------------- */

/*
 * Lists are written to an array of *room entries, at least 1. Entries past the
 * end become NULL, and *room becomes the length. Without an array, only the
 * length is written to *room.
 */
struct list {
    cudaGraphNode_t *a, *b; /* b: the other ends of edges, or NULL */
    cudaGraphEdgeData *data;
    size_t n, room;
};

static void list_add(struct list *l, cudaGraphNode_t a, cudaGraphNode_t b,
                     const cudaGraphEdgeData *data)
{
    if (l->n < l->room) {
        if (l->a)
            l->a[l->n] = a;
        if (l->b)
            l->b[l->n] = b;
        if (l->data && data)
            l->data[l->n] = *data;
    }
    l->n++;
}

static cudaError_t list_end(struct list *l, size_t *room)
{
    if (l->a && l->room == 0)
        return cudaErrorInvalidValue;
    for (size_t i = l->n; l->a && i < l->room; i++) {
        l->a[i] = NULL;
        if (l->b)
            l->b[i] = NULL;
    }
    if (!l->a || l->n < l->room)
        *room = l->n;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                              size_t *numNodes)
{
    if (!cugraph_is_live(graph) || !numNodes)
        return api_return(cudaErrorInvalidValue);
    struct list l = {.a = nodes, .room = *numNodes};
    for (struct CUgraphNode_st *n = graph->first; n; n = n->next)
        list_add(&l, n, NULL, NULL);
    return api_return(list_end(&l, numNodes));
}

/* The newest among the nodes that became roots before this time. */
static struct CUgraphNode_st *newest_root(const struct CUgraph_st *g,
                                          uint64_t before)
{
    struct CUgraphNode_st *newest = NULL;
    for (struct CUgraphNode_st *n = g->first; n; n = n->next)
        if (n->ndeps == 0 && n->rooted < before &&
            (!newest || n->rooted > newest->rooted))
            newest = n;
    return newest;
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph,
                                  cudaGraphNode_t *pRootNodes,
                                  size_t *pNumRootNodes)
{
    if (!cugraph_is_live(graph) || !pNumRootNodes)
        return api_return(cudaErrorInvalidValue);
    struct list l = {.a = pRootNodes, .room = *pNumRootNodes};
    struct CUgraphNode_st *n = newest_root(graph, UINT64_MAX);
    for (; n; n = newest_root(graph, n->rooted))
        list_add(&l, n, NULL, NULL);
    return api_return(list_end(&l, pNumRootNodes));
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                              cudaGraphNode_t *to, cudaGraphEdgeData *edgeData,
                              size_t *numEdges)
{
    if (!cugraph_is_live(graph) || !numEdges || (from != NULL) != (to != NULL))
        return api_return(cudaErrorInvalidValue);
    struct list l = {.a = from, .b = to, .data = edgeData, .room = *numEdges};
    for (struct CUgraphNode_st *n = graph->first; n; n = n->next)
        for (size_t i = 0; i < n->ndeps; i++)
            list_add(&l, n->dep[i].from, n, &n->dep[i].data);
    return api_return(list_end(&l, numEdges));
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                                         cudaGraphNode_t *pDependencies,
                                         cudaGraphEdgeData *edgeData,
                                         size_t *pNumDependencies)
{
    if (!node || !pNumDependencies)
        return api_return(cudaErrorInvalidValue);
    struct list l = {
        .a = pDependencies, .data = edgeData, .room = *pNumDependencies};
    for (size_t i = 0; i < node->ndeps; i++)
        list_add(&l, node->dep[i].from, NULL, &node->dep[i].data);
    return api_return(list_end(&l, pNumDependencies));
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                           cudaGraphNode_t *pDependentNodes,
                                           cudaGraphEdgeData *edgeData,
                                           size_t *pNumDependentNodes)
{
    if (!node || !pNumDependentNodes)
        return api_return(cudaErrorInvalidValue);
    struct list l = {
        .a = pDependentNodes, .data = edgeData, .room = *pNumDependentNodes};
    for (struct CUgraphNode_st *n = node->graph->first; n; n = n->next)
        for (size_t i = 0; i < n->ndeps; i++)
            if (n->dep[i].from == node)
                list_add(&l, n, NULL, &n->dep[i].data);
    return api_return(list_end(&l, pNumDependentNodes));
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node,
                                 enum cudaGraphNodeType *pType)
{
    if (!node || !pType)
        return api_return(cudaErrorInvalidValue);
    *pType = node->params.type;
    return api_return(cudaSuccess);
}

/* ---- edges --------------------------------------------------------------- */

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
                                     const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *edgeData,
                                     size_t numDependencies)
{
    cudaError_t err =
        cugraph_is_live(graph) ? cudaSuccess : cudaErrorInvalidValue;
    if (numDependencies && (!from || !to))
        err = cudaErrorInvalidValue;
    for (size_t i = 0; i < numDependencies && err == cudaSuccess; i++)
        err = node_find(graph, to[i])
                  ? node_depend(to[i], from[i], edgeData ? &edgeData[i] : NULL)
                  : cudaErrorInvalidValue;
    return api_return(err);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
                                        const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edgeData,
                                        size_t numDependencies)
{
    (void)edgeData;
    cudaError_t err =
        cugraph_is_live(graph) ? cudaSuccess : cudaErrorInvalidValue;
    if (numDependencies && (!from || !to))
        err = cudaErrorInvalidValue;
    if (err == cudaSuccess && numDependencies && cugraph_has_memory(graph))
        err = cudaErrorNotSupported;
    for (size_t i = 0; i < numDependencies && err == cudaSuccess; i++)
        err = node_find(graph, to[i]) ? node_undepend(to[i], from[i])
                                      : cudaErrorInvalidValue;
    return api_return(err);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    if (!node || !node_find(node->graph, node))
        return api_return(cudaErrorInvalidValue);
    if (cugraph_has_memory(node->graph))
        return api_return(cudaErrorNotSupported);
    if (capture_writes(node->graph))
        return api_return(cudaErrorIllegalState);
    for (struct CUgraphNode_st *n = node->graph->first; n; n = n->next)
        node_undepend(n, node);
    cugraph_remove(node);
    return api_return(cudaSuccess);
}

/* ---- user objects -------------------------------------------------------- */

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph,
                                      cudaUserObject_t object,
                                      unsigned int count, unsigned int flags)
{
    if (!cugraph_is_live(graph) || !object || count == 0 || count > INT_MAX ||
        flags > cudaGraphUserObjectMove)
        return api_return(cudaErrorInvalidValue);
    return api_return(
        user_object_hold(&graph->held, object, count, (int)flags));
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph,
                                       cudaUserObject_t object,
                                       unsigned int count)
{
    if (!cugraph_is_live(graph))
        return api_return(cudaErrorInvalidValue);
    return api_return(user_object_unhold(graph->held, object, count));
}
