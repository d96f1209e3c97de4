/*
 * Part 2: an all-to-all with messages of different sizes, and its reverse.
 */
#include "lab7.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

ncclResult_t moe_dispatch(const struct moe *m, const struct moe_route *route,
                          const float *packed, float *recvbuf,
                          cudaStream_t stream)
{
    // BEGIN HOLE part 2: dispatch (about 20 lines)
    // HINT: ncclSend and ncclRecv with every other rank, in one group. A
    // HINT: message of 0 elements may be sent, or omitted on both sides. Your
    // HINT: own tokens take a cudaMemcpyAsync.
    const size_t dim = (size_t)m->dim;
    LAB_TRY_CUDA(cudaMemcpyAsync(
        recvbuf + (size_t)route->recv_begin[m->rank] * dim,
        packed + (size_t)route->send_begin[m->rank] * dim,
        (size_t)route->send_count[m->rank] * dim * sizeof *packed,
        cudaMemcpyDeviceToDevice, stream));
    LAB_TRY(ncclGroupStart());
    for (int r = 0; r < m->nranks; r++) {
        if (r == m->rank)
            continue;
        LAB_TRY(ncclSend(packed + (size_t)route->send_begin[r] * dim,
                         (size_t)route->send_count[r] * dim, ncclFloat, r,
                         m->comm, stream));
        LAB_TRY(ncclRecv(recvbuf + (size_t)route->recv_begin[r] * dim,
                         (size_t)route->recv_count[r] * dim, ncclFloat, r,
                         m->comm, stream));
    }
    return ncclGroupEnd();
    // END HOLE
}

ncclResult_t moe_return(const struct moe *m, const struct moe_route *route,
                        const float *processed, float *packed,
                        cudaStream_t stream)
{
    // BEGIN HOLE part 2: return (about 8 lines)
    // HINT: the same with senders and receivers swapped. Don't write it twice.
    struct moe_route back = {.nrecv = 0};
    for (int r = 0; r < m->nranks; r++) {
        back.send_count[r] = route->recv_count[r];
        back.send_begin[r] = route->recv_begin[r];
        back.recv_count[r] = route->send_count[r];
        back.recv_begin[r] = route->send_begin[r];
    }
    return moe_dispatch(m, &back, processed, packed, stream);
    // END HOLE
}
