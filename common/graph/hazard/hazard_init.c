#include "graph/hazard/hazard_init.h"

#include <stdlib.h> /* realloc */
#include <string.h> /* memmove */

/* Limit of the search for bytes that a kernel did not write itself. A kernel
 * that takes more steps is not checked. */
enum { MAX_STEPS = 1000 };

/* ---- ranges -------------------------------------------------------------- */

/* Index of the first span that ends at or after `at`. */
static uint32_t find_span(const struct hazard_written *w, uint64_t at)
{
    uint32_t low = 0, high = w->n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (w->span[middle].end < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Replace spans [first, last) by n new ones. */
static int replace(struct hazard_written *w, uint32_t first, uint32_t last,
                   const struct hazard_span *by, uint32_t n)
{
    const uint32_t count = w->n - (last - first) + n;
    if (count > w->room) {
        const uint32_t room = 2 * count;
        void *const larger = realloc(w->span, room * sizeof *w->span);
        if (!larger)
            return -1;
        w->span = larger;
        w->room = room;
    }
    if (w->n > last)
        memmove(w->span + first + n, w->span + last,
                (w->n - last) * sizeof *w->span);
    for (uint32_t i = 0; i < n; i++)
        w->span[first + i] = by[i];
    w->n = count;
    return 0;
}

static int add(struct hazard_written *w, uint64_t begin, uint64_t end)
{
    const uint32_t first = find_span(w, begin);
    uint32_t last = first;
    struct hazard_span all = {begin, end};
    for (; last < w->n && w->span[last].begin <= end; last++) {
        if (w->span[last].begin < all.begin)
            all.begin = w->span[last].begin;
        if (w->span[last].end > all.end)
            all.end = w->span[last].end;
    }
    if (begin >= end ||
        (last == first + 1 && all.begin == w->span[first].begin &&
         all.end == w->span[first].end))
        return 0;
    return replace(w, first, last, &all, 1);
}

static int take_out(struct hazard_written *w, uint64_t begin, uint64_t end)
{
    uint32_t first = find_span(w, begin), last, n = 0;
    struct hazard_span rest[2];
    if (first < w->n && w->span[first].end == begin)
        first++;
    for (last = first; last < w->n && w->span[last].begin < end; last++) {
        if (w->span[last].begin < begin)
            rest[n++] = (struct hazard_span){w->span[last].begin, begin};
        if (w->span[last].end > end)
            rest[n++] = (struct hazard_span){end, w->span[last].end};
    }
    return replace(w, first, last, rest, n);
}

/* The first bytes of [begin, end) outside all spans. Returns 0 if there are
 * none. */
static int find_gap(const struct hazard_written *w, uint64_t begin,
                    uint64_t end, struct hazard_span *gap)
{
    for (uint32_t i = find_span(w, begin); i < w->n && begin < end; i++) {
        if (w->span[i].begin > begin)
            break;
        if (w->span[i].end > begin)
            begin = w->span[i].end;
    }
    if (begin >= end)
        return 0;
    const uint32_t next = find_span(w, begin + 1);
    gap->begin = begin;
    gap->end =
        next < w->n && w->span[next].begin < end ? w->span[next].begin : end;
    return 1;
}

/* ---- allocations --------------------------------------------------------- */

static struct hazard_written *written(struct hazard_init *s, uint64_t alloc)
{
    uint64_t *const number = map_at(&s->number, alloc);
    if (!number)
        return NULL;
    if (*number)
        return &s->alloc[*number - 1];
    if (s->n == s->room) {
        const uint32_t room = s->room ? 2 * s->room : 64;
        void *const larger = realloc(s->alloc, room * sizeof *s->alloc);
        if (!larger)
            return NULL;
        s->alloc = larger;
        s->room = room;
    }
    struct hazard_written *const w = &s->alloc[s->n];
    *w = (struct hazard_written){0};
    if (add(w, 0, UINT64_MAX) != 0)
        return NULL;
    *number = ++s->n;
    return w;
}

int hazard_init_note(struct hazard_init *s, uint64_t alloc)
{
    struct hazard_written *const w = written(s, alloc);
    if (!w)
        return -1;
    w->on_device = 1;
    w->n = 0;
    return 0;
}

/* ---- operations ---------------------------------------------------------- */

static uint32_t how(const struct graph_access *a)
{
    return a->write & GRAPH_TOUCH;
}

/* True if the kernel itself writes this byte; *end gets the end of that
 * write. */
static int writes_itself(const struct graph_view *v, uint64_t alloc,
                         uint64_t at, uint64_t *end)
{
    for (size_t i = 0; i < v->naccesses; i++) {
        const struct graph_access *const a = &v->accesses[i];
        if (a->alloc == alloc && how(a) == GRAPH_WRITE && a->begin <= at &&
            at < a->end) {
            *end = a->end;
            return 1;
        }
    }
    return 0;
}

/*
 * The first uninitialised bytes of access a: neither an earlier operation nor
 * the kernel itself has written them. (A kernel may write before it reads,
 * unless the read is marked GRAPH_FIRST.)
 */
static int unwritten(const struct hazard_written *w, const struct graph_view *v,
                     const struct graph_access *a, struct hazard_span *gap)
{
    uint64_t begin = a->begin;
    for (int i = 0; i < MAX_STEPS && find_gap(w, begin, a->end, gap); i++) {
        if ((a->write & GRAPH_FIRST) ||
            !writes_itself(v, a->alloc, gap->begin, &begin))
            return 1;
    }
    return 0;
}

/*
 * The accesses of a copy come in pairs of equal length: to, from. Without any
 * `from`, the source is a host buffer that the host may already be reusing.
 */
static int has_pairs(const struct graph_view *v)
{
    return v->node.kind == GRAPH_COPY && v->naccesses % 2 == 0 &&
           v->naccesses > 0 && how(&v->accesses[1]) == GRAPH_READ;
}

/* Host code is unknown, so everything copied to the host counts as written. */
static int copy(struct hazard_init *s, const struct graph_access *to,
                const struct graph_access *from)
{
    struct hazard_span gap;
    struct hazard_written *w = written(s, to->alloc);
    if (!w || add(w, to->begin, to->end) != 0)
        return -1;
    if (!w->on_device || from->alloc == to->alloc)
        return 0;
    for (uint64_t at = from->begin;; at = gap.end) {
        const struct hazard_written *const source = written(s, from->alloc);
        if (!source)
            return -1;
        if (!find_gap(source, at, from->end, &gap))
            return 0;
        w = written(s, to->alloc); // the array may have moved
        const uint64_t begin = to->begin + (gap.begin - from->begin);
        if (take_out(w, begin, begin + (gap.end - gap.begin)) != 0)
            return -1;
    }
}

static int write_all(struct hazard_init *s, const struct graph_view *v)
{
    for (size_t i = 0; i < v->naccesses; i++) {
        const struct graph_access *const a = &v->accesses[i];
        struct hazard_written *const w = written(s, a->alloc);
        if (!w)
            return -1;
        if ((how(a) == GRAPH_WRITE || how(a) == GRAPH_ATOMIC) &&
            add(w, a->begin, a->end) != 0)
            return -1;
        if (how(a) == GRAPH_FREE) {
            free(w->span);
            w->span = NULL;
            w->n = w->room = 0;
        }
    }
    return 0;
}

/* True if the copy's access i is the source of what goes to the host. */
static int goes_to_host(struct hazard_init *s, const struct graph_view *v,
                        size_t i)
{
    const struct hazard_written *const to =
        has_pairs(v) && i % 2 == 1 ? written(s, v->accesses[i - 1].alloc)
                                   : NULL;
    return to && !to->on_device;
}

/*
 * The first uninitialised bytes of an access that isn't a kernel's, or 0: all
 * of it, or one part of a copy to the host, such as the end of an array that a
 * grid was too small for. Several parts, or a few bytes, may be the padding of
 * structures and rows.
 */
static int unwritten_part(struct hazard_init *s, const struct graph_view *v,
                          size_t i, struct hazard_span *gap)
{
    enum { LEAST = 4 };
    const struct graph_access *const a = &v->accesses[i];
    struct hazard_span other;
    const int to_host = goes_to_host(s, v, i); // first: may move the array
    const struct hazard_written *const w = written(s, a->alloc);
    if (!find_gap(w, a->begin, a->end, gap))
        return 0;
    return (gap->begin == a->begin && gap->end == a->end) ||
           (to_host && gap->end - gap->begin >= LEAST &&
            !find_gap(w, gap->end, a->end, &other));
}

/* True if access i of v reads uninitialised bytes and that is a hazard. */
static int reads_unwritten(struct hazard_init *s, const struct graph_view *v,
                           size_t i, struct graph_access *out)
{
    const struct graph_access *const a = &v->accesses[i];
    struct hazard_span gap;
    if ((how(a) != GRAPH_READ && how(a) != GRAPH_ATOMIC) ||
        (a->write & (GRAPH_ROUGH | GRAPH_BLIND)) || a->begin >= a->end)
        return 0;
    const struct hazard_written *const w = written(s, a->alloc);
    if (!w)
        return -1;
    if (!w->on_device)
        return 0;
    const int some = v->node.kind == GRAPH_KERNEL
                         ? unwritten(w, v, a, &gap)
                         : unwritten_part(s, v, i, &gap);
    if (!some)
        return 0;
    *out = *a;
    out->begin = gap.begin;
    out->end = gap.end;
    return 1;
}

int hazard_init_begin(struct hazard_init *s, const struct graph_view *v,
                      struct graph_access *out)
{
    int found = 0;
    for (size_t i = 0; i < v->naccesses && found == 0; i++)
        found = reads_unwritten(s, v, i, out);
    if (found < 0)
        return -1;
    if (!has_pairs(v))
        return write_all(s, v) != 0 ? -1 : found;
    for (size_t i = 0; i + 1 < v->naccesses; i += 2)
        if (copy(s, &v->accesses[i], &v->accesses[i + 1]) != 0)
            return -1;
    return found;
}

void hazard_init_release(struct hazard_init *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        free(s->alloc[i].span);
    free(s->alloc);
    map_release(&s->number);
    *s = (struct hazard_init){0};
}
