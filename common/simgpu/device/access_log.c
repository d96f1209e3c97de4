#include "device/access_log.h"

#include <stdlib.h> /* realloc */

#include "core/proc.h"
#include "core/report.h"

enum { MAX_RANGES = 1 << 16 };

static const uint32_t how[KINDS] = {GRAPH_READ,
                                    GRAPH_WRITE,
                                    GRAPH_ATOMIC,
                                    GRAPH_ATOMIC | GRAPH_BLIND,
                                    GRAPH_ATOMIC | GRAPH_KNOWN,
                                    GRAPH_ATOMIC | GRAPH_KNOWN,
                                    GRAPH_ATOMIC | GRAPH_BLIND | GRAPH_KNOWN,
                                    GRAPH_ATOMIC | GRAPH_BLIND | GRAPH_KNOWN,
                                    GRAPH_READ,
                                    GRAPH_WRITE,
                                    GRAPH_ATOMIC | GRAPH_KNOWN};

static int holds(const struct heap_block *b, const char *p, size_t nbytes)
{
    return p >= b->base && p + nbytes <= b->base + b->nbytes;
}

int64_t access_log_block(struct log *g, const char *p, size_t nbytes)
{
    if (g->nblocks && holds(&g->block[g->latest], p, nbytes))
        return g->latest;
    for (uint32_t i = 0; i < g->nblocks; i++)
        if (holds(&g->block[i], p, nbytes))
            return g->latest = i;
    return -1;
}

/* Only memory of an allocation that is known is ever fresh. */
static void settle(struct log *g, struct touched *set, struct span *s)
{
    if (s->fresh == s->end)
        return;
    const int64_t i = access_log_block(g, s->begin, 1);
    const struct heap_block *const b = &g->block[i];
    touched_add(set, s->fresh, (size_t)(s->end - s->fresh), b->base,
                b->base + b->nbytes);
    s->fresh = s->end;
}

void access_log_settle(struct log *g)
{
    for (size_t i = 0; i < g->nused; i++)
        settle(g, &g->set[g->used[i].kind], g->used[i].span);
}

static void drop_spans(struct log *g)
{
    while (g->nused)
        *g->used[--g->nused].span = (struct span){0};
}

void access_log_forget(struct log *g)
{
    access_log_settle(g);
    drop_spans(g);
}

static void add_used(struct log *g, enum kind kind, struct span *s)
{
    if (g->nused == g->cap_used) {
        g->cap_used = g->cap_used ? 2 * g->cap_used : 64;
        g->used = access_log_grow(g->used, g->cap_used, sizeof *g->used);
    }
    g->used[g->nused++] = (struct used){s, kind};
}

void access_log_span(struct log *g, enum kind kind, struct span *s,
                     struct span with)
{
    if (s->end)
        settle(g, &g->set[kind], s);
    else
        add_used(g, kind, s);
    *s = with;
}

void *access_log_grow(void *array, size_t n, size_t size)
{
    void *const grown = realloc(array, (n ? n : 1) * size);
    if (!grown)
        simgpu_report_fault(NULL, "out of host memory for a kernel's accesses");
    return grown;
}

static void report_access(struct log *g, const struct range *r, uint32_t write,
                          struct launch_cost *c)
{
    const struct heap_block *const b = &g->block[r->block];
    g->access[c->naccesses++] =
        (struct graph_access){.alloc = b->id,
                              .begin = (uint64_t)(r->begin - b->base),
                              .end = (uint64_t)(r->end - b->base),
                              .write = write};
}

/* Too many ranges: join neighbours in one allocation across the gap. That
 * claims bytes that were not touched, so it is the last resort. */
