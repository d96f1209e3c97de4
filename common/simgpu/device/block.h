/*
 * block.h: the block that a worker runs
 *
 * The threads of a block run on *carriers*, fibers that each run one thread
 * after the other. A thread that waits keeps its carrier, and the next thread
 * starts on another one:
 *
 *     carrier 0:  t0 ends, t1 ends, t2 -- barrier -------- t2 ends
 *     carrier 1:                       t3 -- barrier ------ t3 ends
 *
 * After a barrier of the whole block, its carriers run in *lockstep* until one
 * of them does anything but reach the next barrier. Carriers before the current
 * one then are at the barrier and the others are ready, although `state` says
 * READY for all. So a thread that reaches the barrier only has to make the next
 * carrier the current one. The same goes for barriers of warps if no thread of
 * the block misses them, and each names all lanes of its warp, as usual for a
 * reduction by shuffles.
 *
 * carrier.c starts threads and suspends them, warp.c exchanges values between
 * threads that wait for each other, run.c decides which thread continues.
 */
#ifndef SIMGPU_DEVICE_BLOCK_H
#define SIMGPU_DEVICE_BLOCK_H

#include <stdint.h>

#include "device/fiber.h"
#include "device/launch.h"
#include "device/poll.h"

enum { MAX_THREADS = 1024, WARP = 32 };

enum state { READY, AT_BARRIER, AT_WARP, CONVERGES, POLLS, ENDED, STATES };

/* The part of a carrier that a switch to it reads. A barrier switches to all
 * carriers of a block, which fit in the processor's cache only if they are
 * small. */
struct carrier {
    struct fiber fiber;
    struct simgpu_uint3 at;
    unsigned thread; /* the thread it runs */
    uint32_t mask;   /* AT_WARP: lanes awaited; then and in CONVERGES: those
                        that have come */
    uint32_t wants;  /* AT_WARP: what another thread has posted, by its number,
                        or one of the following */
};

/* The lowest bits of all values that its warp has posted, or these values. */
enum { WANTS_BITS = MAX_THREADS, WANTS_ALL };

struct carrier_rest { /* the other part of a carrier */
    char *stack;
    char *top;        /* where its thread's variables end */
    const void *pc;   /* CONVERGES: where */
    uint64_t *all;    /* AT_WARP, WANTS_ALL: gets the warp's posted values */
    uint64_t state;   /* digest of its variables, for carrier_moved() */
    unsigned nstates; /* calls since that was set, about */
    int returns;      /* to that state */
    struct poll poll;
};

struct race;

struct block { /* the block that this worker runs */
    const struct launch *launch;
    unsigned nthreads, next; /* next: first thread not yet started */
    struct block_place {
        uint64_t xy;
        unsigned z;
    } next_at;                       /* coordinates of thread `next` */
    struct simgpu_uint3 *thread_idx; /* where this worker keeps threadIdx */
    const struct poll **running;     /* where this worker keeps the running
                                        thread's poll */
    struct carrier *current;
    struct carrier *lockstep; /* end of the carriers in lockstep, or NULL: to
                                 the block's barrier */
    struct carrier *warpstep; /* the same to barriers of all warps, which those
                                 before the current one have reached */
    int united;               /* all carriers have reached these */
    int polled;               /* a thread of the block has polled */
    int in_turn; /* a thread that waits switches to the next ready one */
    struct fiber scheduler;
    struct carrier carrier[MAX_THREADS + 1]; /* the last is not used */
    struct carrier_rest rest[MAX_THREADS];
    uint8_t state[MAX_THREADS];         /* enum state of each carrier */
    unsigned used;                      /* carriers that this block uses */
    unsigned count[STATES];             /* number of these by state */
    uint64_t posted[MAX_THREADS];       /* values exchanged in a warp */
    uint32_t bits[MAX_THREADS / WARP];  /* their lowest bits, by lane */
    uint32_t alive[MAX_THREADS / WARP]; /* lanes that have not ended */
    int clustered, distant; /* distant: checked by sharing/distant.h */
    struct race *checked;   /* the check of shared memory, or NULL (race.h) */
    unsigned nblocks;       /* that this worker has begun */
    int unwaiting;          /* none of the kernel's threads waits */
    uint32_t seen; /* the kernel's acquires that this block follows (sync.h) */
    int trapped, failed; /* a thread ended the kernel; with an error */
};

/* The calling thread's block; NULL before its first kernel (live.c). */
extern __thread struct block *block_live __asm__("simgpu_block_live")
    __attribute__((tls_model("initial-exec")));

static inline void block_set_state(struct block *b, const struct carrier *c,
                                   enum state state)
{
    uint8_t *const at = &b->state[c - b->carrier];
    b->count[*at]--;
    b->count[state]++;
    *at = (uint8_t)state;
}

static inline struct carrier_rest *block_rest(struct block *b,
                                              const struct carrier *c)
{
    return &b->rest[c - b->carrier];
}

/* Start the block's threads, in order, on as many carriers as that takes.
 * Returns when all have ended or wait, or one has failed. */
void carrier_start(struct block *b);

/* Resume the carrier. Returns when it, or one that it switches to, waits. */
void carrier_resume(struct block *b, struct carrier *c);

/* The same, but one that waits switches to the next ready one. */
void carrier_resume_in_turn(struct block *b, struct carrier *c);

/* Suspend the running thread until its carrier is resumed. */
void carrier_wait(enum state state);

/* The running thread calls the block's barrier at pc. */
void carrier_barrier(const void *pc);

/* The same AT_WARP, having posted a value, until the lanes in the mask have
 * come. Returns what the thread wants, unless that is WANTS_ALL. */
uint64_t carrier_exchange(uint64_t value, uint32_t mask, unsigned wants);

/* True unless the suspended thread's variables and registers are again as they
 * were in an earlier call: then a loop that it is in just reads the same words
 * again. */
int carrier_moved(struct block *b, const struct carrier *c);

/* True if p, an address on a stack, may be of a local variable of the running
 * thread, in a function that has not returned. */
int carrier_has(const void *p);

/* Free the stacks. */
void carrier_forget(struct block *b);

#endif
