#include "graph/record/live.h"

#include <errno.h>    /* EINVAL */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* calloc */
#include <string.h>   /* memcmp */
#include <sys/mman.h> /* PROT_READ */

#include "graph/record/index.h"
#include "graph/record/live_rank.h"

struct live_member { /* a member of a match */
    struct graph_ref ref;
    uint32_t next;
};

/* A query in progress. */
struct past {
    struct graph_live *l;
    uint32_t cut;
    uint32_t nnodes; /* nodes in the resulting graph */
    char *err;
    size_t err_nbytes;
};

struct graph_live {
    uint32_t nranks;
    struct live_rank *rank;
    struct map matches; /* by match: its first member in member[], from 1 */
    struct live_member *member;
    uint32_t nmembers;
    struct map broken; /* the matches that have been broken */
    uint32_t *cut;     /* by cut, from 1, and rank: the rank's node */
    uint32_t ncuts;
    uint32_t nexamined;    /* candidates for a cut that have been examined on
                              all ranks */
    uint32_t question;     /* number of the last query */
    uint32_t *last;        /* by rank: the last node that the query reached */
    struct live_list work; /* (rank, node) pairs whose ends are still to
                              be visited */
};

struct graph_live *graph_live_new(uint32_t nranks)
{
    struct graph_live *const l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->nranks = nranks;
    l->rank = calloc(nranks, sizeof *l->rank);
    l->last = calloc(nranks, sizeof *l->last);
    if (l->rank && l->last)
        return l;
    l->nranks = 0;
    graph_live_free(l);
    return NULL;
}

void graph_live_free(struct graph_live *l)
{
    if (!l)
        return;
    for (uint32_t r = 0; r < l->nranks; r++)
        live_rank_release(&l->rank[r]);
    free(l->rank);
    map_release(&l->matches);
    map_release(&l->broken);
    free(l->member);
    free(l->cut);
    free(l->last);
    free(l->work.item);
    free(l);
}

int graph_live_attach(struct graph_live *l, uint32_t rank, int fd)
{
    struct live_rank *const r = &l->rank[rank];
    if (mapped_init(&r->mapped, fd, PROT_READ) != 0)
        return -1;
    if (segment_init(&r->segment, r->mapped.bytes, r->mapped.nbytes) == 0 &&
        r->segment.rank == rank && r->segment.nranks == l->nranks) {
        r->header = (const void *)r->mapped.bytes;
        return 0;
    }
    mapped_release(&r->mapped);
    errno = EINVAL;
    return -1;
}

int graph_live_attached(const struct graph_live *l, uint32_t rank)
{
    return l->rank[rank].header != NULL;
}

/* ---- reading ------------------------------------------------------------- */

static int note_member(struct graph_live *l, const struct graph_node *n)
{
    if (n->match == 0)
        return 0;
    uint64_t *const first = map_at(&l->matches, n->match);
    const uint32_t number = l->nmembers + 1;
    if (!first || live_room(&l->member, number, sizeof *l->member) != 0)
        return -1;
    l->member[number] = (struct live_member){{n->rank, n->index}, *first};
    l->nmembers = number;
    *first = number;
    return 0;
}

static int read_on(struct graph_live *l, struct live_rank *r)
{
    const uint64_t used =
        atomic_load_explicit(&r->header->used, memory_order_acquire);
    if (used > FORMAT_CAPACITY || mapped_reach(&r->mapped, used) != 0)
        return -1;
    r->segment.bytes = r->mapped.bytes;
    if (segment_advance(&r->segment, used) != 0)
        return -1;
    const uint32_t seen = r->nbroken;
    live_rank_break(r);
    while (r->nnodes < r->segment.nnodes)
        if (live_rank_next(r) != 0 ||
            note_member(l, r->segment.node[r->nnodes].node) != 0)
            return -1;
    return graph_index_broken(&r->segment, seen + 1, &l->broken);
}

/* True if candidate k of all ranks is a single operation, and a cut. */
static int is_cut(const struct graph_live *l, uint32_t k)
{
    uint64_t open = 0;
    for (uint32_t r = 0; r < l->nranks; r++) {
        const struct live_candidate *const c = &l->rank[r].candidate[k];
        if (!c->idle || c->match != l->rank[0].candidate[k].match)
            return 0;
        open += c->open;
    }
    return open == 0;
}