static void coarsen(struct log *g)
{
    struct range *const r = g->range;
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

static void add_range(struct log *g, struct range r)
{
    if (g->nranges == MAX_RANGES)
        coarsen(g);
    if (g->nranges == g->cap_ranges) {
        g->cap_ranges = g->cap_ranges ? 2 * g->cap_ranges : 64;
        g->range = access_log_grow(g->range, g->cap_ranges, sizeof *g->range);
    }
    g->range[g->nranges++] = r;
}

/* The ranges of one kind. Allocations are pages apart, so a run of bytes is in
 * one of them; its first access has found which. */
static void collect(struct log *g, enum kind kind)
{
    struct range r = {0};
    g->nranges = 0;
    while (touched_next(&g->set[kind], &r.begin, &r.end)) {
        r.block = (uint32_t)access_log_block(g, r.begin, 1);
        add_range(g, r);
    }
}

static void add_bytes(struct log *g, int32_t from, int32_t to, uint64_t nbytes,
                      struct launch_cost *c)
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

/* The bytes that a range of this kind moves. A multimem access touches every
 * memory: at the kernel's own it is counted as a request, too. */
static void add_move(struct log *g, const struct range *r, enum kind kind,
                     struct launch_cost *c)
{
    const int32_t here = simgpu_proc_place(g->launch->device);
    const int32_t there = g->block[r->block].place;
    const int reads = kind == READ || kind == REDUCED;
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

/* Report all ranges of one kind, as accesses and as bytes moved. */
static void report(struct log *g, enum kind kind, struct launch_cost *c)
{
    collect(g, kind);
    g->access = access_log_grow(g->access, c->naccesses + g->nranges,
                                sizeof *g->access);
    const int fenced = g->fenced && (how[kind] & GRAPH_TOUCH) == GRAPH_ATOMIC;
    for (size_t i = 0; i < g->nranges; i++) {
        const struct range *const r = &g->range[i];
        report_access(g, r,
                      how[kind] | (r->rough ? GRAPH_ROUGH : 0) |
                          (fenced ? GRAPH_FENCED : 0),
                      c);
        if (access_moves_bytes(kind))
            add_move(g, r, kind, c);
    }
}

void access_log_summarise(struct log *g, struct launch_cost *c)
{
    *c = (struct launch_cost){0};
    access_log_settle(g);
    for (int kind = 0; kind < KINDS; kind++)
        report(g, kind, c);
    g->access =
        access_log_grow(g->access, c->naccesses + g->nfirst, sizeof *g->access);
    for (size_t i = 0; i < g->nfirst; i++)
        report_access(g, &g->first[i].range,
                      how[g->first[i].kind] | GRAPH_FIRST, c);
    c->moves = g->move;
    c->accesses = g->access;
}

void access_log_first(struct log *g, struct first first)
{
    if (g->nfirst == g->cap_first) {
        g->cap_first = g->cap_first ? 2 * g->cap_first : MAX_FIRST;
        g->first = access_log_grow(g->first, g->cap_first, sizeof *g->first);
    }
    g->first[g->nfirst++] = first;
}

/* The index of an allocation of another log's. */
static uint32_t adopt_block(struct log *g, const struct heap_block *b)
{
    const int64_t known = access_log_block(g, b->base, 1);
    if (known >= 0)
        return (uint32_t)known;
    g->block = access_log_grow(g->block, g->nblocks + 1, sizeof *g->block);
    g->block[g->nblocks] = *b;
    return g->nblocks++;
}

void access_log_append(struct log *g, struct log *later)
{
    access_log_settle(g);
    for (size_t i = 0; i < later->nfirst && g->nfirst < g->most_first; i++) {
        struct first f = later->first[i];
        struct touched *const set = &g->set[f.kind];
        const char *const p = f.range.begin;
        f.range.block = adopt_block(g, &later->block[f.range.block]);
        if (!touched_has(set, p) && !touched_has(set, p - 1) &&
            !touched_has(&g->set[WRITE], p) && !touched_has(&g->set[SPREAD], p))
            access_log_first(g, f);
    }
    for (uint32_t i = 0; i < later->nblocks; i++)
        adopt_block(g, &later->block[i]);
    for (int kind = 0; kind < KINDS; kind++)
        touched_join(&g->set[kind], &later->set[kind]);
    g->count += later->count;
    g->fenced |= later->fenced;
    access_log_clear(later);
}

void access_log_clear(struct log *g)
{
    g->nfirst = 0;
    drop_spans(g);
    for (int kind = 0; kind < KINDS; kind++)
        touched_clear(&g->set[kind]);
}
