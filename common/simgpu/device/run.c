#define _GNU_SOURCE
/*
 * run.c: the threads of a grid, on one worker
 *
 * Blocks run in order. The threads of a block run on *carriers*, fibers that
 * take one thread after the other: a kernel without a barrier needs a single
 * carrier and a plain loop. A thread that has to wait keeps its carrier, and
 * the next thread starts on another; when none can continue, all threads have
 * reached the barrier (of the block, or of a warp), and continue in order.
 *
 *     carrier 0:  t0 ends, t1 ends, t2 -- barrier -------- t2 ends
 *     carrier 1:                       t3 -- barrier ------ t3 ends
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

#include <cuda_runtime_api.h> /* cudaErrorLaunchFailure */
#include <dlfcn.h>            /* dlsym */
#include <errno.h>            /* errno */
#include <stdio.h>            /* fprintf */
#include <stdlib.h>           /* calloc */
#include <string.h>           /* memset */
#include <sys/mman.h>         /* mmap */

#include "core/device.h"
#include "core/limit.h"
#include "core/report.h"
#include "device/access.h"
#include "device/fiber.h"
#include "device/grid.h"
#include "device/idle.h"
#include "device/launch.h"
#include "device/sync.h"

/* A thread's stack is address space until it is used; the report of a bad
 * access reads debugging information on it, which takes some 100 KiB. */
enum { STACK = 512 << 10, MAX_THREADS = 1024, POISON = 0xCB, WARP = 32 };

/* Naps of a millisecond before waiting threads continue one by one. */
enum { TOGETHER = 20 };

enum state { READY, AT_BARRIER, AT_WARP, CONVERGES, POLLS, ENDED };

struct carrier {
    struct fiber fiber;
    char *stack;
    unsigned thread; /* that it runs */
    enum state state;
    uint32_t mask;  /* AT_WARP: lanes awaited; CONVERGES: the result */
    const void *pc; /* CONVERGES: where */
    struct poll poll;
};

struct block { /* the block that this worker runs */
    const struct launch *launch;
    unsigned nthreads, next; /* next: first thread not yet started */
    struct carrier *current;
    struct fiber scheduler;
    struct carrier carrier[MAX_THREADS];
    unsigned used;                      /* carriers of this block */
    uint64_t posted[MAX_THREADS];       /* values exchanged in a warp */
    uint32_t alive[MAX_THREADS / WARP]; /* lanes that have not ended */
    int trapped, failed; /* a thread has ended the kernel; as an error */
};

__thread struct simgpu_uint3 simgpu_thread_idx, simgpu_block_idx,
    simgpu_block_dim, simgpu_grid_dim;
__thread int simgpu_outside = 1;
static __thread struct block *block; /* made for a worker's first kernel */
static __thread long long cycles;    /* clock() of device code */

static void set_thread(unsigned t)
{
    const struct simgpu_uint3 d = simgpu_block_dim;
    simgpu_thread_idx =
        (struct simgpu_uint3){t % d.x, t / d.x % d.y, t / d.x / d.y};
}

/* ---- carriers ------------------------------------------------------------ */

/* Run threads until all have been started. */
static void carry(void)
{
    struct block *const b = block;
    struct carrier *const me = b->current;
    while (b->next < b->nthreads) {
        const unsigned t = me->thread = b->next++;
        me->poll = (struct poll){0};
        set_thread(t);
        b->launch->kernel->call(b->launch->kernel->host_stub,
                                b->launch->params);
        sync_commit();
        b->alive[t / WARP] &= ~(UINT32_C(1) << t % WARP);
    }
    me->state = ENDED;
    fiber_switch(&me->fiber, &b->scheduler); // for good
}

static void give_stack(struct carrier *c)
{
    char hint[LIMIT_HINT];
    // the page below it is inaccessible: an overflow faults
    char *const at = mmap(NULL, STACK + 4096, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED || mprotect(at, 4096, PROT_NONE) != 0)
        simgpu_report_fault(
            NULL, "cannot allocate the stack of a device thread: %m%s",
            simgpu_limit_hint(errno, hint, sizeof hint));
    c->stack = at + 4096;
}

static void resume(struct block *b, struct carrier *c)
{
    b->current = c;
    c->state = READY;
    set_thread(c->thread);
    fiber_switch(&b->scheduler, &c->fiber);
}

