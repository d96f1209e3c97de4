#include "judge/origin/origin.h"

#include <stdlib.h> /* qsort */

#include "base/map.h"
#include "judge/origin/believed.h"
#include "judge/origin/pieces.h"
#include "judge/origin/source.h"

struct taken { /* a copy to the host */
    uint32_t at;
    struct origin *origin;
    size_t n;
};

struct origins {
    const struct graph *g;
    struct pieces pieces;
    struct sources sources;
    struct taken *taken; /* by position, once complete */
    size_t ntaken, cap_taken;
    const struct origin_set **known; /* by position of a node's first part:
                                        origins that its parts have read so
                                        far */
    struct map reached;     /* by section and rank: the number of the set of
                           origins that its kernels have read */
    const uint32_t *judged; /* by position; see origins_new() */
    int reaches_peers;      /* kernels may read and write other ranks' memory */
};

/* ---- operations ---------------------------------------------------------- */

static int reads(const struct graph_access *a)
{
    const uint32_t touch = a->write & GRAPH_TOUCH;
    return touch == GRAPH_READ || touch == GRAPH_ATOMIC;
}

static int writes(const struct graph_access *a)
{
    const uint32_t touch = a->write & GRAPH_TOUCH;
    return touch == GRAPH_WRITE || touch == GRAPH_ATOMIC;
}

static const struct graph_access *
first(const struct graph_view *v, int (*does)(const struct graph_access *),
      int *n)
{
    const struct graph_access *found = NULL;
    *n = 0;
    for (size_t i = 0; i < v->naccesses; i++)
        if (does(&v->accesses[i])) {
            found = found ? found : &v->accesses[i];
            ++*n;
        }
    return found;
}

/* ---- doubts -------------------------------------------------------------- */

/*
 * True for a kernel's access to another rank's memory in a lab whose kernels
 * have no need for it. Whether the GPU could reach that memory is not known, so
 * the access passes no rank's bytes on.
 */
static int is_foreign(const struct origins *o, const struct graph_view *v,
                      const struct graph_access *a)
{
    return !o->reaches_peers && (v->node.kind == GRAPH_KERNEL || v->part > 0) &&
           a->alloc >> 32 != v->node.rank;
}

/* The record of a device's operation is not believed: treat what it wrote
 * as the host's. */
static void write_host(struct origins *o, const struct graph_view *v)
{
    for (size_t i = 0; i < v->naccesses; i++) {
        const struct graph_access *const a = &v->accesses[i];
        if (writes(a))
            pieces_put(
                &o->pieces, a->alloc,
                (struct piece){a->begin, a->end, sets_host(&o->pieces.sets)});
    }
}

/* True if some of the bytes [begin, end) come from the host alone. */
static int has_uploads(struct origins *o, uint64_t alloc, uint64_t begin,
                       uint64_t end)
{
    size_t n;
    const struct piece *const p = pieces_of(&o->pieces, alloc, &n);
    for (size_t i = 0; i < n; i++)
        if (p[i].begin < end && p[i].end > begin &&
            p[i].from == sets_host(&o->pieces.sets))
            return 1;
    return 0;
}

/*
 * The part of a written range that a collective also reads, because it works in
 * place: this part could not be spoiled beforehand. If the host's bytes are in
 * it, nothing shows that other bytes replaced them, so they stay the host's.
 * Returns 0 if there is no such part.
 */
static int stays_hosts(struct origins *o, const struct graph_view *v,
                       const struct graph_access *a, struct piece *out)
{
    if (v->node.kind != GRAPH_COLL)
        return 0;
    for (size_t i = 0; i < v->naccesses; i++) {
        const struct graph_access *const r = &v->accesses[i];
        *out = (struct piece){r->begin > a->begin ? r->begin : a->begin,
                              r->end < a->end ? r->end : a->end,
                              sets_host(&o->pieces.sets)};
        if (reads(r) && r->alloc == a->alloc && out->begin < out->end &&
            has_uploads(o, a->alloc, out->begin, out->end))
            return 1;
    }
    return 0;
}

/* ---- copies -------------------------------------------------------------- */

/* Keep the origins of the bytes that a copy took to the host, where the
 * student's code can read them. */
