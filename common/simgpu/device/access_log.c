#include "device/access_log.h"

#include <limits.h> /* UINT_MAX */
#include <stdlib.h> /* realloc */
#include <string.h> /* memset */

#include "core/proc.h"
#include "core/report.h"

enum { MAX_RANGES = 1 << 16 };

static const uint32_t how[TOUCH_KINDS] = {
    [TOUCH_READ] = GRAPH_READ,
    [TOUCH_WRITE] = GRAPH_WRITE,
    [TOUCH_ATOMIC] = GRAPH_ATOMIC,
    [TOUCH_EXCHANGE] = GRAPH_ATOMIC | GRAPH_BLIND,
    [TOUCH_SYSTEM] = GRAPH_ATOMIC | GRAPH_KNOWN,
    [TOUCH_RETRY] = GRAPH_ATOMIC | GRAPH_KNOWN,
    [TOUCH_SIGNAL] = GRAPH_ATOMIC | GRAPH_BLIND | GRAPH_KNOWN,
    [TOUCH_POLL] = GRAPH_ATOMIC | GRAPH_BLIND | GRAPH_KNOWN,
    [TOUCH_REDUCED] = GRAPH_READ,
    [TOUCH_SPREAD] = GRAPH_WRITE,
    [TOUCH_ADDED] = GRAPH_ATOMIC | GRAPH_KNOWN,
};

static int holds(const struct heap_block *b, const char *p, size_t nbytes)
{
    return p >= b->base && p + nbytes <= b->base + b->nbytes;
}

int64_t access_log_block(struct access_log *g, const char *p, size_t nbytes)
{
    if (g->nblocks && holds(&g->block[g->latest], p, nbytes))
        return g->latest;
    for (uint32_t i = 0; i < g->nblocks; i++)
        if (holds(&g->block[i], p, nbytes))
            return g->latest = i;
    return -1;
}

/* Add the span's fresh bytes to the set. Bytes are only
 * fresh in a known allocation. */
static void settle(struct access_log *g, struct touched *set,
                   struct access_span *s)
{
    if (s->fresh == s->end)
        return;
    const int64_t i = access_log_block(g, s->begin, 1);
    const struct heap_block *const b = &g->block[i];
    const struct access_range l = access_log_limits(b, s->begin);
    touched_add(set, s->fresh, (size_t)(s->end - s->fresh), l.begin, l.end);
    s->fresh = s->end;
}

void access_log_settle(struct access_log *g)
{
    for (size_t i = 0; i < g->nused; i++)
        settle(g, &g->now[g->used[i].kind], g->used[i].span);
}

/* Forget the trails, but not their memory. */
static void drop_trails(struct access_log *g)
{
    for (int i = 0; g->has_left && i < ACCESS_LOG_TRAILS; i++) {
        if (g->trail[i].of)
            g->trail[i].of->last = NULL;
        g->trail[i] = (struct access_trail){.step = g->trail[i].step};
    }
    g->has_left = 0;
}

static void drop_spans(struct access_log *g)
{
    while (g->nused)
        *g->used[--g->nused].span = (struct access_span){0};
    g->atomics.words[0] = g->atomics.words[1] = (struct simgpu_words){0};
    drop_trails(g);
}

void access_log_forget(struct access_log *g)
{
    access_log_settle(g);
    drop_spans(g);
}

void access_log_behind(struct access_log *g, int is_behind)
{
    if ((g->now != g->set) == is_behind)
        return;
    access_log_forget(g);
    if (!g->behind)
        g->behind = simgpu_need(calloc(TOUCH_KINDS, sizeof *g->behind),
                                "a kernel's accesses");
    g->now = is_behind ? g->behind : g->set;
}

int access_log_has(struct access_log *g, enum touch_kind kind, const char *p)
{
    return touched_has(&g->set[kind], p) ||
           (g->behind && touched_has(&g->behind[kind], p));
}

static void add_used(struct access_log *g, enum touch_kind kind,
                     struct access_span *s)
{
    if (g->nused == g->cap_used) {
        g->cap_used = g->cap_used ? 2 * g->cap_used : 64;
        g->used = access_log_grow(g->used, g->cap_used, sizeof *g->used);
    }
    g->used[g->nused++] = (struct access_used){s, kind};
}

void access_log_span(struct access_log *g, enum touch_kind kind,
                     struct access_span *s, struct access_span with)
{
    if (s->end)
        settle(g, &g->now[kind], s);
    else
        add_used(g, kind, s);
    *s = with;
}

/* Give the instruction its trail, which is at a step that nothing touches. */
static void begin_trail(struct access_trail *t, struct access_inlined *s)
{
    const size_t n = ACCESS_LOG_STEPS + 1;
    if (!t->step)
        t->step = access_log_grow(NULL, n, sizeof *t->step);
    memset(t->step, 0, n * sizeof *t->step);
    t->of = s;
    s->nmet = 0;
    s->last = t->begin = t->step;
}

/* True if steps are rarely met, as for an instruction that jumps at random. */
static int is_useless(const struct access_trail *t)
{
    return t->nmissed > 2 * ACCESS_LOG_STEPS + t->of->nmet / 8;
}

