/*
 * reach.h: which memory a device's kernels reach
 *
 * A kernel may touch memory of another device only with peer access, memory of
 * a pool of host memory only if the pool gives its device access, and memory
 * mapped at reserved addresses only if their access flags allow it.
 */
#ifndef SIMGPU_CORE_HEAP_REACH_H
#define SIMGPU_CORE_HEAP_REACH_H

#include "core/heap/heap.h"

enum { REACH_TEXT = 512 };

/* True if kernels of this device may touch the allocation. */
int simgpu_heap_reaches(int device, const struct heap_block *b);

/* "memory of device 1, which device 0 has no access to", the allocation, and
 * the call that would give the device access. Returns out. */
const char *simgpu_heap_unreached(int device, const struct heap_block *b,
                                  char out[REACH_TEXT]);

#endif
