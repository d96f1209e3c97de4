#include "graph/explain_case.h"

#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

int study_is_p2p(const struct graph_view *v)
{
    return v->node.kind != GRAPH_COLL && overlap_is_comm(v);
}

static int is_transfer(const struct graph_node *n)
{
    return n->kind == GRAPH_COPY || n->kind == GRAPH_COLL ||
           n->kind == GRAPH_SEND || n->kind == GRAPH_RECV;
}

/* A call that allocates or frees memory. */
static int is_life(const struct graph_view *v)
{
    for (size_t i = 0; i < v->naccesses; i++) {
        const uint32_t how = v->accesses[i].write & GRAPH_TOUCH;
        if (how == GRAPH_ALLOC || how == GRAPH_FREE)
            return 1;
    }
    return 0;
}

/* The wait inside a call that frees memory. */
static int is_life_wait(const struct study *s, uint32_t at)
{
    const uint32_t before = graph_thread_prev(s->g, at);
    return before != GRAPH_NOWHERE && is_life(&s->g->nodes[before]) &&
           strcmp(s->g->nodes[before].name, s->g->nodes[at].name) == 0;
}

/* A host-only node that waits for a device. */
static int is_wait(const struct study *s, uint32_t at)
{
    const struct graph_node *const n = &s->g->nodes[at].node;
    return n->kind == GRAPH_HOST && n->queue == 0 && n->ndeps > 0 &&
           !is_life_wait(s, at);
}

/* A call that is neither an operation nor a plain wait. */
static int is_call(const struct study *s, uint32_t at)
{
    const struct graph_node *const n = &s->g->nodes[at].node;
    if (n->kind == GRAPH_HOST && n->queue == 0)
        return n->ndeps == 0 || is_life_wait(s, at);
    return n->kind == GRAPH_MARK && is_life(&s->g->nodes[at]);
}

static void free_host(struct study *s, uint32_t at)
{
    s->hit[at] = s->w.graph.nodes[at].node.host_ps + 1;
    s->w.graph.nodes[at].node.host_ps = 0;
}

/* ---- calls of the host --------------------------------------------------- */

/* Kernels cost only their work: as if they were parts of larger ones. */
static int launches(struct study *s, struct explain_finding *f)
{
    int any = 0;
    (void)f;
    for (uint32_t at = 0; at < s->g->nnodes; at++)
        if (s->in[at] && s->g->nodes[at].node.kind == GRAPH_KERNEL &&
            s->g->nodes[at].part == 0) {
            free_host(s, at);
            s->w.cost[at].no_latency = 1;
            any = 1;
        }
    return any;
}

static int events(struct study *s, struct explain_finding *f)
{
    int any = 0;
    (void)f;
    for (uint32_t at = 0; at < s->g->nnodes; at++)
        if (s->in[at] && s->g->nodes[at].node.kind == GRAPH_MARK &&
            !is_call(s, at)) {
            free_host(s, at);
            any = 1;
        }
    return any;
}

static int calls(struct study *s, struct explain_finding *f)
{
    int any = 0;
    (void)f;
    for (uint32_t at = 0; at < s->g->nnodes; at++) {
        struct graph_node *const n = &s->w.graph.nodes[at].node;
        if (!s->in[at] || !is_call(s, at))
            continue;
        free_host(s, at);
        s->hit[at] += s->time[at].end_ps - s->time[at].issue_ps;
        if (n->queue == 0) {
            n->latency_ps = 0;
            n->ndeps = 0;
        }
        any = 1;
    }
    return any;
}

/* True if an MPI call follows this wait: then the host needs the result. */
static int feeds_mpi(const struct study *s, uint32_t at)
{
    const struct graph_node *const n = &s->g->nodes[at].node;
    for (uint32_t k = at + 1; k < s->g->first[n->rank + 1]; k++) {
        const struct graph_node *const next = &s->g->nodes[k].node;
        if (next->thread == n->thread && !is_wait(s, k))
            return next->kind == GRAPH_MPI && next->bytes > 0;
    }
    return 0;
}

