#include "device/sharing/ordering.h"

#include <stdlib.h> /* calloc */
#include <string.h> /* memcpy */

#include "core/report.h"
#include "device/block.h" /* MAX_THREADS */
#include "simgpu/kernel.h"

/* Words beyond POINTS share one entry, which orders more than they do. */
enum { POINTS = 1024, PROBES = 16, MAX_PASSES = 1 << 18 };

struct point {
    const void *object;
    uint32_t *known; /* by thread: its clock */
};

struct pass { /* a call of ordering_pass() */
    struct point *at;
    uint32_t clock; /* that it made known */
    uint16_t thread;
};

static __thread struct all {
    struct ordering o;
    struct pass *pass; /* in this epoch, not yet in the rows */
    size_t npasses, cap_passes;
    uint32_t epoch;
    uint32_t row[MAX_THREADS][MAX_THREADS];
    struct point point[POINTS], rest;
} * my; /* allocated for a worker's first block */

static unsigned running(void)
{
    const struct simgpu_uint3 t = simgpu_thread_idx, n = simgpu_block_dim;
    return t.x + n.x * (t.y + n.y * t.z);
}

struct ordering *ordering_begin(unsigned nthreads)
{
    if (!my)
        my = simgpu_need(calloc(1, sizeof *my), "the order of threads");
    my->npasses = 0;
    my->o.nthreads = nthreads;
    my->o.first = ++my->o.last;
    for (unsigned i = 0; i < nthreads; i++) {
        my->o.thread[i].epoch = my->o.first;
        my->o.thread[i].clock++;
        my->o.thread[i].is_wide = 0;
    }
    return &my->o;
}

struct ordering_stamp ordering_now(void)
{
    const unsigned i = running();
    return (struct ordering_stamp){my->o.thread[i].epoch, my->o.thread[i].clock,
                                   (uint16_t)i};
}

int ordering_is_here(struct ordering_stamp s)
{
    return s.epoch >= my->o.first;
}

static void join(uint32_t *to, const uint32_t *from, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        to[i] = from[i] > to[i] ? from[i] : to[i];
}

/* Bring the rows up to date. */
static void settle(void)
{
    const unsigned n = my->o.nthreads;
    for (size_t i = 0; i < my->npasses; i++) {
        const struct pass *const p = &my->pass[i];
        uint32_t *const row = my->row[p->thread];
        join(row, p->at->known, n);
        memcpy(p->at->known, row, n * sizeof *row);
        p->at->known[p->thread] = p->clock;
    }
    my->npasses = 0;
}

int ordering_before(struct ordering_stamp s)
{
    const unsigned i = running();
    if (s.thread == i || s.epoch != my->o.thread[i].epoch)
        return 1;
    settle();
    return my->row[i][s.thread] >= s.clock;
}

void ordering_barrier(void)
{
    struct ordering_thread *const t = &my->o.thread[running()];
    if (++t->epoch > my->o.last)
        my->o.last = t->epoch;
}

/* ---- barriers of a warp -------------------------------------------------- */

/* What the lanes in the mask know together, from thread `first` on. */
static void join_lanes(unsigned warp, uint32_t mask, unsigned first, unsigned n,
                       uint32_t *out)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = 0;
    for (; mask; mask &= mask - 1) {
        const unsigned i = warp * WARP + (unsigned)__builtin_ctz(mask);
        join(out, &my->row[i][first], n);
        if (out[i - first] < my->o.thread[i].clock)
            out[i - first] = my->o.thread[i].clock;
    }
}

static int has_wide(unsigned warp, uint32_t lanes)
{
    for (; lanes; lanes &= lanes - 1)
        if (my->o.thread[warp * WARP + (unsigned)__builtin_ctz(lanes)].is_wide)
            return 1;
    return 0;
}

void ordering_warp(unsigned warp, uint32_t lanes, const uint32_t *mask)
{
    const int is_wide = has_wide(warp, lanes);
    const unsigned first = is_wide ? 0 : warp * WARP;
    const unsigned n = is_wide ? my->o.nthreads : WARP;
    uint32_t known[MAX_THREADS], of = 0;
    settle();
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        if (of != mask[lane])
            join_lanes(warp, of = mask[lane], first, n, known);
        join(&my->row[warp * WARP + lane][first], known, n);
        my->o.thread[warp * WARP + lane].is_wide |= is_wide;
    }
    for (; lanes; lanes &= lanes - 1)
        my->o.thread[warp * WARP + (unsigned)__builtin_ctz(lanes)].clock++;
}

/* ---- objects ------------------------------------------------------------- */

static struct point *point_of(const void *object)
{
    const uint64_t hash =
        (uint64_t)(uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15);
    struct point *found = &my->rest;
    for (unsigned i = 0; object && i < PROBES; i++) {
        struct point *const p = &my->point[((hash >> 54) + i) % POINTS];
        if (!p->object)
            p->object = object;
        if (p->object == object) {
            found = p;
            break;
        }
    }
    if (!found->known)
        found->known = simgpu_need(calloc(MAX_THREADS, sizeof *found->known),
                                   "the order of threads");
    return found;
}

void ordering_release(const void *object)
{
    const unsigned i = running();
    struct point *const p = point_of(object);
    settle();
    join(p->known, my->row[i], my->o.nthreads);
    p->known[i] = my->o.thread[i].clock++;
}

void ordering_acquire(const void *object)
{
    const unsigned i = running();
    settle();
    join(my->row[i], point_of(object)->known, my->o.nthreads);
    my->o.thread[i].is_wide = 1;
}

/* Space for one more pass. If the running thread has left an epoch, all threads
 * of the block that have not ended have left it, too. */
static struct pass *next_pass(uint32_t epoch)
{
    if (my->epoch != epoch)
        my->npasses = 0;
    my->epoch = epoch;
    if (my->npasses == MAX_PASSES)
        settle();
    if (my->npasses == my->cap_passes) {
        my->cap_passes = my->cap_passes ? 2 * my->cap_passes : 1024;
        my->pass =
            simgpu_need(realloc(my->pass, my->cap_passes * sizeof *my->pass),
                        "the order of threads");
    }
    return &my->pass[my->npasses++];
}

void ordering_pass(const void *object)
{
    const unsigned i = running();
    struct ordering_thread *const t = &my->o.thread[i];
    struct point *const at = point_of(object);
    const struct pass *const latest =
        my->npasses ? &my->pass[my->npasses - 1] : NULL;
    t->is_wide = 1;
    if (latest && latest->at == at && latest->thread == i &&
        my->epoch == t->epoch)
        my->pass[my->npasses - 1].clock = t->clock++;
    else
        *next_pass(t->epoch) = (struct pass){at, t->clock++, (uint16_t)i};
}

void ordering_forget(void)
{
    for (int i = 0; my && i < POINTS; i++)
        free(my->point[i].known);
    if (my) {
        free(my->rest.known);
        free(my->pass);
    }
    free(my);
    my = NULL;
}
