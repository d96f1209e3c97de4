#include "device/access.h"

#include <cuda_runtime_api.h> /* cudaErrorIllegalAddress */
#include <stdio.h>            /* snprintf */
#include <stdlib.h>           /* calloc */

#include "core/heap/heap_space.h" /* space_slot */
#include "core/heap/reach.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream/unwaited.h"
#include "device/access_live.h"
#include "device/alone.h"
#include "device/block.h" /* block_live */
#include "device/failure.h"
#include "device/outside.h"
#include "device/shared.h"
#include "device/sharing/behind.h"
#include "device/sharing/between.h"
#include "device/sharing/distant.h"
#include "device/sharing/race.h"
#include "device/sync.h"

/* the next access is the switch's: access_by_the_switch() */
static __thread int switched;
static __thread struct access_log
    *log_of; /* allocated for a worker's first kernel */

static void check_device(const struct launch *l, const struct heap_block *b,
                         size_t nbytes, enum touch_kind kind, const void *pc)
{
    char what[REACH_TEXT];
    if (!simgpu_heap_reaches(l->device, b))
        failure_report(l, cudaErrorIllegalAddress, pc,
                       failure_access(kind, nbytes), "%s",
                       simgpu_heap_unreached(l->device, b, what));
}

/* The index of the allocation that contains [p, p + nbytes). */
static uint32_t block_of(struct access_log *g, const char *p, size_t nbytes,
                         enum touch_kind kind, const void *pc)
{
    const int64_t known = access_log_block(g, p, nbytes);
    if (known >= 0)
        return (uint32_t)known;
    g->block = access_log_grow(g->block, g->nblocks + 1, sizeof *g->block);
    struct heap_block *const b = &g->block[g->nblocks];
    if (space_slot(p) < 0)
        outside_block(g, p, pc, b);
    else if (simgpu_heap_find(p, b) != 0)
        failure_bounds(g->launch, p, nbytes, kind, pc);
    if (p + nbytes > b->base + b->nbytes)
        failure_bounds(g->launch, p, nbytes, kind, pc);
    check_device(g->launch, b, nbytes, kind, pc);
    return g->latest = g->nblocks++;
}

/*
 * Record a read as the first access to its bytes, unless the kernel wrote them
 * before. Bytes that a kernel both reads and writes are taken for its own
 * scratch memory, in any order; but some are certain to have been read first
 * (x[i] += 1).
 */
static void note_first(struct access_log *g, const char *p, size_t nbytes,
                       uint32_t block, enum touch_kind kind)
{
    if (access_log_has(g, TOUCH_WRITE, p) || access_log_has(g, TOUCH_SPREAD, p))
        return;
    access_log_first(
        g, (struct access_first){
               {.begin = p, .end = p + nbytes, .block = block}, kind});
}

/* Note the kernel's first write outside the used part of an allocation. */
static void note_stray(struct access_log *g, const struct heap_block *b,
                       const char *p, size_t nbytes, enum touch_kind kind,
                       const void *pc)
{
    const struct launch *const l = g->launch;
    const struct simgpu_uint3 at = simgpu_block_idx, t = simgpu_thread_idx;
    char text[512], where[256];
    if (g->strayed || kind == TOUCH_READ || kind == TOUCH_POLL ||
        kind == TOUCH_REDUCED ||
        (p >= b->used && p + nbytes <= b->used + b->used_nbytes))
        return;
    g->strayed = 1;
    snprintf(text, sizeof text, "%s in block (%u,%u,%u), thread (%u,%u,%u)",
             failure_place(pc, where, sizeof where), at.x, at.y, at.z, t.x, t.y,
             t.z);
    graph_note_fault(simgpu_proc()->graph, l->op->node.index, l->site,
                     GRAPH_PLACE, text);
}

static __attribute__((noinline)) void touch_fresh(struct access_log *g,
                                                  const char *p, size_t nbytes,
                                                  enum touch_kind kind,
                                                  const void *pc)
{
    struct touched *const set = &g->now[kind];
    const uint32_t block = block_of(g, p, nbytes, kind, pc);
    const struct heap_block *const b = &g->block[block];
    const struct access_range l = access_log_limits(b, p);
    if (b->used)
        note_stray(g, b, p, nbytes, kind, pc);
    if (access_may_be_first(g, kind)) {
        access_log_settle(g);
        if (!b->outside && !access_log_has(g, kind, p) &&
            !access_log_has(g, kind, p - 1))
            note_first(g, p, nbytes, block, kind);
    }
    touched_add(set, p, nbytes, l.begin, l.end);
}

