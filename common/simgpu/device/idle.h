/*
 * idle.h: a worker whose threads all wait on flags
 *
 * The worker sleeps a millisecond at a time, or until the word is written
 * through core/stream/flag.h. All this time it counts as waiting, so that a
 * hang report shows which thread of which kernel waits on which word.
 */
#ifndef SIMGPU_DEVICE_IDLE_H
#define SIMGPU_DEVICE_IDLE_H

#include "device/launch.h"
#include "device/poll.h"

/* Sleep. p is a poll of a thread of the kernel, or NULL if none polls; then the
 * block's threads wait for each other forever. */
void idle_nap(const struct launch *l, const struct poll *p, unsigned thread,
              uint64_t nblocks_left);

/* End the wait: a thread continues. */
void idle_over(void);

#endif
