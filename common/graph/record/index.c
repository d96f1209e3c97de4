#define _GNU_SOURCE /* qsort_r */
#include "graph/record/index.h"

#include <stdlib.h>   /* calloc */
#include <sys/mman.h> /* munmap */

#include "base/map.h"

struct graph *graph_new(uint32_t nranks, uint32_t nnodes)
{
    struct graph *const g = calloc(1, sizeof *g);
    struct graph_index *const x = calloc(1, sizeof *x);
    if (!g || !x) {
        free(g);
        free(x);
        return NULL;
    }
    const size_t n = (size_t)nnodes + 1; // calloc(0) may be NULL
    g->index = x;
    g->nranks = nranks;
    g->nnodes = nnodes;
    g->nodes = malloc(n * sizeof *g->nodes);
    g->first = x->first = calloc((size_t)nranks + 1, sizeof *x->first);
    g->since = x->since = calloc((size_t)nranks + 1, sizeof *x->since);
    x->thread_prev = malloc(n * sizeof *x->thread_prev);
    x->queue_prev = malloc(n * sizeof *x->queue_prev);
    x->match = calloc(n, sizeof *x->match);
    if (g->nodes && g->first && g->since && x->thread_prev && x->queue_prev &&
        x->match)
        return g;
    graph_free(g);
    return NULL;
}

void graph_free(struct graph *g)
{
    if (!g)
        return;
    struct graph_index *const x = g->index;
    for (uint32_t r = 0; x->segment && r < g->nranks; r++) {
        segment_release(&x->segment[r]);
        if (x->mapped[r])
            munmap(x->bytes[r], x->mapped[r]);
        else
            free(x->bytes[r]);
    }
    free(x->segment);
    free(x->bytes);
    free(x->mapped);
    free(x->seen);
    arena_release(&x->arena);
    free(x->first);
    free(x->since);
    free(x->thread_prev);
    free(x->queue_prev);
    free(x->match);
    free(x->match_begin);
    free(x->match_member);
    free(x);
    free(g->nodes);
    free(g->queues);
    free(g->allocs);
    free(g->faults);
    free(g->harms);
    free(g->apart);
    free(g);
}

/* ---- threads and queues -------------------------------------------------- */

/* `last` maps each thread or queue to the position after its latest node. */
static int find_prev(struct map *last, uint32_t at, uint32_t line,
                     uint32_t *prev)
{
    uint64_t *const value = map_at(last, line);
    if (!value)
        return -1;
    *prev = *value ? *value - 1 : GRAPH_NOWHERE;
    *value = at + 1;
    return 0;
}

/* The first dependence of a node, if that is an earlier node of its rank. */
static uint32_t earlier(const struct graph *g, uint32_t at)
{
    const uint32_t dep = graph_dep(g, at, 0);
    return dep >= g->first[g->nodes[at].node.rank] && dep < at ? dep
                                                               : GRAPH_NOWHERE;
}

static int index_rank(struct graph *g, uint32_t rank)
{
    struct graph_index *const x = g->index;
    struct map threads = {0}, queues = {0};
    int err = 0;
    for (uint32_t at = g->first[rank]; at < g->first[rank + 1] && !err; at++) {
        const struct graph_node *const n = &g->nodes[at].node;
        err = find_prev(&threads, at, n->thread, &x->thread_prev[at]);
        if (!err && n->thread && x->thread_prev[at] == GRAPH_NOWHERE &&
            map_get(&threads, 0))
            x->thread_prev[at] = map_get(&threads, 0) - 1;
        if (n->flags & GRAPH_AGAIN && n->ndeps)
            x->thread_prev[at] = earlier(g, at);
        x->queue_prev[at] = GRAPH_NOWHERE;
        if (!err && n->queue)
            err = find_prev(&queues, at, n->queue, &x->queue_prev[at]);
    }
    map_release(&threads);
    map_release(&queues);
    return err;
}

/* ---- matches ------------------------------------------------------------- */

static int by_match_rank(const void *a, const void *b, void *nodes)
{
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const uint32_t ri = ((struct graph_view *)nodes)[i].node.match_rank;
    const uint32_t rj = ((struct graph_view *)nodes)[j].node.match_rank;
    return ri != rj ? (ri > rj) - (ri < rj) : (i > j) - (i < j);
}