/* Called for a thread that has polled, or for bytes that are new. */
static __attribute__((noinline)) void touch_slowly(struct access_log *g,
                                                   const char *p, size_t nbytes,
                                                   enum touch_kind kind,
                                                   const void *pc)
{
    if (kind != TOUCH_POLL) {
        g->count += !access_may_spin(kind);
        if (g->poll->p)
            sync_commit();
    }
    if (!access_known(g, p, nbytes, kind))
        touch_fresh(g, p, nbytes, kind, pc);
}

/* An access to the thread's own shared memory, or to other thread-local memory.
 * Returns what the instruction may touch without another check, if anything. */
static struct outside_range touch_shared(struct access_log *g, const char *p,
                                         size_t nbytes, enum touch_kind kind,
                                         const void *pc)
{
    struct outside_range free = {.is_local = 1};
    struct shared_array *const a =
        arrays_touch(g->launch, p, nbytes, kind, pc, &free.begin, &free.end);
    if (a && !race_is_on() && !block_live->distant)
        g->atomics.array = (struct simgpu_words){free.begin, free.end};
    if (!a || !race_is_on())
        return free;
    race_touch(a, p, nbytes, kind, pc);
    return (struct outside_range){.is_local = 1};
}

void access_plain(const char *p, size_t nbytes, enum touch_kind kind,
                  const void *pc)
{
    struct access_log *const g = access_live;
    struct outside_range own;
    int may_race = 1;
    if (!g) { // host code
        if (unwaited_any)
            unwaited_touch(p, nbytes, (int)kind, pc);
        return;
    }
    if (kind >= TOUCH_ATOMIC && !access_by_switch(kind))
        behind_look();
    if (space_slot(p) >= 0 && kind >= TOUCH_ATOMIC && race_is_on())
        race_touch_global();
    if (block_live->distant && (space_slot(p) < 0 || kind >= TOUCH_ATOMIC))
        distant_touch(g->launch, p, nbytes, kind, pc);
    if (space_slot(p) < 0) {
        struct race *const race = block_live->checked;
        if (race && race_touch_quickly(race, p, nbytes, kind, pc))
            return;
        if (simgpu_is_shared(p)) {
            touch_shared(g, p, nbytes, kind, pc);
            return;
        }
        if (shared_nstale)
            shared_check(p, pc);
        if (!outside_touch(g, p, nbytes, kind, pc, &own)) {
            if (between_is_on && own.is_variable)
                between_touch(p, nbytes, kind, pc);
            return;
        }
        may_race = !own.is_constant;
    }
    if ((kind != TOUCH_POLL && g->poll->p) || !access_known(g, p, nbytes, kind))
        touch_slowly(g, p, nbytes, kind, pc);
    else
        g->count += kind != TOUCH_POLL && !access_may_spin(kind);
    if (between_is_on && may_race) // the bytes are there
        between_touch(p, nbytes, kind, pc);
}

/* Record an access outside the instruction's span. The next access at this
 * place may go unrecorded if it can't be part of a race in the kernel. */
static void touch_outside(struct access_log *g, struct access_span *s,
                          const char *p, size_t nbytes, enum touch_kind kind,
                          const void *pc, int may_race)
{
    const int polled = g->poll->p != NULL;
    g->count += !polled && !access_may_spin(kind);
    if (polled)
        touch_slowly(g, p, nbytes, kind, pc);
    else if (!access_known(g, p, nbytes, kind))
        touch_fresh(g, p, nbytes, kind, pc);
    if (may_race)
        between_touch(p, nbytes, kind, pc);
    else if (!polled)
        access_log_span(g, kind, s, access_span_at(g, p, nbytes, kind));
}

void access_outside(struct access_log *g, struct access_span *s, const char *p,
                    size_t nbytes, enum touch_kind kind, const void *pc)
{
    touch_outside(g, s, p, nbytes, kind, pc, between_is_on);
}

