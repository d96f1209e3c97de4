#include "graph/hazard/hazard_ring.h"

#include <stdlib.h> /* calloc */

#include "base/map.h"
#include "base/mix.h"

enum { NONE = UINT32_MAX };

struct issuer {
    uint32_t current, last; /* positions: its current group's first call */
    uint32_t nleft;         /* collectives of the group that aren't over */
    uint32_t step;          /* when a search has come by; 0: none has */
};

struct ring {
    const struct graph *g;
    struct map number; /* by issuer: its number in issuer[], from 1 */
    struct issuer *issuer;
    uint32_t nissuers;
    uint32_t *of, *next; /* by position: its issuer; its issuer's next call */
    uint32_t *begun; /* by position of a match's first member: members begun */
    uint32_t *ready; /* issuers whose current group is over */
    uint32_t nready, nsteps; /* nsteps: of all searches */
};

static uint64_t key_of(const struct graph_node *n)
{
    const uint64_t host = mix_hash((uint64_t)n->rank << 32 | n->thread);
    return mix_hash(host ^ (uint32_t)n->place);
}

/* The members of a collective's match; NULL for any other node. */
static const uint32_t *members_of(const struct graph *g, uint32_t at,
                                  uint32_t *n)
{
    const struct graph_node *const node = &g->nodes[at].node;
    *n = 0;
    return node->kind == GRAPH_COLL && node->queue ? graph_matched(g, at, n)
                                                   : NULL;
}

static int same_group(const struct graph *g, uint32_t a, uint32_t b)
{
    return g->nodes[a].node.group &&
           g->nodes[a].node.group == g->nodes[b].node.group;
}

/* Append a call to its issuer's. */
static int append(struct ring *r, uint32_t at)
{
    uint64_t *const number = map_at(&r->number, key_of(&r->g->nodes[at].node));
    if (!number)
        return -1;
    if (!*number) {
        *number = ++r->nissuers;
        r->issuer[*number - 1].current = at;
    } else {
        r->next[r->issuer[*number - 1].last] = at;
    }
    r->of[at] = (uint32_t)*number - 1;
    r->issuer[*number - 1].last = at;
    return 0;
}

/* A member of a match begins: if it is the last, all members are over. */
static void begin(struct ring *r, uint32_t at)
{
    uint32_t n;
    const uint32_t *const member = members_of(r->g, at, &n);
    if (++r->begun[member[0]] < r->g->nodes[at].node.match_size)
        return;
    for (uint32_t i = 0; i < n; i++)
        if (--r->issuer[r->of[member[i]]].nleft == 0)
            r->ready[r->nready++] = r->of[member[i]];
}

/* An issuer begins the group that its current call is in. */
static void enter(struct ring *r, struct issuer *i)
{
    uint32_t at = i->current, end = at;
    while (end != NONE && (end == at || same_group(r->g, at, end))) {
        i->nleft++;
        end = r->next[end];
    }
    for (; at != end; at = r->next[at])
        begin(r, at);
}

/* An issuer's group is over: continue with the next one, if any. */
static void advance(struct ring *r, struct issuer *i)
{
    const uint32_t at = i->current;
    while (i->current != NONE &&
           (i->current == at || same_group(r->g, at, i->current)))
        i->current = r->next[i->current];
    if (i->current != NONE)
        enter(r, i);
}

/* A call of the waiting issuer's group whose match waits for a member of
 * another issuer that comes later there. Returns that member, or NONE. */
static uint32_t awaited(const struct ring *r, const struct issuer *i,
                        uint32_t *call)
{
    uint32_t n;
    for (uint32_t at = i->current;
         at != NONE && (at == i->current || same_group(r->g, i->current, at));
         at = r->next[at]) {
        const uint32_t *const member = members_of(r->g, at, &n);
        for (uint32_t k = 0; k < n; k++) {
            const struct issuer *const other = &r->issuer[r->of[member[k]]];
            if (other == i || member[k] <= other->current ||
                same_group(r->g, member[k], other->current))
                continue;
            *call = at;
            return member[k];
        }
    }
    return NONE;
}

/* Follow the waits from an issuer. Returns the number of links, 0: no ring.
 * What an earlier search has come by leads to none. */
static uint32_t follow(struct ring *r, struct issuer *i,
                       struct hazard_link *link)
{
    const uint32_t before = r->nsteps;
    for (uint32_t n = 1;; n++) {
        uint32_t call = NONE;
        i->step = ++r->nsteps;
        const uint32_t later = awaited(r, i, &call);
        if (later == NONE)
            return 0;
        link[n - 1].first = call;
        i = &r->issuer[r->of[later]];
        if (!i->step) {
            link[n].then = later;
            continue;
        }
        if (i->step <= before)
            return 0;
        const uint32_t from = i->step - before - 1; // the ring's first link
        link[from].then = later;
        for (uint32_t k = from; k < n; k++)
            link[k - from] = link[k];
        return n - from;
    }
}

static int start(struct ring *r)
{
    const uint32_t n = r->g->nnodes;
    uint32_t nmembers;
    r->issuer = calloc(n + 1, sizeof *r->issuer);
    r->of = calloc(n + 1, sizeof *r->of);
    r->next = malloc((n + 1) * sizeof *r->next);
    r->begun = calloc(n + 1, sizeof *r->begun);
    r->ready = malloc((n + 1) * sizeof *r->ready);
    if (!r->issuer || !r->of || !r->next || !r->begun || !r->ready)
        return -1;
    for (uint32_t at = 0; at < n; at++) {
        r->next[at] = NONE;
        if (members_of(r->g, at, &nmembers) && append(r, at) != 0)
            return -1;
    }
    return 0;
}

static int search(struct ring *r,
                  int (*fn)(void *arg, const struct hazard_link *link,
                            uint32_t n),
                  void *arg)
{
    for (uint32_t i = 0; i < r->nissuers; i++)
        enter(r, &r->issuer[i]);
    while (r->nready > 0)
        advance(r, &r->issuer[r->ready[--r->nready]]);
    struct hazard_link *const link = calloc(r->nissuers + 1, sizeof *link);
    int result = link ? 0 : -1;
    for (uint32_t i = 0; i < r->nissuers && result == 0; i++) {
        const struct issuer *const from = &r->issuer[i];
        if (from->current == NONE || from->step)
            continue;
        const uint32_t n = follow(r, &r->issuer[i], link);
        if (n > 0) {
            result = fn(arg, link, n);
            break;
        }
    }
    free(link);
    return result;
}

int hazard_ring(const struct graph *g,
                int (*fn)(void *arg, const struct hazard_link *link,
                          uint32_t n),
                void *arg)
{
    struct ring r = {.g = g};
    const int result = start(&r) == 0 ? search(&r, fn, arg) : -1;
    map_release(&r.number);
    free(r.issuer);
    free(r.of);
    free(r.next);
    free(r.begun);
    free(r.ready);
    return result;
}
