/*
 * run.c: the threads of a grid, on one worker
 *
 * Blocks run in order. A kernel without a barrier needs a single carrier
 * (block.h) and a plain loop. When no carrier can continue, all threads have
 * reached the barrier (of the block, or of a warp), and continue in order.
 *
 * A thread that polls a word continues when all others wait. If all of them
 * poll, the worker sleeps (idle.c), so a flag from another device or process
 * arrives, however few cores there are. A flag that a later block of the same
 * grid sets arrives since that block is started meanwhile (grid.h).
 *
 * Threads that wait for known conditions continue together, once all of the
 * conditions hold, so that what each does next, and with it the modelled time,
 * does not depend on timing. If that takes too long, they continue one by one.
 */
#include "device/run.h"

#include <stdlib.h> /* calloc */
#include <string.h> /* memset */

#include "core/fault.h"
#include "core/report.h"
#include "device/access.h"
#include "device/block.h"
#include "device/cluster.h"
#include "device/grid.h"
#include "device/idle.h"
#include "device/sync.h"
#include "simgpu/remote.h"

enum { POISON = 0xCB };

/* Naps of a millisecond before waiting threads continue one by one. */
enum { TOGETHER = 20 };

__thread struct simgpu_uint3 simgpu_thread_idx, simgpu_block_idx,
    simgpu_block_dim, simgpu_grid_dim;
__thread int simgpu_outside = 1;

/* Release the barrier if all threads that have not ended have reached it. */
static int release_barrier(struct block *b)
{
    if (!b->count[AT_BARRIER] ||
        b->count[AT_BARRIER] + b->count[ENDED] != b->used)
        return 0;
    for (unsigned i = 0; i < b->used; i++)
        if (b->carrier[i].state == AT_BARRIER)
            b->carrier[i].state = READY;
    b->count[READY] += b->count[AT_BARRIER];
    b->count[AT_BARRIER] = 0;
    return 1;
}

/* Threads of a block that are at barriers of their warps. */
struct at_warps {
    uint32_t here[MAX_THREADS / WARP];
    uint32_t common[MAX_THREADS / WARP]; /* what all masks of here hold */
    uint32_t mask[MAX_THREADS];          /* of each thread that is here */
};

static void find_at_warps(const struct block *b, struct at_warps *at)
{
    memset(at->here, 0, sizeof at->here);
    memset(at->common, 0xff, sizeof at->common);
    for (unsigned i = 0; i < b->used; i++) {
        const struct carrier *const c = &b->carrier[i];
        if (c->state != AT_WARP)
            continue;
        at->here[c->thread / WARP] |= UINT32_C(1) << c->thread % WARP;
        at->common[c->thread / WARP] &= c->mask;
        at->mask[c->thread] = c->mask;
    }
}

/* All of its mask have arrived or ended. Those that wait for others, and not
 * for c, are at a barrier of fewer lanes: they come to c's later. */
static int is_complete(const struct block *b, const struct at_warps *at,
                       const struct carrier *c, int loosely)
{
    const unsigned w = c->thread / WARP, lane = c->thread % WARP;
    uint32_t awaited = c->mask & b->alive[w];
    if (awaited & ~at->here[w])
        return 0;
    if (loosely || at->common[w] >> lane & 1)
        return 1;
    for (; awaited; awaited &= awaited - 1)
        if (!(at->mask[w * WARP + (unsigned)__builtin_ctz(awaited)] >> lane &
              1))
            return 0;
    return 1;
}

/* Release threads whose barrier is complete. Loosely: when nothing else can
 * run, for programs whose lanes give one barrier different masks. */
static int release_warps(struct block *b, int loosely)
{
    struct at_warps at;
    int any = 0;
    if (!b->count[AT_WARP])
        return 0;
    find_at_warps(b, &at);
    for (unsigned i = 0; i < b->used; i++) {
        struct carrier *const c = &b->carrier[i];
        if (c->state == AT_WARP && is_complete(b, &at, c, loosely)) {
            block_set_state(b, c, READY);
            any = 1;
        }
    }
    return any;
}

/* Nothing else of the block can run: threads that wait in one call converge.
 */
static int release_converged(struct block *b)
{
    int any = 0;
    for (unsigned i = 0; i < b->used && b->count[CONVERGES]; i++) {
        struct carrier *const c = &b->carrier[i];
        if (c->state != CONVERGES)
            continue;
        uint32_t mask = 0;
        for (unsigned k = i; k < b->used; k++)
            if (b->carrier[k].state == CONVERGES && b->carrier[k].pc == c->pc &&
                b->carrier[k].thread / WARP == c->thread / WARP)
                mask |= UINT32_C(1) << b->carrier[k].thread % WARP;
        for (unsigned k = b->used; k-- > i;) {
            struct carrier *const o = &b->carrier[k];
            if (o->state == CONVERGES && o->pc == c->pc &&
                o->thread / WARP == c->thread / WARP) {
                o->mask = mask;
                block_set_state(b, o, READY);
            }
        }
        any = 1;
    }
    return any;
}

