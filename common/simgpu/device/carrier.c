#define _GNU_SOURCE
/*
 * carrier.c: the threads of a block, which share carriers until one waits
 */
#include <errno.h>     /* errno */
#include <stdatomic.h> /* atomic_fetch_add */
#include <stdlib.h>    /* abort */
#include <string.h>    /* memcpy */
#include <sys/mman.h>  /* mmap */

#include "core/heap/heap_space.h" /* SPACE_STACKS */
#include "core/limit.h"
#include "core/report.h"
#include "device/access.h"
#include "device/block.h"
#include "device/cluster.h"
#include "device/runner.h"
#include "device/sharing/meeting.h"
#include "device/sharing/ordering.h"
#include "device/sync.h"

/* inaccessible bytes below a stack, so that an overflow faults */
enum { GUARD = 4096 };

/* A thread's stack is only address space until it is used. Reporting a bad
 * access reads debugging information on it, which takes about 100 KiB. */
enum { STACK = SPACE_STACK_NBYTES - GUARD };

/*
 * The coordinates of a block's threads, in order. x and y are kept in one word,
 * x in its lower half. Two separate stores followed by a load of both would
 * stall the processor, for as long as a thread of a small kernel takes.
 */
static struct simgpu_uint3 next_thread(struct block_place *at,
                                       const unsigned dim[3])
{
    struct simgpu_uint3 this = {.z = at->z};
    memcpy(&this, &at->xy, sizeof at->xy);
    if ((uint32_t)++at->xy == dim[0]) {
        at->xy = ((at->xy >> 32) + 1) << 32;
        if (at->xy >> 32 == dim[1])
            *at = (struct block_place){0, at->z + 1};
    }
    return this;
}

/* Make the carrier's thread the running one. */
static inline void enter(struct block *b, struct carrier *c)
{
    struct poll *const poll = &block_rest(b, c)->poll;
    b->current = c;
    *b->thread_idx = c->at;
    *b->running = poll;
    if (b->polled && poll->p)
        access_forget();
}

static struct fiber *start(struct block *b);

/* The fiber that runs when this carrier is suspended: another one's that starts
 * threads, until all have been started; then the next ready carrier's if the
 * block is in turn, or else the scheduler. */
static inline struct fiber *next_fiber(struct block *b,
                                       const struct carrier *from)
{
    unsigned i = (unsigned)(from - b->carrier) + 1;
    if (b->trapped)
        return &b->scheduler;
    if (b->next < b->nthreads)
        return start(b);
    if (!b->in_turn)
        return &b->scheduler;
    while (i < b->used && b->state[i] != READY)
        i++;
    if (i == b->used)
        return &b->scheduler;
    fiber_prefetch(&b->carrier[i + 1 < b->used ? i + 1 : 0].fiber);
    enter(b, &b->carrier[i]);
    return &b->carrier[i].fiber;
}

/* Make the next carrier in lockstep the running one. No thread polls in
 * lockstep, so the running thread's poll, which is empty, serves it too. */
static inline void step(struct block *b, struct carrier *to)
{
    b->current = to;
    *b->thread_idx = to->at;
    fiber_prefetch(&to[1].fiber);
}

/* Bring `state` up to date with what has run in lockstep. */
static void end_lockstep(struct block *b)
{
    const unsigned n = (unsigned)(b->current - b->carrier);
    const enum state state = b->lockstep ? AT_BARRIER : AT_WARP;
    if (!b->lockstep && !b->warpstep)
        return;
    b->lockstep = b->warpstep = NULL;
    memset(b->state, state, n);
    b->count[state] += n;
    b->count[READY] -= n;
    *b->running = &b->rest[n].poll;
}

/* Have the running carrier wait, in a state other than READY. Returns the fiber
 * to switch to. */
static struct fiber *leave(struct block *b, struct carrier *from,
                           enum state state)
{
    end_lockstep(b);
    block_set_state(b, from, state);
    return next_fiber(b, from);
}

/* Record what the carrier's thread has read while it polled, if it has. */
static inline void commit(struct block *b, const struct carrier *me)
{
    if (b->polled && block_rest(b, me)->poll.p)
        sync_commit();
}

/* End the carrier's thread. */
static void end_thread(struct block *b, struct carrier *me)
{
    commit(b, me);
    b->alive[me->thread / WARP] &= ~(UINT32_C(1) << me->thread % WARP);
    if (b->clustered)
        cluster_thread_ended();
}

