#include "graph/replay/overlap.h"

#include <stdlib.h> /* qsort */

struct interval {
    int32_t place;
    uint64_t begin_ps, end_ps;
};

struct overlap {
    const struct graph *g;
    const struct replay_time *time;
    struct interval *busy; /* by place and begin; those of a place don't
                              touch */
    size_t n;
};

static int by_place(const void *a, const void *b)
{
    const struct interval *const x = a, *const y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (x->begin_ps > y->begin_ps) - (x->begin_ps < y->begin_ps);
}

/* Merge adjacent and overlapping intervals. */
static void merge(struct overlap *o)
{
    size_t n = 0;
    qsort(o->busy, o->n, sizeof *o->busy, by_place);
    for (size_t i = 0; i < o->n; i++) {
        const struct interval next = o->busy[i];
        struct interval *const last = n ? &o->busy[n - 1] : NULL;
        if (last && last->place == next.place &&
            next.begin_ps <= last->end_ps) {
            if (next.end_ps > last->end_ps)
                last->end_ps = next.end_ps;
        } else {
            o->busy[n++] = next;
        }
    }
    o->n = n;
}

struct overlap *overlap_new(const struct graph *g,
                            const struct replay_time *time)
{
    struct overlap *const o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    o->g = g;
    o->time = time;
    o->busy = malloc(((size_t)g->nnodes + 1) * sizeof *o->busy);
    if (!o->busy) {
        free(o);
        return NULL;
    }
    for (uint32_t at = 0; at < g->nnodes; at++) {
        const struct replay_time *const t = &time[at];
        if (g->nodes[at].node.kind == GRAPH_KERNEL && t->end_ps > t->start_ps)
            o->busy[o->n++] = (struct interval){g->nodes[at].node.place,
                                                t->start_ps, t->end_ps};
    }
    merge(o);
    return o;
}

void overlap_free(struct overlap *o)
{
    if (!o)
        return;
    free(o->busy);
    free(o);
}

int overlap_is_comm(const struct graph_view *v)
{
    switch (v->node.kind) {
    case GRAPH_COLL:
    case GRAPH_SEND:
    case GRAPH_RECV: return 1;
    case GRAPH_COPY:
        for (size_t i = 0; i < v->nmoves; i++)
            if (v->moves[i].from >= 0 && v->moves[i].to >= 0 &&
                v->moves[i].from != v->moves[i].to)
                return 1;
        return 0;
    default: return 0;
    }
}

int overlap_at(const struct overlap *o, int32_t place, uint64_t from_ps,
               uint64_t end_ps, uint64_t *until_ps)
{
    // Find the first interval of the place that ends after from_ps.
    size_t low = 0, high = o->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct interval *const i = &o->busy[middle];
        if (i->place < place || (i->place == place && i->end_ps <= from_ps))
            low = middle + 1;
        else
            high = middle;
    }
    *until_ps = end_ps;
    if (low == o->n || o->busy[low].place != place)
        return 0;
    const int busy = o->busy[low].begin_ps <= from_ps;
    const uint64_t change = busy ? o->busy[low].end_ps : o->busy[low].begin_ps;
    if (change < end_ps)
        *until_ps = change;
    return busy;
}

uint64_t overlap_hidden_ps(const struct overlap *o, int32_t place,
                           uint64_t begin_ps, uint64_t end_ps)
{
    uint64_t hidden_ps = 0, until_ps;
    for (uint64_t at = begin_ps; at < end_ps; at = until_ps)
        if (overlap_at(o, place, at, end_ps, &until_ps))
            hidden_ps += until_ps - at;
    return hidden_ps;
}
