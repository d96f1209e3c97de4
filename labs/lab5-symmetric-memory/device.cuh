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
    // Yours to write: part 2: address in a kernel (device, about 2 lines)
    LAB_DEVICE_HOLE("part 2: address in a kernel");
}

/* Copy count float4 from src to rank's copy of dst, then set rank's copy of a
 * signal: a thread that has seen the signal also sees everything that the block
 * wrote. */
static __device__ inline void symm_put_signal(const struct symm_view &v,
                                              float4 *dst, const float4 *src,
                                              size_t count, unsigned *signal,
                                              unsigned value, int rank)
{
    // Yours to write: part 2: put and signal in a kernel (device, about 7 lines)
    // all threads copy; one of them signals. When may it?
    LAB_DEVICE_HOLE("part 2: put and signal in a kernel");
}

/* Wait until this rank's copy of a signal is at least value; then all threads
 * see what was written before it was set. */
static __device__ inline void symm_wait_for(const unsigned *signal,
                                            unsigned value)
{
    // Yours to write: part 2: wait in a kernel (device, about 3 lines)
    // one thread calls sync_wait_reached(); the block waits for it.
    LAB_DEVICE_HOLE("part 2: wait in a kernel");
}

/*
 * A barrier of one block of each rank: afterwards all of them see what any of
 * them did before. flags: symmetric, one flag per rank. value: one more than in
 * the previous barrier with these flags.
 */
static __device__ inline void symm_meet(const struct symm_view &v,
                                        unsigned *flags, unsigned value)
{
    // Yours to write: part 2: meet (device, about 7 lines)
    // thread r tells rank r that this rank has arrived, and waits for
    // rank r.
    LAB_DEVICE_HOLE("part 2: meet");
}

#endif
