/*
 * witness.h: telling a recorder what happens to device memory
 *
 * A graded run has a recorder (base/recorder.h), which has access to the
 * process's heaps, and knows from the graph where each allocation is. Before an
 * operation runs that overwrites memory, the recorder spoils that memory
 * (graph/hazard/overwrite.h), so that a recorded operation that is never
 * performed leaves no result. Without a recorder, these functions do nothing.
 */
#ifndef SIMGPU_CORE_WITNESS_H
#define SIMGPU_CORE_WITNESS_H

#include <stdint.h>

/* Connect to the recorder of a folder, if it has one.
 * Returns 0, or -1 with errno. */
int witness_open(const char *dir, uint32_t rank);

/* True if there is a recorder. */
int witness_is_there(void);

/* Tell the recorder the memfd of a device's heap. */
void witness_heap(int device, int fd);

/* Called when a recorded operation is about to run, after everything
 * that it follows. Returns when the recorder has spoiled what the
 * operation overwrites. */
void witness_begin(uint32_t index);

#endif