static void keep_taken(struct origins *o, uint32_t at,
                       const struct graph_access *from)
{
    size_t npieces;
    const struct piece *const piece =
        pieces_of(&o->pieces, from->alloc, &npieces);
    o->taken = pieces_grow(o->taken, o->ntaken, &o->cap_taken, sizeof *o->taken,
                           &o->pieces.failed);
    struct origin *const list =
        o->pieces.failed ? NULL : calloc(2 * npieces + 1, sizeof *list);
    if (!list) {
        o->pieces.failed = 1;
        return;
    }
    size_t n = 0;
    uint64_t done = from->begin;
    for (size_t i = 0; i < npieces; i++) {
        const struct piece *const p = &piece[i];
        if (p->end <= done || p->begin >= from->end)
            continue;
        if (p->begin > done)
            list[n++] = (struct origin){done, p->begin, NULL};
        const uint64_t begin = p->begin > done ? p->begin : done;
        done = p->end < from->end ? p->end : from->end;
        list[n++] = (struct origin){begin, done, p->from};
    }
    if (done < from->end)
        list[n++] = (struct origin){done, from->end, NULL};
    for (size_t i = 0; i < n; i++) {
        list[i].begin -= from->begin;
        list[i].end -= from->begin;
    }
    o->taken[o->ntaken++] = (struct taken){at, list, n};
}

/* The origins of all bytes that a kernel, or one member of a matched
 * operation, reads. */
static const struct origin_set *all_read(struct origins *o,
                                         const struct graph_view *v)
{
    struct sets *const s = &o->pieces.sets;
    const struct origin_set *all = NULL;
    for (size_t i = 0; i < v->naccesses; i++) {
        const struct graph_access *const a = &v->accesses[i];
        // a device variable brings nothing that counts: a constant may be a 1
        if (!reads(a) || graph_variable_device(a->begin) >= 0)
            continue;
        const struct origin_set *const from =
            pieces_all(&o->pieces, a->alloc, a->begin, a->end);
        all = sets_join(s, all,
                        is_foreign(o, v, a) ? sets_only_host(s, from) : from);
    }
    return all;
}

/* The origins of what a part of a kernel can write: its threads keep in
 * registers what they read in earlier parts. */
static const struct origin_set *all_known(struct origins *o, uint32_t at)
{
    const struct graph_view *const v = &o->g->nodes[at];
    const struct origin_set **const known = &o->known[at - v->part];
    *known = sets_join(&o->pieces.sets, *known, all_read(o, v));
    return *known;
}

/* A kernel may have written more memory than is recorded: its own rank's, or,
 * if it touches a peer's, any rank's. */
enum { ANYWHERE = -1 };

static uint64_t reached_key(uint32_t section, int rank)
{
    return (uint64_t)section << 32 | (uint32_t)rank;
}

/* The set whose number a map has; NULL for 0. */
static const struct origin_set *numbered(const struct origins *o,
                                         uint64_t number)
{
    return number ? o->pieces.sets.set[number - 1] : NULL;
}

static void note_reached(struct origins *o, uint32_t at,
                         const struct origin_set *known)
{
    const struct graph_view *const v = &o->g->nodes[at];
    size_t i = 0;
    while (i < v->naccesses && v->accesses[i].alloc >> 32 == v->node.rank)
        i++;
    if (!o->judged[at])
        return;
    const int where = i < v->naccesses ? ANYWHERE : (int)v->node.rank;
    uint64_t *const reached =
        map_at(&o->reached, reached_key(o->judged[at], where));
    if (!reached) {
        o->pieces.failed = 1;
        return;
    }
    const struct origin_set *const all =
        sets_join(&o->pieces.sets, numbered(o, *reached), known);
    *reached = all ? all->number : 0;
}

static void write_all(struct origins *o, const struct graph_view *v,
                      const struct origin_set *from)
{
    struct sets *const s = &o->pieces.sets;
    for (size_t i = 0; i < v->naccesses; i++) {
        const struct graph_access *const a = &v->accesses[i];
        if (!writes(a) || pieces_ordinary(a->alloc))
            continue;
        // an atomic update, or a range with gaps, keeps the old bytes, too
        const int adds = (a->write & GRAPH_TOUCH) == GRAPH_ATOMIC ||
                         (a->write & GRAPH_ROUGH);
        const struct origin_set *const before =
            adds ? pieces_all(&o->pieces, a->alloc, a->begin, a->end) : NULL;
        const struct origin_set *const new =
            is_foreign(o, v, a) ? sets_only_host(s, from) : from;
        struct piece kept;
        const int keeps = stays_hosts(o, v, a, &kept);
        pieces_put(&o->pieces, a->alloc,
                   (struct piece){a->begin, a->end, sets_join(s, new, before)});
        if (keeps)
            pieces_put(&o->pieces, a->alloc, kept);
    }
}

