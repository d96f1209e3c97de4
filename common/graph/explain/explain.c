#define _GNU_SOURCE /* qsort_r */
#include "graph/explain/explain.h"

#include <errno.h>  /* ENOMEM */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* qsort_r */
#include <string.h> /* memchr */

#include "graph/explain/explain_case.h"
#include "graph/record/span.h"
#include "graph/replay/cost.h"

/* How certain the advice is. A cause that names exactly what to change is
 * preferred to a general one that saves a little more. */
static const double weight[EXPLAIN_CAUSES] = {
    [EXPLAIN_LAUNCHES] = 1.2, [EXPLAIN_BATCH] = 1,
    [EXPLAIN_EVENTS] = 1.5,   [EXPLAIN_ALLOCATION] = 1.5,
    [EXPLAIN_CALLS] = 1.5,    [EXPLAIN_SYNC] = 1.2,
    [EXPLAIN_INPUT] = 1.5,    [EXPLAIN_DEFAULT_STREAM] = 1.5,
    [EXPLAIN_SMALL] = 1.2,    [EXPLAIN_IMBALANCE] = 1.2,
    [EXPLAIN_CHAIN] = 1,      [EXPLAIN_ROOT] = 1.2,
    [EXPLAIN_STAGED] = 2,     [EXPLAIN_PLACEMENT] = 2,
    [EXPLAIN_SLOW_LINK] = 2,  [EXPLAIN_UNGROUPED] = 1.5,
    [EXPLAIN_MPI] = 1.5,      [EXPLAIN_BANDWIDTH] = 1,
    [EXPLAIN_OVERLAP] = 1,    [EXPLAIN_FAULT] = 3,
};

static int no_memory(char *err, size_t err_nbytes)
{
    snprintf(err, err_nbytes, "no memory");
    return -1;
}

/* ---- the measured part --------------------------------------------------- */

/* The first device operation of a rank. */
static uint32_t first_work(const struct graph *g, uint32_t rank)
{
    for (uint32_t at = g->first[rank]; at < g->first[rank + 1]; at++)
        if (g->nodes[at].node.queue && g->nodes[at].node.kind != GRAPH_MARK)
            return at;
    return g->first[rank];
}

static int mark_measured(struct study *s, const char *span)
{
    if (span)
        return span_mark(s->g, span, s->in) > 0;
    for (uint32_t r = 0; r < s->g->nranks; r++)
        for (uint32_t at = first_work(s->g, r); at < s->g->first[r + 1]; at++)
            s->in[at] = 1;
    return memchr(s->in, 1, s->g->nnodes) != NULL;
}

/* True for a long call that its rank makes only once at this place. */
static int is_setup(const struct graph *g, uint32_t at)
{
    enum { LONG_US = 1000 };
    const struct graph_view *const v = &g->nodes[at];
    const struct graph_node *const n = &v->node;
    if (n->kind != GRAPH_HOST || n->queue || n->ndeps ||
        n->latency_ps < LONG_US * UINT64_C(1000000))
        return 0;
    for (uint32_t k = g->first[n->rank]; k < g->first[n->rank + 1]; k++)
        if (k != at && g->nodes[k].node.kind == GRAPH_HOST &&
            g->nodes[k].node.site == n->site &&
            strcmp(g->nodes[k].name, v->name) == 0)
            return 0;
    return 1;
}

static void find_setup(struct study *s, struct explain *out)
{
    uint64_t rank_ps = 0, longest_ps = 0;
    out->setup = GRAPH_NOWHERE;
    for (uint32_t at = 0; at < s->g->nnodes; at++) {
        const struct graph_node *const n = &s->g->nodes[at].node;
        if (at == s->g->first[n->rank])
            rank_ps = 0;
        s->setup[at] = (char)is_setup(s->g, at);
        if (!s->setup[at])
            continue;
        rank_ps += n->latency_ps;
        if (rank_ps > out->setup_ps)
            out->setup_ps = rank_ps;
        if (n->latency_ps > longest_ps) {
            longest_ps = n->latency_ps;
            out->setup = at;
        }
    }
}

/* Undo all changes to the run but s->after, and leave out the calls that set it
 * up. Returns -1 if memory runs out. */
static int start_over(struct study *s)
{
    struct explain_finding unused = {0};
    whatif_reset(&s->w);
    for (uint32_t at = 0; at < s->g->nnodes; at++)
        if (s->setup[at])
            s->w.graph.nodes[at].node.latency_ps = 0;
    if (s->after && s->after(s, &unused) < 0)
        return -1;
    s->most_ps = UINT64_MAX;
    memset(s->hit, 0, ((size_t)s->g->nnodes + 1) * sizeof *s->hit);
    return 0;
}

/* ---- the operation that stands for a cause ------------------------------- */

struct marked {
    uint32_t at;
    uint64_t weight;
};

