#include "judge/graph/awaited.h"

#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

#include "graph/hazard/hazard_order.h"

struct look {
    const struct sections *s;
    struct hazard_point *point; /* by position; number 0: not begun yet */
    char *ends;                 /* by position: 1: the end of an iteration */
    char *unawaited;
};

/* The end of the case's stream in an iteration: what lab_end() records before
 * it waits for the device. GRAPH_NOWHERE if there is none. */
static uint32_t end_of(const struct graph *g, const struct bounds *b)
{
    const uint32_t runner = g->nodes[b->first].node.thread;
    int waited = 0;
    for (uint32_t at = b->last + 1; at-- > b->first;) {
        const struct graph_view *const v = &g->nodes[at];
        if (v->node.thread != runner)
            continue;
        if (waited && v->node.kind == GRAPH_MARK)
            return at;
        waited |= strcmp(v->name, "cudaDeviceSynchronize") == 0;
    }
    return GRAPH_NOWHERE;
}

static void find_ends(struct look *k)
{
    const struct graph *const g = k->s->g;
    for (uint32_t r = 0; r < g->nranks; r++)
        for (uint32_t i = 1; i <= k->s->nnames; i++) {
            const struct bounds *const b =
                sections_bounds(k->s, r, k->s->name[i]);
            const uint32_t end = b ? end_of(g, b) : GRAPH_NOWHERE;
            if (end != GRAPH_NOWHERE)
                k->ends[end] = 1;
        }
}

/* The stream's end begins: note what has not ended by then. */
static void note(struct look *k, uint32_t end, const uint32_t *known)
{
    const struct graph *const g = k->s->g;
    const uint32_t rank = g->nodes[end].node.rank;
    const struct bounds *const b =
        sections_bounds(k->s, rank, k->s->name[k->s->of[end]]);
    for (uint32_t at = b->first; at <= b->last; at++) {
        const struct hazard_point *const p = &k->point[at];
        k->unawaited[at] = g->nodes[at].node.queue != 0 &&
                           !(p->number && known[p->chain] >= p->number);
    }
}

static int begin(void *arg, uint32_t at, struct hazard_point point,
                 const uint32_t *known, uint32_t nchains)
{
    (void)nchains;
    struct look *const k = arg;
    k->point[at] = point;
    if (k->ends[at])
        note(k, at, known);
    return 0;
}

char *awaited_find(const struct sections *s)
{
    const size_t n = (size_t)s->g->nnodes + 1;
    struct look k = {.s = s,
                     .point = calloc(n, sizeof *k.point),
                     .ends = calloc(n, 1),
                     .unawaited = calloc(n, 1)};
    int ok = k.point && k.ends && k.unawaited;
    if (ok) {
        find_ends(&k);
        ok = hazard_order(s->g, HAZARD_TOGETHER, begin, &k) == 0;
    }
    free(k.point);
    free(k.ends);
    if (ok)
        return k.unawaited;
    free(k.unawaited);
    return NULL;
}