/* Run all threads of a block in which none waits: no thread's state has to be
 * kept for others. */
static void carry_all(struct block *b)
{
    const struct launch *const l = b->launch;
    const struct simgpu_kernel *const k = l->kernel;
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
    struct block *const b = block_live;
    struct carrier *const me = b->current;
    const struct simgpu_kernel *const k = b->launch->kernel;
    if (b->unwaiting)
        carry_all(b);
    while (b->next < b->nthreads) {
        me->thread = b->next++;
        me->at = *b->thread_idx = next_thread(&b->next_at, b->launch->block);
        if (b->polled) // by the previous thread
            block_rest(b, me)->poll.peeks = 0;
        k->call(k->host_stub, b->launch->params);
        end_thread(b, me);
    }
    fiber_switch(&me->fiber, leave(b, me, ENDED)); // never returns
}

/* Since Linux 6.13 a page within a mapping can be made inaccessible, so that
 * all stacks of a large grid are one mapping. Before, each stack takes two
 * mappings, of which the system allows few. */
static int guard(void *at)
{
    enum { INSTALL = 102 }; // MADV_GUARD_INSTALL
    return madvise(at, GUARD, INSTALL) == 0 ? 0
                                            : mprotect(at, GUARD, PROT_NONE);
}

/* Map a stack among the others. Should the system place it elsewhere, its
 * local variables count as memory that device code may touch all the same
 * (outside.h). */
static void give_stack(struct carrier_rest *c)
{
    static _Atomic uint64_t next;
    char hint[LIMIT_HINT];
    const uint64_t place =
        atomic_fetch_add(&next, 1) % (1 << 24) * SPACE_STACK_NBYTES;
    char *const at =
        mmap(SPACE_STACKS + place, GUARD + STACK, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED || guard(at) != 0)
        simgpu_report_fault(
            NULL, "cannot allocate the stack of a device thread: %m%s",
            simgpu_limit_hint(errno, hint, sizeof hint));
    c->stack = at + GUARD;
}

/* Stacks start at different offsets within a page. At equal offsets they would
 * compete for the same few lines of the processor's cache. */
static size_t color(unsigned i)
{
    return i * 5 % 64 * 64;
}

/* So do those of the next blocks and kernels, by more than most threads use: a
 * pointer that outlives its variable should not point to another one. */
static size_t shift(unsigned block)
{
    return block % 4 * 1536;
}

int carrier_has(const void *p)
{
    const struct block *const b = block_live;
    const char *const here = __builtin_frame_address(0), *const at = p;
    return at > here && at < b->rest[b->current - b->carrier].top;
}

void carrier_resume(struct block *b, struct carrier *c)
{
    block_set_state(b, c, READY);
    enter(b, c);
    fiber_switch(&b->scheduler, &c->fiber);
}

void carrier_resume_in_turn(struct block *b, struct carrier *c)
{
    if (c == b->carrier && b->count[READY] == b->used && !b->polled &&
        !b->checked)
        b->lockstep = b->carrier + b->used;
    b->in_turn = 1;
    carrier_resume(b, c);
    b->in_turn = 0;
}

/* Prepare another carrier, which runs the threads that have not been started.
 * Returns its fiber. */
static struct fiber *start(struct block *b)
{
    const unsigned i = b->used++;
    struct carrier *const c = &b->carrier[i];
    if (!b->rest[i].stack)
        give_stack(&b->rest[i]);
    const size_t nbytes = STACK - color(b->used) - shift(b->nblocks);
    b->rest[i].top = b->rest[i].stack + nbytes;
    fiber_init(&c->fiber, b->rest[i].stack, nbytes, carry);
    b->state[i] = READY;
    b->count[READY]++;
    enter(b, c);
    return &c->fiber;
}

void carrier_start(struct block *b)
{
    fiber_switch(&b->scheduler, start(b));
}

void carrier_forget(struct block *b)
{
    for (unsigned i = 0; i < MAX_THREADS; i++)
        if (b->rest[i].stack)
            munmap(b->rest[i].stack - GUARD, GUARD + STACK);
}

void carrier_wait(enum state state)
{
    struct block *const b = block_live;
    struct carrier *const me = b->current;
    fiber_switch(&me->fiber, leave(b, me, state));
}

