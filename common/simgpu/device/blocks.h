/*
 * blocks.h: running the blocks of a grid on one thread, in order
 */
#ifndef SIMGPU_DEVICE_BLOCKS_H
#define SIMGPU_DEVICE_BLOCKS_H

#include "device/runner.h"

/* Make the calling thread run device code of this launch from now on. */
void blocks_enter(const struct launch *l);

/* Run the blocks that have not begun, until there is none or the slice is full
 * (access.h). me is the calling thread's runner. */
void blocks_run(struct runner *me);

/* The same on a thread that is not a runner of the grid otherwise. */
void blocks_run_alone(struct runner *r);

#endif
