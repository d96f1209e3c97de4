// sync.cuh: flags between kernels of several devices and processes
//
// A kernel that writes a peer's memory and then sets a flag there needs
// ordering: a thread that has seen the flag has to see the earlier writes as
// well. That takes a *release* store of the flag and an *acquire* load of it,
// at system scope, because the two kernels run on different devices. Flags are
// unsigned ints (4 bytes, aligned) in memory that both can access.
//
//     rank 0   data[i] = ...; __syncthreads(); if (t == 0) sync_store(flag, 1);
//     rank 1   if (t == 0) sync_wait_reached(flag, 1); __syncthreads();
//              ... = data[i];
//
// One thread orders the accesses of its block only together with
// __syncthreads(): before the store, and after the load.
//
// sync_words.cuh, selected by the include path, reads and writes the flags:
// with PTX on real GPUs (common/cuda), or with simgpu's functions.
#ifndef COMMLAB_LAB_SYNC_CUH
#define COMMLAB_LAB_SYNC_CUH

#include <sync_words.cuh>

// Acquire: read a flag; later reads see what was written before it was set.
static __device__ __forceinline__ unsigned sync_load(const unsigned *flag)
{
    return sync_words_load_acquire(flag);
}

// Release: set a flag after all earlier writes.
static __device__ __forceinline__ void sync_store(unsigned *flag,
                                                  unsigned value)
{
    sync_words_store_release(flag, value);
}

// Acquire and release: add to a counter that others wait on, and return its old
// value.
static __device__ __forceinline__ unsigned sync_add(unsigned *counter,
                                                    unsigned n)
{
    return sync_words_add(counter, n);
}

// Acquire: wait until a flag is at least `value`, or exactly `value`.
static __device__ __forceinline__ void sync_wait_reached(const unsigned *flag,
                                                         unsigned value)
{
    sync_words_wait(flag, value, false);
}
static __device__ __forceinline__ void sync_wait_equal(const unsigned *flag,
                                                       unsigned value)
{
    sync_words_wait(flag, value, true);
}

#endif