static int find_cuts(struct graph_live *l)
{
    for (;; l->nexamined++) {
        for (uint32_t r = 0; r < l->nranks; r++)
            if (l->rank[r].ncandidates <= l->nexamined)
                return 0;
        if (!is_cut(l, l->nexamined))
            continue;
        if (live_room(&l->cut, l->ncuts, l->nranks * sizeof *l->cut) != 0)
            return -1;
        for (uint32_t r = 0; r < l->nranks; r++)
            l->cut[(size_t)l->ncuts * l->nranks + r] =
                l->rank[r].candidate[l->nexamined].node;
        l->ncuts++;
    }
}

int graph_live_update(struct graph_live *l, char *err, size_t err_nbytes)
{
    for (uint32_t r = 0; r < l->nranks; r++) {
        const struct segment *const s = &l->rank[r].segment;
        if (!l->rank[r].header || read_on(l, &l->rank[r]) == 0)
            continue;
        snprintf(err, err_nbytes, "the execution graph of rank %u: %llu: %s", r,
                 (unsigned long long)s->at,
                 s->wrong[0] ? s->wrong : "no memory");
        return -1;
    }
    if (find_cuts(l) == 0)
        return 0;
    snprintf(err, err_nbytes, "no memory for cut %u", l->ncuts);
    return -1;
}

/* ---- queries ------------------------------------------------------------- */

struct graph_moment graph_live_host(const struct graph_live *l, uint32_t rank,
                                    uint32_t thread)
{
    const struct live_rank *const r = &l->rank[rank];
    uint32_t number = map_get(&r->threads, thread);
    if (!number) // no calls yet: the thread is where thread 0 is
        number = map_get(&r->threads, 0);
    if (!number)
        return (struct graph_moment){{rank, 0}, 0};
    const struct live_thread *const t = &r->thread[number - 1];
    return (struct graph_moment){{rank, t->join}, t->host_ps};
}

struct graph_ref graph_live_cut_node(const struct graph_live *l, uint32_t cut,
                                     uint32_t rank)
{
    return (struct graph_ref){
        rank, cut ? l->cut[(size_t)(cut - 1) * l->nranks + rank] : 0};
}

