#include "cudart/graphs/cugraph.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* calloc */
#include <string.h>  /* memcpy */

#include "core/device.h"
#include "core/report.h"
#include "cudart/event.h"
#include "cudart/graphs/graph_memory.h"
#include "cudart/graphs/plan.h"
#include "cudart/graphs/user_object.h"
#include "cudart/kernels/launch_args.h"
#include "cudart/memory/direction.h"

/* All graphs that programs may use. */
static struct CUgraph_st *graphs;
static unsigned last_id;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *need(void *p)
{
    return simgpu_need(p, "a graph");
}

int cugraph_is_live(cudaGraph_t graph)
{
    pthread_mutex_lock(&lock);
    const struct CUgraph_st *g = graphs;
    while (g && g != graph)
        g = g->next;
    pthread_mutex_unlock(&lock);
    return g != NULL;
}

struct CUgraph_st *cugraph_new(int owned)
{
    struct CUgraph_st *const g = need(calloc(1, sizeof *g));
    g->owned = owned;
    g->tail = &g->first;
    pthread_mutex_lock(&lock);
    g->id = ++last_id;
    g->next = graphs;
    graphs = g;
    pthread_mutex_unlock(&lock);
    return g;
}

static void forget(struct CUgraph_st *g)
{
    pthread_mutex_lock(&lock);
    struct CUgraph_st **link = &graphs;
    while (*link && *link != g)
        link = &(*link)->next;
    if (*link)
        *link = g->next;
    pthread_mutex_unlock(&lock);
}

/* ---- nodes --------------------------------------------------------------- */

static void body_delete(struct body *b)
{
    for (unsigned i = 0; b && i < b->n; i++)
        cugraph_delete(b->graph[i]);
    if (b)
        free(b->graph);
    free(b);
}

static void foreign_drop(struct foreign *f)
{
    if (!f || --f->refs > 0)
        return;
    f->release(f->arg);
    free(f);
}

static void node_delete(struct CUgraphNode_st *n)
{
    launch_free_args(n->args, n->nargs);
    if (n->child)
        cugraph_delete(n->child);
    body_delete(n->body);
    foreign_drop(n->foreign);
    if (n->params.type == cudaGraphNodeTypeMemAlloc)
        graph_memory_drop(n->params.alloc.dptr);
    free(n->dep);
    free(n);
}

void cugraph_delete(struct CUgraph_st *g)
{
    forget(g);
    for (struct CUgraphNode_st *n = g->first, *next; n; n = next) {
        next = n->next;
        node_delete(n);
    }
    plan_delete(g->plan);
    user_objects_drop(g->held);
    free(g);
}

struct CUgraphNode_st *node_find(const struct CUgraph_st *g,
                                 cudaGraphNode_t node)
{
    struct CUgraphNode_st *n = g->first;
    while (n && n != node)
        n = n->next;
    return n;
}

struct CUgraphNode_st *node_copy_of(const struct CUgraph_st *g,
                                    const struct CUgraphNode_st *origin)
{
    for (struct CUgraphNode_st *n = g->first; n; n = n->next) {
        if (n->origin == origin)
            return n;
        struct CUgraphNode_st *const inner =
            n->child ? node_copy_of(n->child, origin) : NULL;
        if (inner)
            return inner;
        for (unsigned i = 0; n->body && i < n->body->n; i++) {
            struct CUgraphNode_st *const in_body =
                node_copy_of(n->body->graph[i], origin);
            if (in_body)
                return in_body;
        }
    }
    return NULL;
}

/* Only kernels have ports other than 0, and only for edges to later nodes. */
static int is_valid_edge(const struct CUgraphNode_st *from,
                         const struct CUgraphNode_st *to,
                         const cudaGraphEdgeData *data)
{
    static const unsigned char none[sizeof data->reserved];
    const int programmatic = data->type == cudaGraphDependencyTypeProgrammatic;
    if (data->to_port || memcmp(data->reserved, none, sizeof none) != 0 ||
        data->type > cudaGraphDependencyTypeProgrammatic ||
        data->from_port > cudaGraphKernelNodePortLaunchCompletion)
        return 0;
    if (programmatic
            ? !data->from_port || to->params.type != cudaGraphNodeTypeKernel
            : data->from_port == cudaGraphKernelNodePortProgrammatic)
        return 0;
    return !data->from_port || from->params.type == cudaGraphNodeTypeKernel;
}

