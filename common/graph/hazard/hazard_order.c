/*
 * The walk. A rank's cursor issues its nodes in the order of their numbers,
 * each as soon as the call before it on its thread has returned. A unit begins
 * when all its nodes have been issued and everything it waits for has ended. It
 * ends when those members of its matches have begun that must begin before its
 * end. A unit passes its clock on when it ends. Only units that have received a
 * clock and not ended keep one: as many as are in progress at one time of the
 * run.
 */
#include "graph/hazard/hazard_order.h"

#include <stdlib.h> /* calloc */

#include "base/map.h"
#include "graph/hazard/hazard_clocks.h"

struct unit {       /* nodes that begin and end together */
    uint32_t first; /* position of its first node */
    uint32_t clock; /* join of all clocks received */
    uint32_t nwait; /* events that it still waits for: to begin, then to end */
    uint8_t begun;
};

/* served: has received the match's clock */
enum arrival { ABSENT, ARRIVED, SERVED };

struct member { /* a node, as part of its unit */
    uint32_t unit;
    uint32_t next; /* the unit's next node, or GRAPH_NOWHERE */
    uint32_t chain;
    uint32_t behind;    /* the next node in its queue */
    uint32_t first_dep; /* index in deps[]: list of the nodes that depend on
                           it */
    uint8_t arrival;    /* enum arrival at its match */
    uint8_t returned;   /* the call that issued it has returned */
};

struct dep {
    uint32_t at, next;
};

struct walk {
    const struct graph *g;
    hazard_begin_fn *fn;
    void *arg;
    struct hazard_clocks clocks;
    struct member *member; /* by position of the node */
    struct unit *unit;
    uint32_t nunits;
    uint32_t *given;      /* by position of a match's first node: joined clock
                             of the members whose beginnings others wait for */
    struct dep *deps;     /* from 1 */
    uint32_t *count;      /* by chain: numbers assigned so far */
    uint32_t *cursor;     /* by rank: position of the next node to issue */
    uint32_t *host;       /* by position: the host that issues it */
    uint32_t nhosts;      /* hosts: ranks, or threads */
    uint32_t *known;      /* by host: its clock */
    uint32_t *nunder_way; /* by rank: nodes issued but not ended */
    uint32_t *ready;      /* stack of units that may begin, or end */
    uint32_t nready;
};

/* ---- nodes and units ----------------------------------------------------- */

static const struct graph_node *node(const struct walk *w, uint32_t at)
{
    return &w->g->nodes[at].node;
}

static struct unit *unit_of(struct walk *w, uint32_t at)
{
    return &w->unit[w->member[at].unit];
}

/* The number assigned to a key, from 1 in the order of first use; 0 if
 * memory runs out. */
static uint32_t number_of(struct map *seen, uint64_t key, uint32_t *n)
{
    uint64_t *const number = map_at(seen, key);
    if (number && *number == 0)
        *number = ++*n;
    return number ? *number : 0;
}

/* Add the node to its group's unit, or make it a unit by itself. */
static int join_unit(struct walk *w, uint32_t at, struct map *groups)
{
    const struct graph_node *const v = node(w, at);
    struct member *const m = &w->member[at];
    uint64_t *const known =
        v->queue && v->group ? map_at(groups, v->group) : NULL;
    if (v->queue && v->group && !known)
        return -1;
    if (known && *known) {
        m->unit = (uint32_t)*known - 1;
        struct member *const first = &w->member[w->unit[m->unit].first];
        m->next = first->next;
        first->next = at;
        return 0;
    }
    m->unit = w->nunits++;
    m->next = GRAPH_NOWHERE;
    w->unit[m->unit] = (struct unit){.first = at};
    if (known)
        *known = w->nunits;
    return 0;
}

