/*
 * The walk: a rank's cursor issues its nodes in the order of their numbers, each
 * when the call before it on its thread has returned. A unit begins when all its
 * nodes are issued and all that it waits for has ended; it ends when its matches
 * have shown what they order. Clocks are handed on when something ends, and
 * kept only for units that have been given some and have not ended, which is
 * what was under way at one moment of the run.
 */
#include "graph/hazard_order.h"

#include <stdlib.h> /* calloc */
#include <string.h> /* memcpy */

#include "graph/map.h"

struct clocks { /* of nchains words each; number 0 is none */
    uint32_t nchains;
    uint32_t *word;
    uint32_t n, room;
    uint32_t *unused, nunused;
};

struct unit { /* by position of its first node; the rest by position of any */
    uint32_t lead;   /* position of the unit's first node */
    uint32_t next;   /* the unit's next node, or GRAPH_NOWHERE */
    uint32_t clock;  /* of the lead: what it has been given so far */
    uint32_t nwait;  /* of the lead: what it waits for, to begin, then to end */
    uint32_t chain;  /* of this node */
    uint32_t meet;   /* of a match's first node: clock of those that gave */
    uint32_t behind; /* the node behind it in its queue */
    uint32_t first_dep; /* in deps[]: who has this node among its deps */
    uint8_t begun;      /* of the lead */
    uint8_t come;       /* to its match: enum come */
    uint8_t over;       /* the thread that issued it goes on */
};

enum come { NOT_COME, COME, SERVED }; /* served: got what it takes */

struct dep {
    uint32_t at, next;
};

struct walk {
    const struct graph *g;
    hazard_begin_fn *fn;
    void *arg;
    struct clocks clocks;
    struct unit *unit;
    struct dep *deps;     /* from 1 */
    uint32_t *count;      /* by chain: numbers given so far */
    uint32_t *cursor;     /* by rank: position of the next node to issue */
    uint32_t *known;      /* by rank: clock of its host */
    uint32_t *nunder_way; /* by rank: units issued that have not ended */
    uint32_t *ready;      /* leads that may begin, or end: a stack */
    uint32_t nready;
};

/* ---- clocks ------------------------------------------------------------------ */

static uint32_t *clock_at(struct clocks *c, uint32_t number)
{
    return c->word + (size_t)number * c->nchains;
}

/* A clock of zeros; 0: no memory. */
static uint32_t clock_new(struct clocks *c)
{
    uint32_t number = c->n + 1;
    if (c->nunused) {
        number = c->unused[--c->nunused];
    } else if (number >= c->room) {
        const uint32_t room = c->room ? 2 * c->room : 64;
        uint32_t *const word =
            realloc(c->word, (size_t)room * c->nchains * sizeof *word);
        if (word)
            c->word = word;
        uint32_t *const unused = realloc(c->unused, room * sizeof *unused);
        if (unused)
            c->unused = unused;
        if (!word || !unused)
            return 0;
        c->room = room;
    }
    if (number > c->n)
        c->n = number;
    memset(clock_at(c, number), 0, c->nchains * sizeof *c->word);
    return number;
}

static void clock_free(struct clocks *c, uint32_t *number)
{
    if (*number)
        c->unused[c->nunused++] = *number;
    *number = 0;
}

/* *to, made if it is none, learns what `from` knows. */
static int clock_join(struct clocks *c, uint32_t *to, uint32_t from)
{
    if (!from)
        return 0;
    if (!*to && !(*to = clock_new(c)))
        return -1;
    uint32_t *const a = clock_at(c, *to);
    const uint32_t *const b = clock_at(c, from);
    for (uint32_t i = 0; i < c->nchains; i++)
        if (b[i] > a[i])
            a[i] = b[i];
    return 0;
}

/* ---- what there is --------------------------------------------------------------- */

static const struct graph_node *node(const struct walk *w, uint32_t at)
{
    return &w->g->nodes[at].node;
}

static struct unit *lead(struct walk *w, uint32_t at)
{
    return &w->unit[w->unit[at].lead];
}

/* In `seen`, the number of what has this key, counting from 1. */
static uint32_t number_of(struct map *seen, uint64_t key, uint32_t *n)
{
    uint32_t *const number = map_at(seen, key);
    if (number && *number == 0)
        *number = ++*n;
    return number ? *number : 0;
}

