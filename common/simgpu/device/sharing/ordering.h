/*
 * ordering.h: which accesses of a block's threads are ordered
 *
 * Barriers of the whole block split its run into *epochs*, which are in order.
 * Within an epoch every thread has a clock, which advances whenever the thread
 * makes its past known: at a barrier of its warp, at a named barrier, by an
 * atomic operation. Each thread keeps a row with the latest clock that it knows
 * of each other thread. So an access with the stamp (epoch, clock, thread) is
 * ordered before what a thread does next if its epoch is over, or if the
 * thread's row has that clock.
 *
 * Values of earlier blocks stay in rows. They are smaller than all clocks of
 * the block that runs, so they order nothing. Neither do those of earlier
 * epochs: an access's clock is later than all that its thread has made known.
 * So the rows need not follow each atomic operation. They are brought up to
 * date when one of them is looked at within the same epoch.
 */
#ifndef SIMGPU_DEVICE_SHARING_ORDERING_H
#define SIMGPU_DEVICE_SHARING_ORDERING_H

#include <stdint.h>

struct ordering_stamp {
    uint32_t epoch, clock; /* epoch 0: none */
    uint16_t thread;
};

enum { ORDERING_THREADS = 1024 };

struct ordering { /* the block that a worker runs */
    unsigned nthreads;
    uint32_t first, last; /* epochs of this block */
    struct ordering_thread {
        uint32_t epoch, clock;
        int is_wide; /* its row has clocks of other warps */
    } thread[ORDERING_THREADS];
};

/* The calling worker begins a block of this many threads. */
struct ordering *ordering_begin(unsigned nthreads);

/* The stamp of the running thread's next access. */
struct ordering_stamp ordering_now(void);

/* True if the access was made by this block. */
int ordering_is_here(struct ordering_stamp s);

/* True if the access is ordered before the running thread's next one. */
int ordering_before(struct ordering_stamp s);

/* The running thread reaches the block's barrier. */
void ordering_barrier(void);

/*
 * These lanes of a warp pass a barrier of the warp: lane i with all lanes in
 * mask[i]. Lanes that don't wait there have ended.
 */
void ordering_warp(unsigned warp, uint32_t lanes, const uint32_t *mask);

/* The running thread makes its past known at an object, by its address or a
 * small number; or learns what is known there. NULL stands for all of global
 * memory. */
void ordering_release(const void *object);
void ordering_acquire(const void *object);

/* Both: first it learns, then it makes known. */
void ordering_pass(const void *object);

/* Free what the calling thread has, before it ends. */
void ordering_forget(void);

#endif
