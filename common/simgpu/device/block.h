/*
 * block.h: the block that a worker runs
 *
 * The threads of a block run on *carriers*, fibers that take one thread after
 * the other. A thread that has to wait keeps its carrier, and the next thread
 * starts on another:
 *
 *     carrier 0:  t0 ends, t1 ends, t2 -- barrier -------- t2 ends
 *     carrier 1:                       t3 -- barrier ------ t3 ends
 *
 * carrier.c starts threads and has them wait, warp.c exchanges values between
 * threads that wait for each other, run.c decides who continues.
 */
#ifndef SIMGPU_DEVICE_BLOCK_H
#define SIMGPU_DEVICE_BLOCK_H

#include <stdint.h>

#include "device/fiber.h"
#include "device/launch.h"
#include "device/run.h" /* struct poll */

enum { MAX_THREADS = 1024, WARP = 32 };

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

/* That of the calling thread; NULL before its first kernel. */
extern __thread struct block *block_live
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline void block_set_state(struct block *b, struct carrier *c,
                                   enum state state)
{
    b->count[c->state]--;
    b->count[state]++;
    c->state = state;
}

/* Start another carrier on the threads that have not been started. */
void carrier_start(struct block *b);

/* Continue the carrier, until it or one that it hands over to waits. */
void carrier_resume(struct block *b, struct carrier *c);

/* The running thread waits, until its carrier is resumed. */
void carrier_wait(enum state state);

/* Free the stacks. */
void carrier_forget(struct block *b);

#endif
