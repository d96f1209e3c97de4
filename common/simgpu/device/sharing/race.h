/*
 * race.h: races and uninitialised reads in shared memory
 *
 * In programs that are checked, each word of shared memory has a *cell*: the
 * latest write and two reads, each with its stamp (ordering.h). An access that
 * conflicts with one of them and isn't ordered behind it is a race, in any
 * order in which the threads happen to run. A word that no thread of
 * the block has written before it is read is an uninitialised read, unless a
 * write that is not ordered behind the read follows: that is a race.
 *
 * - Two atomic operations don't conflict, and a volatile read doesn't conflict
 *   with an atomic one. Otherwise volatile accesses are ordinary ones.
 * - Two writes of the same value don't conflict. The first write's value is in
 *   memory; the second one's is there at the block's next access.
 *
 * Findings are noted in the graph. They don't stop the kernel.
 */
#ifndef SIMGPU_DEVICE_SHARING_RACE_H
#define SIMGPU_DEVICE_SHARING_RACE_H

#include "device/sharing/arrays.h"

/* True if this launch's blocks are checked: with SIMGPU_CHECK=1 and in labs.
 * The blocks of a cluster, which share their memories, are not. */
int race_applies(const struct launch *l);

/* Call these when a block of a launch to which the check applies begins and
 * ends on the calling thread. */
struct race *race_begin(const struct launch *l);
void race_end(void);

/* True if the calling thread runs such a block. */
int race_is_on(void);

/* An access to an array in shared memory. */
void race_touch(struct shared_array *a, const char *p, size_t nbytes,
                enum touch_kind kind, const void *pc);

/* The same for most accesses: to a word, and ordered behind all others of it by
 * barriers of the block, or atomic as those. Returns 0 if it is something
 * else. */
int race_touch_quickly(struct race *r, const char *p, size_t nbytes,
                       enum touch_kind kind, const void *pc);

/* An atomic operation on global memory, or a look at a word there. */
void race_touch_global(void);

void race_free(struct race_cells *c);

/* Free what the calling thread has, before it ends. */
void race_forget(void);

#endif
