#include "graph/explain/steps.h"

#include <stdlib.h> /* qsort */
#include <string.h> /* memmove */

#include "graph/record/span.h"

enum { MOST_CONTENTS = 4096, MOST_SLICES = 512 };

struct content { /* the contents of bytes begin..end of an allocation */
    uint64_t alloc, begin, end;
    uint64_t origin; /* original offset of its first byte */
    uint32_t rank;   /* original owner */
    uint64_t mask;   /* ranks whose data it contains */
};

struct slices {
    struct content of[MOST_SLICES]; /* begin, end: relative to the range */
    int n;
};

struct event { /* a node's source is read, or its result is complete */
    uint64_t ps;
    uint32_t at, source; /* source: for a message, the sender's node; else at */
    int is_end, is_message;
};

struct walk {
    const struct graph *g;
    struct content *content;
    struct content *own; /* what ranks held when the span began */
    int n, nown, too_many;
    struct event *event;
    uint32_t nevents;
    struct slices **moving;  /* by position: contents read but not yet
                                written */
    int combined;            /* 1 if contents of different ranks were
                                combined */
    struct steps_piece *cut; /* origins that messages carried */
    uint32_t ncuts;
    struct steps *out; /* NULL in the first pass, which finds the pieces */
};

/* ---- contents ------------------------------------------------------------ */

static void add(struct walk *w, struct content c)
{
    if (c.begin >= c.end)
        return;
    if (w->n == MOST_CONTENTS)
        w->too_many = 1;
    else
        w->content[w->n++] = c;
}

/* The content at `at`, and in *until where it ends or the next one begins. */
static const struct content *lookup(const struct walk *w, uint64_t alloc,
                                    uint64_t at, uint64_t *until)
{
    for (int i = 0; i < w->n; i++) {
        const struct content *const c = &w->content[i];
        if (c->alloc != alloc)
            continue;
        if (c->begin <= at && at < c->end) {
            *until = c->end < *until ? c->end : *until;
            return c;
        }
        if (c->begin > at && c->begin < *until)
            *until = c->begin;
    }
    return NULL;
}

/* Read the contents of a range. Bytes that nothing wrote are the reader's
 * own. */
static void read_range(struct walk *w, uint32_t rank,
                       const struct graph_access *a, struct slices *out)
{
    out->n = 0;
    for (uint64_t at = a->begin, until; at < a->end; at = until) {
        until = a->end;
        const struct content *const known = lookup(w, a->alloc, at, &until);
        struct content c = {a->alloc, at, until, at, rank, UINT64_C(1) << rank};
        if (known) {
            c = *known;
            c.origin += at - known->begin;
        } else {
            add(w, c);
            if (!w->out && w->nown < MOST_CONTENTS)
                w->own[w->nown++] = c;
        }
        c.begin = at - a->begin;
        c.end = until - a->begin;
        if (out->n == MOST_SLICES)
            w->too_many = 1;
        else
            out->of[out->n++] = c;
    }
}

static void write_range(struct walk *w, const struct graph_access *a,
                        const struct slices *s)
{
    const int before = w->n;
    for (int i = 0; i < before; i++) {
        struct content *const c = &w->content[i], old = *c;
        if (old.alloc != a->alloc || old.end <= a->begin || old.begin >= a->end)
            continue;
        c->end = old.begin < a->begin ? a->begin : old.begin;
        if (old.end > a->end) {
            old.origin += a->end - old.begin;
            old.begin = a->end;
            add(w, old);
        }
    }
    int kept = 0;
    for (int i = 0; i < w->n; i++)
        if (w->content[i].begin < w->content[i].end)
            w->content[kept++] = w->content[i];
    w->n = kept;
    for (int i = 0; i < s->n; i++) {
        struct content c = s->of[i];
        c.alloc = a->alloc;
        c.begin += a->begin;
        c.end += a->begin;
        add(w, c);
    }
}

/* Combine contents that have the same origin; elsewhere keep those of
 * `into`. */
static void combine(struct walk *w, struct slices *into,
                    const struct slices *with)
{
    struct slices out = {.n = 0};
    for (int i = 0; i < into->n; i++)
        for (int k = 0; k < with->n; k++) {
            struct content c = into->of[i];
            const struct content *const b = &with->of[k];
            const uint64_t begin = c.begin > b->begin ? c.begin : b->begin;
            const uint64_t end = c.end < b->end ? c.end : b->end;
            if (begin >= end)
                continue;
            c.origin += begin - c.begin;
            c.begin = begin;
            c.end = end;
            if (c.origin == b->origin + (begin - b->begin)) {
                w->combined |= c.mask != b->mask;
                c.mask |= b->mask;
            }
            if (out.n == MOST_SLICES)
                w->too_many = 1;
            else
                out.of[out.n++] = c;
        }
    *into = out;
}

/* ---- operations ---------------------------------------------------------- */

static int is(const struct graph_access *a, enum graph_touch how)
{
    return (a->write & GRAPH_TOUCH) == (uint32_t)how;
}