cudaError_t node_depend(struct CUgraphNode_st *n, struct CUgraphNode_st *from,
                        const cudaGraphEdgeData *data)
{
    if (from == n || !node_find(n->graph, from) ||
        (data && !is_valid_edge(from, n, data)))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < n->ndeps; i++)
        if (n->dep[i].from == from)
            return cudaErrorInvalidValue;
    if (n->ndeps == n->cap_deps) {
        n->cap_deps = n->cap_deps ? 2 * n->cap_deps : 4;
        n->dep = need(realloc(n->dep, n->cap_deps * sizeof *n->dep));
    }
    n->dep[n->ndeps++] =
        (struct cugraph_edge){from, data ? *data : (cudaGraphEdgeData){0}};
    return cudaSuccess;
}

cudaError_t node_undepend(struct CUgraphNode_st *n,
                          const struct CUgraphNode_st *from)
{
    for (size_t i = 0; i < n->ndeps; i++)
        if (n->dep[i].from == from) {
            n->ndeps--;
            memmove(n->dep + i, n->dep + i + 1,
                    (n->ndeps - i) * sizeof *n->dep);
            if (n->ndeps == 0)
                n->rooted = ++n->graph->nrooted;
            return cudaSuccess;
        }
    return cudaErrorInvalidValue;
}

static struct CUgraphNode_st *append(struct CUgraph_st *g, const char *name,
                                     uint32_t site)
{
    struct CUgraphNode_st *const n = need(calloc(1, sizeof *n));
    n->graph = g;
    n->name = name;
    n->site = site;
    n->device = simgpu_device_current();
    n->rooted = ++g->nrooted;
    *g->tail = n;
    g->tail = &n->next;
    g->nnodes++;
    return n;
}

void cugraph_remove(struct CUgraphNode_st *n)
{
    struct CUgraph_st *const g = n->graph;
    struct CUgraphNode_st **link = &g->first;
    while (*link != n)
        link = &(*link)->next;
    *link = n->next;
    if (!*link)
        g->tail = link;
    g->nnodes--;
    node_delete(n);
}

cudaGraphConditionalHandle cugraph_condition(unsigned initial, int assign)
{
    struct condition *const c = need(calloc(1, sizeof *c));
    c->initial = initial;
    c->value = assign ? initial : 0;
    c->assign = assign;
    return (uintptr_t)c;
}

void node_take_foreign(struct CUgraphNode_st *to,
                       const struct CUgraphNode_st *from)
{
    from->foreign->refs++;
    foreign_drop(to->foreign);
    to->foreign = from->foreign;
}

static cudaError_t depend_all(struct CUgraphNode_st *n,
                              const cudaGraphNode_t *deps,
                              const cudaGraphEdgeData *data, size_t ndeps)
{
    cudaError_t err = ndeps && !deps ? cudaErrorInvalidValue : cudaSuccess;
    for (size_t i = 0; i < ndeps && err == cudaSuccess; i++)
        err = node_depend(n, deps[i], data ? &data[i] : NULL);
    return err;
}

cudaError_t cugraph_add(struct CUgraph_st *g, const cudaGraphNode_t *deps,
                        const cudaGraphEdgeData *data, size_t ndeps,
                        struct cudaGraphNodeParams *params, const char *name,
                        uint32_t site, cudaGraphNode_t *out)
{
    struct CUgraphNode_st *const n = append(g, name, site);
    n->params.type = params->type; // edges depend on the type
    cudaError_t err = depend_all(n, deps, data, ndeps);
    if (err == cudaSuccess && params->type == cudaGraphNodeTypeMemAlloc)
        err = graph_memory_add(&params->alloc, site);
    if (err == cudaSuccess)
        err = node_set(n, params);
    if (err != cudaSuccess) {
        n->params.type = cudaGraphNodeTypeEmpty;
        cugraph_remove(n);
    }
    *out = err == cudaSuccess ? n : NULL;
    return err;
}

