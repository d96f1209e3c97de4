#include "graph/hazard/hazard_crossed.h"

#include "base/map.h"
#include "base/mix.h"

struct crossed {
    const struct graph *g;
    /* by pair of issuers: the last collective of both, the position of the
     * first issuer's node in the upper half, of the other's in the lower */
    struct map last;
    int (*fn)(void *arg, const struct hazard_crossed *c);
    void *arg;
};

/* Hash the host thread and device of two nodes. */
static uint64_t pair_key(const struct graph_node *a, const struct graph_node *b)
{
    uint64_t key = 0;
    for (int i = 0; i < 2; i++) {
        const struct graph_node *const n = i ? b : a;
        key = mix_hash(key ^ ((uint64_t)n->rank << 32 | n->thread));
        key = mix_hash(key ^ (uint32_t)n->place);
    }
    return key;
}

static int same_group(const struct graph *g, uint32_t a, uint32_t b)
{
    return g->nodes[a].node.group &&
           g->nodes[a].node.group == g->nodes[b].node.group;
}

/* Compare the order of `at` and of another member of its match with that of
 * the last collective that both issued. */
static int compare(struct crossed *c, uint32_t at, uint32_t other)
{
    const struct graph *const g = c->g;
    uint64_t *const last =
        map_at(&c->last, pair_key(&g->nodes[other].node, &g->nodes[at].node));
    if (!last)
        return -1;
    const uint32_t last_other = (uint32_t)(*last >> 32);
    const uint32_t last_at = (uint32_t)*last;
    if (*last == 0 || other >= last_other) {
        *last = (uint64_t)other << 32 | at;
        return 0;
    }
    if (same_group(g, at, last_at) || same_group(g, other, last_other))
        return 0;
    const struct hazard_crossed found = {{other, last_other}, {last_at, at}};
    return c->fn(c->arg, &found);
}

/* Compare a collective's node with the first member of its match and with the
 * one before it. */
static int check(struct crossed *c, uint32_t at)
{
    const struct graph_node *const n = &c->g->nodes[at].node;
    uint32_t nmembers, k = 0;
    if (n->kind != GRAPH_COLL || n->queue == 0)
        return 0;
    const uint32_t *const member = graph_matched(c->g, at, &nmembers);
    while (k < nmembers && member[k] != at)
        k++;
    if (k == 0 || k == nmembers)
        return 0;
    if (compare(c, at, member[0]) != 0)
        return -1;
    return k > 1 ? compare(c, at, member[k - 1]) : 0;
}

int hazard_crossed(const struct graph *g,
                   int (*fn)(void *arg, const struct hazard_crossed *c),
                   void *arg)
{
    struct crossed c = {.g = g, .fn = fn, .arg = arg};
    int result = 0;
    for (uint32_t at = 0; at < g->nnodes && result == 0; at++)
        result = check(&c, at);
    map_release(&c.last);
    return result;
}