void access_outside_heaps(struct access_log *g, struct access_span *s,
                          const char *p, size_t nbytes, enum touch_kind kind,
                          const void *pc)
{
    const unsigned *const c = g->launch->cluster;
    const int is_alone = c[0] * c[1] * c[2] == 1 && !shared_nstale;
    struct race *const race = block_live->checked;
    struct outside_range own;
    if (race && race_touch_quickly(race, p, nbytes, kind, pc))
        return;
    if (block_live->distant)
        distant_touch(g->launch, p, nbytes, kind, pc);
    if (simgpu_is_shared(p)) {
        // in a cluster, shared memory has to be checked at each access
        own = touch_shared(g, p, nbytes, kind, pc);
        if (own.end && is_alone && (!s->end || simgpu_is_shared(s->begin)))
            access_log_span(g, kind, s,
                            (struct access_span){own.begin, own.end, own.end,
                                                 own.end, NULL});
        return;
    }
    if (shared_nstale)
        shared_check(p, pc);
    if (access_aside(g, s, p, nbytes, kind))
        return;
    if (outside_touch(g, p, nbytes, kind, pc, &own)) {
        if (!access_in_span(s, p, nbytes))
            touch_outside(g, s, p, nbytes, kind, pc,
                          between_is_on && !own.is_constant);
    } else if (between_is_on && own.is_variable && !own.is_constant) {
        between_touch(p, nbytes, kind, pc);
    } else if (own.end && !s->end && !shared_nstale &&
               (!own.is_local || is_alone)) {
        access_log_span(
            g, kind, s,
            (struct access_span){own.begin, own.end, own.end, own.end, NULL});
    }
}

void access_forget(void)
{
    access_log_forget(log_of);
}

static void end_alone(struct access_log *g)
{
    g->was_alone = 1;
    g->is_alone = 0;
    g->own = (struct access_range){0};
    g->atomics.words[0] = g->atomics.words[1] = (struct simgpu_words){0};
    alone_yield(g);
}

void access_yield_variables(void)
{
    outside_yield(log_of);
}

void access_yield(void)
{
    if (!alone_holds() && log_of->is_alone)
        end_alone(log_of);
}

void access_learn_words(struct access_log *g, enum touch_kind kind,
                        const char *p, size_t nbytes)
{
    enum { SELDOM = 64, FAR = 4096 };
    struct touched *const set = &g->now[kind];
    if (g->follows || g->nwords++ % SELDOM)
        return;
    const struct access_span s = access_span_at(g, p, nbytes, kind);
    const char *begin = s.begin, *end = s.end;
    while (begin > p - FAR && touched_is_full(set, begin - 64))
        begin -= 64;
    while (end < p + FAR && touched_is_full(set, end))
        end += 64;
    g->atomics.words[kind == TOUCH_EXCHANGE] =
        (struct simgpu_words){begin, end};
}

int access_ask_alone(struct access_log *g, const char *p, size_t nbytes)
{
    const int64_t i = access_log_block(g, p, nbytes);
    const struct heap_block *const b = &g->block[i];
    if (g->is_alone && !alone_holds())
        end_alone(g);
    if (g->was_alone || i < 0 || b->managed || b->imported || b->mapped ||
        b->device == HEAP_PINNED)
        return 0;
    if (!g->is_alone && !alone_ask(g)) {
        g->was_alone = 1;
        return 0;
    }
    g->is_alone = 1;
    g->own =
        (struct access_range){.begin = b->base, .end = b->base + b->nbytes};
    return 1;
}

static void begin(const struct launch *l, size_t most_first,
                  const struct access_log *earlier)
{
    if (!log_of && !(log_of = calloc(1, sizeof *log_of)))
        simgpu_report_fault(NULL, "out of host memory for a kernel's accesses");
    log_of->launch = l;
    log_of->is_resident = 0;
    log_of->now = log_of->set;
    log_of->follows = 0;
    log_of->nblocks = log_of->latest = 0;
    log_of->count = 0;
    log_of->fenced = 0;
    log_of->strayed = 0;
    log_of->most_first = most_first;
    log_of->earlier = earlier;
    log_of->was_alone = earlier != NULL;
    log_of->is_alone = 0;
    log_of->atomics = (struct simgpu_own){.wanted = &alone_wanted};
    log_of->own = (struct access_range){0};
    access_log_clear(log_of);
    access_set_live(log_of);
}

void access_begin(const struct launch *l)
{
    begin(l, ACCESS_LOG_FIRSTS, NULL);
}