static int by_site(const void *a, const void *b, void *graph)
{
    const struct graph *const g = graph;
    const uint32_t i = ((const struct marked *)a)->at;
    const uint32_t k = ((const struct marked *)b)->at;
    const struct graph_view *const v = &g->nodes[i], *const w = &g->nodes[k];
    if (v->node.rank != w->node.rank)
        return v->node.rank < w->node.rank ? -1 : 1;
    const int site = strcmp(v->site, w->site);
    const int name = strcmp(v->name, w->name);
    return site ? site : name ? name : (i > k) - (i < k);
}

static int alike(const struct graph *g, const struct marked *a,
                 const struct marked *b)
{
    const struct graph_view *const v = &g->nodes[a->at];
    const struct graph_view *const w = &g->nodes[b->at];
    return v->node.rank == w->node.rank && strcmp(v->site, w->site) == 0 &&
           strcmp(v->name, w->name) == 0;
}

/* The call site with the largest sum of weights. */
static int name_site(const struct study *s, struct explain_finding *f)
{
    struct marked *const m = malloc(((size_t)s->g->nnodes + 1) * sizeof *m);
    size_t n = 0;
    uint64_t most = 0;
    if (!m)
        return -1;
    for (uint32_t at = 0; at < s->g->nnodes; at++)
        if (s->hit[at])
            m[n++] = (struct marked){at, s->hit[at]};
    qsort_r(m, n, sizeof *m, by_site, (void *)s->g);
    for (size_t i = 0; i < n;) {
        size_t k = i;
        uint64_t sum = 0;
        while (k < n && alike(s->g, &m[i], &m[k]))
            sum += m[k++].weight;
        if (sum > most) {
            most = sum;
            f->node = m[i].at;
            f->count = (uint32_t)(k - i);
        }
        i = k;
    }
    free(m);
    return 0;
}

/* ---- counterfactuals ----------------------------------------------------- */

/*
 * How much the current change saves. A change that can't be replayed saves 0.
 * If memory runs out, the replay fails or is wrong (whatif.c), and -1 is
 * returned.
 */
static int find_saved(struct study *s, uint64_t *saved_ps)
{
    char err[200];
    errno = 0;
    struct replay *const r = whatif_replay(&s->w, err, sizeof err);
    const int failed = errno == ENOMEM;
    const uint64_t ps = r ? whatif_length_ps(&s->w, r) : s->length_ps;
    replay_free(r);
    *saved_ps = ps < s->length_ps ? s->length_ps - ps : 0;
    if (*saved_ps > s->most_ps)
        *saved_ps = s->most_ps;
    return failed ? -1 : 0;
}

static int is_transfer(const struct graph_node *n)
{
    return n->kind == GRAPH_COPY || n->kind == GRAPH_COLL ||
           n->kind == GRAPH_SEND || n->kind == GRAPH_RECV;
}

/* How much shorter the run is without transfers (or without kernels). */
static int without(struct study *s, int kernels, uint64_t *saved_ps)
{
    if (start_over(s) != 0)
        return -1;
    for (uint32_t at = 0; at < s->g->nnodes; at++) {
        const struct graph_node *const n = &s->g->nodes[at].node;
        if (!s->in[at] || !(kernels ? n->kind == GRAPH_KERNEL : is_transfer(n)))
            continue;
        s->w.cost[at] = (struct whatif_cost){.work = 0, .latency = 0};
    }
    return find_saved(s, saved_ps);
}

/* With perfect overlap, the longer of computation and communication remains. */
static int overlap(struct study *s, struct explain_finding *f)
{
    uint64_t compute_ps, transfer_ps;
    if (without(s, 1, &compute_ps) != 0 || without(s, 0, &transfer_ps) != 0)
        return -1;
    struct overlap *const o = overlap_new(s->g, s->time);
    if (!o)
        return -1;
    f->saves_ps = compute_ps < transfer_ps ? compute_ps : transfer_ps;
    for (uint32_t at = 0; at < s->g->nnodes; at++) {
        const struct graph_node *const n = &s->g->nodes[at].node;
        const struct replay_time *const t = &s->time[at];
        if (s->in[at] && is_transfer(n))
            s->hit[at] = t->end_ps - t->start_ps + 1 -
                         overlap_hidden_ps(o, n->place, t->start_ps, t->end_ps);
    }
    overlap_free(o);
    return 0;
}

/* What a change saves. Marks the operations that are its cause. */
static int find_saving(struct study *s, struct explain_finding *f)
{
    if (f->kind == EXPLAIN_OVERLAP)
        return overlap(s, f);
    if (start_over(s) != 0)
        return -1;
    const int applies = explain_cases[f->kind](s, f);
    return applies > 0 ? find_saved(s, &f->saves_ps) : applies;
}