/* Find the chains and units of one rank. */
static int find_units(struct walk *w, uint32_t rank)
{
    struct map chains = {0}, groups = {0};
    int err = 0;
    const uint32_t before = w->clocks.nchains;
    uint32_t n = 0;
    for (uint32_t at = w->g->first[rank];
         at < w->g->first[rank + 1] && err == 0; at++) {
        const struct graph_node *const v = node(w, at);
        const uint64_t thread = (uint64_t)1 << 32 | v->thread;
        const uint32_t chain =
            number_of(&chains, v->queue ? v->queue : thread, &n);
        w->member[at] = (struct member){.behind = GRAPH_NOWHERE,
                                        .chain = before + chain - 1};
        err = chain ? join_unit(w, at, &groups) : -1;
    }
    w->clocks.nchains += n;
    map_release(&chains);
    map_release(&groups);
    return err;
}

static void wait_for(struct walk *w, uint32_t at, uint32_t before)
{
    unit_of(w, at)->nwait += w->member[before].unit != w->member[at].unit;
}

static int find_order(struct walk *w)
{
    const struct graph *const g = w->g;
    uint64_t ndeps = 0;
    for (uint32_t at = 0; at < g->nnodes; at++)
        ndeps += node(w, at)->ndeps;
    w->deps = ndeps < UINT32_MAX ? malloc((ndeps + 1) * sizeof *w->deps) : NULL;
    if (!w->deps)
        return -1;
    uint32_t n = 0;
    for (uint32_t at = 0; at < g->nnodes; at++) {
        const uint32_t before = graph_queue_prev(g, at);
        unit_of(w, at)->nwait++; // counts its issue
        if (before != GRAPH_NOWHERE) {
            w->member[before].behind = at;
            wait_for(w, at, before);
        }
        for (uint32_t i = 0; i < node(w, at)->ndeps; i++) {
            const uint32_t dep = graph_dep(g, at, i);
            if (dep == GRAPH_NOWHERE)
                continue;
            w->deps[++n] = (struct dep){at, w->member[dep].first_dep};
            w->member[dep].first_dep = n;
            wait_for(w, at, dep);
        }
    }
    return 0;
}

/* Find which host issues each node of a rank. */
static int find_hosts(struct walk *w, uint32_t rank,
                      enum hazard_threads threads)
{
    struct map seen = {0};
    const uint32_t before = w->nhosts;
    uint32_t n = threads == HAZARD_TOGETHER;
    int err = 0;
    for (uint32_t at = w->g->first[rank]; at < w->g->first[rank + 1] && !err;
         at++) {
        const uint32_t number = threads == HAZARD_TOGETHER
                                    ? 1
                                    : number_of(&seen, node(w, at)->thread, &n);
        w->host[at] = before + number - 1;
        err = number ? 0 : -1;
    }
    w->nhosts += n;
    map_release(&seen);
    return err;
}

static int walk_init(struct walk *w, enum hazard_threads threads)
{
    const struct graph *const g = w->g;
    w->member = malloc(((size_t)g->nnodes + 1) * sizeof *w->member);
    w->unit = malloc(((size_t)g->nnodes + 1) * sizeof *w->unit);
    w->given = calloc((size_t)g->nnodes + 1, sizeof *w->given);
    w->cursor = calloc((size_t)g->nranks + 1, sizeof *w->cursor);
    w->host = malloc(((size_t)g->nnodes + 1) * sizeof *w->host);
    w->nunder_way = calloc((size_t)g->nranks + 1, sizeof *w->nunder_way);
    w->ready = malloc(((size_t)g->nnodes + 1) * sizeof *w->ready);
    if (!w->member || !w->unit || !w->given || !w->cursor || !w->host ||
        !w->nunder_way || !w->ready)
        return -1;
    for (uint32_t rank = 0; rank < g->nranks; rank++) {
        w->cursor[rank] = g->first[rank];
        if (find_units(w, rank) != 0 || find_hosts(w, rank, threads) != 0)
            return -1;
    }
    w->known = calloc((size_t)w->nhosts + 1, sizeof *w->known);
    w->count = calloc((size_t)w->clocks.nchains + 1, sizeof *w->count);
    return w->known && w->count ? find_order(w) : -1;
}