/* The step that has the access, if it is one of the likely ones: another thread
 * begins, or follows a step that was added in between. */
static struct access_step *find_step(struct access_trail *t, const char *p,
                                     size_t nbytes)
{
    struct access_step *const behind = t->of->last + 1;
    return access_in_span(&t->begin->span, p, nbytes) ? t->begin
           : access_in_span(&behind->span, p, nbytes) ? behind
                                                      : NULL;
}

static struct access_step *add_step(struct access_log *g, enum touch_kind kind,
                                    struct access_trail *t, const char *p,
                                    size_t nbytes, const char *limit)
{
    // the oldest one is replaced if there are too many
    struct access_step *const to =
        &t->step[1 + t->nadded++ % (ACCESS_LOG_STEPS - 1)];
    if (t->of->last != t->added)
        t->begin = to;
    t->added = to;
    access_log_span(
        g, kind, &to->span,
        (struct access_span){p, p + nbytes, limit - nbytes, p + nbytes, NULL});
    return to;
}

void access_log_step(struct access_log *g, enum touch_kind kind,
                     struct access_inlined *s, const char *p, size_t nbytes,
                     const char *limit)
{
    struct access_trail *const t = access_log_trail(g, s);
    if (!t->of)
        begin_trail(t, s);
    t->nmissed++;
    if (is_useless(t)) {
        t->of = NULL;
        s->last = NULL;
        t->nleft = UINT_MAX / 2; // gets none any more
        return;
    }
    struct access_step *to = find_step(t, p, nbytes);
    if (!to)
        to = add_step(g, kind, t, p, nbytes, limit);
    s->last->then = to == s->last + 1 ? NULL : to;
    s->last = to;
}

void *access_log_grow(void *array, size_t n, size_t size)
{
    void *const grown = realloc(array, (n ? n : 1) * size);
    if (!grown)
        simgpu_report_fault(NULL, "out of host memory for a kernel's accesses");
    return grown;
}

static void report_access(struct access_log *g, const struct access_range *r,
                          uint32_t write, struct launch_cost *c)
{
    const struct heap_block *const b = &g->block[r->block];
    const uint64_t base = b->outside != HEAP_OWN
                              ? b->outside ? 0 : (uintptr_t)b->base
                              : -graph_variable(b->device);
    g->access[c->naccesses++] =
        (struct graph_access){.alloc = b->id,
                              .begin = (uintptr_t)r->begin - base,
                              .end = (uintptr_t)r->end - base,
                              .write = write};
}

/* When there are too many ranges, join neighbours of one allocation
 * across their gap. The result claims bytes that were not touched, so
 * this is the last resort. */
static void coarsen(struct access_log *g)
{
    struct access_range *const r = g->range;
    size_t n = 0;
    for (size_t i = 0; i < g->nranges; i++) {
        if (n && i % 2 && r[i].block == r[n - 1].block) {
            r[n - 1].end = r[i].end;
            r[n - 1].rough = 1;
        } else
            r[n++] = r[i];
    }
    g->nranges = n;
}

static void add_range(struct access_log *g, struct access_range r)
{
    if (g->nranges == MAX_RANGES)
        coarsen(g);
    if (g->nranges == g->cap_ranges) {
        g->cap_ranges = g->cap_ranges ? 2 * g->cap_ranges : 64;
        g->range = access_log_grow(g->range, g->cap_ranges, sizeof *g->range);
    }
    g->range[g->nranges++] = r;
}

/* Collect the ranges of a set. Allocations are pages apart, so a run of
 * bytes lies in one of them; the run's first access has found out which.
 * Variables may follow each other. */
static void collect(struct access_log *g, const struct touched *set)
{
    struct access_range r = {0};
    g->nranges = 0;
    while (touched_next(set, &r.begin, &r.end)) {
        const char *const end = r.end;
        for (; r.begin < end; r.begin = r.end) {
            r.block = (uint32_t)access_log_block(g, r.begin, 1);
            const struct heap_block *const b = &g->block[r.block];
            r.end = b->outside && b->base + b->nbytes < end
                        ? b->base + b->nbytes
                        : end;
            add_range(g, r);
        }
    }
}

static void add_bytes(struct access_log *g, int32_t from, int32_t to,
                      uint64_t nbytes, struct launch_cost *c)
{
    struct graph_move *m = g->move;
    while (m < g->move + c->nmoves && (m->from != from || m->to != to))
        m++;
    if (m == g->move + c->nmoves) {
        g->move = access_log_grow(g->move, ++c->nmoves, sizeof *g->move);
        m = g->move + c->nmoves - 1;
        *m = (struct graph_move){.from = from, .to = to};
    }
    m->nbytes += nbytes;
}

/* Add the bytes that a range of this kind moves. A multimem access
 * touches every GPU's memory; for the kernel's own, it also counts as
 * a request to the switch. */
