#include "graph/replay/order.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */

void order_release(struct order *o)
{
    free(o->node);
    free(o->dep);
    *o = (struct order){0};
}

/* ---- threads and queues -------------------------------------------------- */

static void order_threads(struct order *o, const struct graph *g)
{
    // Go backwards, so that siblings end up in the order of their positions.
    for (uint32_t at = g->nnodes; at-- > 0;) {
        const uint32_t before = graph_thread_prev(g, at);
        if (before == GRAPH_NOWHERE)
            continue;
        o->node[at].sibling = o->node[before].child;
        o->node[before].child = at;
    }
}

static void order_queues(struct order *o, const struct graph *g)
{
    for (uint32_t at = 0; at < g->nnodes; at++) {
        struct order_node *const n = &o->node[at];
        const uint32_t group = g->nodes[at].node.group;
        const uint32_t before = graph_queue_prev(g, at);
        const int same = before != GRAPH_NOWHERE && group &&
                         g->nodes[before].node.group == group;
        n->batch = same ? o->node[before].batch : at;
        o->node[n->batch].nbatch++;
        n->nbefore = 1; // counts its issue
        if (before != GRAPH_NOWHERE) {
            o->node[before].queue_next = at;
            if (!same)
                o->node[o->node[before].batch].next_batch = at;
        }
        if (graph_queue_prev(g, n->batch) != GRAPH_NOWHERE)
            n->nbefore++;
    }
}

/* ---- dependences --------------------------------------------------------- */

/* Position of a dependence; GRAPH_NOWHERE if it ended before the graph
 * begins. */
static int find_dep(const struct graph *g, uint32_t node, uint32_t i,
                    uint32_t *at, char *err, size_t err_nbytes)
{
    const struct graph_view *const v = &g->nodes[node];
    const struct graph_ref dep = v->deps[i];
    *at = graph_dep(g, node, i);
    if (*at != GRAPH_NOWHERE ||
        (dep.rank < g->nranks && dep.index <= g->since[dep.rank]))
        return 0;
    snprintf(err, err_nbytes,
             "rank %u: operation %u (%s %s) waits for operation %u of rank %u, "
             "which was not recorded",
             v->node.rank, v->node.index, v->name, v->site, dep.index,
             dep.rank);
    return -1;
}

/*
 * Count the nodes that `at` waits for because of `dep`, or, once all are
 * counted and have room, list it as waiting for them. A wait names the last
 * node of its stream, and means those before it in its batch, too.
 */
static void await_dep(struct order *o, uint32_t at, uint32_t dep,
                      uint64_t *ndeps)
{
    const uint32_t batch = o->node[dep].batch;
    uint32_t q = batch == o->node[at].batch ? dep : batch;
    for (;; q = o->node[q].queue_next) {
        if (o->dep) {
            o->dep[o->node[q + 1].dep_begin++] = at;
        } else {
            // two places further on, so that listing turns counts into begins
            o->node[q + 2].dep_begin++;
            o->node[at].nbefore++;
            ++*ndeps;
        }
        if (q == dep)
            return;
    }
}

/* The same for all dependences. Returns -1 if one was not recorded. */
static int await_all(struct order *o, const struct graph *g, uint64_t *ndeps,
                     char *err, size_t err_nbytes)
{
    uint32_t dep;
    for (uint32_t at = 0; at < g->nnodes; at++)
        for (uint32_t i = 0; i < g->nodes[at].node.ndeps; i++) {
            if (find_dep(g, at, i, &dep, err, err_nbytes) != 0)
                return -1;
            if (dep != GRAPH_NOWHERE)
                await_dep(o, at, dep, ndeps);
        }
    return 0;
}

static int order_deps(struct order *o, const struct graph *g, char *err,
                      size_t err_nbytes)
{
    uint64_t ndeps = g->napart;
    if (await_all(o, g, &ndeps, err, err_nbytes) != 0)
        return -1;
    for (size_t i = 0; i < g->napart; i++) {
        o->node[g->apart[i].after].nbefore++;
        o->node[g->apart[i].before + 2].dep_begin++;
    }
    o->dep = malloc((ndeps + 1) * sizeof *o->dep);
    if (!o->dep || ndeps > UINT32_MAX) {
        snprintf(err, err_nbytes, "no memory");
        return -1;
    }
    for (uint32_t at = 2; at <= g->nnodes; at++)
        o->node[at].dep_begin += o->node[at - 1].dep_begin;
    await_all(o, g, &ndeps, err, err_nbytes);
    for (size_t i = 0; i < g->napart; i++)
        o->dep[o->node[g->apart[i].before + 1].dep_begin++] = g->apart[i].after;
    return 0;
}

int order_init(struct order *o, const struct graph *g, char *err,
               size_t err_nbytes)
{
    // filling deps looks one entry beyond
    const size_t n = (size_t)g->nnodes + 2;
    *o = (struct order){.node = malloc(n * sizeof *o->node)};
    if (!o->node) {
        snprintf(err, err_nbytes, "no memory");
        return -1;
    }
    for (size_t at = 0; at < n; at++)
        o->node[at] = (struct order_node){.child = GRAPH_NOWHERE,
                                          .sibling = GRAPH_NOWHERE,
                                          .next_batch = GRAPH_NOWHERE,
                                          .queue_next = GRAPH_NOWHERE};
    order_threads(o, g);
    order_queues(o, g);
    if (order_deps(o, g, err, err_nbytes) == 0)
        return 0;
    order_release(o);
    return -1;
}

/* ---- matches ------------------------------------------------------------- */

static const char *wrong_match(const struct graph *g, const uint32_t *member,
                               uint32_t n)
{
    const struct graph_node *const a = &g->nodes[member[0]].node;
    int has_root = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct graph_node *const b = &g->nodes[member[i]].node;
        if (graph_time_match(a) != graph_time_match(b) ||
            a->match_size != b->match_size || a->match_root != b->match_root ||
            !a->queue != !b->queue || a->op != b->op ||
            (a->kind == GRAPH_COLL) != (b->kind == GRAPH_COLL))
            return "its ranks disagree about its kind or size";
        if (i && g->nodes[member[i - 1]].node.match_rank == b->match_rank)
            return "two operations claim to be the same rank's part";
        has_root |= b->match_rank == b->match_root;
    }
    switch (graph_time_match(a)) {
    case GRAPH_MATCH_TO_ROOT:
        return !has_root || n == a->match_size
                   ? NULL
                   : "a rank's part is not recorded";
    case GRAPH_MATCH_FROM_ROOT:
    case GRAPH_MATCH_MESSAGE:
        return has_root ? NULL : "its root's part is not recorded";
    default: return n == a->match_size ? NULL : "a rank's part is not recorded";
    }
}

int order_is_whole(const struct graph *g, const uint32_t *member, uint32_t n)
{
    return wrong_match(g, member, n) == NULL;
}

int order_check_matches(const struct graph *g, char *err, size_t err_nbytes)
{
    for (uint32_t at = 0; at < g->nnodes; at++) {
        uint32_t n;
        const uint32_t *const member = graph_matched(g, at, &n);
        if (!n || member[0] != at)
            continue;
        const char *const why = wrong_match(g, member, n);
        if (!why)
            continue;
        const struct graph_view *const v = &g->nodes[at];
        snprintf(err, err_nbytes,
                 "rank %u: operation %u (%s %s), %u of %u parts recorded: %s",
                 v->node.rank, v->node.index, v->name, v->site, n,
                 v->node.match_size, why);
        return -1;
    }
    return 0;
}
