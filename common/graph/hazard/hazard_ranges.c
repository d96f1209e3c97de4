#include "graph/hazard/hazard_ranges.h"

#include <stdlib.h> /* malloc */

#include "graph/hazard/hazard_excuse.h" /* access_how */

/* ---- sets of touches ----------------------------------------------------- */

/* True if two such touches of the same bytes are a race if
 * nothing orders them. */
static int clashes(uint32_t a, uint32_t b)
{
    if (a == GRAPH_HOLD || b == GRAPH_HOLD)
        return a == GRAPH_FREE || b == GRAPH_FREE;
    if (a == GRAPH_READ || a == GRAPH_ATOMIC)
        return a != b;
    return 1;
}

static int is_over(const struct hazard_touch *t, const uint32_t *known)
{
    return known[t->point.chain] >= t->point.number;
}

/* True for ALLOC and FREE, which clash with every touch. */
static int is_final(const struct hazard_touch *t)
{
    return t->how == GRAPH_WRITE || t->how == GRAPH_ALLOC ||
           t->how == GRAPH_FREE;
}

/* True if `now` supersedes t: every touch that races with t also
 * races with `now`. */
static int makes_up(const struct hazard_touch *now,
                    const struct hazard_touch *t, const uint32_t *known)
{
    if (t->how == GRAPH_HOLD && now->how != GRAPH_FREE && t->how != now->how)
        return 0;
    return is_final(now) ||
           (now->how == t->how && (now->at == t->at || is_over(t, known)));
}

static struct hazard_set *share(struct hazard_set *s)
{
    s->nrefs++;
    return s;
}

static void drop(struct hazard_set *s)
{
    if (s && --s->nrefs == 0)
        free(s);
}

/* The set after `now` is added to s (NULL: empty). NULL if memory runs out. */
static struct hazard_set *set_after(const struct hazard_set *s,
                                    const struct hazard_touch *now,
                                    const uint32_t *known)
{
    const uint32_t n = s ? s->n : 0;
    struct hazard_set *const after =
        malloc(sizeof *after + (n + 1) * sizeof *after->touch);
    if (!after)
        return NULL;
    *after = (struct hazard_set){.nrefs = 1};
    for (uint32_t i = 0; i < n; i++)
        if (!makes_up(now, &s->touch[i], known))
            after->touch[after->n++] = s->touch[i];
    after->touch[after->n++] = *now;
    return after;
}

/* ---- pieces -------------------------------------------------------------- */

static int push(struct hazard_pieces *p, struct hazard_piece piece)
{
    if (p->n == p->room) {
        const uint32_t room = p->room ? 2 * p->room : 4;
        void *const larger = realloc(p->piece, room * sizeof *p->piece);
        if (!larger)
            return -1;
        p->piece = larger;
        p->room = room;
    }
    p->piece[p->n++] = piece;
    return 0;
}

static struct hazard_piece *top(struct hazard_pieces *p)
{
    return p->n ? &p->piece[p->n - 1] : NULL;
}

/* Append a piece to `low`, merging it with the previous one if possible. */
static int append(struct hazard_pieces *low, struct hazard_piece piece)
{
    struct hazard_piece *const last = top(low);
    if (!last || last->end != piece.begin || last->set != piece.set)
        return push(low, piece);
    last->end = piece.end;
    drop(piece.set);
    return 0;
}

/* Move pieces that end after `begin` to high, the others to low. */
static int seek(struct hazard_ranges *r, uint64_t begin)
{
    while (r->low.n && top(&r->low)->end > begin)
        if (push(&r->high, r->low.piece[--r->low.n]) != 0)
            return -1;
    while (r->high.n && top(&r->high)->end <= begin)
        if (append(&r->low, r->high.piece[--r->high.n]) != 0)
            return -1;
    return 0;
}

/* Cut off the part of high's top piece that lies below `at`, into *part. */
static int cut(struct hazard_ranges *r, uint64_t at, struct hazard_piece *part)
{
    struct hazard_piece *const first = top(&r->high);
    *part = *first;
    if (first->end <= at) {
        r->high.n--;
        return 0;
    }
    part->end = first->begin = at;
    share(part->set);
    return 0;
}

void hazard_ranges_release(struct hazard_ranges *r)
{
    for (uint32_t i = 0; i < r->low.n; i++)
        drop(r->low.piece[i].set);
    for (uint32_t i = 0; i < r->high.n; i++)
        drop(r->high.piece[i].set);
    free(r->low.piece);
    free(r->high.piece);
    *r = (struct hazard_ranges){0};
}