static const struct graph_access *first_of(const struct graph_view *v,
                                           enum graph_touch how)
{
    for (size_t i = 0; i < v->naccesses; i++)
        if (is(&v->accesses[i], how) &&
            v->accesses[i].begin < v->accesses[i].end)
            return &v->accesses[i];
    return NULL;
}

/* The result of a kernel combines all ranges that it reads and that are as long
 * as the one it writes. The old contents of the written range come first. */
static void run_kernel(struct walk *w, const struct graph_view *v)
{
    struct slices result, other;
    for (size_t i = 0; i < v->naccesses; i++) {
        const struct graph_access *const to = &v->accesses[i];
        int n = 0;
        if (is(to, GRAPH_READ) || to->begin >= to->end ||
            !(is(to, GRAPH_WRITE) || is(to, GRAPH_ATOMIC)))
            continue;
        for (int own = 1; own >= 0; own--)
            for (size_t k = 0; k < v->naccesses; k++) {
                const struct graph_access *const from = &v->accesses[k];
                const int same =
                    from->alloc == to->alloc && from->begin == to->begin;
                if (!is(from, GRAPH_READ) || same != own ||
                    from->end - from->begin != to->end - to->begin)
                    continue;
                read_range(w, v->node.rank, from, n ? &other : &result);
                if (n++)
                    combine(w, &result, &other);
            }
        if (n)
            write_range(w, to, &result);
    }
}

/* Cut pieces at both ends of a message. */
static int note_cuts(struct walk *w, const struct slices *s)
{
    for (int i = 0; i < s->n && !w->out; i++) {
        if ((w->ncuts & (w->ncuts - 1)) == 0) {
            void *const larger =
                realloc(w->cut, (w->ncuts ? 2 * w->ncuts : 1) * sizeof *w->cut);
            if (!larger)
                return -1;
            w->cut = larger;
        }
        const struct content *const c = &s->of[i];
        w->cut[w->ncuts++] = (struct steps_piece){
            c->rank, c->origin, c->origin + (c->end - c->begin)};
    }
    return 0;
}

static int take(struct walk *w, const struct event *e)
{
    const struct graph_view *const v = &w->g->nodes[e->source];
    const struct graph_access *const from = first_of(v, GRAPH_READ);
    if (!from || w->moving[e->at])
        return 0;
    struct slices *const s = w->moving[e->at] = malloc(sizeof *s);
    if (!s)
        return -1;
    read_range(w, v->node.rank, from, s);
    return e->is_message ? note_cuts(w, s) : 0;
}

static int happen(struct walk *w, const struct event *e)
{
    const struct graph_view *const v = &w->g->nodes[e->at];
    if (v->node.kind == GRAPH_KERNEL) {
        if (e->is_end)
            run_kernel(w, v);
        return 0;
    }
    if (take(w, e) != 0)
        return -1;
    const struct graph_access *const to = first_of(v, GRAPH_WRITE);
    if (e->is_end && to && w->moving[e->at])
        write_range(w, to, w->moving[e->at]);
    if (e->is_end) {
        free(w->moving[e->at]);
        w->moving[e->at] = NULL;
    }
    return 0;
}

/* ---- pieces and steps ---------------------------------------------------- */