/* Number the matches from 1. Returns how many there are, or -1. */
static int64_t number_matches(struct graph *g)
{
    struct map keys = {0};
    int64_t count = 0;
    for (uint32_t at = 0; at < g->nnodes && count >= 0; at++) {
        if (g->nodes[at].node.match == 0)
            continue;
        uint64_t *const number = map_at(&keys, g->nodes[at].node.match);
        if (number && *number == 0)
            *number = (uint32_t)++count;
        if (number)
            g->index->match[at] = *number;
        else
            count = -1;
    }
    map_release(&keys);
    return count;
}

/* match_begin[m] .. match_begin[m + 1]: the members of match m. */
static int index_matches(struct graph *g)
{
    struct graph_index *const x = g->index;
    const int64_t count = number_matches(g);
    if (count < 0)
        return -1;
    x->match_begin = calloc((size_t)count + 3, sizeof *x->match_begin);
    x->match_member = malloc(((size_t)g->nnodes + 1) * sizeof(uint32_t));
    if (!x->match_begin || !x->match_member)
        return -1;
    // Counts are stored two places further on, so filling turns them into
    // begins.
    uint32_t *const fill = x->match_begin + 1;
    for (uint32_t at = 0; at < g->nnodes; at++)
        if (x->match[at])
            fill[x->match[at] + 1]++;
    for (int64_t m = 1; m <= count; m++)
        fill[m + 1] += fill[m];
    for (uint32_t at = 0; at < g->nnodes; at++)
        if (x->match[at])
            x->match_member[fill[x->match[at]]++] = at;
    for (int64_t m = 1; m <= count; m++)
        qsort_r(x->match_member + x->match_begin[m],
                x->match_begin[m + 1] - x->match_begin[m], sizeof(uint32_t),
                by_match_rank, g->nodes);
    return 0;
}

int graph_index_broken(const struct segment *s, uint32_t from,
                       struct map *broken)
{
    for (uint32_t i = from; i <= s->nbroken; i++) {
        const uint64_t match = s->node[s->broken[i]].node->match;
        uint64_t *const is_broken = match ? map_at(broken, match) : NULL;
        if (match && !is_broken)
            return -1;
        if (match)
            *is_broken = 1;
    }
    return 0;
}

static void break_off(struct graph_view *v)
{
    v->node.kind = v->node.queue ? GRAPH_MARK : GRAPH_HOST;
    v->node.match = 0;
    v->node.match_kind = GRAPH_MATCH_NONE;
    v->node.latency_ps = 0;
    v->node.nmoves = v->node.naccesses = 0;
    v->nmoves = v->naccesses = 0;
}

void graph_index_break(struct graph *g, const struct map *broken)
{
    for (uint32_t at = 0; broken->count && at < g->nnodes; at++)
        if (g->nodes[at].node.match && map_get(broken, g->nodes[at].node.match))
            break_off(&g->nodes[at]);
}

int graph_index_build(struct graph *g)
{
    for (uint32_t rank = 0; rank < g->nranks; rank++)
        if (index_rank(g, rank) != 0)
            return -1;
    return index_matches(g);
}

/* ---- notes --------------------------------------------------------------- */

const struct segment *graph_index_segment(const struct graph *g, uint32_t rank)
{
    const struct graph_index *const x = g->index;
    return x->segment ? &x->segment[rank] : x->seen ? x->seen[rank] : NULL;
}

int graph_index_notes(struct graph *g)
{
    size_t nqueues = 0, nallocs = 0, nfaults = 0;
    for (uint32_t r = 0; r < g->nranks; r++) {
        const struct segment *const s = graph_index_segment(g, r);
        nqueues += s->nqueues;
        nallocs += s->nallocs;
        nfaults += s->nfaults;
    }
    g->queues = malloc((nqueues + 1) * sizeof *g->queues);
    g->allocs = malloc((nallocs + 1) * sizeof *g->allocs);
    g->faults = malloc((nfaults + 1) * sizeof *g->faults);
    if (!g->queues || !g->allocs || !g->faults)
        return -1;
    for (uint32_t r = 0; r < g->nranks; r++) {
        const struct segment *const s = graph_index_segment(g, r);
        for (uint32_t i = 1; i <= s->nqueues; i++) {
            const struct format_queue *const q = s->queue[i];
            g->queues[g->nqueues++] = (struct graph_queue_note){
                r, q->queue, q->place, (const char *)(q + 1)};
        }
        for (uint32_t i = 1; i <= s->nallocs; i++) {
            const struct format_alloc *const a = s->alloc[i];
            const char *const site =
                a->site && a->site <= s->nsites ? s->site[a->site].text : NULL;
            g->allocs[g->nallocs++] = (struct graph_alloc_note){
                .alloc = a->alloc,
                .nbytes = a->nbytes,
                .place = a->place,
                .on_device = a->device != FORMAT_NO_DEVICE,
                .site_id = a->site,
                .site = site ? site : "",
                .after = s->alloc_after[i]};
        }
        for (uint32_t i = 1; i <= s->nfaults; i++) {
            const struct format_fault *const f = s->fault[i];
            const int warning =
                f->warning == GRAPH_REMARK || f->warning == GRAPH_PLACE
                    ? (int)f->warning
                    : f->warning != 0;
            g->faults[g->nfaults++] = (struct graph_fault_note){
                r, f->index, f->site, warning, (const char *)(f + 1)};
        }
    }
    return 0;
}