uint32_t graph_live_cut(const struct graph_live *l, struct graph_ref ref)
{
    uint32_t low = 0, high = l->ncuts; // the answer lies in low..high
    while (low < high) {
        const uint32_t middle = low + (high - low + 1) / 2;
        if (graph_live_cut_node(l, middle, ref.rank).index < ref.index)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

const char *graph_live_site(const struct graph_live *l, uint32_t rank,
                            uint32_t site, char *out, size_t nbytes)
{
    return segment_site(&l->rank[rank].segment, site, out, nbytes);
}

/* ---- the causal past ----------------------------------------------------- */

/* How much of a node a query has reached: its issue, the ends of some of its
 * parts (given as their number), or its end. */
#define REACH_ISSUE 0u
#define REACH_END   UINT32_MAX

static int reach(struct past *p, struct graph_ref ref, uint32_t parts)
{
    struct graph_live *const l = p->l;
    if (ref.index <= graph_live_cut_node(l, p->cut, ref.rank).index)
        return 0; // ended before the cut, or is not a node
    if (ref.index > l->rank[ref.rank].nnodes) {
        snprintf(p->err, p->err_nbytes,
                 l->rank[ref.rank].header
                     ? "rank %u has not recorded its operation %u"
                     : "the graph of rank %u is not attached (operation %u)",
                 ref.rank, ref.index);
        return -1;
    }
    if (parts != REACH_END &&
        parts > l->rank[ref.rank].segment.node[ref.index].nparts) {
        snprintf(p->err, p->err_nbytes,
                 "rank %u has not recorded part %u of its operation %u",
                 ref.rank, parts - 1, ref.index);
        return -1;
    }
    struct live_node *const n = &l->rank[ref.rank].node[ref.index];
    if (n->question == l->question && n->parts >= parts)
        return 0;
    const int waits = n->question == l->question && n->waits;
    n->question = l->question;
    n->parts = parts;
    n->waits = 1;
    if (ref.index > l->last[ref.rank])
        l->last[ref.rank] = ref.index;
    if (waits) // it will be visited with these parts
        return 0;
    return live_push(&l->work, ref.rank) || live_push(&l->work, ref.index);
}

/* Reach the ends of a node and of those before it in its batch. */
static int reach_batch(struct past *p, struct graph_ref ref)
{
    if (ref.index == 0)
        return 0;
    if (reach(p, ref, REACH_END) != 0)
        return -1;
    const struct live_node *const node = p->l->rank[ref.rank].node;
    const uint32_t before = node[ref.index].batch_prev;
    while ((ref.index = node[ref.index].queue_prev) != before)
        if (reach(p, ref, REACH_END) != 0)
            return -1;
    return 0;
}

/* True if the end of n waits for member m of its match. */
static int waits_for(const struct graph_node *n, const struct graph_node *m)
{
    if (n == m)
        return 1;
    switch (graph_time_match(n)) {
    case GRAPH_MATCH_FROM_ROOT:
    case GRAPH_MATCH_MESSAGE: return m->match_rank == n->match_root;
    case GRAPH_MATCH_TO_ROOT: return n->match_rank == n->match_root;
    default: return 1;
    }
}

/* The number of members for which waits_for() holds. */
static uint32_t nwaited(const struct graph_node *n)
{
    const int is_root = n->match_rank == n->match_root;
    switch (graph_time_match(n)) {
    case GRAPH_MATCH_FROM_ROOT:
    case GRAPH_MATCH_MESSAGE: return is_root ? 1 : 2;
    case GRAPH_MATCH_TO_ROOT: return is_root ? n->match_size : 1;
    default: return n->match_size;
    }
}

static int reach_match(struct past *p, const struct graph_node *n)
{
    const struct graph_live *const l = p->l;
    uint32_t found = 0;
    for (uint32_t i = map_get(&l->matches, n->match); i;
         i = l->member[i].next) {
        const struct graph_ref ref = l->member[i].ref;
        const struct segment *const s = &l->rank[ref.rank].segment;
        if (!waits_for(n, s->node[ref.index].node))
            continue;
        found++;
        if (reach(p, ref, REACH_END) != 0)
            return -1;
    }
    if (found >= nwaited(n))
        return 0;
    snprintf(p->err, p->err_nbytes,
             "operation %u of rank %u (%s) is one of %u that belong together; "
             "only %u are recorded",
             n->index, n->rank,
             segment_string(&l->rank[n->rank].segment, n->name), n->match_size,
             found);
    return -1;
}

/* The host part of node i begins when the previous call of its
 * thread has returned. */
static int reach_issue(struct past *p, const struct live_rank *r, uint32_t i)
{
    const uint32_t before = r->node[i].thread_prev;
    if (before == 0)
        return 0;
    const struct graph_node *const n = r->segment.node[before].node;
    const int waits = n->queue == 0 || (n->flags & GRAPH_JOIN);
    return reach(p, (struct graph_ref){n->rank, before},
                 waits ? REACH_END : REACH_ISSUE);
}

static int reach_end(struct past *p, const struct live_rank *r, uint32_t i)
{
    const struct graph_node *const n = r->segment.node[i].node;
    const struct graph_ref *const deps = (const void *)(n + 1);
    for (int d = 0; d < n->ndeps; d++)
        if (reach_batch(p, deps[d]) != 0)
            return -1;
    if (reach_batch(p, (struct graph_ref){n->rank, r->node[i].batch_prev}) != 0)
        return -1;
    return n->match && !map_get(&p->l->broken, n->match) ? reach_match(p, n)
                                                         : 0;
}

/* The number of graph nodes that node i becomes: its reached parts. */
static uint32_t nreached(const struct graph_live *l, const struct live_rank *r,
                         uint32_t i)
{
    const struct live_node *const n = &r->node[i];
    const uint32_t all = r->segment.node[i].nparts;
    if (n->question != l->question)
        return 0;
    return n->parts == REACH_ISSUE ? 1 : n->parts < all ? n->parts : all;
}

/* Reach the parts that the reached parts of node i follow. */
static int reach_parts(struct past *p, const struct live_rank *r, uint32_t i)
{
    const struct segment *const s = &r->segment;
    uint32_t left = nreached(p->l, r, i);
    for (uint32_t k = s->node[i].amend; k && left; k = s->amend[k].next) {
        const struct format_part *const part = s->amend[k].part;
        if (!part || --left == 0)
            continue;
        const struct graph_point *const after = (const void *)(part + 1);
        for (uint32_t a = 0; a < part->nafter; a++)
            if (reach(p, (struct graph_ref){after[a].rank, after[a].index},
                      after[a].part + 1) != 0)
                return -1;
    }
    return 0;
}

static int reach_all(struct past *p)
{
    struct graph_live *const l = p->l;
    while (l->work.count) {
        const uint32_t i = l->work.item[--l->work.count];
        const struct live_rank *const r =
            &l->rank[l->work.item[--l->work.count]];
        r->node[i].waits = 0;
        if (reach_issue(p, r, i) != 0)
            return -1;
        if (r->node[i].parts != REACH_ISSUE &&
            (reach_end(p, r, i) != 0 || reach_parts(p, r, i) != 0))
            return -1;
    }
    return 0;
}

/* Reduce a node to its issue, because its end is not in the past. */
static void issue_only(struct graph_view *v)
{
    v->node.kind = GRAPH_HOST;
    v->node.queue = 0;
    v->node.latency_ps = 0;
    v->node.match = 0;
    v->node.match_kind = GRAPH_MATCH_NONE;
    v->node.ndeps = v->node.nmoves = 0;
    v->node.naccesses = 0;
    v->nmoves = v->naccesses = 0;
}

/* Make a graph of the reached nodes. */
static struct graph *collect(struct past *p)
{
    struct graph_live *const l = p->l;
    uint32_t at = 0;
    for (uint32_t r = 0; r < l->nranks; r++)
        for (uint32_t i = graph_live_cut_node(l, p->cut, r).index + 1;
             i <= l->last[r]; i++)
            p->nnodes += nreached(l, &l->rank[r], i);
    struct graph *const g = graph_new(l->nranks, p->nnodes);
    for (uint32_t r = 0; g && r < l->nranks; r++) {
        const struct live_rank *const lr = &l->rank[r];
        g->index->first[r] = at;
        g->index->since[r] = graph_live_cut_node(l, p->cut, r).index;
        for (uint32_t i = g->since[r] + 1; i <= l->last[r]; i++) {
            const uint32_t n = nreached(l, lr, i);
            struct graph_view *const v = &g->nodes[at];
            if (segment_views(&lr->segment, i, n, &g->index->arena, v) != 0)
                goto fail;
            if (n && lr->node[i].parts == REACH_ISSUE)
                issue_only(v);
            at += n;
        }
        if (graph_index_harms(g, r, &lr->segment) != 0)
            goto fail;
    }
    if (!g)
        goto fail;
    g->index->first[l->nranks] = at;
    g->is_part = 1;
    graph_index_break(g, &l->broken);
    if (graph_index_build(g) == 0)
        return g;
fail:
    graph_free(g);
    snprintf(p->err, p->err_nbytes, "no memory for %u operations", p->nnodes);
    return NULL;
}

int graph_live_notes(const struct graph_live *l, struct graph *g)
{
    g->index->seen = malloc((size_t)l->nranks * sizeof *g->index->seen);
    if (!g->index->seen)
        return -1;
    for (uint32_t r = 0; r < l->nranks; r++)
        g->index->seen[r] = &l->rank[r].segment;
    return graph_index_notes(g);
}

struct graph *graph_past(struct graph_live *l, const struct graph_ref *roots,
                         size_t nroots, uint32_t cut, char *err,
                         size_t err_nbytes)
{
    struct past p = {.l = l, .cut = cut, .err = err, .err_nbytes = err_nbytes};
    l->question++;
    l->work.count = 0;
    for (uint32_t r = 0; r < l->nranks; r++)
        l->last[r] = 0;
    for (size_t i = 0; i < nroots; i++)
        if (reach(&p, roots[i], REACH_END) != 0)
            goto fail;
    if (reach_all(&p) == 0)
        return collect(&p);
fail:
    l->work.count = 0;
    return NULL;
}
