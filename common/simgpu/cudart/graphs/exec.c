/*
 * exec.c: executable graphs
 *
 * Nodes that follow each other on one device form a chain, and each chain has a
 * stream. A node joins the chain of its first dependence that no other node has
 * continued. A dependence on another chain becomes an operation without cost in
 * the node's stream.
 *
 * A conditional node is two operations: one that ends when the node may begin,
 * and one whose worker tests the condition and launches a body, as often as
 * necessary. These launches are charged to a host thread that belongs to the
 * node and begins where the graph was instantiated, so that they take no time
 * of the program's threads.
 */
#include "cudart/graphs/exec.h"

#include <pthread.h>   /* pthread_mutex_t */
#include <stdatomic.h> /* atomic_load */
#include <stdlib.h>    /* calloc */

#include "core/host.h"
#include "core/proc.h"
#include "core/report.h"
#include "core/stream/stream.h"
#include "core/thread.h"
#include "cudart/graphs/plan.h"

/*
 * Host time of a launch, in picoseconds: 2.5 us plus 1 ns for each node. From
 * NVIDIA's technical blog, "Constant Time Launch for Straight-Line CUDA Graphs
 * and Other Performance Enhancements" (2024), repeated launches.
 */
enum { LAUNCH_PS = 2500000, NODE_PS = 1000 };

static struct CUgraphExec_st *execs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *need(void *p)
{
    return simgpu_need(p, "a graph");
}

struct CUgraphExec_st *exec_find(cudaGraphExec_t exec)
{
    pthread_mutex_lock(&lock);
    struct CUgraphExec_st *e = execs;
    while (e && e != exec)
        e = e->next;
    pthread_mutex_unlock(&lock);
    return e;
}

/* ---- plans --------------------------------------------------------------- */

/* The chain that the node continues, or a new chain. */
static unsigned chain_of(struct exec_plan *p, const struct CUgraphNode_st *n)
{
    for (size_t i = 0; i < n->ndeps; i++) {
        const struct CUgraphNode_st *const from = n->dep[i].from;
        if (p->tail[from->chain] == from && p->device[from->chain] == n->device)
            return from->chain;
    }
    p->device[p->nchains] = n->device;
    return p->nchains++;
}

static uint32_t own_thread(const struct CUgraphNode_st *n)
{
    const uint32_t before = thread_adopt(thread_reserve());
    const uint32_t own = thread_number();
    simgpu_host_call("cudaGraphInstantiate", n->site);
    thread_adopt(before);
    return own;
}

static cudaError_t plan_make(struct CUgraph_st *g, cudaGraphNode_t *wrong);

static cudaError_t plan_inner(struct CUgraphNode_st *n, cudaGraphNode_t *wrong)
{
    cudaError_t err = n->child ? plan_make(n->child, wrong) : cudaSuccess;
    if (n->body)
        n->body->thread = own_thread(n);
    for (unsigned i = 0; n->body && i < n->body->n && !err; i++)
        err = plan_make(n->body->graph[i], wrong);
    return err;
}

static cudaError_t plan_make(struct CUgraph_st *g, cudaGraphNode_t *wrong)
{
    struct exec_plan *const p = g->plan = need(calloc(1, sizeof *p));
    p->order = cugraph_order(g);
    if (!p->order) {
        *wrong = g->first ? g->first->origin : NULL;
        return cudaErrorInvalidValue;
    }
    p->stream = need(calloc(g->nnodes + 1, sizeof(struct stream *)));
    p->tail = need(calloc(g->nnodes + 1, sizeof(struct CUgraphNode_st *)));
    p->device = need(calloc(g->nnodes + 1, sizeof(int)));
    for (unsigned i = 0; i < g->nnodes; i++) {
        struct CUgraphNode_st *const n = p->order[i];
        n->chain = chain_of(p, n);
        p->tail[n->chain] = n;
        const cudaError_t err = plan_inner(n, wrong);
        if (err != cudaSuccess)
            return err;
    }
    if (p->nchains == 0)
        p->nchains = 1;
    for (unsigned i = 0; i < p->nchains; i++)
        p->stream[i] = stream_new(p->device[i], STREAM_NONBLOCKING, 0);
    return cudaSuccess;
}

