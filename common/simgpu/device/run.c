/*
 * run.c: the threads of a grid, on one worker
 *
 * Blocks run in order. A kernel without barriers needs a single carrier
 * (block.h) and a plain loop. When no carrier can continue, all threads have
 * reached the barrier (of the block, or of a warp), and continue in order.
 *
 * A thread that polls a word continues when all others wait. If all threads
 * poll, the worker sleeps (idle.c), so that other devices and processes get to
 * set the flag, however few cores there are. A flag that a later block of the
 * same grid sets also arrives, because that block is started in the meantime
 * (grid.h).
 *
 * Threads that wait for known conditions continue together, once all the
 * conditions hold. What each does next, and with it the modelled time, then
 * does not depend on timing. If that takes too long, the threads continue one
 * by one.
 */
#include <stdlib.h> /* calloc */
#include <string.h> /* memset */

#include "core/heap/fault.h"
#include "core/report.h"
#include "device/access.h"
#include "device/alone.h"
#include "device/block.h"
#include "device/cluster.h"
#include "device/grid.h"
#include "device/idle.h"
#include "device/sharing/behind.h"
#include "device/sharing/between.h"
#include "device/sharing/copies.h"
#include "device/sharing/distant.h"
#include "device/sharing/meeting.h"
#include "device/sharing/ordering.h"
#include "device/sharing/race.h"
#include "device/sync.h"
#include "simgpu/remote.h"

enum { POISON = 0xCB };

/* Naps of a millisecond after which waiting threads continue one by one. */
enum { TOGETHER = 20 };

/* Release the barrier if all threads that have not ended have reached it. */
static int release_barrier(struct block *b)
{
    if (!b->count[AT_BARRIER] ||
        b->count[AT_BARRIER] + b->count[ENDED] != b->used)
        return 0;
    for (unsigned i = 0; i < b->used; i++)
        if (b->state[i] == AT_BARRIER)
            b->state[i] = READY;
    b->count[READY] += b->count[AT_BARRIER];
    b->count[AT_BARRIER] = 0;
    return 1;
}

/* The threads of a block that wait at barriers of their warps. */
struct at_warps {
    uint32_t here[MAX_THREADS / WARP];
    uint32_t common[MAX_THREADS / WARP]; /* lanes in all masks of a warp */
    uint32_t mask[MAX_THREADS];          /* each waiting thread's mask */
};

static void find_at_warps(const struct block *b, struct at_warps *at)
{
    memset(at->here, 0, sizeof at->here);
    memset(at->common, 0xff, sizeof at->common);
    for (unsigned i = 0; i < b->used; i++) {
        const struct carrier *const c = &b->carrier[i];
        if (b->state[i] != AT_WARP)
            continue;
        at->here[c->thread / WARP] |= UINT32_C(1) << c->thread % WARP;
        at->common[c->thread / WARP] &= c->mask;
        at->mask[c->thread] = c->mask;
    }
}

/* True if all lanes in c's mask have ended or wait for c. A lane at a barrier
 * whose mask leaves c out reaches c's barrier later; `loosely` counts it all
 * the same. */
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

/* The value that a thread wants. If that one's lane takes no part, the value is
 * undefined: programs that are checked get one that is hard to miss. */
static uint64_t posted(const struct block *b, const struct carrier *c)
{
    const uint32_t lane = UINT32_C(1) << c->wants % WARP;
    return b->checked && !(c->mask & lane)
               ? POISON * UINT64_C(0x0101010101010101)
               : b->posted[c->wants];
}

/* Give a thread what others of its warp have posted, before these continue. */
static void deliver(struct block *b, struct carrier *c)
{
    const unsigned warp = c->thread / WARP;
    c->mask &= b->alive[warp];
    if (c->wants == WANTS_ALL)
        memcpy(block_rest(b, c)->all, &b->posted[warp * WARP],
               WARP * sizeof *b->posted);
    else
        c->fiber.gets =
            c->wants == WANTS_BITS ? b->bits[warp] & c->mask : posted(b, c);
}