void access_begin_slice(const struct launch *l, const void *earlier)
{
    begin(l, SIZE_MAX, earlier);
}

/* True if this slice has recorded many first reads. Once the first slice has
 * all MAX_FIRST, the other slices drop theirs and record no more. */
int access_slice_is_full(void)
{
    enum { MANY = 4096 };
    struct access_log *const g = log_of;
    if (!g->earlier)
        return 0;
    if (__atomic_load_n(&g->earlier->nfirst, __ATOMIC_RELAXED) ==
        ACCESS_LOG_FIRSTS)
        g->most_first = g->nfirst = 0;
    return g->nfirst >= MANY;
}

void *access_end_slice(void)
{
    outside_leave(log_of);
    access_set_live(NULL);
    access_log_forget(log_of);
    return log_of;
}

void access_append(void *later)
{
    access_log_append(log_of, later);
}

void access_go_on(const struct launch *l)
{
    access_log_forget(log_of);
    log_of->atomics.array = (struct simgpu_words){0};
    log_of->launch = l;
}

void *access_shared(void)
{
    return log_of;
}

void access_adopt(void *log)
{
    if (!log) // the thread's inline spans (hooks_at.c) belong to the log
        access_log_forget(log_of);
    log_of = log;
    access_set_live(log);
}

const struct poll **access_running(void)
{
    return &log_of->poll;
}

void access_end(struct launch_cost *c)
{
    outside_leave(log_of);
    access_set_live(NULL);
    access_log_summarise(log_of, c);
}

void access_flush(struct op *op)
{
    struct launch_cost c;
    access_log_summarise(log_of, &c);
    if (c.naccesses || c.nmoves)
        simgpu_op_amend(op, c.flops, c.moves, c.nmoves, c.accesses,
                        c.naccesses);
    access_log_clear(log_of);
}

/* True if bytes have been touched in this way. */
static int has_any(const struct access_log *g, int kind)
{
    return g->set[kind].n || (g->behind && g->behind[kind].n);
}

int access_any(void)
{
    access_log_settle(log_of);
    for (int kind = 0; kind < TOUCH_KINDS; kind++)
        if (!access_is_word((enum touch_kind)kind) && has_any(log_of, kind))
            return 1;
    return 0;
}

int access_touched(void)
{
    access_log_settle(log_of);
    for (int kind = 0; kind < TOUCH_KINDS; kind++)
        if (has_any(log_of, kind))
            return 1;
    return 0;
}

void access_fence(void)
{
    if (access_live)
        access_live->fenced = 1;
    if (between_is_on)
        between_fence();
}

void simgpu_block_scope(int begins)
{
    if (between_is_on)
        between_block_scope(begins);
}

/* True if the set has any of these bytes. */
static int meets(const struct touched *set, const char *p, size_t nbytes)
{
    const char *begin, *end = NULL;
    while (touched_next(set, &begin, &end))
        if (begin < p + nbytes && p < end)
            return 1;
    return 0;
}

int access_has_read(const void *p, size_t nbytes)
{
    const struct access_log *const g = log_of;
    access_log_settle(log_of);
    return meets(&g->set[TOUCH_READ], p, nbytes) ||
           (g->behind && meets(&g->behind[TOUCH_READ], p, nbytes));
}

uint64_t access_count(void)
{
    return log_of->count;
}

void access_touch(const volatile void *p, size_t nbytes, enum access_use use,
                  const void *pc)
{
    static const enum touch_kind kinds[] = {TOUCH_POLL, TOUCH_SIGNAL,
                                            TOUCH_SYSTEM, TOUCH_RETRY};
    // sync.c handles words of these sizes
    const int follows = nbytes == 4 || nbytes == 8;
    static const enum touch_kind plain[] = {TOUCH_READ, TOUCH_WRITE,
                                            TOUCH_REDUCED, TOUCH_SPREAD};
    const int is_added = switched && use == ACCESS_ATOMIC;
    switched = 0;
    if (use >= ACCESS_READ)
        access_plain((const char *)p, nbytes, plain[use - ACCESS_READ], pc);
    else
        access_plain((const char *)p, nbytes,
                     is_added  ? TOUCH_ADDED
                     : follows ? kinds[use]
                               : TOUCH_EXCHANGE,
                     pc);
}

void access_by_the_switch(void)
{
    switched = 1;
}