/* ---- launching ----------------------------------------------------------- */

/* Enqueue an operation without cost that follows the fences. */
static struct fence join(struct stream *s, const struct fence *f, size_t n,
                         const char *name, uint32_t site)
{
    struct op *const op =
        simgpu_op_new(sizeof *op, NULL, GRAPH_MARK, name, site);
    for (size_t i = 0; i < n; i++)
        simgpu_op_after(op, f[i]);
    return simgpu_stream_enqueue(s, op);
}

/* Make the node's stream wait for what the node follows, unless that is just
 * the previous operation in the stream. */
static struct fence follow(const struct exec_plan *p, struct CUgraphNode_st *n,
                           struct fence begin)
{
    struct stream *const s = p->stream[n->chain];
    if (n->ndeps == 0)
        return join(s, &begin, 1, "cudaGraphLaunch", n->site);
    if (n->ndeps == 1 && n->dep[0].from->chain == n->chain)
        return n->dep[0].from->fence;
    struct fence *const f = need(malloc(n->ndeps * sizeof *f));
    for (size_t i = 0; i < n->ndeps; i++)
        f[i] = n->dep[i].from->fence;
    const struct fence m = join(s, f, n->ndeps, "cudaGraphLaunch", n->site);
    free(f);
    return m;
}

static cudaError_t plan_run(struct CUgraph_st *g, struct fence begin,
                            uint32_t site, struct fence *end);

struct condition_op {
    struct op op;
    struct CUgraphNode_st *node;
    struct fence begin;
};

/* The body that the condition currently selects, or NULL. */
static struct CUgraph_st *choose(const struct body *b, unsigned round)
{
    const unsigned value = atomic_load(&b->condition->value);
    switch (b->type) {
    case cudaGraphCondTypeWhile: return value ? b->graph[0] : NULL;
    case cudaGraphCondTypeSwitch:
        return round == 0 && value < b->n ? b->graph[value] : NULL;
    default:
        return round > 0   ? NULL
               : value     ? b->graph[0]
               : b->n == 2 ? b->graph[1]
                           : NULL;
    }
}

static void run_condition(struct op *op)
{
    const struct condition_op *const c = (struct condition_op *)op;
    const struct body *const b = c->node->body;
    struct fence at = c->begin;
    struct CUgraph_st *g;
    for (unsigned round = 0; (g = choose(b, round)) != NULL; round++) {
        const uint32_t before = thread_adopt(b->thread + 1);
        stream_replay(NODE_PS);
        const cudaError_t err = plan_run(g, at, c->node->site, &at);
        stream_replay(0);
        thread_adopt(before);
        fence_wait(at, "a conditional node's body", c->node->site);
        if (fence_failed(at, simgpu_stream_device(op->stream)))
            op_fail(op, cudaErrorLaunchFailure);
        if (err != cudaSuccess)
            break;
    }
    if (at.node != c->begin.node)
        simgpu_op_part(
            op, &(struct graph_point){simgpu_proc()->rank, at.node, 0}, 1, 0);
}

static struct fence enqueue_condition(struct CUgraphNode_st *n,
                                      struct stream *s, struct fence begin)
{
    struct condition_op *const op = simgpu_op_new(
        sizeof *op, run_condition, GRAPH_MARK, "conditional node", n->site);
    op->node = n;
    op->begin = begin;
    return simgpu_stream_enqueue(s, &op->op);
}

