#include "device/access.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* memmove */

#include "core/device.h"
#include "core/fault.h"
#include "core/heap_space.h" /* space_slot */
#include "core/report.h"
#include "core/site.h"
#include "device/access_live.h"
#include "device/cluster.h"
#include "device/sync.h"

static __thread int switched;       /* access_by_the_switch() */
static __thread struct log *log_of; /* made for a worker's first kernel */
__thread struct log *access_live;

static _Noreturn void bad_access(const char *p, size_t nbytes, enum kind kind,
                                 const void *pc)
{
    static const char *const verb[] = {
        "reads",   "writes", "updates", "touches", "updates", "updates",
        "touches", "polls",  "reduces", "writes",  "updates"};
    const struct launch *const l = log_of->launch;
    const struct simgpu_uint3 b = simgpu_block_idx, t = simgpu_thread_idx;
    char what[512], where[256], launch[256];
    fault_in_order();
    access_live = NULL;
    graph_site_text(simgpu_proc()->graph, simgpu_site(pc), where, sizeof where);
    simgpu_heap_describe(p, what, sizeof what);
    simgpu_report_fault(
        NULL,
        "kernel %s on device %d %s %zu bytes at %p, at %s:\n  %s.\n"
        "Block (%u,%u,%u), thread (%u,%u,%u). %s\nThe kernel was launched at "
        "%s.",
        l->kernel->name, l->device, verb[kind], nbytes, (const void *)p, where,
        what, b.x, b.y, b.z, t.x, t.y, t.z,
        simgpu_heap_is_freed(p) ? FAULT_FREED : FAULT_INDEX,
        simgpu_site_text(l->site, launch, sizeof launch));
}

/* A kernel reaches memory of another device only with peer access, that of a
 * pool of host memory only if the pool lets its device, and what is mapped at
 * reserved addresses only if these do. */
static void check_device(const struct launch *l, const struct heap_block *b,
                         const void *pc)
{
    char where[256], from[256], whose[32] = "a host pool", first[128];
    const int host = b->device == HEAP_PINNED;
    if (host || b->mapped
            ? !(b->closed >> l->device & 1)
            : b->device == l->device || b->managed || b->imported ||
                  device_reaches(l->device, b->device))
        return;
    fault_in_order();
    access_live = NULL;
    snprintf(first, sizeof first,
             "cudaMemPoolSetAccess() for device %d first, on its pool",
             l->device);
    if (b->mapped)
        snprintf(first, sizeof first,
                 "cuMemSetAccess() for device %d first, on these addresses",
                 l->device);
    if (!host)
        snprintf(whose, sizeof whose, "device %d", b->device);
    if (!host && !b->mapped)
        snprintf(first, sizeof first,
                 "cudaDeviceEnablePeerAccess(%d, 0) first, with device %d "
                 "current",
                 b->device, l->device);
    simgpu_report_fault(
        NULL,
        "kernel %s on device %d, at %s, touches memory of %s:\n  the %zu-byte "
        "allocation made at %s.\nCall %s.",
        l->kernel->name, l->device,
        graph_site_text(simgpu_proc()->graph, simgpu_site(pc), where,
                        sizeof where),
        whose, b->nbytes,
        graph_site_text(simgpu_proc()->graph, b->site, from, sizeof from),
        first);
}

/* The index of the allocation that holds [p, p + nbytes). */
static uint32_t block_of(struct log *g, const char *p, size_t nbytes,
                         enum kind kind, const void *pc)
{
    const int64_t known = access_log_block(g, p, nbytes);
    if (known >= 0)
        return (uint32_t)known;
    g->block = access_log_grow(g->block, g->nblocks + 1, sizeof *g->block);
    struct heap_block *const b = &g->block[g->nblocks];
    if (simgpu_heap_find(p, b) != 0)
        bad_access(p, nbytes, kind, pc);
    if (p + nbytes > b->base + b->nbytes)
        bad_access(b->base + b->nbytes, nbytes, kind, pc);
    check_device(g->launch, b, pc);
    return g->latest = g->nblocks++;
}

/*
 * A read of bytes that no read has touched, nor any next to them. Bytes that a
 * kernel both reads and writes are taken for its own scratch memory, in any
 * order; but some are certain to have been read first (x[i] += 1).
 */
static void note_first(struct log *g, const char *p, size_t nbytes,
                       uint32_t block, enum kind kind)
{
    if (touched_has(&g->set[WRITE], p) || touched_has(&g->set[SPREAD], p))
        return;
    access_log_first(
        g,
        (struct first){{.begin = p, .end = p + nbytes, .block = block}, kind});
}

static __attribute__((noinline)) void touch_fresh(struct log *g, const char *p,
                                                  size_t nbytes, enum kind kind,
                                                  const void *pc)
{
    struct touched *const set = &g->set[kind];
    const uint32_t block = block_of(g, p, nbytes, kind, pc);
    const struct heap_block *const b = &g->block[block];
    if (access_may_be_first(g, kind)) {
        access_log_settle(g);
        if (!touched_has(set, p) && !touched_has(set, p - 1))
            note_first(g, p, nbytes, block, kind);
    }
    touched_add(set, p, nbytes, b->base, b->base + b->nbytes);
}

