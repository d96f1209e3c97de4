#include "graph/hazard_excuse.h"

/* True if a flag that both access like this may order them without an edge in
 * the graph. */
static int is_talk(const struct graph_access *a, const struct graph_access *b)
{
    return access_how(a) == GRAPH_ATOMIC && access_how(b) == GRAPH_ATOMIC &&
           !(a->write & b->write & GRAPH_KNOWN) && access_overlaps(a, b);
}

int excuse_by_words(const struct graph_view *a, const struct graph_view *b)
{
    if (a->node.kind != GRAPH_KERNEL || b->node.kind != GRAPH_KERNEL ||
        a->node.place == b->node.place)
        return 0;
    for (size_t i = 0; i < a->naccesses; i++)
        for (size_t k = 0; k < b->naccesses; k++)
            if (is_talk(&a->accesses[i], &b->accesses[k]))
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