/* No call waits for the device. */
static int sync(struct study *s, struct explain_finding *f)
{
    int any = 0;
    (void)f;
    for (uint32_t at = 0; at < s->g->nnodes; at++) {
        struct graph_node *const n = &s->w.graph.nodes[at].node;
        const int waits = is_wait(s, at) || n->flags & GRAPH_JOIN;
        if (!s->in[at] || !waits || feeds_mpi(s, at))
            continue;
        const uint64_t called_ps = s->time[at].issue_ps - n->host_ps;
        s->hit[at] = s->time[at].end_ps - called_ps + 1;
        n->flags &= ~(uint32_t)GRAPH_JOIN;
        if (is_wait(s, at)) {
            n->ndeps = 0;
            n->host_ps = n->latency_ps = 0;
        }
        any = 1;
    }
    return any;
}

static int mpi(struct study *s, struct explain_finding *f)
{
    int any = 0;
    (void)f;
    for (uint32_t at = 0; at < s->g->nnodes; at++) {
        struct graph_node *const n = &s->w.graph.nodes[at].node;
        if (!s->in[at] || n->kind != GRAPH_MPI || n->bytes < 1 << 16)
            continue;
        s->hit[at] = s->time[at].end_ps - s->time[at].ready_ps + 1;
        n->bytes = 0;
        any = 1;
    }
    return any;
}

/* ---- transfers ----------------------------------------------------------- */

/* Transfers that take mostly latency: as if they were parts of larger ones. */
static int small(struct study *s, struct explain_finding *f)
{
    enum { SMALL = 256 << 10 };
    int any = 0;
    (void)f;
    for (uint32_t at = 0; at < s->g->nnodes; at++) {
        const struct graph_view *const v = &s->g->nodes[at];
        uint64_t nbytes = v->node.bytes;
        for (size_t i = 0; i < v->nmoves; i++)
            nbytes += v->moves[i].nbytes;
        if (!s->in[at] || !is_transfer(&v->node) || nbytes > SMALL)
            continue;
        free_host(s, at);
        s->w.cost[at].no_latency = 1;
        any = 1;
    }
    return any;
}

static int staged(struct study *s, struct explain_finding *f)
{
    int any = 0;
    (void)f;
    for (uint32_t at = 0; at < s->g->nnodes; at++) {
        struct graph_node *const n = &s->w.graph.nodes[at].node;
        if (!s->in[at] || n->kind != GRAPH_COPY || !(n->flags & GRAPH_STAGED) ||
            !study_is_p2p(&s->g->nodes[at]))
            continue;
        n->flags &= ~(uint32_t)GRAPH_STAGED;
        s->hit[at] = study_took(s, at) + 1;
        any = 1;
    }
    return any;
}

/* ---- a cable that is slower than others like it -------------------------- */

/* Resources of one kind have names with the same first word. */
static int same_word(const char *a, const char *b)
{
    const size_t n = strcspn(a, " ");
    return strncmp(a, b, n) == 0 && (b[n] == ' ' || b[n] == '\0');
}

/* The rate of most resources of this kind, if a single cable (two resources:
 * one for each direction) is slower; else 0. */
static double healthy_rate(const struct topo *topo, int resource)
{
    const char *const name = topo_resource(topo, resource)->name;
    const double rate = topo_resource(topo, resource)->rate;
    int alike = 0, nfaster = 0;
    double faster = 0;
    for (int i = 0; i < topo_nresources(topo); i++) {
        const double other = topo_resource(topo, i)->rate;
        if (!same_word(name, topo_resource(topo, i)->name))
            continue;
        if (other > 0.98 * rate && other < 1.02 * rate)
            alike++;
        if (other < 1.2 * rate)
            continue;
        nfaster++;
        if (faster == 0 || other < faster)
            faster = other;
    }
    return alike <= 2 && nfaster >= 6 ? faster : 0;
}

