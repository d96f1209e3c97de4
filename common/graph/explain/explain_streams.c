#include <string.h> /* strcmp */

#include "graph/explain/explain_case.h"

/* True for the legacy default stream of a device. */
static int is_default(const struct graph *g, const struct graph_node *n)
{
    for (size_t i = 0; i < g->nqueues; i++)
        if (g->queues[i].rank == n->rank && g->queues[i].queue == n->queue)
            return strcmp(g->queues[i].name, "default stream") == 0;
    return 0;
}

/* True if the node, or one of the few before it in its queue, touches the same
 * bytes as `v`, and one of the two writes. */
static int has_conflict(const struct graph *g, uint32_t before,
                        const struct graph_view *v)
{
    enum { FEW = 32 };
    for (int i = 0; i < FEW && before != GRAPH_NOWHERE; i++) {
        if (study_conflict(&g->nodes[before], v))
            return 1;
        before = graph_queue_prev(g, before);
    }
    return 0;
}

/*
 * True unless the dependence comes from the rules of the default stream alone:
 * it is between that stream and another one of its device, no event made it,
 * and the order of the two makes no difference to any byte.
 */
static int is_meant(const struct graph *g, uint32_t at, struct graph_ref ref)
{
    const struct graph_view *const v = &g->nodes[at];
    const uint32_t on = graph_find(g, ref);
    if (on == GRAPH_NOWHERE || !v->node.queue)
        return 1;
    const struct graph_node *const before = &g->nodes[on].node;
    if (before->rank != v->node.rank || !before->queue ||
        before->queue == v->node.queue || before->place != v->node.place ||
        is_default(g, before) == is_default(g, &v->node))
        return 1;
    if (v->node.kind == GRAPH_MARK && before->kind == GRAPH_MARK)
        return 1; // an event and a wait for it
    return has_conflict(g, on, v);
}

/* Streams wait for the default stream, and it for them, only if their bytes
 * demand it. */
int explain_default_stream(struct study *s, struct explain_finding *f)
{
    int any = 0;
    (void)f;
    for (uint32_t at = 0; at < s->g->nnodes; at++) {
        const struct graph_view *const v = &s->g->nodes[at];
        const uint16_t ndeps = v->node.ndeps;
        if (!s->in[at] || ndeps == 0)
            continue;
        if (whatif_keep_deps(&s->w, at, is_meant) != 0)
            return -1;
        if (s->w.graph.nodes[at].node.ndeps == ndeps)
            continue;
        any = 1;
        if (v->node.kind != GRAPH_MARK)
            s->hit[at] = s->time[at].ready_ps - s->time[at].issue_ps + 1;
    }
    return any;
}