/* Run all threads that are ready, in order. */
static int run_ready(struct block *b)
{
    unsigned i = 0;
    if (!b->count[READY] || b->trapped)
        return 0;
    while (b->carrier[i].state != READY)
        i++;
    b->in_turn = 1;
    carrier_resume(b, &b->carrier[i]);
    b->in_turn = 0;
    return 1;
}

/*
 * Only threads that poll are left, and those that wait for them. Threads with
 * known conditions continue once all of these hold; the others look again.
 * Returns 1 if that made progress.
 */
static int run_polls(struct block *b, int together)
{
    int any = 0, all = 1;
    for (unsigned i = 0; i < b->used; i++)
        if (b->carrier[i].state == POLLS)
            all &= sync_holds(&b->carrier[i].poll);
    for (unsigned i = 0; i < b->used; i++) {
        struct carrier *const c = &b->carrier[i];
        if (c->state != POLLS)
            continue;
        if (c->poll.met && !(together ? all : sync_holds(&c->poll)))
            continue;
        const uint64_t before = sync_activity();
        access_forget();
        carrier_resume(b, c);
        any |= c->state != POLLS || sync_activity() != before;
    }
    return any;
}

/* A poll without result, and its thread. */
static const struct poll *open_poll(struct block *b, unsigned *thread)
{
    const struct poll *found = NULL;
    for (unsigned i = 0; i < b->used; i++) {
        struct carrier *const c = &b->carrier[i];
        const int is_open =
            c->state == POLLS && (!c->poll.met || !sync_holds(&c->poll));
        if (c->state == POLLS && (!found || is_open)) {
            found = &c->poll;
            *thread = c->thread;
        }
        if (is_open)
            break;
    }
    return found;
}

/* Start all threads, then run them until all have ended. */
static void run_block(struct block *b)
{
    b->used = b->next = 0;
    b->next_at = (struct place){0, 0};
    memset(b->count, 0, sizeof b->count);
    for (unsigned t = 0; t < b->nthreads; t += WARP)
        b->alive[t / WARP] =
            UINT32_MAX >> (t + WARP > b->nthreads ? t + WARP - b->nthreads : 0);
    while (b->next < b->nthreads && !b->trapped)
        carrier_start(b);
    for (unsigned naps = 0; b->count[ENDED] < b->used && !b->trapped;) {
        unsigned thread = 0;
        if (run_ready(b) || release_warps(b, 0) || release_converged(b) ||
            release_barrier(b) || run_polls(b, naps < TOGETHER) ||
            release_warps(b, 1)) {
            idle_over();
            grid_progress();
            naps = 0;
            continue;
        }
        if (grid_stalled(naps))
            continue;
        const struct poll *const p = open_poll(b, &thread);
        idle_nap(b->launch, p && p->p ? p : NULL, thread, grid_left());
        naps++;
    }
    idle_over();
}

static struct block *block_for(const struct launch *l)
{
    if (!block_live && !(block_live = calloc(1, sizeof *block_live)))
        simgpu_report_fault(NULL, "out of host memory for a kernel");
    struct block *const b = block_live;
    b->launch = l;
    b->thread_idx = &simgpu_thread_idx;
    b->running = access_running();
    b->clustered = l->cluster[0] * l->cluster[1] * l->cluster[2] > 1;
    b->unwaiting =
        !b->clustered && kernel_promises(l->kernel) & SIMGPU_UNWAITING;
    b->nthreads = l->block[0] * l->block[1] * l->block[2];
    return b;
}

/* A runner ends: it has no block any more. */
static void forget(void)
{
    if (block_live)
        carrier_forget(block_live);
    free(block_live);
    block_live = NULL;
}

static void run_one(uint64_t n)
{
    const struct launch *const l = grid_launch();
    struct block *const b = block_for(l);
    simgpu_block_idx = cluster_block(l, n);
    b->trapped = 0;
    if (l->shared_nbytes)
        memset(simgpu_dynamic_memory, POISON, l->shared_nbytes);
    run_block(b);
}

static void run_grid(const struct launch *l, struct children *children)
{
    simgpu_grid_dim = (struct simgpu_uint3){l->grid[0], l->grid[1], l->grid[2]};
    simgpu_block_dim =
        (struct simgpu_uint3){l->block[0], l->block[1], l->block[2]};
    grid_run(l, children, run_one, forget);
}

void kernel_run(const struct launch *l, struct op *op, struct launch_cost *c)
{
    struct children children = {0};
    access_begin(l);
    sync_begin(op);
    simgpu_outside = 0;
    run_grid(l, &children);
    for (struct child *k; (k = child_take(&children)); child_free(k)) {
        const struct launch *const of = child_launched(k);
        fault_kernel_enter(of->kernel->name, of->device, of->site);
        access_go_on(of);
        run_grid(of, &children);
    }
    simgpu_arrive();
    simgpu_outside = 1;
    sync_end();
    access_end(c);
}