/* Enqueue one node. Its fence becomes the end of the node. */
static cudaError_t run_node(const struct exec_plan *p, struct CUgraphNode_st *n,
                            struct fence begin)
{
    struct stream *const s = p->stream[n->chain];
    cudaError_t err = cudaSuccess;
    const struct fence after = follow(p, n, begin);
    n->fence = after;
    if (n->disabled)
        return cudaSuccess;
    if (n->child) {
        struct fence end;
        err = plan_run(n->child, after, n->site, &end);
        n->fence = join(s, &end, 1, "child graph", n->site);
    } else if (n->body) {
        n->fence = enqueue_condition(n, s, after);
    } else {
        err = node_enqueue(n, s);
        n->fence = simgpu_stream_tail(s);
    }
    return err;
}

/* Enqueue all nodes after `begin`. *end is set to a point after all of them. */
static cudaError_t plan_run(struct CUgraph_st *g, struct fence begin,
                            uint32_t site, struct fence *end)
{
    const struct exec_plan *const p = g->plan;
    cudaError_t err = cudaSuccess;
    for (unsigned i = 0; i < g->nnodes && err == cudaSuccess; i++)
        err = run_node(p, p->order[i], begin);
    struct fence *const leaf = need(malloc((p->nchains + 1) * sizeof *leaf));
    size_t n = 0;
    leaf[n++] = begin;
    for (unsigned i = 0; i < p->nchains; i++)
        if (p->tail[i])
            leaf[n++] = simgpu_stream_tail(p->stream[i]);
    *end = join(p->stream[0], leaf, n, "cudaGraphLaunch", site);
    free(leaf);
    return err;
}

/* Set the graph's conditions to their initial values, if
 * their handles ask for it. */
static void assign(const struct CUgraph_st *g)
{
    for (const struct CUgraphNode_st *n = g->first; n; n = n->next) {
        if (n->child)
            assign(n->child);
        for (unsigned i = 0; n->body && i < n->body->n; i++)
            assign(n->body->graph[i]);
        if (n->body && n->body->condition->assign)
            atomic_store(&n->body->condition->value,
                         n->body->condition->initial);
    }
}

struct begin_op {
    struct op op;
    struct CUgraph_st *graph;
};

static void run_begin(struct op *op)
{
    assign(((struct begin_op *)op)->graph);
}

cudaError_t exec_launch(struct CUgraphExec_st *e, struct stream *s,
                        uint32_t site)
{
    struct begin_op *const op = simgpu_op_new(sizeof *op, run_begin, GRAPH_MARK,
                                              "cudaGraphLaunch", site);
    struct fence end;
    op->graph = e->graph;
    op->op.node.host_ps = LAUNCH_PS;
    // launches of one graph run one after the other
    simgpu_op_after(&op->op, e->last);
    stream_replay(NODE_PS);
    const struct fence begin = simgpu_stream_enqueue(s, &op->op);
    const cudaError_t err = plan_run(e->graph, begin, site, &end);
    e->last = join(s, &end, 1, "cudaGraphLaunch", site);
    stream_replay(0);
    return err;
}

/* ---- creating and destroying --------------------------------------------- */

cudaError_t exec_new(const struct CUgraph_st *g, unsigned long long flags,
                     struct CUgraphExec_st **out, cudaGraphNode_t *node)
{
    struct CUgraphExec_st *const e = need(calloc(1, sizeof *e));
    e->graph = cugraph_copy(g, 1);
    e->flags = flags;
    *node = NULL;
    const cudaError_t err = plan_make(e->graph, node);
    if (err != cudaSuccess) {
        cugraph_delete(e->graph);
        free(e);
        return err;
    }
    pthread_mutex_lock(&lock);
    e->next = execs;
    execs = e;
    pthread_mutex_unlock(&lock);
    *out = e;
    return cudaSuccess;
}

void exec_delete(struct CUgraphExec_st *e)
{
    fence_wait(e->last, "cudaGraphExecDestroy", 0);
    pthread_mutex_lock(&lock);
    struct CUgraphExec_st **link = &execs;
    while (*link != e)
        link = &(*link)->next;
    *link = e->next;
    pthread_mutex_unlock(&lock);
    cugraph_delete(e->graph);
    free(e);
}
