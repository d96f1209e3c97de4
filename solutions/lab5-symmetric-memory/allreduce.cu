/*
 * Part 3: all-reduce in one kernel, or in two.
 *
 * A kernel of several blocks meets the other ranks' kernels twice: before it
 * reads their data, and when it has read them. Block 0 meets them on behalf of
 * all blocks at the start, the last block to finish at the end:
 *
 *     block 0    meet | go |    work    | done
 *     block 1         | .. wait | work  | done
 *     block 2         | .. wait |   work   | done: the last one | meet
 *
 * All blocks have to be resident on the device at the same time; otherwise
 * the waiting ones could keep block 0 off it. So a kernel has few blocks.
 *
 * Vectors are n float4. Each block has a range, whose elements its threads take
 * in turn. Launch: enough blocks of SYMM_THREADS, at most SYMM_BLOCKS.
 *
 *     kernel          computes                              called by
 *     one_shot        recv = sum of all ranks' send         symm_one_shot()
 *     reduce_share    this rank's share of recv, likewise   symm_two_shot()
 *     gather_shares   all other ranks' shares of recv       symm_two_shot()
 */
#include "device.cuh"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

/* The first element of part i of n, of count elements; count for i = n. */
static __device__ size_t part(size_t count, int n, int i)
{
    return count * (size_t)i / (size_t)n;
}

/* Enough blocks for n float4, at most SYMM_BLOCKS. */
static unsigned blocks_for(size_t n)
{
    const size_t full = (n + SYMM_THREADS - 1) / SYMM_THREADS;
    const size_t most = SYMM_BLOCKS;
    return (unsigned)(full < 1 ? 1 : full < most ? full : most);
}

/* The sum of element i over all ranks, in rank order. */
static __device__ float4 sum_of(const struct symm_view &v, const float4 *send,
                                size_t i)
{
    // BEGIN HOLE part 3: sum (device, about 8 lines)
    // HINT: why does the order have to be the same on all ranks?
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

struct meeting {         // how the blocks of a kernel synchronise
    unsigned *flags;     // for symm_meet()
    unsigned *go;        // set to `begin` once block 0 has met the other ranks
    unsigned *done;      // blocks that are done; 0 before and after a kernel
    unsigned begin, end; // values of symm_meet() at the two ends of the kernel
};

/* No block continues before all ranks' kernels have started. */
static __device__ void begin_together(const struct symm_view &v,
                                      const struct meeting &m)
{
    // BEGIN HOLE part 3: begin (device, about 6 lines)
    // HINT: block 0 calls symm_meet() and sets *m.go; the others wait for that.
    if (blockIdx.x == 0) {
        symm_meet(v, m.flags, m.begin);
        if (threadIdx.x == 0)
            sync_store(m.go, m.begin);
    } else {
        symm_wait_for(m.go, m.begin);
    }
    // END HOLE
}

/* The kernel doesn't end before all blocks of all ranks have got here. */
static __device__ void end_together(const struct symm_view &v,
                                    const struct meeting &m)
{
    __shared__ int is_last;
    // BEGIN HOLE part 3: end (device, about 12 lines)
    // HINT: atomicAdd() on m.done returns the number of blocks done before;
    // HINT: fences before and after it (__threadfence()) order their writes.
    // HINT: The last block resets m.done and calls symm_meet() with m.end.
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicAdd(m.done, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    if (threadIdx.x == 0)
        *m.done = 0;
    symm_meet(v, m.flags, m.end);
    // END HOLE
}

__global__ void one_shot(struct symm_view v, const float4 *send, float4 *recv,
                         size_t n, struct meeting m)
{
    // BEGIN HOLE part 3: one-shot (device, about 6 lines)
    // HINT: block b of B has elements part(n, B, b) to part(n, B, b + 1) - 1.
    begin_together(v, m);
    const size_t end = part(n, gridDim.x, blockIdx.x + 1);
    for (size_t i = part(n, gridDim.x, blockIdx.x) + threadIdx.x; i < end;
         i += blockDim.x)
        recv[i] = sum_of(v, send, i);
    end_together(v, m);
    // END HOLE
}

/* The first of two: write the sums to this rank's share of recv. */
__global__ void reduce_share(struct symm_view v, const float4 *send,
                             float4 *recv, size_t n, struct meeting m)
{
    // BEGIN HOLE part 3: reduce a share (device, about 9 lines)
    // HINT: the share is part v.rank of v.nranks; the blocks divide it.
    const size_t first = part(n, v.nranks, v.rank);
    const size_t share = part(n, v.nranks, v.rank + 1) - first;
    begin_together(v, m);
    const size_t end = first + part(share, gridDim.x, blockIdx.x + 1);
    for (size_t i = first + part(share, gridDim.x, blockIdx.x) + threadIdx.x;
         i < end; i += blockDim.x)
        recv[i] = sum_of(v, send, i);
    end_together(v, m);
    // END HOLE
}

/* The second: copy the shares of all other ranks to recv. */
__global__ void gather_shares(struct symm_view v, float4 *recv, size_t n,
                              struct meeting m)
{
    // BEGIN HOLE part 3: gather the shares (device, about 10 lines)
    // HINT: why does this kernel not have to meet at its start? Let each rank
    // HINT: start with a different peer, so that not all read from rank 0 at
    // HINT: once.
    for (int k = 1; k < v.nranks; k++) {
        const int r = (v.rank + k) % v.nranks;
        const size_t first = part(n, v.nranks, r);
        const size_t share = part(n, v.nranks, r + 1) - first;
        const size_t end = first + part(share, gridDim.x, blockIdx.x + 1);
        for (size_t i =
                 first + part(share, gridDim.x, blockIdx.x) + threadIdx.x;
             i < end; i += blockDim.x)
            recv[i] = symm_peer(v, recv, r)[i];
    }
    end_together(v, m);
    // END HOLE
}

static struct meeting next_meeting(struct symm_reducer *a, unsigned meets)
{
    a->meets += meets;
    return (struct meeting){a->flags, &a->local[0], &a->local[1], a->meets - 1,
                            a->meets};
}

ncclResult_t symm_one_shot(struct symm_reducer *a, const float *sendbuf,
                           float *recvbuf, size_t count, cudaStream_t stream)
{
    const size_t n = (count + 3) / 4;
    one_shot<<<blocks_for(n), SYMM_THREADS, 0, stream>>>(
        a->s->view, (const float4 *)sendbuf, (float4 *)recvbuf, n,
        next_meeting(a, 2));
    LAB_TRY_CUDA(cudaGetLastError());
    return ncclSuccess;
}

ncclResult_t symm_two_shot(struct symm_reducer *a, const float *sendbuf,
                           float *recvbuf, size_t count, cudaStream_t stream)
{
    const size_t n = (count + 3) / 4;
    const unsigned blocks = blocks_for(n / (size_t)a->s->view.nranks);
    reduce_share<<<blocks, SYMM_THREADS, 0, stream>>>(
        a->s->view, (const float4 *)sendbuf, (float4 *)recvbuf, n,
        next_meeting(a, 2));
    gather_shares<<<blocks, SYMM_THREADS, 0, stream>>>(
        a->s->view, (float4 *)recvbuf, n, next_meeting(a, 1));
    LAB_TRY_CUDA(cudaGetLastError());
    return ncclSuccess;
}
