/*
 * between.h: races in global memory between the threads of a kernel
 *
 * Blocks of a grid run in any order and at the same time, and so do threads of
 * a block between barriers. Here they run one after the other, so that a sum
 * without atomics, or an update in place, comes out right. With SIMGPU_CHECK=1
 * each word that a kernel touches therefore has a *cell* with its latest write
 * and reads. An access that conflicts with one of them is a race, unless
 *
 * - barriers order the two threads (ordering.h); or
 * - the first thread has since made its past known, and the second has since
 *   looked: by any atomic operation or fence, the second one also by a volatile
 *   read, of any word, and for its whole block. This excuses some races,
 *   and accuses no lock, flag or ticket;
 * - or the word's value doesn't change, or only changes from 0 to 1, or only
 *   from 1 to 0: a flag that several threads set.
 *
 * An atomic operation conflicts only with ordinary writes; one of block scope
 * (atomicAdd_block) also with those of other blocks, and it tells and sees
 * nothing of them. A checked access
 * takes a hundred nanoseconds, so each kernel is checked in its first launches
 * only, and there up to a number of accesses. A kernel whose blocks wait for
 * each other is no longer checked once one does.
 *
 * Memory that device code allocates is not checked: it is not known when one
 * thread has freed what another one then gets.
 *
 * Findings are noted in the graph. They don't stop the kernel.
 */
#ifndef SIMGPU_DEVICE_SHARING_BETWEEN_H
#define SIMGPU_DEVICE_SHARING_BETWEEN_H

#include "device/access_log.h"

/* Not 0 while the calling thread runs a kernel that is checked. */
extern __thread int between_is_on;

/* Call these when a kernel begins and ends on the calling thread. */
void between_begin(const struct launch *l);
void between_end(void);

/* No longer check the kernel: blocks that are not seen may order its own. */
void between_stop(void);

/* An access to memory that all blocks share, which is about to take place. */
void between_touch(const char *p, size_t nbytes, enum touch_kind kind,
                   const void *pc);

/* Until it is called with 0, the running thread's atomics have block scope. */
void between_block_scope(int is_on);

/* The running thread has called a fence, which makes its past known; or it has
 * only looked at a word that others may write. */
void between_fence(void);
void between_look(void);

#endif
