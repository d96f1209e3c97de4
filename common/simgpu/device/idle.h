/*
 * idle.h: a worker whose threads all wait on flags
 *
 * It sleeps a millisecond at a time, or until the word has been written through
 * core/flag.h, and counts as waiting all the while, so that a hang report shows
 * which thread of which kernel waits on which word.
 */
#ifndef SIMGPU_DEVICE_IDLE_H
#define SIMGPU_DEVICE_IDLE_H

#include "device/launch.h"
#include "device/run.h"

/* Sleep. p: a poll of a thread of the kernel, NULL if none polls (then the
 * block's threads wait for each other, which never ends). */
void idle_nap(const struct launch *l, const struct poll *p, unsigned thread,
              uint64_t nblocks_left);

/* A thread continues. */
void idle_over(void);

#endif