/* The same if all threads of the block wait for their whole warps. */
static void release_united(struct block *b)
{
    b->united = 0;
    for (unsigned i = 0; i < b->used; i++)
        deliver(b, &b->carrier[i]);
    memset(b->state, READY, b->used);
    b->count[AT_WARP] = 0;
    b->count[READY] = b->used;
}

/* The released lanes of each warp are ordered behind those that they waited
 * for. */
static void order_released(struct at_warps *at, const uint32_t *released)
{
    for (unsigned w = 0; w < MAX_THREADS / WARP; w++) {
        uint32_t *const mask = &at->mask[w * WARP];
        for (uint32_t left = released[w]; left; left &= left - 1)
            mask[__builtin_ctz(left)] &= at->here[w];
        if (released[w])
            ordering_warp(w, released[w], mask);
    }
}

/* Look at the masks of the lanes that wait. */
static void compare_masks(const struct block *b, const struct at_warps *at,
                          const uint32_t *released, int loosely)
{
    for (unsigned w = 0; w * WARP < b->nthreads; w++)
        if (released[w])
            meeting_pass(
                &(struct meeting){.warp = w,
                                  .released = released[w],
                                  .here = at->here[w],
                                  .alive = b->alive[w],
                                  .mask = &at->mask[w * WARP],
                                  .is_stuck = loosely && !b->count[POLLS]});
}

/* Release threads whose barrier is complete. `loosely` is for when
 * nothing else can run: it serves programs whose lanes pass different
 * masks to one barrier. */
static int release_warps(struct block *b, int loosely)
{
    struct at_warps at;
    uint32_t released[MAX_THREADS / WARP] = {0};
    int any = 0;
    if (!b->count[AT_WARP])
        return 0;
    if (b->united) {
        release_united(b);
        return 1;
    }
    find_at_warps(b, &at);
    for (unsigned i = 0; i < b->used; i++) {
        struct carrier *const c = &b->carrier[i];
        if (b->state[i] == AT_WARP && is_complete(b, &at, c, loosely)) {
            deliver(b, c);
            block_set_state(b, c, READY);
            released[c->thread / WARP] |= UINT32_C(1) << c->thread % WARP;
            any = 1;
        }
    }
    if (any && b->checked) {
        compare_masks(b, &at, released, loosely);
        order_released(&at, released);
    }
    return any;
}

/* When no other thread of the block can run, threads that
 * wait in one call converge. */
