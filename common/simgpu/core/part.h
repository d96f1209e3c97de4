/*
 * part.h: the parts of a program that are measured, and its other threads
 *
 * The labs' runner calls a function under test between two marks, PART_BEGINS
 * and PART_ENDS (base/part.h). What orders the threads of a process, such as
 * locks and flags, is not in the graph. Other threads therefore need three
 * rules.
 *
 * - A thread that waited before the part has a host time that stood still: it
 *   would launch its work for the part in the past. So it starts again where
 *   the part begins.
 * - What such a thread knows to be complete is known when the part ends.
 * - What it does after that is in no measured time. Whether it is recorded
 *   would depend on the machine, since the process may end first. So the end of
 *   the part waits for it.
 */
#ifndef SIMGPU_CORE_PART_H
#define SIMGPU_CORE_PART_H

#include <stdint.h>

/*
 * Thread 0 has passed this message to nvtxMarkA(). PART_BEGINS starts a part,
 * with the last work that the thread has issued. PART_ENDS blocks as
 * issuers_settle() does. If other threads have issued work in the part, or
 * still may, it records a call of this name: what they issued since thread 0's
 * previous call then counts as issued when the part was over. Other messages,
 * and other threads, have no effect.
 */
void part_mark(const char *message, uint32_t site);

/* Note that the calling thread is about to record work for a
 * device, called from here. */
void part_issues(uint32_t site);

#endif