static void walk_release(struct walk *w)
{
    clocks_release(&w->clocks);
    free(w->member);
    free(w->unit);
    free(w->given);
    free(w->deps);
    free(w->count);
    free(w->cursor);
    free(w->host);
    free(w->known);
    free(w->nunder_way);
    free(w->ready);
}

/* ---- waiting ------------------------------------------------------------- */

/* Count one of the events that a unit waits for as having happened. */
static void count_down(struct walk *w, uint32_t unit)
{
    if (--w->unit[unit].nwait == 0)
        w->ready[w->nready++] = unit;
}

static int give(struct walk *w, uint32_t at, uint32_t clock)
{
    if (clocks_join(&w->clocks, &unit_of(w, at)->clock, clock) != 0)
        return -1;
    count_down(w, w->member[at].unit);
    return 0;
}

/* ---- matches ------------------------------------------------------------- */

static int is_root(const struct graph_node *n)
{
    return n->match_rank == n->match_root;
}

/* True if other members' ends come after the beginning of member n. */
static int gives(const struct graph_node *n)
{
    switch (n->match_kind) {
    case GRAPH_MATCH_FROM_ROOT:
    case GRAPH_MATCH_MESSAGE: return is_root(n);
    case GRAPH_MATCH_PAIR: return is_root(n) || n->queue == 0;
    default: return 1;
    }
}

/* True if the end of n comes after the beginnings of other members. */
static int takes(const struct graph_node *n)
{
    switch (n->match_kind) {
    case GRAPH_MATCH_FROM_ROOT:
    case GRAPH_MATCH_MESSAGE: return !is_root(n);
    case GRAPH_MATCH_TO_ROOT: return is_root(n);
    case GRAPH_MATCH_PAIR: return !is_root(n) || n->queue == 0;
    default: return 1;
    }
}

/* A node has begun, with its unit's clock. Once all members of its match that
 * give have begun, those that take receive the joined clock. */
static int arrive(struct walk *w, uint32_t at)
{
    uint32_t n, narrived = 0, nmissing = 0;
    const uint32_t *const matched = graph_matched(w->g, at, &n);
    if (!n)
        return 0;
    uint32_t *const given = &w->given[matched[0]];
    w->member[at].arrival = ARRIVED;
    if (gives(node(w, at)) &&
        clocks_join(&w->clocks, given, unit_of(w, at)->clock) != 0)
        return -1;
    unit_of(w, at)->nwait += (uint32_t)takes(node(w, at));
    for (uint32_t i = 0; i < n; i++) {
        const int is_absent = w->member[matched[i]].arrival == ABSENT;
        narrived += !is_absent;
        nmissing += is_absent && gives(node(w, matched[i]));
    }
    for (uint32_t i = 0; i < n && nmissing == 0; i++) {
        struct member *const m = &w->member[matched[i]];
        if (m->arrival != ARRIVED)
            continue;
        if (takes(node(w, matched[i])) && give(w, matched[i], *given) != 0)
            return -1;
        m->arrival = SERVED;
    }
    if (narrived == n)
        clocks_free(&w->clocks, given);
    return 0;
}

/* ---- nodes --------------------------------------------------------------- */

/* Issue the node at the rank's cursor. */
static int issue(struct walk *w, uint32_t rank)
{
    const uint32_t at = w->cursor[rank]++;
    const struct graph_node *const n = node(w, at);
    const uint32_t before = graph_thread_prev(w->g, at);
    uint32_t *const known = &w->known[w->host[at]];
    w->member[at].returned = n->queue && !(n->flags & GRAPH_JOIN);
    w->nunder_way[rank]++;
    // A new thread knows what the first one does. One that begins again depends
    // on the node at which it does.
    if (before != GRAPH_NOWHERE && !(n->flags & GRAPH_AGAIN) &&
        clocks_join(&w->clocks, known, w->known[w->host[before]]) != 0)
        return -1;
    return give(w, at, *known);
}

