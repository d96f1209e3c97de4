// Part 3: all-reduce in one kernel.
//
// Every block works on a part of the elements of its own, and meets the blocks
// with its index on the other ranks, no others: so blocks need not wait for each
// other. The rows of flags are never set back; a->meets says how far they are.
#include "device.cuh"

#include "lab/lab.h" // LAB_HOLE, LAB_TRY

// Where part i of n begins, of count elements; part n begins at the end.
static __device__ size_t part(size_t count, int n, int i)
{
    return count * (size_t)i / (size_t)n;
}

// Enough blocks for n float4, at most as many as there are rows of flags.
static unsigned blocks_for(size_t n)
{
    const size_t full = (n + SYMM_THREADS - 1) / SYMM_THREADS;
    const size_t most = SYMM_BLOCKS;
    return (unsigned)(full < 1 ? 1 : full < most ? full : most);
}

// The sum of element i of all ranks, in the order of ranks.
static __device__ float4 sum_of(const struct symm_view &v, const float4 *send,
                                size_t i)
{
    // Yours to write: part 3: sum (device, about 8 lines)
    // why in the same order on all ranks?
    (void)v, (void)send, (void)i;
    LAB_DEVICE_HOLE("part 3: sum");
}

// flags have been met at `meets` times.
__global__ void one_shot(struct symm_view v, const float4 *send, float4 *recv,
                         size_t n, unsigned *flags, unsigned meets)
{
    // Yours to write: part 3: one-shot (device, about 6 lines)
    // two meetings: what does each of them make sure of? Block b of B has
    // elements part(n, B, b) to part(n, B, b + 1) - 1.
    (void)v, (void)send, (void)recv, (void)n, (void)flags, (void)meets, (void)part, (void)sum_of;
    LAB_DEVICE_HOLE("part 3: one-shot");
}

__global__ void two_shot(struct symm_view v, const float4 *send, float4 *recv,
                         size_t n, unsigned *flags, unsigned meets)
{
    // Yours to write: part 3: two-shot (device, about 12 lines)
    // this rank's share is part v.rank of v.nranks; the blocks share that.
    // Begin with another rank each, so that not all write to rank 0 at once.
    (void)v, (void)send, (void)recv, (void)n, (void)flags, (void)meets, (void)part, (void)sum_of;
    LAB_DEVICE_HOLE("part 3: two-shot");
}

ncclResult_t symm_one_shot(struct symm_reducer *a, const float *sendbuf,
                           float *recvbuf, size_t count, cudaStream_t stream)
{
    const size_t n = (count + 3) / 4;
    one_shot<<<blocks_for(n), SYMM_THREADS, 0, stream>>>(
        a->s->view, (const float4 *)sendbuf, (float4 *)recvbuf, n, a->flags,
        a->meets);
    a->meets += 2;
    LAB_TRY_CUDA(cudaGetLastError());
    return ncclSuccess;
}

ncclResult_t symm_two_shot(struct symm_reducer *a, const float *sendbuf,
                           float *recvbuf, size_t count, cudaStream_t stream)
{
    const size_t n = (count + 3) / 4;
    const size_t share = n / (size_t)a->s->view.nranks;
    two_shot<<<blocks_for(share), SYMM_THREADS, 0, stream>>>(
        a->s->view, (const float4 *)sendbuf, (float4 *)recvbuf, n, a->flags,
        a->meets);
    a->meets += 2;
    LAB_TRY_CUDA(cudaGetLastError());
    return ncclSuccess;
}