uint64_t carrier_exchange(uint64_t value, uint32_t mask, unsigned wants)
{
    struct block *const b = block_live;
    struct carrier *const me = b->current, *const to = me + 1;
    const unsigned warp = me->thread / WARP, lane = me->thread % WARP;
    b->posted[me->thread] = value;
    b->bits[warp] = (b->bits[warp] & ~(UINT32_C(1) << lane)) |
                    (uint32_t)(value & 1) << lane;
    me->wants = wants;
    me->mask = mask | UINT32_C(1) << lane;
    if (me == b->carrier && b->lockstep) {
        b->warpstep = b->lockstep;
        b->lockstep = NULL;
    }
    const int is_whole = !(b->alive[warp] & ~me->mask);
    struct fiber *next = &to->fiber;
    if (to >= b->warpstep || !is_whole) {
        b->united = to == b->warpstep && is_whole;
        commit(b, me);
        next = leave(b, me, AT_WARP);
    } else {
        step(b, to);
    }
    return fiber_switch(&me->fiber, next);
}

struct poll *poll_current(void)
{
    end_lockstep(block_live);
    block_live->polled = 1;
    return &block_rest(block_live, block_live->current)->poll;
}

struct poll *poll_pending(void)
{
    return block_live->polled ? poll_current() : NULL;
}

void poll_yield(void)
{
    carrier_wait(POLLS);
}

void poll_meeting(const uint64_t *generation, uint64_t before)
{
    struct poll *const q = poll_current();
    q->meeting = generation;
    q->before = before;
    while (*generation == before)
        poll_yield();
    q->meeting = NULL;
}

/* FNV-1a, by words. */
static uint64_t digest(const void *from, const void *end)
{
    uint64_t d = UINT64_C(14695981039346656037);
    for (const uint64_t *at = from; at < (const uint64_t *)end; at++)
        d = (d ^ *at) * UINT64_C(1099511628211);
    return d;
}

/*
 * A suspended thread's registers are on its stack, too. A loop that reads the
 * same words again has a few states, so one of them comes back within as many
 * calls. The one to compare with is replaced after 1, 2, 4 and 8 calls.
 */
int carrier_moved(struct block *b, const struct carrier *c)
{
#if FIBER_SAVES_STACK
    enum { MOST_STATES = 8 };
    struct carrier_rest *const r = block_rest(b, c);
    const uint64_t now =
        digest((const void *)((uintptr_t)c->fiber.sp & ~(uintptr_t)7), r->top);
    if (now == r->state) {
        r->returns = 1;
        r->nstates = MOST_STATES;
    } else if (++r->nstates, (r->nstates & (r->nstates - 1)) == 0) {
        r->state = now;
        r->returns = 0;
        r->nstates %= 2 * MOST_STATES;
    }
    return !r->returns;
#else
    return (void)b, (void)c, 1;
#endif
}

void simgpu_yield(void)
{
    carrier_wait(POLLS);
}

static __attribute__((noinline)) void wait_at_barrier(struct block *b,
                                                      const void *pc)
{
    struct carrier *const me = b->current;
    commit(b, me);
    if (b->checked) {
        meeting_barrier(pc);
        ordering_barrier();
    }
    fiber_switch(&me->fiber, leave(b, me, AT_BARRIER));
}

/* Past the last carrier, or without lockstep (NULL), the scheduler has to
 * release the barrier. */
static inline __attribute__((always_inline)) void barrier(const void *pc)
{
    struct block *const b = block_live;
    struct carrier *const me = b->current, *const to = me + 1;
    if (__builtin_expect(to >= b->lockstep, 0)) {
        wait_at_barrier(b, pc);
        return;
    }
    step(b, to);
    fiber_switch(&me->fiber, &to->fiber);
}

void simgpu_syncthreads(void)
{
    barrier(__builtin_return_address(0));
}

void carrier_barrier(const void *pc)
{
    barrier(pc);
}

/* The thread's frames stay on its carrier, which ends with the thread. Threads
 * not yet started get another carrier. */
void simgpu_exit(void)
{
    end_thread(block_live, block_live->current);
    carrier_wait(ENDED);
    abort(); // an ended thread is never resumed
}

void simgpu_leave(void)
{
    block_live->trapped = 1;
    runner_stop();
    carrier_wait(ENDED);
    abort(); // an ended thread is never resumed
}
