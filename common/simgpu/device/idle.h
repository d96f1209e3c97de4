/*
 * idle.h: threads that spin, and a worker whose threads all wait on flags
 *
 * On a GPU a thread may wait in a loop that reads a word again and again, by
 * any instruction, until another thread has changed it. Here the others
 * only run if the loop lets them: an instruction that finds the same word
 * unchanged several times in a row may be in such a loop, and yields. It may
 * also be in a loop that computes. So the worker continues until a whole round
 * of its threads has left their variables as they were (carrier_moved()).
 *
 * The worker sleeps a millisecond at a time, or until the word is written
 * through core/stream/flag.h. All this time it counts as waiting, so that a
 * hang report shows which thread of which kernel waits on which word.
 */
#ifndef SIMGPU_DEVICE_IDLE_H
#define SIMGPU_DEVICE_IDLE_H

#include "device/launch.h"
#include "device/poll.h"

/* Note that the running thread's instruction at pc has found the word at p
 * unchanged, or without a word might wait for any. Returns how often in a row
 * it did so before. */
unsigned idle_again(const volatile void *p, unsigned nbytes, const void *pc);

/* True if the thread should yield after this many tries. */
static inline int idle_is_due(unsigned tries)
{
    enum { EACH = 16 };
    return tries && tries % EACH == 0;
}

/* Suspend the running thread until others have run, since its instruction at pc
 * is about to read a word outside the heaps, or found no change there. p: the
 * word; NULL: any. */
void idle_yield(const volatile void *p, unsigned nbytes, const void *pc);

/* The line of the program that the instruction at pc belongs to. Call it on the
 * thread's own stack. */
uint32_t idle_site(const void *pc);

/* A round of the block's threads found all words unchanged, but a thread's
 * variables have moved. True if the threads may continue at once. */
int idle_moves(void);

/* Sleep. p is a poll of a thread of the kernel, or NULL if none polls; then the
 * block's threads wait for each other forever. */
void idle_nap(const struct launch *l, const struct poll *p, unsigned thread,
              uint64_t nblocks_left);

/* End the wait: a thread continues. */
void idle_over(void);

#endif