static int by_piece(const void *a, const void *b)
{
    const struct steps_piece *const x = a, *const y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static int by_offset(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Cut the origins that messages carried at all of these ends. */
static int make_pieces(struct walk *w, struct steps *out)
{
    uint64_t *const end = malloc((2 * (size_t)w->ncuts + 1) * sizeof *end);
    out->piece = malloc((STEPS_PIECES + 1) * sizeof *out->piece);
    if (!end || !out->piece) {
        free(end);
        return -1;
    }
    for (uint32_t i = 0; i < w->ncuts; i++) {
        w->cut[i].rank = out->by_rank ? w->cut[i].rank : 0;
        end[2 * (size_t)i] = w->cut[i].begin;
        end[2 * (size_t)i + 1] = w->cut[i].end;
    }
    qsort(end, 2 * (size_t)w->ncuts, sizeof *end, by_offset);
    qsort(w->cut, w->ncuts, sizeof *w->cut, by_piece);
    for (uint32_t r = 0; r < (out->by_rank ? out->nranks : 1); r++)
        for (size_t i = 0; i + 1 < 2 * (size_t)w->ncuts; i++) {
            int carried = 0;
            for (uint32_t k = 0; k < w->ncuts && !carried; k++)
                carried = w->cut[k].rank == r && w->cut[k].begin <= end[i] &&
                          end[i + 1] <= w->cut[k].end;
            if (!carried || end[i] == end[i + 1])
                continue;
            if (out->npieces == STEPS_PIECES)
                w->too_many = 1;
            else
                out->piece[out->npieces++] =
                    (struct steps_piece){r, end[i], end[i + 1]};
        }
    free(end);
    return 0;
}

static int nbits(uint64_t mask)
{
    return __builtin_popcountll(mask);
}

/* Record what each rank holds now. If it has several copies, use the one with
 * data of most ranks. */
static void snapshot(struct walk *w, uint64_t end_ps)
{
    struct steps *const s = w->out;
    if (s->nsteps == STEPS_MOST) {
        w->too_many = 1;
        return;
    }
    uint64_t *const mask = s->mask + (size_t)s->nsteps * s->nranks * s->npieces;
    for (int i = 0; i < w->n; i++) {
        const struct content *const c = &w->content[i];
        const uint32_t holder = (uint32_t)(c->alloc >> 32);
        const uint64_t end = c->origin + (c->end - c->begin);
        for (uint32_t p = 0; p < s->npieces && holder < s->nranks; p++) {
            const struct steps_piece *const piece = &s->piece[p];
            uint64_t *const m = &mask[holder * s->npieces + p];
            if (c->origin <= piece->begin && piece->end <= end &&
                (!s->by_rank || c->rank == piece->rank) &&
                nbits(c->mask) > nbits(*m))
                *m = c->mask;
        }
    }
    s->end_ps[s->nsteps++] = end_ps;
}

/* ---- events -------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    const struct event *const x = a, *const y = b;
    if (x->ps != y->ps)
        return x->ps < y->ps ? -1 : 1;
    if (x->is_end != y->is_end)
        // what has arrived can be read at the same time
        return y->is_end - x->is_end;
    return (x->at > y->at) - (x->at < y->at);
}

/* The sender's node, if this is a message's receiver; else GRAPH_NOWHERE. */
static uint32_t sender_of(const struct graph *g, uint32_t at)
{
    uint32_t n;
    const uint32_t *const member = graph_matched(g, at, &n);
    const struct graph_node *const node = &g->nodes[at].node;
    if (n != 2 || node->kind == GRAPH_COLL ||
        node->match_rank == node->match_root)
        return GRAPH_NOWHERE;
    return member[0] == at ? member[1] : member[0];
}

static int list_events(struct walk *w, const struct replay_time *time,
                       const char *in)
{
    const struct graph *const g = w->g;
    uint32_t nmessages = 0;
    w->event = malloc((2 * (size_t)g->nnodes + 1) * sizeof *w->event);
    if (!w->event)
        return -1;
    for (uint32_t at = 0; at < g->nnodes; at++) {
        const int kind = g->nodes[at].node.kind;
        const uint32_t sender = sender_of(g, at);
        const int message = sender != GRAPH_NOWHERE;
        if (!in[at] || !(message || kind == GRAPH_COPY || kind == GRAPH_KERNEL))
            continue;
        const uint32_t source = message ? sender : at;
        w->event[w->nevents++] =
            (struct event){time[source].start_ps, at, source, 0, message};
        w->event[w->nevents++] =
            (struct event){time[at].end_ps, at, source, 1, message};
        nmessages += message;
    }
    qsort(w->event, w->nevents, sizeof *w->event, by_time);
    return nmessages > 0;
}

static int run(struct walk *w)
{
    uint64_t arrived_ps = 0;
    w->n = 0;
    for (int i = 0; i < w->nown; i++) // in the second pass
        add(w, w->own[i]);
    for (uint32_t i = 0; i < w->nevents && !w->too_many; i++) {
        const struct event *const e = &w->event[i];
        if (w->out && e->is_end && e->is_message && e->ps != arrived_ps) {
            snapshot(w, arrived_ps);
            arrived_ps = e->ps;
        }
        if (happen(w, e) != 0)
            return -1;
    }
    if (w->out)
        snapshot(w, arrived_ps);
    return 0;
}

static int run_twice(struct walk *w, struct steps *out)
{
    if (run(w) != 0)
        return -1;
    out->by_rank = !w->combined;
    if (make_pieces(w, out) != 0)
        return -1;
    out->end_ps = calloc(STEPS_MOST, sizeof *out->end_ps);
    out->mask = calloc((size_t)STEPS_MOST * out->nranks * out->npieces + 1,
                       sizeof *out->mask);
    if (!out->end_ps || !out->mask)
        return -1;
    w->out = out;
    if (run(w) != 0)
        return -1;
    if (w->too_many)
        out->npieces = 0;
    return 0;
}

int steps_find(const struct graph *g, const struct replay_time *time,
               const char *span, struct steps *out)
{
    const size_t n = (size_t)g->nnodes + 1;
    struct walk w = {.g = g};
    int status = -1;
    *out = (struct steps){.nranks = g->nranks};
    char *const in = calloc(n, 1);
    w.content = malloc(MOST_CONTENTS * sizeof *w.content);
    w.own = malloc(MOST_CONTENTS * sizeof *w.own);
    w.moving = calloc(n, sizeof(struct slices *));
    if (!in || !w.content || !w.own || !w.moving)
        goto out;
    status = 0;
    if (g->nranks <= STEPS_RANKS && span_mark(g, span, in)) {
        status = list_events(&w, time, in);
        if (status > 0)
            status = run_twice(&w, out);
    }
out:
    for (size_t at = 0; w.moving && at < n; at++)
        free(w.moving[at]);
    free(w.moving);
    free(w.content);
    free(w.own);
    free(w.event);
    free(w.cut);
    free(in);
    if (status)
        steps_release(out);
    return status;
}

void steps_release(struct steps *s)
{
    free(s->piece);
    free(s->end_ps);
    free(s->mask);
    *s = (struct steps){0};
}
