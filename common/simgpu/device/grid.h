/*
 * grid.h: the blocks of a grid that run at the same time
 *
 * Usually one block runs at a time: the worker runs them in order. When a block
 * waits for another one, that one is started on a separate thread, a *runner*,
 * so that each has its own shared memory. Only one runner runs at a time, and
 * they take turns in a fixed order, so that a kernel's behaviour depends on no
 * clock.
 *
 * A cooperative grid starts all its blocks ahead at once. Another grid starts a
 * block ahead when the running one waits and only the grid itself can end the
 * wait, because no other kernel runs and there is no other rank; otherwise
 * after a second.
 */
#ifndef SIMGPU_DEVICE_GRID_H
#define SIMGPU_DEVICE_GRID_H

#include "device/child.h"
#include "device/launch.h"

struct grid;

/* Run all blocks, with the calling thread as the first runner, by calling
 * run_one() for each. Kernels that they launch are added to the children. */
void grid_run(const struct launch *l, struct children *children,
              void (*run_one)(uint64_t block), void (*forget)(void));

/* Called when no thread of the calling runner's block can continue, for the
 * naps-th time in a row. Returns 1 if other blocks have run meanwhile, so that
 * the caller should check again, or 0 if it should sleep. */
int grid_stalled(unsigned naps);

/* Note that a thread of the running block has made progress. */
void grid_progress(void);

/* The launch of the running block. */
const struct launch *grid_launch(void);

/* The number of blocks not yet started. */
uint64_t grid_left(void);

#endif
