#include "graph/hazard/hazard_excuse.h"

/* True if a flag accessed in these two ways by kernels of two devices may order
 * them without an edge in the graph. */
static int is_talk(const struct graph_access *a, const struct graph_access *b)
{
    return !(a->write & b->write & GRAPH_KNOWN);
}

/* The same for kernels of one device, where fences and atomics of the device's
 * scope suffice and make no edges. */
static int is_talk_within(const struct graph_access *a,
                          const struct graph_access *b)
{
    return (a->write & b->write & GRAPH_FENCED) != 0;
}

static int is_fenced(const struct graph_view *v)
{
    for (size_t i = 0; i < v->naccesses; i++)
        if (v->accesses[i].write & GRAPH_FENCED)
            return 1;
    return 0;
}

int excuse_by_words(const struct graph_view *a, const struct graph_view *b)
{
    const int within = a->node.place == b->node.place;
    if (a->node.kind != GRAPH_KERNEL || b->node.kind != GRAPH_KERNEL ||
        (within && !(is_fenced(a) && is_fenced(b))))
        return 0;
    for (size_t i = 0; i < a->naccesses; i++)
        for (size_t k = 0; k < b->naccesses; k++) {
            const struct graph_access *const x = &a->accesses[i];
            const struct graph_access *const y = &b->accesses[k];
            if (access_how(x) == GRAPH_ATOMIC &&
                access_how(y) == GRAPH_ATOMIC && access_overlaps(x, y) &&
                (within ? is_talk_within(x, y) : is_talk(x, y)))
                return 1;
        }
    return 0;
}

static int signals(const struct graph_view *v)
{
    for (size_t i = 0; i < v->naccesses; i++)
        if (access_how(&v->accesses[i]) == GRAPH_ATOMIC &&
            (v->accesses[i].write & GRAPH_KNOWN) &&
            (v->accesses[i].write & GRAPH_SHOWN))
            return 1;
    return 0;
}

int excuse_by_signal(const struct graph_view *a, const struct graph_view *b)
{
    if (a->node.rank != b->node.rank || !a->node.queue == !b->node.queue)
        return 0;
    const struct graph_view *const operation = a->node.queue ? a : b;
    const struct graph_view *const host = a->node.queue ? b : a;
    const struct graph_view *v = operation - operation->part;
    for (; v->node.index < host->node.index; v++)
        if (v->node.kind == GRAPH_KERNEL && signals(v))
            return 1;
    return 0;
}

int excuse_by_host(const struct graph *g, const struct graph_node *a,
                   const struct graph_node *b)
{
    for (uint32_t at = g->first[a->rank]; at < g->first[a->rank + 1]; at++) {
        const struct graph_node *const n = &g->nodes[at].node;
        if (n->kind == GRAPH_HOSTFN && n->queue == a->queue &&
            n->index > a->index && (b->rank != a->rank || n->index < b->index))
            return 1;
    }
    return 0;
}

int excuse_in_place(const struct graph_node *n, const struct graph_access *in,
                    const struct graph_access *out)
{
    const uint64_t mine = (n->op == TOPO_OP_GATHER || n->op == TOPO_OP_SCATTER)
                              ? n->match_root
                              : n->match_rank;
    switch (n->op) {
    case TOPO_OP_ALLGATHER:
    case TOPO_OP_GATHER:
        return in->begin == out->begin + mine * (in->end - in->begin);
    case TOPO_OP_REDUCESCATTER:
    case TOPO_OP_SCATTER:
        return out->begin == in->begin + mine * (out->end - out->begin);
    case TOPO_OP_ALLTOALL: // a block may arrive before its place is sent
        return n->match_size < 2;
    default: return in->begin == out->begin;
    }
}
