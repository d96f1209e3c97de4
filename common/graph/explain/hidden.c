#include "graph/explain/hidden.h"

#include <math.h>   /* fmax */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* qsort */
#include <string.h> /* strncmp */

#include "graph/replay/overlap.h"

struct hidden_runs {
    const struct graph *g;
    unsigned kinds;
    const struct topo *topo;
    struct replay *replay[2];
    const struct replay_time *with, *without;
};

struct hidden_runs *hidden_new(const struct graph *g, const struct topo *topo,
                               unsigned kinds, char *err, size_t err_nbytes)
{
    struct hidden_runs *const r = calloc(1, sizeof *r);
    if (!r) {
        snprintf(err, err_nbytes, "no memory");
        return NULL;
    }
    r->g = g;
    r->kinds = kinds;
    r->topo = topo;
    for (int i = 0; i < 2; i++) {
        const struct replay_options options = {.fixed = i ? kinds : 0,
                                               .fast_host = 1};
        r->replay[i] = replay_run(g, topo, &options, err, err_nbytes);
        if (!r->replay[i]) {
            hidden_free(r);
            return NULL;
        }
    }
    r->with = replay_times(r->replay[0]);
    r->without = replay_times(r->replay[1]);
    return r;
}

void hidden_free(struct hidden_runs *r)
{
    if (!r)
        return;
    replay_free(r->replay[0]);
    replay_free(r->replay[1]);
    free(r);
}

static int is_one(const struct hidden_runs *r, uint32_t at)
{
    const struct graph_view *const v = &r->g->nodes[at];
    return r->kinds >> v->node.kind & 1 && overlap_is_comm(v);
}

/* ---- how much is hidden -------------------------------------------------- */

struct interval {
    uint64_t begin_ps, end_ps;
};

static int by_begin(const void *a, const void *b)
{
    const struct interval *const x = a, *const y = b;
    return (x->begin_ps > y->begin_ps) - (x->begin_ps < y->begin_ps);
}

/* The length of the union of n intervals. Sorts them. */
static uint64_t union_ps(struct interval *busy, size_t n)
{
    uint64_t sum_ps = 0, until_ps = 0;
    qsort(busy, n, sizeof *busy, by_begin);
    for (size_t i = 0; i < n; i++) {
        if (busy[i].begin_ps > until_ps)
            until_ps = busy[i].begin_ps;
        if (busy[i].end_ps > until_ps) {
            sum_ps += busy[i].end_ps - until_ps;
            until_ps = busy[i].end_ps;
        }
    }
    return sum_ps;
}

static int comm_ps(const struct hidden_runs *r, uint32_t first, uint32_t last,
                   uint64_t *out)
{
    size_t n = 0;
    struct interval *const busy =
        malloc(((size_t)(last - first) + 1) * sizeof *busy);
    if (!busy)
        return -1;
    for (uint32_t at = first; at <= last; at++)
        if (is_one(r, at))
            busy[n++] =
                (struct interval){r->with[at].start_ps, r->with[at].end_ps};
    *out = union_ps(busy, n);
    free(busy);
    return 0;
}

/* The time from the end of the first node to the last end of device work. */
static uint64_t length_ps(const struct graph *g, const struct replay_time *time,
                          uint32_t first, uint32_t last)
{
    uint64_t end_ps = time[first].end_ps;
    for (uint32_t at = first; at <= last; at++) {
        const struct graph_node *const n = &g->nodes[at].node;
        if (n->queue && n->kind != GRAPH_MARK && time[at].end_ps > end_ps)
            end_ps = time[at].end_ps;
    }
    return end_ps - time[first].end_ps;
}

int hidden_of(const struct hidden_runs *r, uint32_t first, uint32_t last,
              struct hidden *out)
{
    *out = (struct hidden){0};
    if (comm_ps(r, first, last, &out->comm_ps) != 0)
        return -1;
    const uint64_t with_ps = length_ps(r->g, r->with, first, last);
    const uint64_t without_ps = length_ps(r->g, r->without, first, last);
    out->exposed_ps = with_ps > without_ps ? with_ps - without_ps : 0;
    if (out->exposed_ps > out->comm_ps)
        out->exposed_ps = out->comm_ps;
    out->hidden_ps = out->comm_ps - out->exposed_ps;
    return 0;
}

/* ---- how much could be hidden -------------------------------------------- */

static int is_write(const struct graph_access *a)
{
    const uint32_t touch = a->write & GRAPH_TOUCH;
    return touch == GRAPH_WRITE || touch == GRAPH_ATOMIC;
}

/* True if `writer` writes any byte that `reader` touches. */
static int feeds(const struct graph_view *writer,
                 const struct graph_view *reader)
{
    for (size_t i = 0; i < writer->naccesses; i++)
        for (size_t j = 0; j < reader->naccesses; j++) {
            const struct graph_access *const a = &writer->accesses[i];
            const struct graph_access *const b = &reader->accesses[j];
            if (is_write(a) && a->alloc == b->alloc && a->begin < b->end &&
                b->begin < a->end)
                return 1;
        }
    return 0;
}

/* The time at which the bytes that node `at` reads are complete, in the run
 * without communication. */
static uint64_t fed_ps(const struct hidden_runs *r, uint32_t first, uint32_t at)
{
    uint64_t fed_ps = r->without[first].end_ps;
    for (uint32_t w = first; w < at; w++)
        if (r->without[w].end_ps > fed_ps && !is_one(r, w) &&
            feeds(&r->g->nodes[w], &r->g->nodes[at]))
            fed_ps = r->without[w].end_ps;
    return fed_ps;
}

uint64_t hidden_most_ps(const struct hidden_runs *r, uint32_t first,
                        uint32_t last, const char *work)
{
    uint64_t work_end_ps = r->without[first].end_ps;
    uint64_t comm_ps = 0, comm_end_ps = work_end_ps;
    double share = 0; // the most of compute that NCCL takes
    for (uint32_t at = first; at <= last; at++) {
        const struct graph_view *const v = &r->g->nodes[at];
        if (v->node.kind == GRAPH_KERNEL &&
            strncmp(v->name, work, strlen(work)) == 0 &&
            r->without[at].end_ps > work_end_ps)
            work_end_ps = r->without[at].end_ps;
        if (!is_one(r, at))
            continue;
        const uint64_t ps = r->with[at].end_ps - r->with[at].start_ps;
        share = fmax(share, topo_ctas_compute(r->topo, v->node.place,
                                              graph_ctas(&v->node)));
        const uint64_t from_ps = fed_ps(r, first, at);
        comm_ps += ps;
        comm_end_ps = (from_ps > comm_end_ps ? from_ps : comm_end_ps) + ps;
    }
    const uint64_t exposed_ps =
        comm_end_ps > work_end_ps ? comm_end_ps - work_end_ps : 0;
    return exposed_ps < comm_ps
               ? (uint64_t)((double)(comm_ps - exposed_ps) * (1 - share))
               : 0;
}
