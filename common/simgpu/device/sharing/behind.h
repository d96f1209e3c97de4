/*
 * behind.h: blocks that a kernel's acquires don't order
 *
 * An acquire (sync.h) begins a part of the kernel, but it orders only the block
 * that makes it, and a block that has *looked* since: it has executed an atomic
 * or a fence, has read a volatile, or has passed a barrier of the grid or of
 * its cluster. Any look will do, at any word, so no flag, ticket or lock is
 * accused. A block that has not looked is *behind*. So are its accesses in the
 * graph (graph_behind()), which orders them as it did those of the part that
 * the block was left in:
 *
 *     block 0    [ waits for the peers | go = 1 | reads their data ]
 *     block 1    [ waits for go                 | reads their data ]
 *     block 2    [ reads their data: behind ]
 *
 * A block counts as a whole: __syncthreads() orders its threads, or
 * sharing/between.h finds that they lack it.
 */
#ifndef SIMGPU_DEVICE_SHARING_BEHIND_H
#define SIMGPU_DEVICE_SHARING_BEHIND_H

#include <stdint.h>

struct behind {         /* what is known of a running kernel's blocks */
    uint32_t nacquired; /* the kernel's acquires so far */
    uint32_t seen;      /* those that a block follows when it begins, */
    uint32_t met;       /* and when it passes the grid's latest barrier */
    uint32_t most;      /* the most of them that a block follows which has made
                      accesses while it was behind */
};

/* That of the kernel that the calling thread runs; NULL: of none. */
extern __thread struct behind *behind_of;

/* The running block has made an acquire. */
void behind_acquire(struct behind *b);

/* The running block begins; or it continues after other blocks have run. */
void behind_block_begins(void);
void behind_block_continues(void);

/* The running block has looked. */
void behind_look(void);

/* All threads of the grid have reached its barrier. The running block passes
 * it. */
void behind_grid_meets(void);
void behind_grid_met(void);

/* All blocks have ended. What is left to do, such as the kernels that they have
 * launched, follows all that the grid has acquired. */
void behind_grid_ended(void);

/* Record collected accesses of blocks that are behind as made that many parts
 * ago. */
void behind_date(uint32_t nparts);

#endif