/* The running thread waits; the scheduler picks the next one. */
static void wait_as(enum state state)
{
    struct block *const b = block;
    struct carrier *const me = b->current;
    me->state = state;
    fiber_switch(&me->fiber, &b->scheduler);
    set_thread(me->thread);
}

struct poll *run_poll(void)
{
    return &block->current->poll;
}

void run_yield(void)
{
    wait_as(POLLS);
}

/* ---- barriers and warps -------------------------------------------------- */

void simgpu_syncthreads(void)
{
    sync_commit();
    wait_as(AT_BARRIER);
}

/* Wait for the threads of the warp in the mask. */
static void wait_warp(uint32_t mask)
{
    struct carrier *const me = block->current;
    sync_commit();
    me->mask = mask | UINT32_C(1) << me->thread % WARP;
    wait_as(AT_WARP);
}

uint64_t simgpu_shuffle(uint64_t value, int lane, unsigned mask)
{
    struct block *const b = block;
    const unsigned me = b->current->thread;
    const unsigned from = me / WARP * WARP + (unsigned)lane;
    b->posted[me] = value;
    wait_warp(mask);
    const uint64_t got = b->posted[from < b->nthreads ? from : me];
    wait_warp(mask);
    return got;
}

unsigned simgpu_ballot(int predicate, unsigned mask)
{
    struct block *const b = block;
    const unsigned me = b->current->thread, first = me / WARP * WARP;
    const uint32_t there = b->alive[me / WARP] & mask;
    b->posted[me] = predicate != 0;
    wait_warp(mask);
    unsigned bits = 0;
    for (unsigned i = 0; i < WARP; i++)
        if (there >> i & 1)
            bits |= (unsigned)b->posted[first + i] << i;
    wait_warp(mask);
    return bits;
}

unsigned simgpu_gather(uint64_t value, unsigned mask, uint64_t all[32])
{
    struct block *const b = block;
    const unsigned me = b->current->thread, first = me / WARP * WARP;
    const uint32_t there = b->alive[me / WARP] & mask;
    b->posted[me] = value;
    wait_warp(mask);
    memcpy(all, &b->posted[first], WARP * sizeof *all);
    wait_warp(mask);
    return there;
}

unsigned simgpu_converged(void)
{
    struct carrier *const c = block->current;
    sync_commit();
    c->pc = __builtin_return_address(0);
    wait_as(CONVERGES);
    return c->mask;
}

unsigned simgpu_count(int predicate)
{
    struct block *const b = block;
    unsigned n = 0;
    b->posted[b->current->thread] = predicate != 0;
    simgpu_syncthreads();
    for (unsigned i = 0; i < b->nthreads; i++)
        n += b->posted[i] && (b->alive[i / WARP] >> i % WARP & 1);
    simgpu_syncthreads();
    return n;
}

void simgpu_yield(void)
{
    wait_as(POLLS);
}

unsigned simgpu_peek(const volatile unsigned *p)
{
    return *p;
}

unsigned simgpu_smid(void)
{
    const struct simgpu_uint3 b = simgpu_block_idx, g = simgpu_grid_dim;
    return (b.x + g.x * (b.y + g.y * b.z)) % 132;
}

long long simgpu_clock(void)
{
    return cycles += 64;
}

void simgpu_trap(void)
{
    device_fail(block->launch->device, cudaErrorLaunchFailure);
    simgpu_leave();
}

/*
 * assert() of device code: a message, and an error that the next
 * synchronisation returns. That of host code is the C library's.
 */
void __assert_fail(const char *what, const char *file, unsigned line,
                   const char *function)
{
    typedef void fails(const char *, const char *, unsigned, const char *);
    if (simgpu_outside) {
        fails *const real = (fails *)dlsym(RTLD_NEXT, "__assert_fail");
        real(what, file, line, function);
        abort();
    }
    const struct simgpu_uint3 b = simgpu_block_idx, t = simgpu_thread_idx;
    fflush(stdout);
    fprintf(stderr,
            "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` "
            "failed.\n",
            file, line, function, b.x, b.y, b.z, t.x, t.y, t.z, what);
    device_fail(block->launch->device, cudaErrorAssert);
    simgpu_leave();
}

void simgpu_leave(void)
{
    block->trapped = 1;
    grid_stop();
    wait_as(ENDED);
    abort(); // an ended thread is never resumed
}