cudaError_t cugraph_add_foreign(struct CUgraph_st *g,
                                const cudaGraphNode_t *deps, size_t ndeps,
                                enum cudaGraphNodeType type, struct foreign *f,
                                const char *name, uint32_t site,
                                cudaGraphNode_t *out)
{
    struct CUgraphNode_st *const n = append(g, name, site);
    n->params.type = type;
    n->foreign = f;
    f->refs++;
    *out = n;
    return depend_all(n, deps, NULL, ndeps);
}

/* ---- parameters ---------------------------------------------------------- */

static cudaError_t set_kernel(struct CUgraphNode_st *n,
                              const struct cudaKernelNodeParamsV2 *k)
{
    void **args = NULL;
    unsigned nargs = 0;
    const void *const func = k->func;
    const cudaError_t err =
        launch_check(func, k->gridDim, k->blockDim, k->sharedMemBytes);
    if (err != cudaSuccess)
        return err;
    if (k->kernelParams)
        args = launch_copy_args(func, k->kernelParams, &nargs);
    else if (launch_has_args(func))
        return cudaErrorInvalidValue;
    launch_free_args(n->args, n->nargs);
    n->args = args;
    n->nargs = nargs;
    n->params.kernel = *k;
    n->params.kernel.kernelParams = args;
    n->params.kernel.extra = NULL;
    n->name = launch_name(func);
    return cudaSuccess;
}

static cudaError_t set_copy(struct CUgraphNode_st *n,
                            const struct cudaMemcpy3DParms *p)
{
    if ((p->srcArray != NULL) == (p->srcPtr.ptr != NULL) ||
        (p->dstArray != NULL) == (p->dstPtr.ptr != NULL) || !p->extent.width ||
        !p->extent.height || !p->extent.depth)
        return cudaErrorInvalidValue;
    const cudaError_t err =
        p->srcArray || p->dstArray
            ? cudaSuccess
            : direction_check(p->kind, p->dstPtr.ptr, p->srcPtr.ptr);
    if (err != cudaSuccess)
        return err;
    n->params.memcpy.copyParams = *p;
    return cudaSuccess;
}

