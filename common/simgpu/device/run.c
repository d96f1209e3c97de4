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

#include <errno.h>    /* errno */
#include <stdlib.h>   /* calloc */
#include <string.h>   /* memset */
#include <sys/mman.h> /* mmap */

#include "core/fault.h"
#include "core/limit.h"
#include "core/report.h"
#include "device/access.h"
#include "device/cluster.h"
#include "device/fiber.h"
#include "device/grid.h"
#include "device/idle.h"
#include "device/launch.h"
#include "device/sync.h"
#include "simgpu/remote.h"

/* A thread's stack is address space until it is used; the report of a bad
 * access reads debugging information on it, which takes some 100 KiB. */
enum { STACK = 512 << 10, MAX_THREADS = 1024, POISON = 0xCB, WARP = 32 };

enum { GUARD = 4096 }; /* bytes below a stack, inaccessible: overflows fault */

/* Naps of a millisecond before waiting threads continue one by one. */
enum { TOGETHER = 20 };

enum state { READY, AT_BARRIER, AT_WARP, CONVERGES, POLLS, ENDED, STATES };

struct carrier {
    struct fiber fiber;
    char *stack;
    unsigned thread; /* that it runs */
    struct simgpu_uint3 at;
    enum state state;
    uint32_t mask;  /* AT_WARP: lanes awaited; CONVERGES: the result */
    const void *pc; /* CONVERGES: where */
    struct poll poll;
};

struct block { /* the block that this worker runs */
    const struct launch *launch;
    unsigned nthreads, next; /* next: first thread not yet started */
    struct place {
        uint64_t xy;
        unsigned z;
    } next_at;                       /* of thread `next` */
    struct simgpu_uint3 *thread_idx; /* of the worker's */
    const struct poll **running;     /* likewise */
    struct carrier *current;
    int in_turn; /* a thread that waits hands over to the next that is ready */
    struct fiber scheduler;
    struct carrier carrier[MAX_THREADS];
    unsigned used;                      /* carriers of this block */
    unsigned count[STATES];             /* of them in each state */
    uint64_t posted[MAX_THREADS];       /* values exchanged in a warp */
    uint32_t alive[MAX_THREADS / WARP]; /* lanes that have not ended */
    int clustered;
    int unwaiting;       /* none of the kernel's threads waits */
    int trapped, failed; /* a thread has ended the kernel; as an error */
};

__thread struct simgpu_uint3 simgpu_thread_idx, simgpu_block_idx,
    simgpu_block_dim, simgpu_grid_dim;
__thread int simgpu_outside = 1;
static __thread struct block *block; /* made for a worker's first kernel */

/*
 * The coordinates of a block's threads, in order. x and y are one word, x
 * below: to load both together right after a store of each, the processor would
 * wait for the stores, which takes as long as a small kernel's thread.
 */
static struct simgpu_uint3 next_thread(struct place *at, const unsigned dim[3])
{
    struct simgpu_uint3 this = {.z = at->z};
    memcpy(&this, &at->xy, sizeof at->xy);
    if ((uint32_t)++at->xy == dim[0]) {
        at->xy = ((at->xy >> 32) + 1) << 32;
        if (at->xy >> 32 == dim[1])
            *at = (struct place){0, at->z + 1};
    }
    return this;
}

/* ---- carriers ------------------------------------------------------------ */

static void set_state(struct block *b, struct carrier *c, enum state state)
{
    b->count[c->state]--;
    b->count[state]++;
    c->state = state;
}

/* The carrier's thread becomes the one that runs. */
static void enter(struct block *b, struct carrier *c)
{
    b->current = c;
    *b->thread_idx = c->at;
    *b->running = &c->poll;
    if (c->poll.p)
        access_forget();
}

/* The running carrier has to wait: switch to the next one that is ready, if
 * these have their turn, or to the scheduler. */
static void leave(struct block *b, struct carrier *from)
{
    struct carrier *to = b->in_turn && !b->trapped ? from + 1 : NULL;
    const struct carrier *const end = b->carrier + b->used;
    while (to && to < end && to->state != READY)
        to++;
    if (!to || to >= end) {
        fiber_switch(&from->fiber, &b->scheduler);
        return;
    }
    enter(b, to);
    fiber_switch(&from->fiber, &to->fiber);
}

/* The carrier's thread ends. */
static void end_thread(struct block *b, struct carrier *me)
{
    if (me->poll.p)
        sync_commit();
    b->alive[me->thread / WARP] &= ~(UINT32_C(1) << me->thread % WARP);
    if (b->clustered)
        cluster_thread_ended();
}

/* The same for all threads of a block in which none waits: there is nothing to
 * keep of a thread for others. */