static int slow_link(struct study *s, struct explain_finding *f)
{
    int any = 0;
    for (uint32_t at = 0; at < s->g->nnodes; at++) {
        const int bound = s->time[at].bound;
        if (!s->in[at] || bound < 0 || !overlap_is_comm(&s->g->nodes[at]))
            continue;
        const enum whatif_class kind = whatif_class_of(s->topo, bound);
        if (kind == WHATIF_COMPUTE || kind == WHATIF_HBM)
            continue;
        const double healthy = healthy_rate(s->topo, bound);
        if (healthy == 0)
            continue;
        s->w.cost[at].work = topo_resource(s->topo, bound)->rate / healthy;
        s->hit[at] = study_took(s, at) + 1;
        f->resource = bound;
        any = 1;
    }
    return any;
}

/* ---- limits -------------------------------------------------------------- */

/* The operations that this class binds, if it is infinitely fast. */
static int free_class(struct study *s, struct explain_finding *f,
                      enum whatif_class kind)
{
    uint64_t most_ps = 0;
    s->w.free_classes = 1u << kind;
    for (uint32_t at = 0; at < s->g->nnodes; at++) {
        const int bound = s->time[at].bound;
        if (!s->in[at] || bound < 0 || whatif_class_of(s->topo, bound) != kind)
            continue;
        s->hit[at] = study_took(s, at) + 1;
        if (s->hit[at] > most_ps) {
            most_ps = s->hit[at];
            f->resource = bound;
        }
    }
    return most_ps > 0;
}

static int compute(struct study *s, struct explain_finding *f)
{
    return free_class(s, f, WHATIF_COMPUTE);
}
static int memory(struct study *s, struct explain_finding *f)
{
    return free_class(s, f, WHATIF_HBM);
}
static int nvlink(struct study *s, struct explain_finding *f)
{
    return free_class(s, f, WHATIF_NVLINK);
}
static int pcie(struct study *s, struct explain_finding *f)
{
    return free_class(s, f, WHATIF_PCIE);
}
static int network(struct study *s, struct explain_finding *f)
{
    return free_class(s, f, WHATIF_NETWORK);
}

/* Of transfers; that of kernels is counted with the host's calls. */
static int latency(struct study *s, struct explain_finding *f)
{
    int any = 0;
    (void)f;
    for (uint32_t at = 0; at < s->g->nnodes; at++)
        if (s->in[at] && is_transfer(&s->g->nodes[at].node)) {
            s->w.cost[at].no_latency = 1;
            s->hit[at] = study_took(s, at) + 1;
            any = 1;
        }
    return any;
}

static int host(struct study *s, struct explain_finding *f)
{
    int any = 0;
    (void)f;
    for (uint32_t at = 0; at < s->g->nnodes; at++) {
        struct graph_node *const n = &s->w.graph.nodes[at].node;
        if (!s->in[at])
            continue;
        free_host(s, at);
        if (n->kind == GRAPH_HOST)
            n->latency_ps = 0;
        if (n->kind == GRAPH_KERNEL)
            s->w.cost[at].no_latency = 1;
        any = 1;
    }
    return any;
}

explain_case *const explain_cases[EXPLAIN_KINDS] = {
    [EXPLAIN_LAUNCHES] = launches,
    [EXPLAIN_EVENTS] = events,
    [EXPLAIN_CALLS] = calls,
    [EXPLAIN_SYNC] = sync,
    [EXPLAIN_SMALL] = small,
    [EXPLAIN_IMBALANCE] = explain_imbalance,
    [EXPLAIN_CHAIN] = explain_chain,
    [EXPLAIN_ROOT] = explain_root,
    [EXPLAIN_STAGED] = staged,
    [EXPLAIN_PLACEMENT] = explain_placement,
    [EXPLAIN_SLOW_LINK] = slow_link,
    [EXPLAIN_UNGROUPED] = explain_ungrouped,
    [EXPLAIN_MPI] = mpi,
    [EXPLAIN_COMPUTE] = compute,
    [EXPLAIN_MEMORY] = memory,
    [EXPLAIN_NVLINK] = nvlink,
    [EXPLAIN_PCIE] = pcie,
    [EXPLAIN_NETWORK] = network,
    [EXPLAIN_LATENCY] = latency,
    [EXPLAIN_HOST] = host,
};
