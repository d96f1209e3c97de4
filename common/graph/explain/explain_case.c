#include "graph/explain/explain_case.h"

#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

static int is_transfer(const struct graph_node *n)
{
    return n->kind == GRAPH_COPY || n->kind == GRAPH_COLL ||
           n->kind == GRAPH_SEND || n->kind == GRAPH_RECV;
}

/* ---- transfers ----------------------------------------------------------- */

/* Transfers that consist mostly of latency become free of it, as if they were
 * parts of larger ones. */
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
        study_free_host(s, at);
        s->w.cost[at].latency = 0;
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

/* ---- bytes in a device's memory ------------------------------------------ */

/* Kernels that are as fast as the memory move half of their bytes. */
static int bandwidth(struct study *s, struct explain_finding *f)
{
    int any = 0;
    for (uint32_t at = 0; at < s->g->nnodes; at++) {
        const int bound = s->time[at].bound;
        if (!s->in[at] || s->g->nodes[at].node.kind != GRAPH_KERNEL ||
            bound < 0 || whatif_class_of(s->topo, bound) != WHATIF_HBM)
            continue;
        s->w.cost[at].work = 0.5;
        s->hit[at] = study_took(s, at) + 1;
        f->resource = any ? f->resource : bound;
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

/* The rate of most resources of this kind, if a single cable (two resources,
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

/* Mark the operations that this class binds, and make the class
 * infinitely fast. */
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

/* Transfers have no latency; that of kernels is counted with the host's
 * calls. */
static int latency(struct study *s, struct explain_finding *f)
{
    int any = 0;
    (void)f;
    for (uint32_t at = 0; at < s->g->nnodes; at++)
        if (s->in[at] && is_transfer(&s->g->nodes[at].node)) {
            s->w.cost[at].latency = 0;
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
        study_free_host(s, at);
        if (n->kind == GRAPH_HOST)
            n->latency_ps = 0;
        if (n->kind == GRAPH_KERNEL)
            s->w.cost[at].latency = 0;
        any = 1;
    }
    return any;
}

explain_case *const explain_cases[EXPLAIN_KINDS] = {
    [EXPLAIN_FAULT] = explain_fault,
    [EXPLAIN_LAUNCHES] = explain_launches,
    [EXPLAIN_BATCH] = explain_batch,
    [EXPLAIN_EVENTS] = explain_events,
    [EXPLAIN_ALLOCATION] = explain_allocation,
    [EXPLAIN_CALLS] = explain_calls,
    [EXPLAIN_SYNC] = explain_sync,
    [EXPLAIN_INPUT] = explain_input,
    [EXPLAIN_DEFAULT_STREAM] = explain_default_stream,
    [EXPLAIN_SMALL] = small,
    [EXPLAIN_IMBALANCE] = explain_imbalance,
    [EXPLAIN_CHAIN] = explain_chain,
    [EXPLAIN_ROOT] = explain_root,
    [EXPLAIN_STAGED] = staged,
    [EXPLAIN_PLACEMENT] = explain_placement,
    [EXPLAIN_SLOW_LINK] = slow_link,
    [EXPLAIN_UNGROUPED] = explain_ungrouped,
    [EXPLAIN_MPI] = explain_mpi,
    [EXPLAIN_BANDWIDTH] = bandwidth,
    [EXPLAIN_COMPUTE] = compute,
    [EXPLAIN_MEMORY] = memory,
    [EXPLAIN_NVLINK] = nvlink,
    [EXPLAIN_PCIE] = pcie,
    [EXPLAIN_NETWORK] = network,
    [EXPLAIN_LATENCY] = latency,
    [EXPLAIN_HOST] = host,
};