static cudaError_t set_fill(struct CUgraphNode_st *n,
                            const struct cudaMemsetParamsV2 *p)
{
    if (!p->dst || !p->width || !p->height ||
        (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
        return cudaErrorInvalidValue;
    n->params.memset = *p;
    return cudaSuccess;
}

/* True if the graph or a child has a node of one of these
 * types: bits 1 << type. */
static int has_type(const struct CUgraph_st *g, unsigned types)
{
    const struct CUgraphNode_st *n = g->first;
    while (n && !(types >> n->params.type & 1) &&
           !(n->child && has_type(n->child, types)))
        n = n->next;
    return n != NULL;
}

int cugraph_has_memory(const struct CUgraph_st *g)
{
    return has_type(g, 1u << cudaGraphNodeTypeMemAlloc |
                           1u << cudaGraphNodeTypeMemFree);
}

int cugraph_can_copy(const struct CUgraph_st *g)
{
    return !cugraph_has_memory(g) &&
           !has_type(g, 1u << cudaGraphNodeTypeConditional);
}

static cudaError_t set_child(struct CUgraphNode_st *n,
                             const struct cudaChildGraphNodeParams *p)
{
    if (!cugraph_is_live(p->graph))
        return cudaErrorInvalidValue;
    if (p->ownership != cudaGraphChildGraphOwnershipMove &&
        !cugraph_can_copy(p->graph))
        return cudaErrorNotSupported;
    struct CUgraph_st *const copy = cugraph_copy(p->graph, 1);
    if (p->ownership == cudaGraphChildGraphOwnershipMove)
        cugraph_delete(p->graph);
    if (n->child)
        cugraph_delete(n->child);
    n->child = copy;
    n->params.graph = *p;
    n->params.graph.graph = copy;
    return cudaSuccess;
}

static cudaError_t set_condition(struct CUgraphNode_st *n,
                                 const struct cudaConditionalNodeParams *p)
{
    struct condition *const c = (struct condition *)(uintptr_t)p->handle;
    const unsigned most = p->type == cudaGraphCondTypeIf       ? 2
                          : p->type == cudaGraphCondTypeWhile  ? 1
                          : p->type == cudaGraphCondTypeSwitch ? UINT32_MAX
                                                               : 0;
    if (!c || p->size < 1 || p->size > most)
        return cudaErrorInvalidValue;
    struct body *const b = need(calloc(1, sizeof *b));
    b->condition = c;
    b->type = p->type;
    b->n = p->size;
    b->graph = need(calloc(p->size, sizeof(cudaGraph_t)));
    for (unsigned i = 0; i < p->size; i++)
        b->graph[i] = cugraph_new(1);
    n->body = b;
    n->params.conditional = *p;
    n->params.conditional.phGraph_out = b->graph;
    return cudaSuccess;
}

static cudaError_t set_event(struct CUgraphNode_st *n, cudaEvent_t event)
{
    if (!event_is_live(event))
        return event ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
    n->params.eventRecord.event = event; // same place as eventWait's
    return cudaSuccess;
}

cudaError_t node_set(struct CUgraphNode_st *n,
                     const struct cudaGraphNodeParams *p)
{
    if (p->type != n->params.type || n->foreign)
        return cudaErrorInvalidValue;
    switch (p->type) {
    case cudaGraphNodeTypeKernel: return set_kernel(n, &p->kernel);
    case cudaGraphNodeTypeMemcpy: return set_copy(n, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: return set_fill(n, &p->memset);
    case cudaGraphNodeTypeHost:
        n->params.host = p->host;
        return p->host.fn ? cudaSuccess : cudaErrorInvalidValue;
    case cudaGraphNodeTypeGraph: return set_child(n, &p->graph);
    case cudaGraphNodeTypeEmpty: return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent: return set_event(n, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return set_event(n, p->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
        n->params.alloc = p->alloc;
        return cudaSuccess;
    case cudaGraphNodeTypeMemFree:
        n->params.free = p->free;
        return p->free.dptr ? cudaSuccess : cudaErrorInvalidValue;
    case cudaGraphNodeTypeConditional: return set_condition(n, &p->conditional);
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait: return cudaErrorNotSupported;
    default: return cudaErrorInvalidValue;
    }
}

/* ---- copying ------------------------------------------------------------- */

/* Copy a conditional node's bodies. Copies share the condition, because the
 * program's kernels keep its handle. */
static struct body *body_copy(const struct body *b)
{
    struct body *const copy = need(calloc(1, sizeof *copy));
    *copy = *b;
    copy->graph = need(calloc(b->n, sizeof *copy->graph));
    for (unsigned i = 0; i < b->n; i++)
        copy->graph[i] = cugraph_copy(b->graph[i], 1);
    return copy;
}

static void node_fill(struct CUgraphNode_st *n, const struct CUgraphNode_st *of)
{
    n->params = of->params;
    n->device = of->device;
    n->disabled = of->disabled;
    n->nattrs = of->nattrs;
    n->is_declared = of->is_declared;
    n->declared = of->declared;
    memcpy(n->attr, of->attr, sizeof n->attr);
    if (of->args) {
        n->args = launch_copy_args(of->params.kernel.func, of->args, &n->nargs);
        n->params.kernel.kernelParams = n->args;
    }
    if (of->child) {
        n->child = cugraph_copy(of->child, 1);
        n->params.graph.graph = n->child;
    }
    if (of->body) {
        n->body = body_copy(of->body);
        n->params.conditional.phGraph_out = n->body->graph;
    }
    n->foreign = of->foreign;
    if (n->foreign)
        n->foreign->refs++;
    if (n->params.type == cudaGraphNodeTypeMemAlloc)
        graph_memory_keep(n->params.alloc.dptr);
}

struct CUgraph_st *cugraph_copy(const struct CUgraph_st *g, int owned)
{
    struct CUgraph_st *const copy = cugraph_new(owned);
    for (struct CUgraphNode_st *n = g->first; n; n = n->next) {
        struct CUgraphNode_st *const c = append(copy, n->name, n->site);
        c->origin = n;
        c->rooted = n->rooted;
        node_fill(c, n);
    }
    for (struct CUgraphNode_st *n = copy->first; n; n = n->next)
        for (size_t i = 0; i < n->origin->ndeps; i++) {
            const struct cugraph_edge *const e = &n->origin->dep[i];
            node_depend(n, node_copy_of(copy, e->from), &e->data);
        }
    copy->nrooted = g->nrooted;
    user_objects_copy(&copy->held, g->held);
    return copy;
}