static int release_converged(struct block *b)
{
    int any = 0;
    for (unsigned i = 0; i < b->used && b->count[CONVERGES]; i++) {
        struct carrier *const c = &b->carrier[i];
        if (b->state[i] != CONVERGES)
            continue;
        uint32_t mask = 0;
        for (unsigned k = i; k < b->used; k++)
            if (b->state[k] == CONVERGES && b->rest[k].pc == b->rest[i].pc &&
                b->carrier[k].thread / WARP == c->thread / WARP)
                mask |= UINT32_C(1) << b->carrier[k].thread % WARP;
        for (unsigned k = b->used; k-- > i;) {
            struct carrier *const o = &b->carrier[k];
            if (b->state[k] == CONVERGES && b->rest[k].pc == b->rest[i].pc &&
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
    while (b->state[i] != READY)
        i++;
    carrier_resume_in_turn(b, &b->carrier[i]);
    return 1;
}

/*
 * Called when only polling threads are left, and threads that wait for them.
 * Threads with known conditions continue once all of these hold; the others
 * check again. Returns 1 if a thread made progress, and sets *moved if one's
 * variables changed.
 */
static int run_polls(struct block *b, int together, int *moved)
{
    int any = 0, all = 1;
    for (unsigned i = 0; i < b->used; i++)
        if (b->state[i] == POLLS && !b->rest[i].poll.meeting)
            all &= sync_holds(&b->rest[i].poll);
    for (unsigned i = 0; i < b->used; i++) {
        struct poll *const p = &b->rest[i].poll;
        const int has_met = p->meeting && *p->meeting != p->before;
        if (b->state[i] != POLLS || (p->meeting && !has_met))
            continue;
        if (!has_met && p->met && !(together ? all : sync_holds(p)))
            continue;
        const uint64_t before = sync_activity();
        access_forget();
        carrier_resume(b, &b->carrier[i]);
        any |= has_met || b->state[i] != POLLS || sync_activity() != before;
        *moved |= !any && !p->met && carrier_moved(b, &b->carrier[i]);
    }
    return any;
}

/* A poll that has not succeeded, and its thread. */
static const struct poll *open_poll(struct block *b, unsigned *thread)
{
    const struct poll *found = NULL;
    for (unsigned i = 0; i < b->used; i++) {
        struct poll *const p = &b->rest[i].poll;
        const int is_open =
            b->state[i] == POLLS && !p->meeting && (!p->met || !sync_holds(p));
        if (b->state[i] == POLLS && (!found || is_open)) {
            found = p;
            *thread = b->carrier[i].thread;
        }
        if (is_open)
            break;
    }
    return found;
}

/* Start all threads, then run them until all have ended. */
static void run_block(struct block *b)
{
    for (unsigned i = 0; b->polled && i < b->used; i++)
        b->rest[i].poll = (struct poll){0}; // left by the previous block
    b->used = b->next = 0;
    b->nblocks++;
    b->lockstep = b->warpstep = NULL;
    b->united = b->polled = 0;
    b->next_at = (struct block_place){0, 0};
    memset(b->count, 0, sizeof b->count);
    for (unsigned t = 0; t < b->nthreads; t += WARP)
        b->alive[t / WARP] =
            UINT32_MAX >> (t + WARP > b->nthreads ? t + WARP - b->nthreads : 0);
    carrier_start(b);
    for (unsigned naps = 0; b->count[ENDED] < b->used && !b->trapped;) {
        unsigned thread = 0;
        int moved = 0;
        access_yield();
        if (run_ready(b) || release_warps(b, 0) || release_converged(b) ||
            release_barrier(b) || run_polls(b, naps < TOGETHER, &moved) ||
            release_warps(b, 1)) {
            idle_over();
            grid_progress();
            naps = 0;
            continue;
        }
        if ((moved && idle_moves()) || grid_stalled(naps))
            continue;
        const struct poll *const p = open_poll(b, &thread);
        access_yield_variables();
        idle_nap(b->launch, p && p->pc ? p : NULL, thread, grid_left());
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
    b->distant = distant_applies(l);
    b->unwaiting =
        !b->clustered && kernel_promises(l->kernel) & SIMGPU_UNWAITING;
    b->nthreads = l->block[0] * l->block[1] * l->block[2];
    return b;
}

/* Free what a runner has for its blocks, before it ends. */
static void forget(void)
{
    if (block_live)
        carrier_forget(block_live);
    free(block_live);
    block_live = NULL;
    race_forget();
    copies_forget();
}

static void run_one(uint64_t n)
{
    const struct launch *const l = grid_launch();
    struct block *const b = block_for(l);
    simgpu_block_idx = cluster_block(l, n);
    b->trapped = 0;
    behind_block_begins();
    b->checked = race_applies(l) ? race_begin(l) : NULL;
    if (l->shared_nbytes)
        memset(simgpu_dynamic_memory, POISON, l->shared_nbytes);
    run_block(b);
    if (b->checked)
        race_end();
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
    alone_begin();
    access_begin(l);
    sync_begin(op);
    simgpu_outside = 0;
    between_begin(l);
    run_grid(l, &children);
    between_end();
    behind_grid_ended();
    for (struct child *k; (k = child_take(&children)); child_free(k)) {
        const struct launch *const of = child_launched(k);
        fault_kernel_enter(of->kernel->name, of->device, of->site);
        access_go_on(of);
        run_grid(of, &children);
    }
    simgpu_arrive();
    simgpu_outside = 1;
    sync_end();
    alone_end(access_shared());
    access_end(c);
}