static void add_move(struct access_log *g, const struct access_range *r,
                     enum touch_kind kind, struct launch_cost *c)
{
    const int32_t here = simgpu_proc_place(g->launch->device);
    const int32_t there = g->block[r->block].place;
    const int reads = kind == TOUCH_READ || kind == TOUCH_REDUCED;
    const uint64_t n = (uint64_t)(r->end - r->begin);
    if (!access_by_switch(kind)) {
        add_bytes(g, reads ? there : here, reads ? here : there, n, c);
        return;
    }
    const int32_t mid = TOPO_SWITCH_PLACE;
    add_bytes(g, reads ? there : mid, reads ? mid : there, n, c);
    if (there == here)
        add_bytes(g, reads ? mid : here, reads ? here : mid, n, c);
}

/* Report the accesses of blocks that are behind, which then count as the
 * kernel's like all others. */
static void report_behind(struct access_log *g, enum touch_kind kind,
                          struct launch_cost *c)
{
    const uint32_t by = g->behind_by <= GRAPH_BEHIND_MOST ? g->behind_by : 0;
    collect(g, &g->behind[kind]);
    g->access = access_log_grow(g->access, c->naccesses + g->nranges,
                                sizeof *g->access);
    for (size_t i = 0; by && i < g->nranges; i++)
        report_access(g, &g->range[i],
                      how[kind] | by << GRAPH_BEHIND_SHIFT |
                          (g->range[i].rough ? GRAPH_ROUGH : 0),
                      c);
    touched_join(&g->set[kind], &g->behind[kind]);
    touched_clear(&g->behind[kind]);
}

/* Report all ranges of one kind, both as accesses and as bytes moved. */
static void report(struct access_log *g, enum touch_kind kind,
                   struct launch_cost *c)
{
    collect(g, &g->set[kind]);
    g->access = access_log_grow(g->access, c->naccesses + g->nranges,
                                sizeof *g->access);
    const int is_atomic = (how[kind] & GRAPH_TOUCH) == GRAPH_ATOMIC;
    for (size_t i = 0; i < g->nranges; i++) {
        const struct access_range *const r = &g->range[i];
        const struct heap_block *const b = &g->block[r->block];
        const int is_shown = b->managed || b->device == HEAP_PINNED;
        report_access(g, r,
                      how[kind] | (r->rough ? GRAPH_ROUGH : 0) |
                          (is_atomic && g->fenced ? GRAPH_FENCED : 0) |
                          (is_atomic && is_shown ? GRAPH_SHOWN : 0),
                      c);
        if (access_moves_bytes(kind) && b->outside < HEAP_VARIABLE)
            add_move(g, r, kind, c);
    }
}

void access_log_summarise(struct access_log *g, struct launch_cost *c)
{
    *c = (struct launch_cost){0};
    access_log_settle(g);
    for (int kind = 0; g->behind && kind < TOUCH_KINDS; kind++)
        report_behind(g, kind, c);
    for (int kind = 0; kind < TOUCH_KINDS; kind++)
        report(g, kind, c);
    g->access =
        access_log_grow(g->access, c->naccesses + g->nfirst, sizeof *g->access);
    for (size_t i = 0; i < g->nfirst; i++)
        report_access(g, &g->first[i].range,
                      how[g->first[i].kind] | GRAPH_FIRST, c);
    c->moves = g->move;
    c->accesses = g->access;
}

void access_log_first(struct access_log *g, struct access_first first)
{
    if (g->nfirst == g->cap_first) {
        g->cap_first = g->cap_first ? 2 * g->cap_first : ACCESS_LOG_FIRSTS;
        g->first = access_log_grow(g->first, g->cap_first, sizeof *g->first);
    }
    g->first[g->nfirst++] = first;
}

/* The index in this log of an allocation that another log has. */
static uint32_t adopt_block(struct access_log *g, const struct heap_block *b)
{
    const int64_t known = access_log_block(g, b->base, 1);
    if (known >= 0)
        return (uint32_t)known;
    g->block = access_log_grow(g->block, g->nblocks + 1, sizeof *g->block);
    g->block[g->nblocks] = *b;
    return g->nblocks++;
}

void access_log_append(struct access_log *g, struct access_log *later)
{
    access_log_settle(g);
    for (size_t i = 0; i < later->nfirst && g->nfirst < g->most_first; i++) {
        struct access_first f = later->first[i];
        struct touched *const set = &g->set[f.kind];
        const char *const p = f.range.begin;
        f.range.block = adopt_block(g, &later->block[f.range.block]);
        if (!touched_has(set, p) && !touched_has(set, p - 1) &&
            !touched_has(&g->set[TOUCH_WRITE], p) &&
            !touched_has(&g->set[TOUCH_SPREAD], p))
            access_log_first(g, f);
    }
    for (uint32_t i = 0; i < later->nblocks; i++)
        adopt_block(g, &later->block[i]);
    for (int kind = 0; kind < TOUCH_KINDS; kind++)
        touched_join(&g->set[kind], &later->set[kind]);
    g->count += later->count;
    g->fenced |= later->fenced;
    access_log_clear(later);
}

void access_log_clear(struct access_log *g)
{
    g->nfirst = 0;
    drop_spans(g);
    for (int kind = 0; kind < TOUCH_KINDS; kind++) {
        touched_clear(&g->set[kind]);
        if (g->behind)
            touched_clear(&g->behind[kind]);
    }
}