/* The origins of all bytes that a copy reads. */
static const struct origin_set *copied(struct origins *o,
                                       const struct graph_view *v,
                                       int from_host, int is_judged)
{
    struct sets *const s = &o->pieces.sets;
    const struct origin_set *all = NULL;
    if (from_host && !is_judged)
        return sets_rank(s, (int)v->node.rank);
    for (size_t i = 0; i < v->naccesses; i++)
        if (reads(&v->accesses[i]))
            all =
                sets_join(s, all,
                          pieces_all(&o->pieces, v->accesses[i].alloc,
                                     v->accesses[i].begin, v->accesses[i].end));
    return from_host ? sets_join(s, all, sets_host(s)) : all;
}

static void do_copy(struct origins *o, uint32_t at, int is_judged)
{
    const struct graph_view *const v = &o->g->nodes[at];
    int nfrom, nto;
    const struct graph_access *const from = first(v, reads, &nfrom),
                                     *const to = first(v, writes, &nto);
    const int from_host = !from || pieces_ordinary(from->alloc),
              to_host = !to || pieces_ordinary(to->alloc);
    if (to_host) {
        if (!from_host && nfrom == 1)
            keep_taken(o, at, from);
        return;
    }
    if (!believed(o->g, v)) {
        write_host(o, v);
        return;
    }
    if (v->part > 0 || (!from_host && to->write & GRAPH_ROUGH)) {
        write_all(o, v, all_known(o, at));
        return;
    }
    if (!from_host && nfrom == 1 && nto == 1 &&
        from->end - from->begin == to->end - to->begin) {
        pieces_carry(&o->pieces, from, to);
        return;
    }
    const struct origin_set *const all = copied(o, v, from_host, is_judged);
    for (size_t i = 0; i < v->naccesses; i++) {
        const struct graph_access *const a = &v->accesses[i];
        if (writes(a))
            pieces_put(&o->pieces, a->alloc,
                       (struct piece){a->begin, a->end, all});
    }
}

/* Give the receiver's bytes the origins of the sender's. */
static void do_message(struct origins *o, const struct graph_view *send,
                       const struct graph_view *recv)
{
    int nfrom, nto;
    const struct graph_access *const from = first(send, reads, &nfrom),
                                     *const to = first(recv, writes, &nto);
    if (!believed_message(o->g, send, recv))
        write_host(o, recv);
    else if (nfrom == 1 && nto == 1 && !pieces_ordinary(from->alloc) &&
             !pieces_ordinary(to->alloc) &&
             from->end - from->begin == to->end - to->begin)
        pieces_carry(&o->pieces, from, to);
    else
        write_all(o, recv, all_read(o, send));
}