/* A thread that does not poll any more, or bytes that are new. */
static __attribute__((noinline)) void touch_slowly(struct log *g, const char *p,
                                                   size_t nbytes,
                                                   enum kind kind,
                                                   const void *pc)
{
    if (kind != POLL) {
        g->count += !access_may_spin(kind);
        if (g->poll->p)
            sync_commit();
    }
    if (!access_known(g, p, nbytes, kind))
        touch_fresh(g, p, nbytes, kind, pc);
}

void access_plain(const char *p, size_t nbytes, enum kind kind, const void *pc)
{
    if (space_slot(p) < 0) {
        if (cluster_nstale)
            cluster_check(p, pc);
        return;
    }
    struct log *const g = access_live;
    if (!g)
        return;
    if ((kind != POLL && g->poll->p) || !access_known(g, p, nbytes, kind))
        return touch_slowly(g, p, nbytes, kind, pc);
    g->count += kind != POLL && !access_may_spin(kind);
}

void access_outside(struct log *g, struct span *s, const char *p, size_t nbytes,
                    enum kind kind, const void *pc)
{
    if (g->poll->p) {
        touch_slowly(g, p, nbytes, kind, pc);
        return;
    }
    g->count++;
    if (!access_known(g, p, nbytes, kind))
        touch_fresh(g, p, nbytes, kind, pc);
    access_log_span(g, kind, s, access_span_at(g, p, nbytes, kind));
}

void access_forget(void)
{
    access_log_forget(log_of);
}

static void begin(const struct launch *l, size_t most_first,
                  const struct log *earlier)
{
    if (!log_of && !(log_of = calloc(1, sizeof *log_of)))
        simgpu_report_fault(NULL, "out of host memory for a kernel's accesses");
    log_of->launch = l;
    log_of->nblocks = log_of->latest = 0;
    log_of->count = 0;
    log_of->fenced = 0;
    log_of->most_first = most_first;
    log_of->earlier = earlier;
    access_log_clear(log_of);
    access_live = log_of;
}

void access_begin(const struct launch *l)
{
    begin(l, MAX_FIRST, NULL);
}

void access_begin_slice(const struct launch *l, const void *earlier)
{
    begin(l, SIZE_MAX, earlier);
}

/* What the first slice has settled, it has settled for all. */
int access_slice_is_full(void)
{
    enum { MANY = 4096 };
    struct log *const g = log_of;
    if (!g->earlier)
        return 0;
    if (__atomic_load_n(&g->earlier->nfirst, __ATOMIC_RELAXED) == MAX_FIRST)
        g->most_first = g->nfirst = 0;
    return g->nfirst >= MANY;
}

void *access_end_slice(void)
{
    access_live = NULL;
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
    log_of->launch = l;
}

void *access_shared(void)
{
    return log_of;
}

void access_adopt(void *log)
{
    if (!log) // the thread's own spans (hooks_at.c) go with it
        access_log_forget(log_of);
    log_of = log;
    access_live = log;
}

const struct poll **access_running(void)
{
    return &log_of->poll;
}

void access_end(struct launch_cost *c)
{
    access_live = NULL;
    access_log_summarise(log_of, c);
}

void access_flush(struct op *op)
{
    struct launch_cost c;
    access_log_summarise(log_of, &c);
    if (c.naccesses)
        simgpu_op_amend(op, c.flops, c.moves, c.nmoves, c.accesses,
                        c.naccesses);
    access_log_clear(log_of);
}

int access_any(void)
{
    access_log_settle(log_of);
    for (int kind = 0; kind < KINDS; kind++)
        if (!access_is_word((enum kind)kind) && log_of->set[kind].n)
            return 1;
    return 0;
}

int access_touched(void)
{
    access_log_settle(log_of);
    for (int kind = 0; kind < KINDS; kind++)
        if (log_of->set[kind].n)
            return 1;
    return 0;
}

void access_fence(void)
{
    if (access_live)
        access_live->fenced = 1;
}

int access_has_read(const void *p, size_t nbytes)
{
    const char *begin, *end = NULL;
    access_log_settle(log_of);
    while (touched_next(&log_of->set[READ], &begin, &end))
        if (begin < (const char *)p + nbytes && (const char *)p < end)
            return 1;
    return 0;
}

uint64_t access_count(void)
{
    return log_of->count;
}

void access_touch(const volatile void *p, size_t nbytes, enum access_use use,
                  const void *pc)
{
    static const enum kind kinds[] = {POLL, SIGNAL, SYSTEM, RETRY};
    const int follows = nbytes == 4 || nbytes == 8; // words that sync.c handles
    static const enum kind plain[] = {READ, WRITE, REDUCED, SPREAD};
    const int is_added = switched && use == ACCESS_ATOMIC;
    switched = 0;
    if (use >= ACCESS_READ)
        access_plain((const char *)p, nbytes, plain[use - ACCESS_READ], pc);
    else
        access_plain((const char *)p, nbytes,
                     is_added  ? ADDED
                     : follows ? kinds[use]
                               : EXCHANGE,
                     pc);
}

void access_by_the_switch(void)
{
    switched = 1;
}
