/*
 * Part 6: a struct window as kernels see it, and where their ranks meet.
 *
 * The kernels of parts 6 to 8 are cooperative: all their blocks are resident at
 * the same time, so they can wait for each other.
 */
#ifndef LAB5_WINDOW_CUH
#define LAB5_WINDOW_CUH

#include <cooperative_groups.h> /* this_grid */
#include <nccl_device.h>        /* ncclGetLsaPointer, ncclLsaBarrierSession */

#include <lab/hole.cuh>

#include "lab5.h"

struct window_view { /* passed to kernels by value */
    ncclWindow_t send, recv;
    ncclDevComm dev; /* its LSA team is all ranks; one LSA barrier, number 0 */
};

struct window_nccl {
    struct window_view view;
};

/* The first element of part i of n, of count elements; count for i = n. */
static __device__ inline size_t window_part(size_t count, int n, int i)
{
    return count * (size_t)i / (size_t)n;
}

/*
 * A barrier of all blocks of all ranks' kernels: afterwards every thread sees
 * what any thread of any rank did before. All threads of the grid call it.
 */
static __device__ inline void window_meet(const struct window_view &v)
{
    // BEGIN HOLE part 6: meet (device, about 8 lines)
    // HINT: block 0 meets block 0 of the other ranks, by an
    // HINT: ncclLsaBarrierSession of the whole block (ncclCoopCta). What do the
    // HINT: other blocks wait for before that, and after it?
    const auto grid = cooperative_groups::this_grid();
    grid.sync();
    if (blockIdx.x == 0) {
        const ncclCoopCta block;
        ncclLsaBarrierSession<ncclCoopCta> ranks(block, v.dev, ncclTeamTagLsa(),
                                                 0);
        ranks.sync(block, cuda::memory_order_acq_rel);
    }
    grid.sync();
    // END HOLE
}

#endif
