/*
 * grid.h: the blocks of a grid that run at the same time
 *
 * Usually one: blocks run in order on the worker. A block that waits for
 * another one gets it started on a thread of its own, a *runner*, so that each
 * has its own shared memory. Only one runner runs at a time, by turns in a
 * fixed order: what a kernel does depends on no clock.
 *
 * Blocks are started ahead at once in a cooperative grid; in others when the
 * running block waits, and nothing but its own grid can end that: no other
 * kernel runs and there is no other rank. Otherwise after a second.
 */
#ifndef SIMGPU_DEVICE_GRID_H
#define SIMGPU_DEVICE_GRID_H

#include "device/child.h"
#include "device/launch.h"

struct grid;

/* Run all blocks on the calling thread, which is the first runner, with
 * run_one() for each; what they launch is added to the children. */
void grid_run(const struct launch *l, struct children *children,
              void (*run_one)(uint64_t block), void (*forget)(void));

/* No thread of the calling runner's block can continue, for the naps-th time.
 * Returns 1 if other blocks have run meanwhile: look again. 0: sleep. */
int grid_stalled(unsigned naps);

/* A thread of the running block has done something. */
void grid_progress(void);

/* The launch to which the running block belongs. */
const struct launch *grid_launch(void);

/* Blocks not yet started. */
uint64_t grid_left(void);

/* Start no further block. */
void grid_stop(void);

#endif