/* Chains and units of one rank. */
static int find_units(struct walk *w, uint32_t rank)
{
    struct map chains = {0}, groups = {0};
    int err = 0;
    const uint32_t before = w->clocks.nchains;
    uint32_t n = 0;
    for (uint32_t at = w->g->first[rank]; at < w->g->first[rank + 1]; at++) {
        const struct graph_node *const v = node(w, at);
        struct unit *const u = &w->unit[at];
        const uint64_t thread = (uint64_t)1 << 32 | v->thread;
        const uint32_t chain =
            number_of(&chains, v->queue ? v->queue : thread, &n);
        *u = (struct unit){.lead = at,
                           .next = GRAPH_NOWHERE,
                           .behind = GRAPH_NOWHERE,
                           .chain = before + chain - 1};
        uint32_t *const first =
            v->queue && v->group ? map_at(&groups, v->group) : NULL;
        if (!chain || (v->queue && v->group && !first)) {
            err = -1;
            break;
        }
        if (first && *first) {
            u->lead = *first - 1;
            u->next = lead(w, at)->next;
            lead(w, at)->next = at;
        } else if (first) {
            *first = at + 1;
        }
    }
    w->clocks.nchains += n;
    map_release(&chains);
    map_release(&groups);
    return err;
}

static void wait_for(struct walk *w, uint32_t at, uint32_t before)
{
    lead(w, at)->nwait += w->unit[before].lead != w->unit[at].lead;
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
        lead(w, at)->nwait++; // its issue
        if (before != GRAPH_NOWHERE) {
            w->unit[before].behind = at;
            wait_for(w, at, before);
        }
        for (uint32_t i = 0; i < node(w, at)->ndeps; i++) {
            const uint32_t dep = graph_dep(g, at, i);
            if (dep == GRAPH_NOWHERE)
                continue;
            w->deps[++n] = (struct dep){at, w->unit[dep].first_dep};
            w->unit[dep].first_dep = n;
            wait_for(w, at, dep);
        }
    }
    return 0;
}

static int walk_init(struct walk *w)
{
    const struct graph *const g = w->g;
    w->unit = malloc(((size_t)g->nnodes + 1) * sizeof *w->unit);
    w->cursor = calloc((size_t)g->nranks + 1, sizeof *w->cursor);
    w->known = calloc((size_t)g->nranks + 1, sizeof *w->known);
    w->nunder_way = calloc((size_t)g->nranks + 1, sizeof *w->nunder_way);
    w->ready = malloc(((size_t)g->nnodes + 1) * sizeof *w->ready);
    if (!w->unit || !w->cursor || !w->known || !w->nunder_way || !w->ready)
        return -1;
    for (uint32_t rank = 0; rank < g->nranks; rank++) {
        w->cursor[rank] = g->first[rank];
        if (find_units(w, rank) != 0)
            return -1;
    }
    w->count = calloc((size_t)w->clocks.nchains + 1, sizeof *w->count);
    return w->count ? find_order(w) : -1;
}

static void walk_release(struct walk *w)
{
    free(w->clocks.word);
    free(w->clocks.unused);
    free(w->unit);
    free(w->deps);
    free(w->count);
    free(w->cursor);
    free(w->known);
    free(w->nunder_way);
    free(w->ready);
}

/* ---- going on -------------------------------------------------------------------- */

/* One of the things that a unit waited for has come. */
static void come(struct walk *w, uint32_t at)
{
    if (--lead(w, at)->nwait == 0)
        w->ready[w->nready++] = w->unit[at].lead;
}

static int give(struct walk *w, uint32_t at, uint32_t clock)
{
    if (clock_join(&w->clocks, &lead(w, at)->clock, clock) != 0)
        return -1;
    come(w, at);
    return 0;
}

/* ---- matches ----------------------------------------------------------------------- */

static int is_root(const struct graph_node *n)
{
    return n->match_rank == n->match_root;
}

/* Does the beginning of a match's member n come before others' ends? */
static int gives(const struct graph_node *n)
{
    switch (n->match_kind) {
    case GRAPH_MATCH_FROM_ROOT:
    case GRAPH_MATCH_MESSAGE: return is_root(n);
    case GRAPH_MATCH_PAIR: return is_root(n) || n->queue == 0;
    default: return 1;
    }
}

/* And does n's end come after others' beginnings? */
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

/* A node has begun, with its unit's clock. Once all that give have, those that
 * take get what was given. */
