/*
 * Part 2: one-sided operations from kernels.
 *
 * A kernel reads and writes a peer's memory like its own, but has to order its
 * accesses. lab/sync.cuh has a release store, which sets a flag *after* the
 * thread's earlier writes, and an acquire load: a thread that has seen the flag
 * also sees those writes. __syncthreads() extends both to the thread's block.
 *
 * All threads of a block call these functions, except symm_peer().
 */
#ifndef LAB5_DEVICE_CUH
#define LAB5_DEVICE_CUH

#include <lab/hole.cuh>
#include <lab/sync.cuh>

#include "lab5.h"

/* symm_at() for kernels. */
template <class T>
static __device__ T *symm_peer(const struct symm_view &v, T *own, int rank)
{
    // BEGIN HOLE part 2: address in a kernel (device, about 2 lines)
    return (T *)(v.base[rank] + ((char *)own - v.base[v.rank]));
    // END HOLE
}

/* Copy count float4 from src to rank's copy of dst, then set rank's copy of a
 * signal: a thread that has seen the signal also sees everything that the block
 * wrote. */
static __device__ inline void symm_put_signal(const struct symm_view &v,
                                              float4 *dst, const float4 *src,
                                              size_t count, unsigned *signal,
                                              unsigned value, int rank)
{
    // BEGIN HOLE part 2: put and signal in a kernel (device, about 7 lines)
    // HINT: all threads copy; one of them signals. When may it?
    float4 *const there = symm_peer(v, dst, rank);
    for (size_t i = threadIdx.x; i < count; i += blockDim.x)
        there[i] = src[i];
    __syncthreads();
    if (threadIdx.x == 0)
        sync_store(symm_peer(v, signal, rank), value);
    // END HOLE
}

/* Wait until this rank's copy of a signal is at least value; then all threads
 * see what was written before it was set. */
static __device__ inline void symm_wait_for(const unsigned *signal,
                                            unsigned value)
{
    // BEGIN HOLE part 2: wait in a kernel (device, about 3 lines)
    // HINT: one thread calls sync_wait_reached(); the block waits for it.
    if (threadIdx.x == 0)
        sync_wait_reached(signal, value);
    __syncthreads();
    // END HOLE
}

/*
 * A barrier of one block of each rank: afterwards all of them see what any of
 * them did before. flags: symmetric, one flag per rank. value: one more than in
 * the previous barrier with these flags.
 */
static __device__ inline void symm_meet(const struct symm_view &v,
                                        unsigned *flags, unsigned value)
{
    // BEGIN HOLE part 2: meet (device, about 7 lines)
    // HINT: thread r tells rank r that this rank has arrived, and waits for
    // HINT: rank r.
    const int r = threadIdx.x;
    __syncthreads();
    if (r < v.nranks) {
        sync_store(symm_peer(v, flags + v.rank, r), value);
        sync_wait_reached(flags + r, value);
    }
    __syncthreads();
    // END HOLE
}

#endif
