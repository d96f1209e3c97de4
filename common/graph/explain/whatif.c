#include "graph/explain/whatif.h"

#include <stdlib.h> /* malloc */
#include <string.h> /* memcpy */

#include "graph/replay/cost.h"

enum whatif_class whatif_class_of(const struct topo *topo, int resource)
{
    static const struct {
        const char *begin;
        enum whatif_class is;
    } word[] = {{"fp", WHATIF_COMPUTE},  {"tf32", WHATIF_COMPUTE},
                {"hbm", WHATIF_HBM},     {"nvlink", WHATIF_NVLINK},
                {"c2c", WHATIF_NVLINK},  {"in ", WHATIF_NETWORK},
                {"out ", WHATIF_NETWORK}};
    const char *const name = topo_resource(topo, resource)->name;
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strncmp(name, word[i].begin, strlen(word[i].begin)) == 0)
            return word[i].is;
    return WHATIF_PCIE;
}

/* ---- the copy ------------------------------------------------------------ */

int whatif_init(struct whatif *w, const struct graph *g,
                const struct topo *topo, const struct replay_options *options,
                const char *in)
{
    const size_t n = (size_t)g->nnodes + 1;
    *w = (struct whatif){.graph = *g,
                         .in = in,
                         .original = g,
                         .topo = topo,
                         .options = *options,
                         .index = *g->index};
    w->graph.index = &w->index;
    w->graph.nodes = malloc(n * sizeof *w->graph.nodes);
    w->cost = malloc(n * sizeof *w->cost);
    if (!w->graph.nodes || !w->cost) {
        whatif_release(w);
        return -1;
    }
    whatif_reset(w);
    return 0;
}

static int is_alone(const struct whatif *w)
{
    return w->index.match != w->original->index->match;
}

void whatif_release(struct whatif *w)
{
    if (w->original && is_alone(w))
        free(w->index.match);
    arena_release(&w->moves);
    free(w->graph.nodes);
    free(w->cost);
    free(w->use);
    *w = (struct whatif){0};
}

void whatif_reset(struct whatif *w)
{
    if (is_alone(w))
        free(w->index.match);
    w->index.match = w->original->index->match;
    arena_release(&w->moves);
    w->moves = (struct arena){0};
    w->free_classes = 0;
    w->graph.nharms = w->original->nharms;
    memcpy(w->graph.nodes, w->original->nodes,
           (size_t)w->original->nnodes * sizeof *w->graph.nodes);
    for (uint32_t at = 0; at < w->original->nnodes; at++)
        w->cost[at] = (struct whatif_cost){.work = 1, .latency = 1};
}

/* ---- larger changes ------------------------------------------------------ */

int whatif_keep_deps(struct whatif *w, uint32_t at, whatif_keep *keep)
{
    struct graph_view *const v = &w->graph.nodes[at];
    struct graph_ref *const dep =
        arena_alloc(&w->moves, v->node.ndeps * sizeof *dep);
    uint32_t *const part = arena_alloc(&w->moves, v->node.ndeps * sizeof *part);
    uint16_t n = 0;
    if (!dep || !part)
        return -1;
    for (uint32_t i = 0; i < v->node.ndeps; i++)
        if (keep(w->original, at, v->deps[i])) {
            dep[n] = v->deps[i];
            part[n++] = v->dep_parts ? v->dep_parts[i] : UINT32_MAX;
        }
    v->node.ndeps = n;
    v->deps = dep;
    v->dep_parts = part;
    return 0;
}

/* True for a dependence on a node of the same rank. */
static int is_own(const struct graph *g, uint32_t at, struct graph_ref on)
{
    return on.rank == g->nodes[at].node.rank;
}

/* The time that an MPI call takes once everything that it waits
 * for has arrived. */
static uint64_t mpi_ps(const struct whatif *w, uint32_t at)
{
    const struct graph *const g = w->original;
    uint32_t n, with = at;
    const uint32_t *const member = graph_matched(g, at, &n);
    for (uint32_t i = 0; i < n; i++)
        if (member[i] != at)
            with = member[i];
    return cost_mpi_ps(w->options.costs, &g->nodes[at].node,
                       &g->nodes[with].node);
}

int whatif_alone(struct whatif *w)
{
    w->index.match = calloc((size_t)w->graph.nnodes + 1, sizeof(uint32_t));
    if (!w->index.match) {
        w->index.match = w->original->index->match;
        return -1;
    }
    for (uint32_t at = 0; at < w->graph.nnodes; at++) {
        struct graph_view *const v = &w->graph.nodes[at];
        if (v->node.match && v->node.queue == 0)
            v->node.latency_ps += mpi_ps(w, at);
        v->node.match = 0;
        if (v->node.ndeps && whatif_keep_deps(w, at, is_own) != 0)
            return -1;
    }
    return 0;
}

