#include "judge/graph/held.h"

#include <stdlib.h> /* qsort */
#include <string.h> /* strrchr */

#include "base/map.h"
#include "judge/plan.h"

struct change {     /* a change in the device memory that a rank holds */
    uint32_t after; /* it follows the node with this index */
    int64_t nbytes;
};

struct held { /* the changes of one rank, in the order of its calls */
    size_t n;
    struct change change[];
};

static int by_order(const void *x, const void *y)
{
    const struct change *const a = x, *const b = y;
    if (a->after != b->after)
        return a->after < b->after ? -1 : 1;
    return (a->nbytes > b->nbytes) - (a->nbytes < b->nbytes);
}

static void add(struct held *h, uint32_t after, int64_t nbytes)
{
    h->change[h->n++] = (struct change){after, nbytes};
}

/* True if one of the plan's files makes the allocation; for NULL always. */
static int is_by(const struct graph *g, const struct graph_alloc_note *a,
                 const struct plan *by)
{
    char site[256];
    if (!by)
        return 1;
    graph_site_text_of(g, (uint32_t)(a->alloc >> 32), a->site_id, site,
                       sizeof site);
    site[strcspn(site, ":")] = 0;
    const char *const slash = strrchr(site, '/');
    for (int i = 0; i < by->nfiles; i++)
        if (strcmp(slash ? slash + 1 : site, by->file[i]) == 0)
            return 1;
    return 0;
}

static int is_device(const struct graph_alloc_note *a, uint32_t rank)
{
    return a->alloc >> 32 == rank && a->place >= 0 && a->nbytes > 0;
}

/* Add the frees in a node. Each allocation is freed once, with the size given
 * in `size`, and noted in `freed`. */
static int add_frees(struct held *h, const struct graph_view *v,
                     const struct map *size, struct map *freed)
{
    for (size_t i = 0; i < v->naccesses; i++) {
        const struct graph_access *const a = &v->accesses[i];
        const uint64_t nbytes = map_get(size, a->alloc);
        if ((a->write & GRAPH_TOUCH) != GRAPH_FREE || nbytes == 0)
            continue;
        uint64_t *const is = map_at(freed, a->alloc);
        if (!is)
            return -1;
        if (!*is)
            add(h, v->node.index, -(int64_t)nbytes);
        *is = 1;
    }
    return 0;
}

/*
 * Add the rank's allocations. A part of a graph doesn't show what was freed
 * before the part began, so an older allocation counts only if the part frees
 * it.
 */
static void add_allocs(struct held *h, const struct graph *g, uint32_t rank,
                       const struct map *size, const struct map *freed)
{
    for (size_t i = 0; i < g->nallocs; i++) {
        const struct graph_alloc_note *const a = &g->allocs[i];
        const int is_old = g->is_part && a->after <= g->since[rank];
        if (map_get(size, a->alloc) && (!is_old || map_get(freed, a->alloc)))
            add(h, a->after, (int64_t)a->nbytes);
    }
}

struct held *held_new(const struct graph *g, uint32_t rank,
                      const struct plan *by)
{
    struct map size = {0}, freed = {0}; // by allocation of this rank
    struct held *const h =
        calloc(1, sizeof *h + 2 * g->nallocs * sizeof *h->change);
    int err = h ? 0 : -1;
    for (size_t i = 0; i < g->nallocs && !err; i++) {
        const struct graph_alloc_note *const a = &g->allocs[i];
        if (!is_device(a, rank) || !is_by(g, a, by))
            continue;
        uint64_t *const nbytes = map_at(&size, a->alloc);
        err = nbytes ? 0 : -1;
        if (nbytes)
            *nbytes = a->nbytes;
    }
    for (uint32_t at = g->first[rank]; at < g->first[rank + 1] && !err; at++)
        err = add_frees(h, &g->nodes[at], &size, &freed);
    if (!err) {
        add_allocs(h, g, rank, &size, &freed);
        qsort(h->change, h->n, sizeof *h->change, by_order);
    }
    map_release(&size);
    map_release(&freed);
    if (!err)
        return h;
    free(h);
    return NULL;
}

double held_most(const struct held *h, uint32_t first, uint32_t last)
{
    int64_t now = 0;
    size_t i = 0;
    while (i < h->n && h->change[i].after < first)
        now += h->change[i++].nbytes;
    int64_t most = now;
    for (; i < h->n && h->change[i].after < last; i++) {
        now += h->change[i].nbytes;
        most = now > most ? now : most;
    }
    return (double)most;
}