int graph_index_harms(struct graph *g, uint32_t rank, const struct segment *s)
{
    if (s->nharms == 0)
        return 0;
    const size_t n = g->nharms + s->nharms;
    struct graph_harm_note *const larger =
        realloc(g->harms, n * sizeof *g->harms);
    if (!larger)
        return -1;
    g->harms = larger;
    for (uint32_t i = 1; i <= s->nharms; i++) {
        const struct graph_harm *const h = s->harm[i];
        g->harms[g->nharms++] = (struct graph_harm_note){
            rank, h, segment_string(s, h->span), (const char *)(h + 1)};
    }
    return 0;
}

/* ---- queries ------------------------------------------------------------- */

/* Position of the last part of a node whose number is at most `part`. */
static uint32_t find_part(const struct graph *g, struct graph_ref ref,
                          uint32_t part)
{
    if (ref.rank >= g->nranks)
        return GRAPH_NOWHERE;
    const uint32_t first = g->first[ref.rank];
    uint32_t low = first, high = g->first[ref.rank + 1];
    if (low == high || ref.index < g->nodes[low].node.index)
        return GRAPH_NOWHERE;
    // Without gaps in the numbers, the node is here.
    const uint32_t guess = ref.index - g->nodes[low].node.index;
    if (guess < high - low && g->nodes[low + guess].node.index == ref.index)
        low += guess;
    while (low < high && g->nodes[low].node.index != ref.index) {
        const uint32_t middle = low + (high - low) / 2;
        if (g->nodes[middle].node.index < ref.index)
            low = middle + 1;
        else if (g->nodes[middle].node.index > ref.index)
            high = middle;
        else
            low = middle;
    }
    if (low >= high)
        return GRAPH_NOWHERE;
    // position of its first part
    const uint32_t begin = low - g->nodes[low].part;
    high = g->first[ref.rank + 1];
    // most nodes have one part: doubling steps find it at once
    for (uint32_t n = 1; n < high - low; n *= 2)
        if (g->nodes[low + n].node.index == ref.index)
            low += n;
        else
            high = low + n;
    while (high - low > 1) { // its last part is in low..high-1
        const uint32_t middle = low + (high - low) / 2;
        if (g->nodes[middle].node.index == ref.index)
            low = middle;
        else
            high = middle;
    }
    return part < low - begin ? begin + part : low;
}

uint32_t graph_find(const struct graph *g, struct graph_ref ref)
{
    return find_part(g, ref, UINT32_MAX);
}

uint32_t graph_dep(const struct graph *g, uint32_t at, uint32_t i)
{
    const struct graph_view *const v = &g->nodes[at];
    return find_part(g, v->deps[i],
                     v->dep_parts ? v->dep_parts[i] : UINT32_MAX);
}

const struct graph_view *graph_node_at(const struct graph *g,
                                       struct graph_ref ref)
{
    const uint32_t at = graph_find(g, ref);
    return at == GRAPH_NOWHERE ? NULL : &g->nodes[at];
}

uint32_t graph_thread_prev(const struct graph *g, uint32_t at)
{
    return g->index->thread_prev[at];
}

uint32_t graph_queue_prev(const struct graph *g, uint32_t at)
{
    return g->index->queue_prev[at];
}

const uint32_t *graph_matched(const struct graph *g, uint32_t at, uint32_t *n)
{
    const struct graph_index *const x = g->index;
    const uint32_t m = x->match[at];
    *n = m ? x->match_begin[m + 1] - x->match_begin[m] : 0;
    return m ? x->match_member + x->match_begin[m] : NULL;
}