static int32_t moved(const int32_t *place, int nplaces, int32_t from)
{
    return from >= 0 && from < nplaces ? place[from] : from;
}

int whatif_move(struct whatif *w, const int32_t *place, int nplaces)
{
    for (uint32_t at = 0; at < w->graph.nnodes; at++) {
        struct graph_view *const v = &w->graph.nodes[at];
        v->node.place = moved(place, nplaces, v->node.place);
        v->node.peer_place = moved(place, nplaces, v->node.peer_place);
        if (v->nmoves == 0)
            continue;
        struct graph_move *const m =
            arena_alloc(&w->moves, v->nmoves * sizeof *m);
        if (!m)
            return -1;
        for (size_t i = 0; i < v->nmoves; i++)
            m[i] = (struct graph_move){moved(place, nplaces, v->moves[i].from),
                                       moved(place, nplaces, v->moves[i].to),
                                       v->moves[i].nbytes};
        v->moves = m;
    }
    return 0;
}

/* ---- the replay ---------------------------------------------------------- */

/* Make some of its resources infinitely fast. If they were the bottleneck, also
 * lift limits other than resources. */
static void free_uses(struct whatif *w, struct cost *c)
{
    int n = 0, kept = 0; // kept: index of the busiest among those that remain
    if (c->nuses > w->room) {
        void *const larger = realloc(w->use, (size_t)c->nuses * sizeof *w->use);
        if (!larger)
            return; // unchanged; errno is ENOMEM
        w->use = larger;
        w->room = c->nuses;
    }
    const int busiest =
        c->nuses ? (int)whatif_class_of(w->topo, c->use[c->busiest].resource)
                 : WHATIF_CLASSES;
    for (int i = 0; i < c->nuses; i++) {
        if (w->free_classes >> whatif_class_of(w->topo, c->use[i].resource) & 1)
            continue;
        if (i == c->busiest)
            kept = n;
        w->use[n++] = c->use[i];
    }
    if (n == c->nuses)
        return;
    if (w->free_classes >> busiest & 1)
        c->cap = 0;
    c->busiest = kept;
    c->use = w->use;
    c->nuses = n;
    if (n == 0)
        c->work = 0;
}

/*
 * When ranks run alone, an operation of several ranks is a separate flow on
 * each of them. These flows must not compete with each other, so the time that
 * the operation takes alone becomes its latency.
 */
static void settle_alone(const struct whatif *w, struct cost *c)
{
    double rate = c->cap;
    for (int i = 0; i < c->nuses; i++) {
        const double each =
            topo_resource(w->topo, c->use[i].resource)->rate / c->use[i].weight;
        if (rate == 0 || each < rate)
            rate = each;
    }
    if (rate > 0)
        c->latency_ps += (uint64_t)(c->work / rate * 1e12);
    c->work = 0;
    c->nuses = 0;
}

static void change_cost(void *arg, uint32_t at, struct cost *c)
{
    struct whatif *const w = arg;
    if (w->cost[at].latency != 1)
        c->latency_ps = (uint64_t)((double)c->latency_ps * w->cost[at].latency);
    c->work *= w->cost[at].work;
    if (w->free_classes && w->in[at])
        free_uses(w, c);
    if (is_alone(w) && w->original->nodes[at].node.match)
        settle_alone(w, c);
}

struct replay *whatif_replay(struct whatif *w, char *err, size_t err_nbytes)
{
    struct replay_options options = w->options;
    options.costs_of = is_alone(w) ? w->original : NULL;
    options.change = change_cost;
    options.change_arg = w;
    return replay_run(&w->graph, w->topo, &options, err, err_nbytes);
}

uint64_t whatif_length_ps(const struct whatif *w, const struct replay *r)
{
    const struct replay_time *const time = replay_times(r);
    uint64_t begin_ps = UINT64_MAX, end_ps = 0;
    for (uint32_t at = 0; at < w->graph.nnodes; at++) {
        const uint64_t host_ps = w->graph.nodes[at].node.host_ps;
        if (!w->in[at])
            continue;
        if (time[at].issue_ps - host_ps < begin_ps)
            begin_ps = time[at].issue_ps - host_ps;
        if (time[at].end_ps > end_ps)
            end_ps = time[at].end_ps;
    }
    return end_ps > begin_ps ? end_ps - begin_ps : 0;
}
