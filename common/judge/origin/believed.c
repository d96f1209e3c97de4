#include "judge/origin/believed.h"

#include "graph/hazard/overwrite.h"

/* Bytes that the operation says it writes to allocations with a number. A range
 * of rows with gaps counts from its first byte to its last. */
static uint64_t written(const struct graph_view *v)
{
    uint64_t nbytes = 0;
    for (size_t i = 0; i < v->naccesses; i++)
        if (v->accesses[i].write == GRAPH_WRITE &&
            (uint32_t)v->accesses[i].alloc != 0)
            nbytes += v->accesses[i].end - v->accesses[i].begin;
    return nbytes;
}

/* Bytes that the operation's modelled time is computed from. */
static uint64_t paid(const struct graph_view *v)
{
    uint64_t nbytes = 0;
    if (v->node.kind != GRAPH_COPY)
        return v->node.bytes;
    for (size_t i = 0; i < v->nmoves; i++)
        nbytes += v->moves[i].nbytes;
    return nbytes;
}

int believed(const struct graph *g, const struct graph_view *v)
{
    const enum graph_kind kind = (enum graph_kind)v->node.kind;
    if ((kind != GRAPH_COPY && kind != GRAPH_COLL && kind != GRAPH_RECV) ||
        v->part > 0)
        return 1;
    if (written(v) > paid(v))
        return 0;
    return !g->is_witnessed || v->begun ||
           overwrite_find(&v->node, v->accesses, v->node.naccesses, NULL) == 0;
}

int believed_message(const struct graph *g, const struct graph_view *send,
                     const struct graph_view *recv)
{
    return believed(g, recv) && send->node.bytes == recv->node.bytes;
}
