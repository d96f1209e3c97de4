#include "device/sharing/ordering.h"

#include <stdlib.h> /* calloc */

#include "core/report.h"
#include "device/block.h" /* MAX_THREADS */
#include "simgpu/kernel.h"

/* Words beyond POINTS share one entry, which orders more than they do. */
enum { POINTS = 1024, PROBES = 16 };

struct point {
    const void *object;
    uint32_t *known; /* by thread: its clock */
};

static __thread struct all {
    struct ordering o;
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

int ordering_before(struct ordering_stamp s)
{
    const unsigned i = running();
    return s.thread == i || s.epoch != my->o.thread[i].epoch ||
           my->row[i][s.thread] >= s.clock;
}

void ordering_barrier(void)
{
    struct ordering_thread *const t = &my->o.thread[running()];
    if (++t->epoch > my->o.last)
        my->o.last = t->epoch;
}

/* ---- barriers of a warp -------------------------------------------------- */

static void join(uint32_t *to, const uint32_t *from, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        to[i] = from[i] > to[i] ? from[i] : to[i];
}

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
    join(p->known, my->row[i], my->o.nthreads);
    p->known[i] = my->o.thread[i].clock++;
}

void ordering_acquire(const void *object)
{
    const unsigned i = running();
    join(my->row[i], point_of(object)->known, my->o.nthreads);
    my->o.thread[i].is_wide = 1;
}

void ordering_forget(void)
{
    for (int i = 0; my && i < POINTS; i++)
        free(my->point[i].known);
    if (my)
        free(my->rest.known);
    free(my);
    my = NULL;
}
