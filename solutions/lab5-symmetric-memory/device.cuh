// Part 2: one-sided operations from kernels.
//
// A kernel reads and writes a peer's memory like its own. What it has to take
// care of is order: lab/sync.cuh says how a word is set *after* what was written
// before it (release), and how one that has seen the word sees that, too
// (acquire). Both are of one thread; __syncthreads() extends them to its block.
//
// All functions are to be called by all threads of a block, but symm_peer().
#ifndef LAB5_DEVICE_CUH
#define LAB5_DEVICE_CUH

#include <lab/hole.cuh>
#include <lab/sync.cuh>

#include "lab5.h"

// symm_at() for kernels.
template <class T>
static __device__ T *symm_peer(const struct symm_view &v, T *own, int rank)
{
    // BEGIN HOLE part 2: address in a kernel (device, about 2 lines)
    // USES v own rank
    return (T *)(v.base[rank] + ((char *)own - v.base[v.rank]));
    // END HOLE
}

// Copy count float4 from src to rank's copy of dst, then set rank's copy of a
// signal: who has seen it sees all that the block wrote.
static __device__ inline void symm_put_signal(const struct symm_view &v,
                                              float4 *dst, const float4 *src,
                                              size_t count, unsigned *signal,
                                              unsigned value, int rank)
{
    // BEGIN HOLE part 2: put and signal in a kernel (device, about 7 lines)
    // USES v dst src count signal value rank
    // HINT: all threads copy; one signals. When may it?
    float4 *const there = symm_peer(v, dst, rank);
    for (size_t i = threadIdx.x; i < count; i += blockDim.x)
        there[i] = src[i];
    __syncthreads();
    if (threadIdx.x == 0)
        sync_store(symm_peer(v, signal, rank), value);
    // END HOLE
}

// Wait until the own signal is at least value; then all threads see what was
// written before it was set.
static __device__ inline void symm_wait_for(const unsigned *signal,
                                            unsigned value)
{
    // BEGIN HOLE part 2: wait in a kernel (device, about 3 lines)
    // USES signal value
    // HINT: sync_wait_reached, and the block behind it.
    if (threadIdx.x == 0)
        sync_wait_reached(signal, value);
    __syncthreads();
    // END HOLE
}

// One block of each rank meets those of all others: what any of them did before,
// all see afterwards. flags: symmetric, a word for each rank; value: of the last
// time there, plus 1.
static __device__ inline void symm_meet(const struct symm_view &v,
                                        unsigned *flags, unsigned value)
{
    // BEGIN HOLE part 2: meet (device, about 7 lines)
    // USES v flags value
    // HINT: thread r tells rank r that this rank has come, and waits for rank r.
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