/* ---- touching ------------------------------------------------------------ */

struct update {
    const struct hazard_touch *now;
    const uint32_t *known;
    hazard_clash_fn *clash;
    void *arg;
    struct hazard_set *from, *made; /* made: the last set made, for sharing */
};

static int has_made(const struct update *u, const struct hazard_set *s)
{
    return u->made && u->from == s;
}

static int update(struct update *u, struct hazard_piece *piece)
{
    struct hazard_set *const s = piece->set;
    for (uint32_t i = 0; s && i < s->n; i++) {
        const struct hazard_touch *const t = &s->touch[i];
        if (t->at != u->now->at && clashes(t->how, u->now->how) &&
            (!is_over(t, u->known) || t->how == GRAPH_FREE) &&
            u->clash(u->arg, t, u->now, piece->begin, piece->end) != 0)
            return -1;
    }
    if (!has_made(u, s)) {
        struct hazard_set *made = set_after(s, u->now, u->known);
        if (!made)
            return -1;
        if (made->n == 1 && u->made && u->made->n == 1) {
            // the same single touch
            drop(made);
            made = share(u->made);
        }
        drop(u->made);
        drop(u->from);
        u->made = made;
        u->from = s ? share(s) : NULL;
    }
    drop(s);
    piece->set = share(u->made);
    return 0;
}

static int touch_all(struct hazard_ranges *r, struct update *u, uint64_t begin,
                     uint64_t end)
{
    struct hazard_piece piece;
    if (seek(r, begin) != 0)
        return -1;
    if (r->high.n && top(&r->high)->begin < begin) {
        cut(r, begin, &piece);
        if (append(&r->low, piece) != 0)
            return -1;
    }
    while (begin < end) {
        const struct hazard_piece *const next = top(&r->high);
        const uint64_t gap_end = next && next->begin < end ? next->begin : end;
        if (gap_end > begin)
            piece = (struct hazard_piece){begin, gap_end, NULL};
        else
            cut(r, end, &piece);
        if (update(u, &piece) != 0 || append(&r->low, piece) != 0)
            return -1;
        begin = piece.end;
    }
    return 0;
}

int hazard_ranges_touch(struct hazard_ranges *r, const struct hazard_touch *now,
                        const uint32_t *known, uint64_t begin, uint64_t end,
                        hazard_clash_fn *clash, void *arg)
{
    struct update u = {now, known, clash, arg, NULL, NULL};
    const int err = begin < end ? touch_all(r, &u, begin, end) : 0;
    drop(u.made);
    drop(u.from);
    return err;
}

/* ---- by allocation ------------------------------------------------------- */

/* The ranges of an allocation, valid until the next call; NULL if
 * memory runs out. */
static struct hazard_ranges *ranges_of(struct hazard_table *t, uint64_t alloc)
{
    uint64_t *const number = map_at(&t->numbers, alloc);
    if (!number)
        return NULL;
    if (*number == 0) {
        if (t->n == t->room) {
            const uint32_t room = t->room ? 2 * t->room : 64;
            void *const larger = realloc(t->ranges, room * sizeof *t->ranges);
            if (!larger)
                return NULL;
            t->ranges = larger;
            t->room = room;
        }
        t->ranges[t->n] = (struct hazard_ranges){0};
        *number = ++t->n;
    }
    return &t->ranges[*number - 1];
}

int hazard_table_touch(struct hazard_table *t, const struct graph_view *v,
                       uint32_t at, struct hazard_point point,
                       const uint32_t *known, hazard_clash_fn *clash, void *arg)
{
    for (size_t i = 0; i < v->naccesses; i++) {
        const struct graph_access *const a = &v->accesses[i];
        if ((a->write & GRAPH_ROUGH) || a->begin >= a->end)
            continue;
        struct hazard_ranges *const r = ranges_of(t, a->alloc);
        const struct hazard_touch now = {at, point, access_how(a)};
        const uint32_t *const clock =
            t->behind && graph_behind(a->write)
                ? hazard_behind_clock(t->behind, v, at, a, point.chain, known)
                : known;
        t->alloc = a->alloc;
        if (!r || hazard_ranges_touch(r, &now, clock, a->begin, a->end, clash,
                                      arg) != 0)
            return -1;
    }
    return 0;
}

void hazard_table_release(struct hazard_table *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        hazard_ranges_release(&t->ranges[i]);
    free(t->ranges);
    map_release(&t->numbers);
}