/* Everything that the unit waited for has happened. */
static int begin(struct walk *w, uint32_t unit)
{
    struct unit *const u = &w->unit[unit];
    if (!u->clock && !(u->clock = clocks_new(&w->clocks)))
        return -1;
    u->begun = 1;
    u->nwait = 1; // held until all its nodes have arrived at their matches
    for (uint32_t at = u->first; at != GRAPH_NOWHERE; at = w->member[at].next) {
        const uint32_t chain = w->member[at].chain;
        const struct hazard_point point = {chain, ++w->count[chain]};
        if (w->fn(w->arg, at, point, clocks_at(&w->clocks, u->clock),
                  w->clocks.nchains) != 0)
            return -1;
    }
    for (uint32_t at = u->first; at != GRAPH_NOWHERE; at = w->member[at].next)
        if (arrive(w, at) != 0)
            return -1;
    count_down(w, unit);
    return 0;
}

/* Node `at` has ended: pass its clock on to nodes of other units
 * that wait for it. */
static int hand_on(struct walk *w, uint32_t at, uint32_t clock)
{
    const struct member *const m = &w->member[at];
    if (m->behind != GRAPH_NOWHERE && w->member[m->behind].unit != m->unit &&
        give(w, m->behind, clock) != 0)
        return -1;
    for (uint32_t d = m->first_dep; d; d = w->deps[d].next)
        if (w->member[w->deps[d].at].unit != m->unit &&
            give(w, w->deps[d].at, clock) != 0)
            return -1;
    return 0;
}

static int end(struct walk *w, uint32_t unit)
{
    const uint32_t first = w->unit[unit].first;
    const uint32_t rank = node(w, first)->rank;
    uint32_t clock = w->unit[unit].clock;
    for (uint32_t at = first; at != GRAPH_NOWHERE; at = w->member[at].next) {
        const uint32_t chain = w->member[at].chain;
        clocks_at(&w->clocks, clock)[chain] = w->count[chain];
    }
    for (uint32_t at = first; at != GRAPH_NOWHERE; at = w->member[at].next) {
        struct member *const m = &w->member[at];
        if (hand_on(w, at, clock) != 0 ||
            (!m->returned &&
             clocks_join(&w->clocks, &w->known[w->host[at]], clock) != 0))
            return -1;
        m->returned = 1;
        w->nunder_way[rank]--;
    }
    w->unit[unit].clock = 0;
    clocks_free(&w->clocks, &clock);
    return 0;
}

/* ---- the walk ------------------------------------------------------------ */

/* True if the thread of the rank's next node is ready to issue it. */
static int can_issue(const struct walk *w, uint32_t rank)
{
    const uint32_t at = w->cursor[rank];
    if (at == w->g->first[rank + 1])
        return 0;
    const uint32_t before = graph_thread_prev(w->g, at);
    return before == GRAPH_NOWHERE || w->member[before].returned;
}

/*
 * Among the ranks that can issue a node, the one with the fewest nodes in
 * progress; nranks if there is none. No rank runs far ahead, so few clocks
 * exist at a time.
 */
static uint32_t next_rank(const struct walk *w)
{
    uint32_t best = w->g->nranks;
    for (uint32_t rank = 0; rank < w->g->nranks; rank++)
        if (can_issue(w, rank) &&
            (best == w->g->nranks || w->nunder_way[rank] < w->nunder_way[best]))
            best = rank;
    return best;
}

static int walk_all(struct walk *w)
{
    for (;;) {
        while (w->nready) {
            const uint32_t unit = w->ready[--w->nready];
            if ((w->unit[unit].begun ? end : begin)(w, unit) != 0)
                return -1;
        }
        const uint32_t rank = next_rank(w);
        if (rank == w->g->nranks)
            return 0;
        if (issue(w, rank) != 0)
            return -1;
    }
}

int hazard_order(const struct graph *g, enum hazard_threads threads,
                 hazard_begin_fn *fn, void *arg)
{
    struct walk w = {.g = g, .fn = fn, .arg = arg};
    const int err = walk_init(&w, threads) != 0 ? -1 : walk_all(&w);
    walk_release(&w);
    return err;
}
