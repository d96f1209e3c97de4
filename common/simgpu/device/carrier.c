#define _GNU_SOURCE
/*
 * carrier.c: the threads of a block, which share carriers as long as none waits
 */
#include <errno.h>    /* errno */
#include <stdlib.h>   /* abort */
#include <string.h>   /* memcpy */
#include <sys/mman.h> /* mmap */

#include "core/limit.h"
#include "core/report.h"
#include "device/access.h"
#include "device/block.h"
#include "device/cluster.h"
#include "device/grid.h"
#include "device/sync.h"

/* A thread's stack is address space until it is used; the report of a bad
 * access reads debugging information on it, which takes some 100 KiB. */
enum { STACK = 512 << 10 };

enum { GUARD = 4096 }; /* bytes below a stack, inaccessible: overflows fault */

__thread struct block *block_live;

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
    struct block *const b = block_live;
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
    block_set_state(b, me, ENDED);
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

void carrier_resume(struct block *b, struct carrier *c)
{
    block_set_state(b, c, READY);
    enter(b, c);
    fiber_switch(&b->scheduler, &c->fiber);
}

void carrier_start(struct block *b)
{
    struct carrier *const c = &b->carrier[b->used++];
    if (!c->stack)
        give_stack(c);
    fiber_init(&c->fiber, c->stack, STACK - color(b->used), carry);
    c->poll = (struct poll){0};
    c->state = READY;
    b->count[READY]++;
    carrier_resume(b, c);
}

void carrier_forget(struct block *b)
{
    for (unsigned i = 0; i < MAX_THREADS; i++)
        if (b->carrier[i].stack)
            munmap(b->carrier[i].stack - GUARD, GUARD + STACK);
}

void carrier_wait(enum state state)
{
    struct block *const b = block_live;
    struct carrier *const me = b->current;
    block_set_state(b, me, state);
    leave(b, me);
}

struct poll *run_poll(void)
{
    return &block_live->current->poll;
}

void run_yield(void)
{
    carrier_wait(POLLS);
}

void simgpu_yield(void)
{
    carrier_wait(POLLS);
}

void simgpu_syncthreads(void)
{
    struct block *const b = block_live;
    if (b->current->poll.p)
        sync_commit();
    block_set_state(b, b->current, AT_BARRIER);
    leave(b, b->current);
}

/* The thread's frames stay on its carrier, which ends with it: the threads not
 * yet started get another. */
void simgpu_exit(void)
{
    end_thread(block_live, block_live->current);
    carrier_wait(ENDED);
    abort(); // an ended thread is never resumed
}

void simgpu_leave(void)
{
    block_live->trapped = 1;
    grid_stop();
    carrier_wait(ENDED);
    abort(); // an ended thread is never resumed
}
