/*
 * idle.h: a worker all of whose threads wait for memory
 *
 * It sleeps a millisecond at a time, or until the word has been written through
 * core/flag.h, and counts as waiting all along, so that the hang watchdog sees
 * it and says which thread of which kernel waits for which word.
 */
#ifndef SIMGPU_DEVICE_IDLE_H
#define SIMGPU_DEVICE_IDLE_H

#include "core/launch.h"
#include "device/run.h"

/* Sleep. p: what a thread of the kernel polls, NULL if nobody does (then the
 * block's threads wait for each other, which never ends). */
void idle_nap(const struct launch *l, const struct poll *p, unsigned thread,
              uint64_t nblocks_left);

/* Somebody goes on. */
void idle_over(void);

#endif
