#include "graph/replay/apart.h"

#include <stdlib.h> /* qsort */

#include "graph/hazard/hazard_excuse.h"
#include "graph/hazard/hazard_order.h"
#include "graph/hazard/hazard_ranges.h"

struct find {
    const struct graph *g;
    struct hazard_table ranges;
    struct graph_pair *pair;
    size_t n, cap;
    struct hazard_point *point; /* by position; number 0: it has not begun */
};

/* True if two threads give work to the devices of a rank. */
static int has_threads(const struct graph *g)
{
    for (uint32_t r = 0; r < g->nranks; r++) {
        uint32_t first = GRAPH_NOWHERE;
        for (uint32_t at = g->first[r]; at < g->first[r + 1]; at++) {
            const struct graph_node *const n = &g->nodes[at].node;
            if (n->queue == 0)
                continue;
            if (first != GRAPH_NOWHERE && n->thread != first)
                return 1;
            first = n->thread;
        }
    }
    return 0;
}

/* ---- pairs that the threads' own waits don't order ----------------------- */

static int is_data(const struct hazard_touch *t)
{
    return t->how == GRAPH_READ || t->how == GRAPH_WRITE ||
           t->how == GRAPH_ATOMIC;
}

static int clash(void *arg, const struct hazard_touch *before,
                 const struct hazard_touch *now, uint64_t begin, uint64_t end)
{
    struct find *const f = arg;
    const struct graph_view *const a = &f->g->nodes[before->at];
    const struct graph_view *const b = &f->g->nodes[now->at];
    (void)begin, (void)end;
    if (a->node.rank != b->node.rank || a->node.thread == b->node.thread ||
        !a->node.queue || !b->node.queue || !is_data(before) || !is_data(now) ||
        excuse_by_words(a, b))
        return 0;
    struct graph_pair p = {before->at, now->at};
    if (p.before > p.after)
        p = (struct graph_pair){p.after, p.before};
    if (f->n && f->pair[f->n - 1].before == p.before &&
        f->pair[f->n - 1].after == p.after)
        return 0;
    if (f->n == f->cap) {
        const size_t cap = f->cap ? 2 * f->cap : 64;
        void *const larger = realloc(f->pair, cap * sizeof *f->pair);
        if (!larger)
            return -1;
        f->pair = larger;
        f->cap = cap;
    }
    f->pair[f->n++] = p;
    return 0;
}

static int touch(void *arg, uint32_t at, struct hazard_point point,
                 const uint32_t *known, uint32_t nchains)
{
    (void)nchains;
    struct find *const f = arg;
    return hazard_table_touch(&f->ranges, &f->g->nodes[at], at, point, known,
                              clash, f);
}

/* ---- ... but the order of recording does --------------------------------- */

static int by_after(const void *a, const void *b)
{
    const struct graph_pair *const x = a, *const y = b;
    if (x->after != y->after)
        return x->after < y->after ? -1 : 1;
    return (x->before > y->before) - (x->before < y->before);
}

static size_t first_of(const struct find *f, uint32_t after)
{
    size_t low = 0, high = f->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (f->pair[middle].after < after)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Drop the pairs of operation `at` that nothing orders, since they are
 * races. */
static int check(void *arg, uint32_t at, struct hazard_point point,
                 const uint32_t *known, uint32_t nchains)
{
    (void)nchains;
    struct find *const f = arg;
    f->point[at] = point;
    for (size_t i = first_of(f, at); i < f->n && f->pair[i].after == at; i++) {
        const struct hazard_point p = f->point[f->pair[i].before];
        if (p.number == 0 || known[p.chain] < p.number)
            f->pair[i].before = GRAPH_NOWHERE;
    }
    return 0;
}

static void drop(struct find *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        const struct graph_pair p = f->pair[i];
        if (p.before == GRAPH_NOWHERE ||
            (n && f->pair[n - 1].before == p.before &&
             f->pair[n - 1].after == p.after))
            continue;
        f->pair[n++] = p;
    }
    f->n = n;
}

int apart_find(struct graph *g)
{
    struct find f = {.g = g};
    if (!has_threads(g))
        return 0;
    int err = hazard_order(g, HAZARD_APART, touch, &f);
    f.point = calloc((size_t)g->nnodes + 1, sizeof *f.point);
    if (!err && f.n)
        qsort(f.pair, f.n, sizeof *f.pair, by_after);
    if (!err && f.n)
        err = f.point ? hazard_order(g, HAZARD_TOGETHER, check, &f) : -1;
    drop(&f);
    hazard_table_release(&f.ranges);
    free(f.point);
    g->apart = f.pair;
    g->napart = f.n;
    return err;
}
