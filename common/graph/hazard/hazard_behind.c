#include "graph/hazard/hazard_behind.h"

#include <stdlib.h> /* malloc */
#include <string.h> /* memcpy */

/* The position of the part that an access of the node at v refers to, or
 * GRAPH_NOWHERE. */
static uint32_t since(const struct graph_view *v, uint32_t at,
                      const struct graph_access *a)
{
    const uint32_t by = graph_behind(a->write);
    return by && by <= v->part ? at - by : GRAPH_NOWHERE;
}

static int mark(struct hazard_behind *b, uint32_t part)
{
    uint64_t *const number = map_at(&b->kept, part);
    if (!number)
        return -1;
    if (*number)
        return 0;
    if (b->n == b->room) {
        const uint32_t room = b->room ? 2 * b->room : 16;
        void *const larger = realloc(b->clock, room * sizeof *b->clock);
        if (!larger)
            return -1;
        b->clock = larger;
        b->room = room;
    }
    b->clock[b->n] = NULL;
    *number = ++b->n;
    return 0;
}

int hazard_behind_init(struct hazard_behind *b, const struct graph *g)
{
    for (uint32_t at = 0; at < g->nnodes; at++) {
        const struct graph_view *const v = &g->nodes[at];
        for (size_t i = 0; v->part && i < v->naccesses; i++) {
            const uint32_t part = since(v, at, &v->accesses[i]);
            if (part != GRAPH_NOWHERE && mark(b, part) != 0)
                return -1;
        }
    }
    return 0;
}

int hazard_behind_begin(struct hazard_behind *b, uint32_t at,
                        const uint32_t *known, uint32_t nchains)
{
    const uint64_t number = b->n ? map_get(&b->kept, at) : 0;
    const size_t nbytes = nchains * sizeof *known;
    if (!number)
        return 0;
    if (!b->result && !(b->result = malloc(nbytes)))
        return -1;
    uint32_t *const copy = malloc(nbytes);
    if (!copy)
        return -1;
    memcpy(copy, known, nbytes);
    b->clock[number - 1] = copy;
    b->nchains = nchains;
    return 0;
}

const uint32_t *hazard_behind_clock(struct hazard_behind *b,
                                    const struct graph_view *v, uint32_t at,
                                    const struct graph_access *a,
                                    uint32_t chain, const uint32_t *known)
{
    const uint32_t part = since(v, at, a);
    const uint64_t number = part == GRAPH_NOWHERE ? 0 : map_get(&b->kept, part);
    if (!number || !b->clock[number - 1])
        return known;
    memcpy(b->result, b->clock[number - 1], b->nchains * sizeof *b->result);
    b->result[chain] = known[chain];
    return b->result;
}

void hazard_behind_release(struct hazard_behind *b)
{
    for (uint32_t i = 0; i < b->n; i++)
        free(b->clock[i]);
    free(b->clock);
    free(b->result);
    map_release(&b->kept);
    *b = (struct hazard_behind){0};
}
