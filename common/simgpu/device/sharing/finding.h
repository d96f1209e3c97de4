/*
 * finding.h: mistakes that the threads of a block make with each other
 *
 * They are noted in the graph, and don't stop the kernel. Each pair of lines is
 * reported once in a run.
 */
#ifndef SIMGPU_DEVICE_SHARING_FINDING_H
#define SIMGPU_DEVICE_SHARING_FINDING_H

#include "device/launch.h"

/* How a thread accesses memory: bits. */
enum {
    FINDING_READS = 1,
    FINDING_WRITES = 2,
    FINDING_ATOMIC = 4,
    FINDING_BLOCK = 8 /* an atomic operation, of block scope */
};

/* "reads", "writes" or "updates" (how: the bits above). */
const char *finding_verb(int how);

/* True for the first finding about these two lines (sites). */
int finding_is_new(uint32_t a, uint32_t b);

/* A line of the program for an atomic operation at pc, which is a function of
 * CUDA's headers. */
uint32_t finding_site_of_atomic(const void *pc);

/* "(3,0,0)" for a thread's number in the block that runs. Returns out. */
const char *finding_thread(unsigned thread, char *out, size_t nbytes);

/* Note a finding of the launch at a line. The text doesn't end in a newline. */
void finding_note(const struct launch *l, uint32_t site, const char *text);

#endif
