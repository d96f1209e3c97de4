/*
 * meeting.h: where the threads of a block meet at barriers
 *
 * Threads that reach different barriers wait for each other here, and lanes
 * that pass different masks get a result. On a GPU both are undefined:
 *
 * - __syncthreads() in a branch that not all threads of the block take. Two
 *   calls differ if their lines do: a compiler may copy one, and a function may
 *   be inlined at two places.
 * - A warp's function (__syncwarp(), a shuffle, a vote) whose masks differ:
 *   lanes that name each other, or lanes that pass a call while another lane
 *   waits for them there and that end without having met it.
 *
 * A lane that has ended before it made a call is not a mistake: programs return
 * early from the last warp.
 */
#ifndef SIMGPU_DEVICE_SHARING_MEETING_H
#define SIMGPU_DEVICE_SHARING_MEETING_H

#include "device/launch.h"

/* A block of this launch begins on the calling thread. */
void meeting_begin(const struct launch *l);

/* The running thread reaches the block's barrier, by the call at pc. Call this
 * before ordering_barrier(). */
void meeting_barrier(const void *pc);

/* This thread of the block is about to wait at a barrier of its warp. */
void meeting_wait(unsigned thread, const void *pc);

struct meeting {
    unsigned warp;
    uint32_t released, here, alive; /* lanes; here: they wait, or did */
    const uint32_t *mask;           /* by lane, if it is here */
    int is_stuck; /* nothing else can run: lanes continue that have not met */
};

/* Lanes of a warp pass a barrier. */
void meeting_pass(const struct meeting *m);

#endif