/* Follow an operation of several ranks, once its last member has ended. */
static void do_matched(struct origins *o, const uint32_t *members, uint32_t n)
{
    const struct graph_view *const nodes = o->g->nodes;
    const struct origin_set *all = NULL;
    if (n == 2 && nodes[members[0]].node.kind == GRAPH_SEND &&
        nodes[members[1]].node.kind == GRAPH_RECV) {
        do_message(o, &nodes[members[0]], &nodes[members[1]]);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        all = sets_join(&o->pieces.sets, all, all_read(o, &nodes[members[i]]));
    for (uint32_t i = 0; i < n; i++) {
        const struct graph_view *const v = &nodes[members[i]];
        if (!believed(o->g, v))
            write_host(o, v);
        else
            write_all(o, v, all);
    }
}

/* ---- operations in order ------------------------------------------------- */

struct moment { /* when an operation has its effect */
    uint64_t end_ps, start_ps;
    uint32_t at;
};

static int by_time(const void *a, const void *b)
{
    const struct moment *const x = a, *const y = b;
    if (x->end_ps != y->end_ps)
        return x->end_ps < y->end_ps ? -1 : 1;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Follow a fill: the runner's may be marks. */
static void do_fill(struct origins *o, uint32_t at)
{
    const struct graph_view *const v = &o->g->nodes[at];
    const struct origin_source *const s = sources_at(&o->sources, at);
    if (s)
        source_begin(s, &v->accesses[0], &o->pieces);
    else if (o->judged[at] == 0 && source_is_result(v))
        keep_taken(o, at, &v->accesses[0]);
    else
        write_all(o, v, NULL);
}

/* Follow the operation at this position; one of several ranks counts at the
 * position of its last member. */
static void step(struct origins *o, char *seen, uint32_t at)
{
    const struct graph_node *const n = &o->g->nodes[at].node;
    uint32_t nmembers;
    const uint32_t *const members = graph_matched(o->g, at, &nmembers);
    if (n->queue == 0)
        return;
    seen[at] = 1;
    if (n->kind == GRAPH_COPY) {
        do_copy(o, at, o->judged[at] != 0);
    } else if (nmembers > 0) {
        for (uint32_t i = 0; i < nmembers; i++)
            if (!seen[members[i]])
                return;
        do_matched(o, members, nmembers);
    } else if (n->kind == GRAPH_KERNEL) {
        const struct origin_set *const known = all_known(o, at);
        write_all(o, &o->g->nodes[at], known);
        note_reached(o, at, known);
    } else if (n->kind == GRAPH_MEMSET) {
        do_fill(o, at);
    } else { // other operations don't write what they read
        write_all(o, &o->g->nodes[at], NULL);
    }
}

static int by_position(const void *a, const void *b)
{
    const struct taken *const x = a, *const y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static int has_failed(const struct origins *o)
{
    return o->pieces.failed || o->pieces.sets.failed || o->sources.failed;
}

struct origins *origins_new(const struct graph *g,
                            const struct replay_time *time,
                            const uint32_t *judged, int reaches_peers,
                            uint64_t secret)
{
    struct origins *o = calloc(1, sizeof *o);
    if (o)
        o->known = calloc((size_t)g->nnodes + 1, sizeof *o->known);
    struct moment *const order = calloc((size_t)g->nnodes + 1, sizeof *order);
    char *const seen = calloc((size_t)g->nnodes + 1, 1);
    if (o && o->known && order && seen) {
        o->g = g;
        o->judged = judged;
        o->reaches_peers = reaches_peers;
        pieces_begin(&o->pieces, g);
        sources_find(&o->sources, g, judged, secret);
        sets_have_labels(&o->pieces.sets, ORIGIN_PROBES * o->sources.n);
        for (uint32_t at = 0; at < g->nnodes; at++)
            order[at] = (struct moment){time[at].end_ps, time[at].start_ps, at};
        qsort(order, g->nnodes, sizeof *order, by_time);
        for (uint32_t i = 0; i < g->nnodes && !has_failed(o); i++)
            step(o, seen, order[i].at);
        qsort(o->taken, o->ntaken, sizeof *o->taken, by_position);
    }
    if (o && (!o->known || !order || !seen || has_failed(o))) {
        origins_free(o);
        o = NULL;
    }
    free(order);
    free(seen);
    return o;
}

void origins_free(struct origins *o)
{
    if (!o)
        return;
    pieces_release(&o->pieces);
    sources_release(&o->sources);
    for (size_t i = 0; i < o->ntaken; i++)
        free(o->taken[i].origin);
    map_release(&o->reached);
    free(o->taken);
    free(o->known);
    free(o);
}

const struct origin *origins_of(const struct origins *o, uint32_t at, size_t *n)
{
    const struct taken key = {.at = at};
    const struct taken *const found =
        o->ntaken ? bsearch(&key, o->taken, o->ntaken, sizeof key, by_position)
                  : NULL;
    *n = found ? found->n : 0;
    return found ? found->origin : NULL;
}

const struct origin_source *origins_source(const struct origins *o, int rank,
                                           const char *mark)
{
    return sources_marked(&o->sources, rank, mark);
}

struct rank_set origins_reached(const struct origins *o, uint32_t section,
                                int rank)
{
    const int where[] = {rank, ANYWHERE};
    struct rank_set all = {{0}};
    for (int i = 0; i < 2 && o->reaches_peers; i++) {
        const struct origin_set *const set =
            numbered(o, map_get(&o->reached, reached_key(section, where[i])));
        if (set)
            rank_set_join(&all, &set->ranks);
    }
    return all;
}
