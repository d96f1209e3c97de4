/*
 * witness.h: tells a recorder what happens to device memory
 *
 * A graded run has a recorder (base/recorder.h), which knows the process's
 * heaps, and from the graph where each allocation lies. Before an operation
 * runs that overwrites memory, it spoils what lies there (graph/overwrite.h): a
 * record of an operation that is never performed leaves no result. Without a
 * recorder nothing happens here.
 */
#ifndef SIMGPU_CORE_WITNESS_H
#define SIMGPU_CORE_WITNESS_H

#include <stdint.h>

/* Join the recorder of a folder, if it has one. Returns 0, or -1 with errno. */
int witness_open(const char *dir, uint32_t rank);

/* True if there is one. */
int witness_is_there(void);

/* A device's heap is this memfd. */
void witness_heap(int device, int fd);

/* A recorded operation is about to run, and all that it follows is done.
 * Returns when the recorder has spoiled what the operation overwrites. */
void witness_begin(uint32_t index);

#endif
