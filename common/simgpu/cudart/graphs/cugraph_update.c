/*
 * cugraph_update.c: updating executable graphs
 *
 * Graphs are compared as CUDA compares them. Nodes are paired starting at the
 * graphs' ends: first the nodes that no other node follows, in their order,
 * then the nodes that the two nodes of a pair follow, in that order. Each node
 * must be in exactly one pair.
 */
#include <stdlib.h> /* calloc */

#include "core/report.h"
#include "cudart/graphs/exec.h"

typedef enum cudaGraphExecUpdateResult result_t;

struct pairs {
    struct CUgraphNode_st **a; /* the executable graph's; each has a pair */
    size_t n;
    cudaGraphExecUpdateResultInfo *info;
};

static void pair(struct pairs *p, struct CUgraphNode_st *a,
                 struct CUgraphNode_st *b)
{
    a->pair = b;
    b->pair = a;
    p->a[p->n++] = a;
}

/* Clear all pairs, and mark the nodes that other nodes follow. */
static void prepare(const struct CUgraph_st *g)
{
    for (struct CUgraphNode_st *n = g->first; n; n = n->next) {
        n->pair = NULL;
        n->mark = 0;
    }
    for (struct CUgraphNode_st *n = g->first; n; n = n->next)
        for (size_t i = 0; i < n->ndeps; i++)
            n->dep[i].from->mark = 1;
}

/* The first node, from n on, that no other node follows. */
static struct CUgraphNode_st *exit_from(struct CUgraphNode_st *n)
{
    while (n && n->mark)
        n = n->next;
    return n;
}

static result_t pair_exits(struct pairs *p, const struct CUgraph_st *to,
                           const struct CUgraph_st *from)
{
    struct CUgraphNode_st *a = exit_from(to->first);
    struct CUgraphNode_st *b = exit_from(from->first);
    for (; a && b; a = exit_from(a->next), b = exit_from(b->next))
        pair(p, a, b);
    p->info->errorNode = b;
    return a || b ? cudaGraphExecUpdateErrorTopologyChanged
                  : cudaGraphExecUpdateSuccess;
}

static result_t pair_dependences(struct pairs *p, struct CUgraphNode_st *a)
{
    struct CUgraphNode_st *const b = a->pair;
    p->info->errorNode = b;
    if (a->ndeps != b->ndeps)
        return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < a->ndeps; i++) {
        struct CUgraphNode_st *const x = a->dep[i].from;
        struct CUgraphNode_st *const y = b->dep[i].from;
        if (!x->pair && !y->pair)
            pair(p, x, y);
        p->info->errorFromNode = y;
        if (x->pair != y)
            return cudaGraphExecUpdateErrorTopologyChanged;
    }
    p->info->errorNode = p->info->errorFromNode = NULL;
    return cudaGraphExecUpdateSuccess;
}

static result_t compare(const struct CUgraph_st *to,
                        const struct CUgraph_st *from,
                        cudaGraphExecUpdateResultInfo *info);

static result_t compare_nodes(const struct CUgraphNode_st *a,
                              cudaGraphExecUpdateResultInfo *info)
{
    struct CUgraphNode_st *const b = a->pair;
    if (b->child && a->child) // the differing node may be inside
        return compare(a->child, b->child, info);
    info->errorNode = b;
    if (a->params.type != b->params.type)
        return cudaGraphExecUpdateErrorNodeTypeChanged;
    if (b->params.type == cudaGraphNodeTypeConditional ||
        !!a->foreign != !!b->foreign ||
        (b->params.type == cudaGraphNodeTypeMemAlloc &&
         a->params.alloc.dptr != b->params.alloc.dptr))
        return cudaGraphExecUpdateErrorNotSupported;
    info->errorNode = NULL;
    return cudaGraphExecUpdateSuccess;
}

static result_t compare(const struct CUgraph_st *to,
                        const struct CUgraph_st *from,
                        cudaGraphExecUpdateResultInfo *info)
{
    if (to->nnodes != from->nnodes)
        return cudaGraphExecUpdateErrorTopologyChanged;
    struct pairs p = {
        simgpu_need(calloc(to->nnodes + 1, sizeof(struct CUgraphNode_st *)),
                    "a graph"),
        0, info};
    prepare(to);
    prepare(from);
    result_t r = pair_exits(&p, to, from);
    for (size_t i = 0; i < p.n && r == cudaGraphExecUpdateSuccess; i++)
        r = pair_dependences(&p, p.a[i]);
    for (size_t i = 0; i < p.n && r == cudaGraphExecUpdateSuccess; i++)
        r = compare_nodes(p.a[i], info);
    free(p.a);
    return r;
}

/* After a comparison, copy the parameters of each node's pair. */
static cudaError_t take_over(const struct CUgraph_st *to)
{
    cudaError_t err = cudaSuccess;
    for (struct CUgraphNode_st *a = to->first; a && err == cudaSuccess;
         a = a->next) {
        const struct CUgraphNode_st *const b = a->pair;
        a->disabled = b->disabled;
        if (b->child)
            err = take_over(a->child);
        else if (b->foreign)
            node_take_foreign(a, b);
        else
            err = node_set(a, &b->params);
    }
    return err;
}

cudaError_t exec_set_child(struct CUgraphNode_st *n, cudaGraph_t child)
{
    cudaGraphExecUpdateResultInfo info = {0};
    if (n->params.type != cudaGraphNodeTypeGraph || !cugraph_is_live(child))
        return cudaErrorInvalidValue;
    return compare(n->child, child, &info) == cudaGraphExecUpdateSuccess
               ? take_over(n->child)
               : cudaErrorGraphExecUpdateFailure;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                cudaGraphExecUpdateResultInfo *resultInfo)
{
    API_ENTER();
    struct CUgraphExec_st *const e = exec_find(hGraphExec);
    cudaGraphExecUpdateResultInfo info = {0};
    if (!e || !cugraph_is_live(hGraph))
        return api_return(cudaErrorInvalidValue);
    info.result = compare(e->graph, hGraph, &info);
    if (info.result == cudaGraphExecUpdateSuccess &&
        take_over(e->graph) != cudaSuccess)
        info.result = cudaGraphExecUpdateErrorParametersChanged;
    if (resultInfo)
        *resultInfo = info;
    return api_return(info.result == cudaGraphExecUpdateSuccess
                          ? cudaSuccess
                          : cudaErrorGraphExecUpdateFailure);
}
