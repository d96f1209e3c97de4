#include <stdlib.h> /* malloc */
#include <string.h> /* memcpy */

#include "graph/record/segment.h"

struct arena_block {
    struct arena_block *next;
    char data[];
};

void *arena_alloc(struct arena *a, size_t nbytes)
{
    struct arena_block *const b = malloc(sizeof *b + nbytes);
    if (!b)
        return NULL;
    b->next = a->blocks;
    a->blocks = b;
    return b->data;
}

void arena_release(struct arena *a)
{
    while (a->blocks) {
        struct arena_block *const next = a->blocks->next;
        free(a->blocks);
        a->blocks = next;
    }
}

/*
 * Append the amendments from *i up to the next part, or the last one, to the
 * view's arrays. Advances *i.
 */
static int join_arrays(const struct segment *s, uint32_t *i,
                       struct arena *arena, struct graph_view *v)
{
    const uint32_t first = *i;
    uint64_t nmoves = v->nmoves, naccesses = v->naccesses;
    for (; *i && s->amend[*i].amend; *i = s->amend[*i].next) {
        nmoves += s->amend[*i].amend->nmoves;
        naccesses += s->amend[*i].amend->naccesses;
        v->node.flops += s->amend[*i].amend->flops;
    }
    if (*i == first)
        return 0;
    struct graph_access *const accesses =
        arena_alloc(arena, nmoves * sizeof(struct graph_move) +
                               naccesses * sizeof *accesses);
    if (!accesses)
        return -1;
    struct graph_move *const moves = (void *)(accesses + naccesses);
    memcpy(accesses, v->accesses, v->naccesses * sizeof *accesses);
    memcpy(moves, v->moves, v->nmoves * sizeof *moves);
    for (uint32_t k = first; k != *i; k = s->amend[k].next) {
        const struct format_amend *const a = s->amend[k].amend;
        const struct graph_move *const m = (const void *)(a + 1);
        memcpy(moves + v->nmoves, m, a->nmoves * sizeof *m);
        memcpy(accesses + v->naccesses, m + a->nmoves,
               a->naccesses * sizeof *accesses);
        v->nmoves += a->nmoves;
        v->naccesses += a->naccesses;
    }
    v->moves = moves;
    v->accesses = accesses;
    return 0;
}

/* Start the view of a later part, whose dependences are the parts
 * that it follows. */
static int begin_part(const struct format_part *p, struct arena *arena,
                      struct graph_view *v)
{
    const struct graph_point *const after = (const void *)(p + 1);
    struct graph_ref *const deps =
        arena_alloc(arena, p->nafter * (sizeof *deps + sizeof(uint32_t)));
    if (!deps)
        return -1;
    uint32_t *const parts = (void *)(deps + p->nafter);
    for (uint32_t i = 0; i < p->nafter; i++) {
        deps[i] = (struct graph_ref){after[i].rank, after[i].index};
        parts[i] = after[i].part;
    }
    v->part++;
    v->node.host_ps = 0;
    v->node.latency_ps = p->latency_ps;
    v->node.flops = 0;
    v->node.match = 0; // the match belongs to the first part
    v->node.match_kind = GRAPH_MATCH_NONE;
    v->node.group = 0;
    v->node.ndeps = (uint16_t)p->nafter;
    v->node.nmoves = 0;
    v->node.naccesses = 0;
    v->nmoves = v->naccesses = 0;
    v->deps = deps;
    v->dep_parts = parts;
    return 0;
}

/* Turn the view into that of a part aside, a copy over the network. */
static void set_aside(const struct segment *s, const struct format_aside *a,
                      struct graph_view *v)
{
    v->node.kind = GRAPH_COPY;
    v->node.queue = a->queue;
    v->node.name = a->name;
    v->node.flags = (v->node.flags & ~(uint32_t)(GRAPH_JOIN | GRAPH_STAGED)) |
                    GRAPH_NETWORK;
    v->name = segment_string(s, a->name);
}

int segment_views(const struct segment *s, uint32_t index, uint32_t n,
                  struct arena *arena, struct graph_view *out)
{
    const struct graph_node *const node = s->node[index].node;
    const struct graph_ref *const deps = (const void *)(node + 1);
    const struct graph_move *const moves = (const void *)(deps + node->ndeps);
    const char *const text = node->site ? s->site[node->site].text : NULL;
    struct graph_view v = {
        .node = *node,
        .deps = deps,
        .moves = moves,
        .nmoves = node->nmoves,
        .accesses = (const void *)(moves + node->nmoves),
        .naccesses = node->naccesses,
        .name = segment_string(s, node->name),
        .span = segment_string(s, node->span),
        .site = text ? text : "",
        .begun = s->node[index].begun,
    };
    uint32_t at = s->node[index].amend;
    for (uint32_t part = 0; part < n; part++) {
        const struct format_aside *const aside =
            part ? s->amend[at].aside : NULL;
        if (part && begin_part(s->amend[at].part, arena, &v) != 0)
            return -1;
        if (part)
            at = s->amend[at].next;
        if (join_arrays(s, &at, arena, &v) != 0)
            return -1;
        out[part] = v;
        if (aside)
            set_aside(s, aside, &out[part]);
    }
    return 0;
}