static void carry_all(struct block *b)
{
    const struct launch *const l = b->launch;
    const struct kernel *const k = l->kernel;
    struct simgpu_uint3 *const at = b->thread_idx;
    for (unsigned z = 0; z < l->block[2]; z++)
        for (unsigned y = 0; y < l->block[1]; y++)
            for (unsigned x = 0; x < l->block[0]; x++) {
                *at = (struct simgpu_uint3){x, y, z};
                k->call(k->host_stub, l->params);
            }
    b->next = b->nthreads;
}

/* Run threads until all have been started. */
static void carry(void)
{
    struct block *const b = block;
    struct carrier *const me = b->current;
    const struct kernel *const k = b->launch->kernel;
    if (b->unwaiting)
        carry_all(b);
    while (b->next < b->nthreads) {
        me->thread = b->next++;
        me->at = *b->thread_idx = next_thread(&b->next_at, b->launch->block);
        me->poll.unchanged = NULL; // of the last thread
        me->poll.peeks = 0;
        k->call(k->host_stub, b->launch->params);
        end_thread(b, me);
    }
    set_state(b, me, ENDED);
    leave(b, me); // for good
}

/* Since Linux 6.13 a page can be inaccessible within a mapping, so that the
 * stacks of a large grid are one; before, each takes two of the system's few.
 */
static int guard(void *at)
{
    enum { INSTALL = 102 }; // MADV_GUARD_INSTALL
    return madvise(at, GUARD, INSTALL) == 0 ? 0
                                            : mprotect(at, GUARD, PROT_NONE);
}

static void give_stack(struct carrier *c)
{
    char hint[LIMIT_HINT];
    char *const at = mmap(NULL, GUARD + STACK, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED || guard(at) != 0)
        simgpu_report_fault(
            NULL, "cannot allocate the stack of a device thread: %m%s",
            simgpu_limit_hint(errno, hint, sizeof hint));
    c->stack = at + GUARD;
}

/* Stacks begin at different places of a page: they would share the same few
 * lines of the processor's cache. */
static size_t color(unsigned i)
{
    return i * 5 % 64 * 64;
}

static void resume(struct block *b, struct carrier *c)
{
    set_state(b, c, READY);
    enter(b, c);
    fiber_switch(&b->scheduler, &c->fiber);
}

/* The running thread waits, until the scheduler makes it ready. */
static void wait_as(enum state state)
{
    struct block *const b = block;
    struct carrier *const me = b->current;
    set_state(b, me, state);
    leave(b, me);
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
    struct block *const b = block;
    if (b->current->poll.p)
        sync_commit();
    set_state(b, b->current, AT_BARRIER);
    leave(b, b->current);
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

/* The thread's frames stay on its carrier, which ends with it: the threads not
 * yet started get another. */
void simgpu_exit(void)
{
    end_thread(block, block->current);
    wait_as(ENDED);
    abort(); // an ended thread is never resumed
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

/* Release threads if all of their mask have arrived or ended. */
static int release_warps(struct block *b)
{
    if (!b->count[AT_WARP])
        return 0;
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
            set_state(b, c, READY);
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
                set_state(b, o, READY);
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
    resume(b, &b->carrier[i]);
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

/* Start all threads, then run them until all have ended. */
static void run_block(struct block *b)
{
    b->used = b->next = 0;
    b->next_at = (struct place){0, 0};
    memset(b->count, 0, sizeof b->count);
    for (unsigned t = 0; t < b->nthreads; t += WARP)
        b->alive[t / WARP] =
            UINT32_MAX >> (t + WARP > b->nthreads ? t + WARP - b->nthreads : 0);
    while (b->next < b->nthreads && !b->trapped) {
        struct carrier *const c = &b->carrier[b->used++];
        if (!c->stack)
            give_stack(c);
        fiber_init(&c->fiber, c->stack, STACK - color(b->used), carry);
        c->poll = (struct poll){0};
        c->state = READY;
        b->count[READY]++;
        resume(b, c);
    }
    for (unsigned naps = 0; b->count[ENDED] < b->used && !b->trapped;) {
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
    block->thread_idx = &simgpu_thread_idx;
    block->running = access_running();
    block->clustered = l->cluster[0] * l->cluster[1] * l->cluster[2] > 1;
    block->unwaiting =
        !block->clustered && kernel_promises(l->kernel) & SIMGPU_UNWAITING;
    block->nthreads = l->block[0] * l->block[1] * l->block[2];
    return block;
}

/* A runner ends: it has no block any more. */
static void forget(void)
{
    for (unsigned i = 0; block && i < MAX_THREADS; i++)
        if (block->carrier[i].stack)
            munmap(block->carrier[i].stack - GUARD, GUARD + STACK);
    free(block);
    block = NULL;
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
