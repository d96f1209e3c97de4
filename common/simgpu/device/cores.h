/*
 * cores.h: one grid's blocks on several cores
 *
 * simnvcc marks a kernel whose blocks are *independent*: they reach each other
 * by plain accesses alone, with no atomic, fence, volatile word, output or
 * launch (simnvcc/calls.h). Such a grid is cut into slices of blocks in order,
 * and each slice runs on a thread that has a log of its own. The logs are
 * appended in the order of the slices. So results, the graph and the modelled
 * time are those of one core, unless blocks race with each other.
 *
 *     core 0   blocks 0 ... n/2 - 1    log ----.
 *     core 1   blocks n/2 ... n - 1    log ----+--> log of the kernel
 *
 * If several accesses are errors, the one that is reported is the first in the
 * order of the slices: a thread that is to report one waits for those before
 * it.
 */
#ifndef SIMGPU_DEVICE_CORES_H
#define SIMGPU_DEVICE_CORES_H

#include "device/runner.h"

/* Run the grid's blocks on more than the calling thread, if that may be and
 * pays off. Otherwise 0: nothing has run. */
int cores_run(struct grid *g);

#endif
