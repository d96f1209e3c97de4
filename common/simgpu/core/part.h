/*
 * part.h: the parts of a program that are measured, and its other threads
 *
 * The labs' runner calls a function under test between two marks, PART_BEGINS
 * and PART_ENDS (base/part.h). What orders the threads of a process, such as
 * locks and flags, is not in the graph; so three things have to be said of
 * them.
 * - A thread that waited meanwhile has a host time that stood still: what it is
 *   asked for now, it would launch in the past. So it begins again where the
 *   part begins.
 * - What it knows to be done is known when the part is over.
 * - What it does after that is in no measured time. It shows in the graph if
 *   the thread gets to do it; but on a busy machine the process may have ended
 *   before. So the end waits for it.
 */
#ifndef SIMGPU_CORE_PART_H
#define SIMGPU_CORE_PART_H

#include <stdint.h>

/*
 * Thread 0 has said this by nvtxMarkA(). PART_BEGINS: with the last work that
 * it has issued. PART_ENDS: blocks as issuers_settle(); if other threads have
 * issued work in the part, or may still, a call of this name is recorded, and
 * what they issued since thread 0's previous call, they issued when the part
 * was over. Others do nothing, as in another thread.
 */
void part_mark(const char *message, uint32_t site);

/* The calling thread is about to record work for a device, called from here. */
void part_issues(uint32_t site);

#endif
