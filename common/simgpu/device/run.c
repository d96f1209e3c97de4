/*
 * run.c: the threads of a grid, on one worker
 *
 * Blocks run in order. The threads of a block run on *carriers*, fibers that
 * take one thread after the other: a kernel without a barrier needs a single
 * carrier and a plain loop. A thread that reaches a barrier keeps its carrier
 * and the next thread starts on another; when all threads have come (or
 * ended), they go on in order.
 *
 *     carrier 0:  t0 ends, t1 ends, t2 -- barrier -------- t2 ends
 *     carrier 1:                       t3 -- barrier ------ t3 ends
 */
#define _GNU_SOURCE
#include <stdlib.h>   /* calloc */
#include <string.h>   /* memset */
#include <sys/mman.h> /* mmap */
#include <ucontext.h> /* swapcontext */

#include "core/launch.h"
#include "device/access.h"

/* A thread's stack is address space until it is used; a report of a bad access
 * reads debugging information on it, which takes some 100 KiB. */
enum { STACK = 512 << 10, MAX_THREADS = 1024, POISON = 0xCB, WARP = 32 };

struct carrier {
    ucontext_t context;
    char *stack;
    unsigned thread; /* that it runs, or waits at a barrier with */
    int waiting;
};

struct block { /* the block that this worker runs */
    const struct launch *launch;
    unsigned nthreads, next; /* next: first thread that hasn't begun */
    struct carrier *current;
    ucontext_t scheduler;
    struct carrier carrier[MAX_THREADS];
    unsigned ncarriers;           /* that have a stack */
    uint64_t posted[MAX_THREADS]; /* values exchanged in a warp */
    char *shared;
    size_t shared_nbytes;
};

__thread struct simgpu_uint3 simgpu_thread_idx, simgpu_block_idx,
    simgpu_block_dim, simgpu_grid_dim;
static __thread struct block *block; /* made for a worker's first kernel */

static void set_thread(unsigned t)
{
    const struct simgpu_uint3 d = simgpu_block_dim;
    simgpu_thread_idx =
        (struct simgpu_uint3){t % d.x, t / d.x % d.y, t / d.x / d.y};
}

/* A carrier's whole life: threads until none is left to begin. */
static void carry(void)
{
    struct block *const b = block;
    struct carrier *const me = b->current;
    while (b->next < b->nthreads) {
        me->thread = b->next++;
        set_thread(me->thread);
        b->launch->kernel->call(b->launch->kernel->host_stub,
                                b->launch->params);
    }
    me->waiting = 0;
    swapcontext(&me->context, &b->scheduler); // for good
}

static void give_stack(struct carrier *c)
{
    // a page below it is left inaccessible: an overflow faults
    char *const at = mmap(NULL, STACK + 4096, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED || mprotect(at, 4096, PROT_NONE) != 0)
        proc_fault(NULL, "cannot make the stack of a device thread: %m");
    c->stack = at + 4096;
}

static void start(struct carrier *c)
{
    if (!c->stack)
        give_stack(c);
    getcontext(&c->context);
    c->context.uc_stack.ss_sp = c->stack;
    c->context.uc_stack.ss_size = STACK;
    c->context.uc_link = NULL;
    makecontext(&c->context, carry, 0);
}

static void resume(struct block *b, struct carrier *c)
{
    b->current = c;
    set_thread(c->thread);
    swapcontext(&b->scheduler, &c->context);
}

/* Let this thread wait until all threads of the block have come here. */
void simgpu_syncthreads(void)
{
    struct block *const b = block;
    struct carrier *const me = b->current;
    me->waiting = 1;
    swapcontext(&me->context, &b->scheduler);
    set_thread(me->thread);
}

void *simgpu_dynamic_shared(void)
{
    return block->shared;
}

/* Warp operations are barriers of the block here: every thread of the block
 * has to reach them, which is stricter than a GPU for whole warps that don't. */
uint64_t simgpu_shuffle(uint64_t value, int lane)
{
    struct block *const b = block;
    const unsigned me = b->current->thread;
    const unsigned from = me / WARP * WARP + (unsigned)lane;
    b->posted[me] = value;
    simgpu_syncthreads();
    const uint64_t got = b->posted[from < b->nthreads ? from : me];
    simgpu_syncthreads();
    return got;
}

unsigned simgpu_ballot(int predicate)
{
    struct block *const b = block;
    const unsigned me = b->current->thread, first = me / WARP * WARP;
    b->posted[me] = predicate != 0;
    simgpu_syncthreads();
    unsigned bits = 0;
    for (unsigned i = 0; i < WARP && first + i < b->nthreads; i++)
        bits |= (unsigned)b->posted[first + i] << i;
    simgpu_syncthreads();
    return bits;
}

/* Run all threads up to the first barrier, then from barrier to barrier. */
static void run_block(struct block *b)
{
    unsigned used = 0;
    b->next = 0;
    while (b->next < b->nthreads) {
        struct carrier *const c = &b->carrier[used++];
        start(c);
        resume(b, c);
    }
    for (int anyone = 1; anyone;) {
        anyone = 0;
        for (unsigned i = 0; i < used; i++) {
            struct carrier *const c = &b->carrier[i];
            if (!c->waiting)
                continue;
            c->waiting = 0;
            resume(b, c);
            anyone |= c->waiting;
        }
    }
}

static struct block *block_for(const struct launch *l)
{
    if (!block) {
        block = calloc(1, sizeof *block);
        if (!block)
            proc_fault(NULL, "out of host memory for a kernel");
    }
    block->launch = l;
    block->nthreads = l->block[0] * l->block[1] * l->block[2];
    if (l->shared_nbytes > block->shared_nbytes) {
        free(block->shared);
        block->shared = aligned_alloc(16, (l->shared_nbytes + 15) & ~15ul);
        if (!block->shared)
            proc_fault(NULL, "out of host memory for shared memory");
        block->shared_nbytes = l->shared_nbytes;
    }
    return block;
}

void kernel_run(const struct launch *l, struct op *op, struct launch_cost *c)
{
    struct block *const b = block_for(l);
    simgpu_grid_dim = (struct simgpu_uint3){l->grid[0], l->grid[1], l->grid[2]};
    simgpu_block_dim =
        (struct simgpu_uint3){l->block[0], l->block[1], l->block[2]};
    access_begin(l, op);
    for (unsigned z = 0; z < l->grid[2]; z++)
        for (unsigned y = 0; y < l->grid[1]; y++)
            for (unsigned x = 0; x < l->grid[0]; x++) {
                simgpu_block_idx = (struct simgpu_uint3){x, y, z};
                if (l->shared_nbytes)
                    memset(b->shared, POISON, l->shared_nbytes);
                run_block(b);
            }
    access_end(c);
}