/* ---- the scheduler ------------------------------------------------------- */

/* Release the barrier if all threads that have not ended have reached it. */
static int release_barrier(struct block *b)
{
    for (unsigned i = 0; i < b->used; i++)
        if (b->carrier[i].state != AT_BARRIER && b->carrier[i].state != ENDED)
            return 0;
    int any = 0;
    for (unsigned i = 0; i < b->used; i++)
        if (b->carrier[i].state == AT_BARRIER) {
            b->carrier[i].state = READY;
            any = 1;
        }
    return any;
}

/* Release threads if all of their mask have arrived or ended. */
static int release_warps(struct block *b)
{
    uint32_t here[MAX_THREADS / WARP] = {0};
    int any = 0;
    for (unsigned i = 0; i < b->used; i++)
        if (b->carrier[i].state == AT_WARP)
            here[b->carrier[i].thread / WARP] |= UINT32_C(1)
                                                 << b->carrier[i].thread % WARP;
    for (unsigned i = 0; i < b->used; i++) {
        struct carrier *const c = &b->carrier[i];
        const unsigned w = c->thread / WARP;
        if (c->state == AT_WARP && !(c->mask & b->alive[w] & ~here[w])) {
            c->state = READY;
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
    for (unsigned i = 0; i < b->used; i++) {
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
                o->state = READY;
            }
        }
        any = 1;
    }
    return any;
}

/* Run all threads that are ready. */
static int run_ready(struct block *b)
{
    int any = 0;
    for (unsigned i = 0; i < b->used && !b->trapped; i++)
        if (b->carrier[i].state == READY) {
            resume(b, &b->carrier[i]);
            any = 1;
        }
    return any;
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
        resume(b, c);
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

static int anyone_left(const struct block *b)
{
    for (unsigned i = 0; i < b->used; i++)
        if (b->carrier[i].state != ENDED)
            return 1;
    return 0;
}

/* Start all threads, then run them until all have ended. */
static void run_block(struct block *b)
{
    b->used = b->next = 0;
    for (unsigned t = 0; t < b->nthreads; t++)
        b->alive[t / WARP] |= UINT32_C(1) << t % WARP;
    while (b->next < b->nthreads && !b->trapped) {
        struct carrier *const c = &b->carrier[b->used++];
        if (!c->stack)
            give_stack(c);
        fiber_init(&c->fiber, c->stack, STACK, carry);
        resume(b, c);
    }
    for (unsigned naps = 0; anyone_left(b) && !b->trapped;) {
        unsigned thread = 0;
        if (run_ready(b) || release_warps(b) || release_converged(b) ||
            release_barrier(b) || run_polls(b, naps < TOGETHER)) {
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
    if (!block) {
        block = calloc(1, sizeof *block);
        if (!block)
            simgpu_report_fault(NULL, "out of host memory for a kernel");
    }
    block->launch = l;
    block->nthreads = l->block[0] * l->block[1] * l->block[2];
    return block;
}

/* A runner ends: it has no block any more. */
static void forget(void)
{
    for (unsigned i = 0; block && i < MAX_THREADS; i++)
        if (block->carrier[i].stack)
            munmap(block->carrier[i].stack - 4096, STACK);
    free(block);
    block = NULL;
}

static void run_one(uint64_t n)
{
    const struct launch *const l = grid_launch();
    struct block *const b = block_for(l);
    const unsigned x = l->grid[0], y = l->grid[1];
    simgpu_block_idx = (struct simgpu_uint3){
        (unsigned)(n % x), (unsigned)(n / x % y), (unsigned)(n / x / y)};
    b->trapped = 0;
    if (l->shared_nbytes)
        memset(simgpu_dynamic_memory, POISON, l->shared_nbytes);
    run_block(b);
}

void kernel_run(const struct launch *l, struct op *op, struct launch_cost *c)
{
    simgpu_grid_dim = (struct simgpu_uint3){l->grid[0], l->grid[1], l->grid[2]};
    simgpu_block_dim =
        (struct simgpu_uint3){l->block[0], l->block[1], l->block[2]};
    access_begin(l);
    sync_begin(op);
    simgpu_outside = 0;
    grid_run(l, run_one, forget);
    simgpu_outside = 1;
    sync_end();
    access_end(c);
}