static int arrive(struct walk *w, uint32_t at)
{
    uint32_t n, ncome = 0, nmissing = 0;
    const uint32_t *const member = graph_matched(w->g, at, &n);
    if (!n)
        return 0;
    uint32_t *const meet = &w->unit[member[0]].meet;
    w->unit[at].come = COME;
    if (gives(node(w, at)) &&
        clock_join(&w->clocks, meet, lead(w, at)->clock) != 0)
        return -1;
    lead(w, at)->nwait += (uint32_t)takes(node(w, at));
    for (uint32_t i = 0; i < n; i++) {
        ncome += w->unit[member[i]].come != NOT_COME;
        nmissing +=
            w->unit[member[i]].come == NOT_COME && gives(node(w, member[i]));
    }
    for (uint32_t i = 0; i < n && nmissing == 0; i++) {
        struct unit *const u = &w->unit[member[i]];
        if (u->come == COME && takes(node(w, member[i])) &&
            give(w, member[i], *meet) != 0)
            return -1;
        if (u->come == COME)
            u->come = SERVED;
    }
    if (ncome == n)
        clock_free(&w->clocks, meet);
    return 0;
}

/* ---- nodes --------------------------------------------------------------------------- */

/* Issue the node at the rank's cursor. */
static int issue(struct walk *w, uint32_t rank)
{
    const uint32_t at = w->cursor[rank]++;
    const struct graph_node *const n = node(w, at);
    w->unit[at].over = n->queue && !(n->flags & GRAPH_JOIN);
    w->nunder_way[rank]++;
    return give(w, at, w->known[rank]);
}

/* All that the unit waited for has come. */
static int begin(struct walk *w, uint32_t first)
{
    struct unit *const u = &w->unit[first];
    if (!u->clock && !(u->clock = clock_new(&w->clocks)))
        return -1;
    u->begun = 1;
    u->nwait = 1; // until all its nodes have come to their matches
    for (uint32_t at = first; at != GRAPH_NOWHERE; at = w->unit[at].next) {
        const uint32_t chain = w->unit[at].chain;
        const struct hazard_point point = {chain, ++w->count[chain]};
        if (w->fn(w->arg, at, point, clock_at(&w->clocks, u->clock)) != 0)
            return -1;
    }
    for (uint32_t at = first; at != GRAPH_NOWHERE; at = w->unit[at].next)
        if (arrive(w, at) != 0)
            return -1;
    come(w, first);
    return 0;
}

/* Node `at` has ended: who waits for it may know what its unit knows. */
static int hand_on(struct walk *w, uint32_t at, uint32_t clock)
{
    const struct unit *const u = &w->unit[at];
    if (u->behind != GRAPH_NOWHERE && w->unit[u->behind].lead != u->lead &&
        give(w, u->behind, clock) != 0)
        return -1;
    for (uint32_t d = u->first_dep; d; d = w->deps[d].next)
        if (w->unit[w->deps[d].at].lead != u->lead &&
            give(w, w->deps[d].at, clock) != 0)
            return -1;
    return 0;
}

static int end(struct walk *w, uint32_t first)
{
    const uint32_t rank = node(w, first)->rank;
    uint32_t clock = w->unit[first].clock;
    for (uint32_t at = first; at != GRAPH_NOWHERE; at = w->unit[at].next) {
        const uint32_t chain = w->unit[at].chain;
        clock_at(&w->clocks, clock)[chain] = w->count[chain];
    }
    for (uint32_t at = first; at != GRAPH_NOWHERE; at = w->unit[at].next) {
        if (hand_on(w, at, clock) != 0 ||
            (!w->unit[at].over &&
             clock_join(&w->clocks, &w->known[rank], clock) != 0))
            return -1;
        w->unit[at].over = 1;
        w->nunder_way[rank]--;
    }
    w->unit[first].clock = 0;
    clock_free(&w->clocks, &clock);
    return 0;
}

/* ---- the walk -------------------------------------------------------------------------- */

/* The thread of the rank's next node is ready to issue it. */
static int can_issue(const struct walk *w, uint32_t rank)
{
    const uint32_t at = w->cursor[rank];
    if (at == w->g->first[rank + 1])
        return 0;
    const uint32_t before = graph_thread_prev(w->g, at);
    return before == GRAPH_NOWHERE || w->unit[before].over;
}

/* Of the ranks that can go on, the one with the least under way: none runs far
 * ahead of the others, so few clocks are alive. nranks: no rank can. */
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
            const uint32_t first = w->ready[--w->nready];
            if ((w->unit[first].begun ? end : begin)(w, first) != 0)
                return -1;
        }
        const uint32_t rank = next_rank(w);
        if (rank == w->g->nranks)
            return 0;
        if (issue(w, rank) != 0)
            return -1;
    }
}

int hazard_order(const struct graph *g, hazard_begin_fn *fn, void *arg)
{
    struct walk w = {.g = g, .fn = fn, .arg = arg};
    const int err = walk_init(&w) != 0 ? -1 : walk_all(&w);
    walk_release(&w);
    return err;
}
