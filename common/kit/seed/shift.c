/*
 * Part 1: one step around the ring.
 */
#include "@N@.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

ncclResult_t ring_shift(const float *sendbuf, float *recvbuf, size_t count,
                        const struct ring *ring)
{
    // BEGIN HOLE part 1: shift (about 6 lines)
    // HINT: ncclSend and ncclRecv in one group: why one?
    const int n = ring->nranks;
    const int right = (ring->rank + 1) % n, left = (ring->rank - 1 + n) % n;
    LAB_TRY(ncclGroupStart());
    LAB_TRY(ncclSend(sendbuf, count, ncclFloat, right, ring->comm,
                     ring->stream));
    LAB_TRY(ncclRecv(recvbuf, count, ncclFloat, left, ring->comm,
                     ring->stream));
    return ncclGroupEnd();
    // END HOLE
}
