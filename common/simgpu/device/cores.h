/*
 * cores.h: one grid's blocks on several cores
 *
 * simnvcc marks a kernel whose blocks are *independent*: they affect each other
 * by plain accesses alone, and use no atomic, fence, volatile word, output or
 * launch (simnvcc/calls.h). Such a grid is cut into slices of consecutive
 * blocks, and each slice runs on its own thread with its own log. The logs are
 * appended in the order of the slices. Results, graph and modelled time are
 * therefore the same as on one core, unless blocks race with each other.
 *
 *     core 0   blocks 0 ... n/2 - 1    log ----.
 *     core 1   blocks n/2 ... n - 1    log ----+--> log of the kernel
 *
 * If several accesses are errors, the one reported is the first in the order of
 * the slices: a thread that has an error to report waits for the slices before
 * its own.
 */
#ifndef SIMGPU_DEVICE_CORES_H
#define SIMGPU_DEVICE_CORES_H

#include "device/runner.h"

/* Run the grid's blocks on several threads, if that is allowed and pays off.
 * Otherwise returns 0 and runs nothing. */
int cores_run(struct grid *g);

#endif
