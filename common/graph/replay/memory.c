#include "graph/replay/memory.h"

#include <stdlib.h> /* calloc */

#include "base/map.h"

struct life {
    struct map first, last; /* by allocation: 1 + the position of the operation
                               that starts, or ends, its life */
};

static int note_ends(struct life *l, const struct graph *g)
{
    for (uint32_t at = 0; at < g->nnodes; at++) {
        const struct graph_view *const v = &g->nodes[at];
        for (size_t i = 0; i < v->naccesses; i++) {
            const uint32_t how = v->accesses[i].write & GRAPH_TOUCH;
            if (how != GRAPH_ALLOC && how != GRAPH_FREE)
                continue;
            uint64_t *const is =
                map_at(how == GRAPH_ALLOC ? &l->first : &l->last,
                       v->accesses[i].alloc);
            if (!is)
                return -1;
            *is = at + 1;
        }
    }
    return 0;
}

/* The time at which the host thread that issued this node continued. */
static uint64_t host_ps(const struct graph *g, const struct replay_time *time,
                        uint32_t at)
{
    const struct graph_node *const n = &g->nodes[at].node;
    return n->queue && !(n->flags & GRAPH_JOIN) ? time[at].issue_ps
                                                : time[at].end_ps;
}

static uint64_t begin_ps(const struct life *l, const struct graph *g,
                         const struct replay_time *time,
                         const struct graph_alloc_note *a)
{
    const uint64_t first = map_get(&l->first, a->alloc);
    if (first)
        return time[first - 1].end_ps;
    const struct graph_ref before = {(uint32_t)(a->alloc >> 32), a->after};
    const uint32_t at = a->after ? graph_find(g, before) : GRAPH_NOWHERE;
    return at == GRAPH_NOWHERE ? 0 : host_ps(g, time, at);
}

static int by_place_and_time(const void *x, const void *y)
{
    const struct memory_change *const a = x, *const b = y;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    if (a->at_ps != b->at_ps)
        return a->at_ps < b->at_ps ? -1 : 1;
    return (a->nbytes > b->nbytes) - (a->nbytes < b->nbytes);
}

int memory_find(struct memory *m, const struct graph *g,
                const struct replay_time *time)
{
    struct life l = {0};
    *m = (struct memory){.change =
                             calloc(2 * g->nallocs + 1, sizeof *m->change)};
    const int err = !m->change || note_ends(&l, g) != 0 ? -1 : 0;
    for (size_t i = 0; i < g->nallocs && err == 0; i++) {
        const struct graph_alloc_note *const a = &g->allocs[i];
        const uint64_t last = map_get(&l.last, a->alloc);
        const int64_t nbytes = (int64_t)a->nbytes;
        m->change[m->n++] =
            (struct memory_change){begin_ps(&l, g, time, a), nbytes, a->place};
        if (last)
            m->change[m->n++] = (struct memory_change){time[last - 1].end_ps,
                                                       -nbytes, a->place};
    }
    if (err == 0)
        qsort(m->change, m->n, sizeof *m->change, by_place_and_time);
    map_release(&l.first);
    map_release(&l.last);
    return err;
}

void memory_release(struct memory *m)
{
    free(m->change);
    *m = (struct memory){0};
}
