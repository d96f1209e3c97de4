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
    // BEGIN HOLE part 3: sum (device, about 8 lines)
    // USES v send i
    // HINT: why in the same order on all ranks?
    float4 sum = symm_peer(v, send, 0)[i];
    for (int r = 1; r < v.nranks; r++) {
        const float4 x = symm_peer(v, send, r)[i];
        sum.x += x.x;
        sum.y += x.y;
        sum.z += x.z;
        sum.w += x.w;
    }
    return sum;
    // END HOLE
}

// flags have been met at `meets` times.
__global__ void one_shot(struct symm_view v, const float4 *send, float4 *recv,
                         size_t n, unsigned *flags, unsigned meets)
{
    // BEGIN HOLE part 3: one-shot (device, about 6 lines)
    // USES v send recv n flags meets part sum_of
    // HINT: two meetings: what does each of them make sure of? Block b of B has
    // HINT: elements part(n, B, b) to part(n, B, b + 1) - 1.
    symm_meet(v, flags, meets + 1);
    const size_t end = part(n, gridDim.x, blockIdx.x + 1);
    for (size_t i = part(n, gridDim.x, blockIdx.x) + threadIdx.x; i < end;
         i += blockDim.x)
        recv[i] = sum_of(v, send, i);
    symm_meet(v, flags, meets + 2);
    // END HOLE
}

__global__ void two_shot(struct symm_view v, const float4 *send, float4 *recv,
                         size_t n, unsigned *flags, unsigned meets)
{
    // BEGIN HOLE part 3: two-shot (device, about 12 lines)
    // USES v send recv n flags meets part sum_of
    // HINT: this rank's share is part v.rank of v.nranks; the blocks share that.
    // HINT: Begin with another rank each, so that not all write to rank 0 at once.
    const size_t first = part(n, v.nranks, v.rank);
    const size_t share = part(n, v.nranks, v.rank + 1) - first;
    symm_meet(v, flags, meets + 1);
    const size_t end = first + part(share, gridDim.x, blockIdx.x + 1);
    for (size_t i = first + part(share, gridDim.x, blockIdx.x) + threadIdx.x;
         i < end; i += blockDim.x) {
        const float4 sum = sum_of(v, send, i);
        for (int k = 0; k < v.nranks; k++)
            symm_peer(v, recv, (v.rank + k) % v.nranks)[i] = sum;
    }
    symm_meet(v, flags, meets + 2);
    // END HOLE
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