static int find(struct study *s, enum explain_kind kind,
                struct explain_finding *f)
{
    *f = (struct explain_finding){
        .kind = kind, .node = GRAPH_NOWHERE, .resource = -1};
    if (find_saving(s, f) != 0)
        return -1;
    return f->saves_ps ? name_site(s, f) : 0;
}

/* ---- the order of causes ------------------------------------------------- */

static double rating(const struct explain_finding *f)
{
    return (double)f->saves_ps * weight[f->kind];
}

static int by_saving(const void *a, const void *b)
{
    const struct explain_finding *const x = a, *const y = b;
    if (x->saves_ps != y->saves_ps)
        return x->saves_ps < y->saves_ps ? 1 : -1;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

/* How long the run is with a change, and what another change saves then. */
static int saves_after(struct study *s, const struct explain_finding *first,
                       const struct explain_finding *second, uint64_t *saves_ps)
{
    struct explain_finding f = {.kind = second->kind};
    const uint64_t length_ps = s->length_ps;
    s->after = explain_cases[first->kind];
    s->length_ps -= first->saves_ps;
    const int status = find_saving(s, &f);
    s->length_ps = length_ps;
    s->after = NULL;
    *saves_ps = f.saves_ps;
    return status;
}

/* True if a more certain cause, which saves nearly as much or more, includes
 * this one: once that is changed, little remains to be saved. */
static int is_included(struct study *s, const struct explain *e, int i)
{
    const struct explain_finding *const f = &e->cause[i];
    for (int k = 0; k < e->ncauses; k++) {
        const struct explain_finding *const other = &e->cause[k];
        uint64_t left_ps;
        if (weight[other->kind] <= weight[f->kind] ||
            rating(other) <= rating(f))
            continue;
        if (saves_after(s, other, f, &left_ps) != 0)
            return -1;
        if (left_ps < f->saves_ps / 2)
            return 1;
    }
    return 0;
}

static int drop_included(struct study *s, struct explain *e)
{
    int included[EXPLAIN_CAUSES], n = 0;
    for (int i = 0; i < e->ncauses; i++) {
        included[i] = is_included(s, e, i);
        if (included[i] < 0)
            return -1;
    }
    for (int i = 0; i < e->ncauses; i++)
        if (!included[i])
            e->cause[n++] = e->cause[i];
    e->ncauses = n;
    return 0;
}

static int find_all(struct study *s, struct explain *out)
{
    for (int kind = 0; kind < EXPLAIN_KINDS; kind++) {
        struct explain_finding f;
        if (find(s, (enum explain_kind)kind, &f) != 0)
            return -1;
        if ((double)f.saves_ps < 0.01 * (double)s->length_ps)
            continue;
        if (kind < EXPLAIN_CAUSES)
            out->cause[out->ncauses++] = f;
        else
            out->limit[out->nlimits++] = f;
    }
    qsort(out->cause, (size_t)out->ncauses, sizeof *out->cause, by_saving);
    qsort(out->limit, (size_t)out->nlimits, sizeof *out->limit, by_saving);
    return drop_included(s, out);
}

/* ---- a study ------------------------------------------------------------- */

static int study(struct study *s, const char *span, struct explain *out,
                 char *err, size_t err_nbytes)
{
    if (!mark_measured(s, span)) {
        snprintf(err, err_nbytes,
                 span ? "the run has no operation in a span \"%s\""
                      : "the run has no operations",
                 span);
        return -1;
    }
    find_setup(s, out);
    start_over(s); // without changes, it can't fail
    struct replay *const base = whatif_replay(&s->w, err, err_nbytes);
    if (!base)
        return -1;
    s->time = replay_times(base);
    s->length_ps = out->length_ps = whatif_length_ps(&s->w, base);
    const int failed = find_all(s, out);
    replay_free(base);
    return failed ? no_memory(err, err_nbytes) : 0;
}

int explain_run(const struct graph *g, const struct topo *topo,
                const struct replay_options *options, const char *span,
                struct explain *out, char *err, size_t err_nbytes)
{
    const size_t n = (size_t)g->nnodes + 1;
    struct study s = {.g = g, .topo = topo};
    struct replay_options o = options ? *options : (struct replay_options){0};
    int status = -1;
    *out = (struct explain){0};
    s.in = calloc(n, 1);
    s.setup = calloc(n, 1);
    s.life = calloc(n, 1);
    s.hit = calloc(n, sizeof *s.hit);
    o.costs = cost_table_new(topo, options);
    if (!s.in || !s.setup || !s.life || !s.hit || !o.costs ||
        explain_find_life(&s) != 0 ||
        whatif_init(&s.w, g, topo, &o, s.in) != 0) {
        no_memory(err, err_nbytes);
        goto out;
    }
    status = study(&s, span, out, err, err_nbytes);
out:
    whatif_release(&s.w);
    cost_table_free(o.costs);
    free(s.in);
    free(s.setup);
    free(s.life);
    free(s.hit);
    return status;
}
