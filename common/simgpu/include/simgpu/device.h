/*
 * device.h: CUDA C++'s device side, for code that simnvcc compiles
 *
 * Included by cuda_runtime.h. A kernel is an ordinary function that a worker
 * calls once per thread, and the built-in variables contain that thread's
 * coordinates. Each worker has one copy of a __shared__ variable: the threads
 * of a block are fibers of one worker, and blocks run one after the other.
 */
#ifndef SIMGPU_DEVICE_H
#define SIMGPU_DEVICE_H

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h> /* clock */

#include <new>     /* for programs, as <assert.h>, <ctype.h> */
#include <utility> /* and this: the real header has them */

#include "simgpu/kernel.h"
#include "simgpu/loads.h"
#include "simgpu/minmax.h"
#include "simgpu/numbers.h"
#include "simgpu/simd.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__           static thread_local
#define __forceinline__      inline __attribute__((always_inline))
#define __align__(n)         __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __cudart_builtin__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __maxnreg__(...)
#define __grid_constant__

/* dim3 as a type that the compiler can treat as constant. A variable
 * whose type has constructors counts as written, so that each use of it
 * would be an access to record. */
struct simgpu_dims : uint3 {
};

/* The thread's coordinates, under the runtime's names. */
extern "C" {
extern __thread const uint3 threadIdx __asm__("simgpu_thread_idx");
extern __thread const uint3 blockIdx __asm__("simgpu_block_idx");
extern __thread const simgpu_dims blockDim __asm__("simgpu_block_dim");
extern __thread const simgpu_dims gridDim __asm__("simgpu_grid_dim");
}
static const int warpSize = 32;

#define SIMGPU_QUIET                                                           \
    static __attribute__((noinline, no_sanitize("thread"), unused))

static inline void __syncthreads()
{
    simgpu_syncthreads();
}
static inline void __threadfence()
{
    simgpu_fence();
}
static inline void __threadfence_block()
{
    simgpu_fence_block();
}
static inline void __barrier_sync(unsigned id)
{
    simgpu_barrier(id, blockDim.x * blockDim.y * blockDim.z);
}
static inline void __barrier_sync_count(unsigned id, unsigned count)
{
    simgpu_barrier(id, count);
}
static inline void __threadfence_system()
{
    simgpu_fence_system();
}
static inline void __nanosleep(unsigned ns)
{
    simgpu_nanosleep(ns);
}
static inline long long __clock64()
{
    return simgpu_clock();
}
static inline long long clock64()
{
    return simgpu_clock();
}
static inline void __trap()
{
    simgpu_trap();
}
static inline void __brkpt() {}
static inline int __syncthreads_count(int predicate)
{
    return (int)simgpu_count(predicate);
}
static inline int __syncthreads_and(int predicate)
{
    return simgpu_count(!predicate) == 0;
}
static inline int __syncthreads_or(int predicate)
{
    return simgpu_count(predicate) != 0;
}
static inline bool __isGlobal(const void *p)
{
    return simgpu_is_global(p);
}
static inline bool __isShared(const void *p)
{
    return simgpu_is_shared(p);
}
static inline bool __isLocal(const void *p)
{
    return !simgpu_is_global(p) && !simgpu_is_shared(p);
}
static inline size_t __cvta_generic_to_shared(const void *p)
{
    return (size_t)p;
}
/* Programs keep the address in 32 bits. Its distance from the block's own
 * memory is enough to restore it. */
static inline void *__cvta_shared_to_generic(size_t bits)
{
    char *const near = simgpu_dynamic_memory;
    return near + (int32_t)((uint32_t)bits - (uint32_t)(size_t)near);
}
#define SIMGPU_SAME_ADDRESS(space)                                             \
    static inline size_t __cvta_generic_to_##space(const void *p)              \
    {                                                                          \
        return (size_t)p;                                                      \
    }                                                                          \
    static inline void *__cvta_##space##_to_generic(size_t bits)               \
    {                                                                          \
        return (void *)bits;                                                   \
    }
SIMGPU_SAME_ADDRESS(global)
SIMGPU_SAME_ADDRESS(local)
SIMGPU_SAME_ADDRESS(constant)
SIMGPU_SAME_ADDRESS(grid_constant)
#undef SIMGPU_SAME_ADDRESS
static inline void __prof_trigger(int) {}
#define __builtin_assume(x) ((void)0)
static inline void __assume(bool) {}

/* ---- warps --------------------------------------------------------------- */

namespace simgpu
{
static inline int lane()
{
    const unsigned t =
        threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    return (int)(t % 32);
}

template <class T> static inline T shuffle(unsigned mask, T value, int from)
{
    const size_t most = sizeof(T) < 8 ? sizeof(T) : 8;
    for (size_t at = 0; at < sizeof(T); at += most) {
        const size_t n = sizeof(T) - at < most ? sizeof(T) - at : most;
        uint64_t bits = 0;
        __builtin_memcpy(&bits, (char *)&value + at, n);
        bits = simgpu_shuffle(bits, from, mask);
        __builtin_memcpy((char *)&value + at, &bits, n);
    }
    return value;
}
} // namespace simgpu

static inline void __syncwarp(unsigned mask = 0xffffffffu)
{
    simgpu_ballot(0, mask);
}

static inline unsigned __ballot_sync(unsigned mask, int predicate)
{
    return simgpu_ballot(predicate, mask);
}

/* The lanes that reach this call together. */
static __forceinline__ unsigned __activemask()
{
    return simgpu_converged();
}

/* True if the predicate is the same on all lanes. */
static inline int __uni_sync(unsigned mask, int predicate)
{
    uint64_t all[32];
    const unsigned there = simgpu_gather(predicate != 0, mask, all);
    for (int i = 0; i < 32; i++)
        if (there >> i & 1 && all[i] != (uint64_t)(predicate != 0))
            return 0;
    return 1;
}
static inline int __any_sync(unsigned mask, int predicate)
{
    return simgpu_ballot(predicate, mask) != 0;
}

static inline int __all_sync(unsigned mask, int predicate)
{
    return simgpu_ballot(!predicate, mask) == 0;
}

/* CUDA shuffles and matches what becomes an int, and the types of cuda_fp16.h,
 * which has declarations of this function. It is never called. */
void simgpu_shuffles(int);
#define SIMGPU_SHUFFLED                                                        \
    template <class T, class = decltype(simgpu_shuffles(*(T *)nullptr))>

/* A lane outside the caller's segment of `width` lanes gives the caller its own
 * value; xor may read from an earlier segment. */
SIMGPU_SHUFFLED
static inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32)
{
    const int first = simgpu::lane() & ~(width - 1);
    return simgpu::shuffle(mask, value, first | (lane & (width - 1)));
}

SIMGPU_SHUFFLED
static inline T __shfl_xor_sync(unsigned mask, T value, int lanes,
                                int width = 32)
{
    const int me = simgpu::lane(), to = me ^ lanes;
    return simgpu::shuffle(mask, value,
                           to < 32 && to / width <= me / width ? to : me);
}

SIMGPU_SHUFFLED
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta,
                                 int width = 32)
{
    const int me = simgpu::lane(), to = me + (int)delta;
    return simgpu::shuffle(mask, value, to / width == me / width ? to : me);
}

SIMGPU_SHUFFLED
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta,
                               int width = 32)
{
    const int me = simgpu::lane();
    return simgpu::shuffle(mask, value,
                           me % width >= (int)delta ? me - (int)delta : me);
}

/* Reductions and matches over the lanes in a mask. */
namespace simgpu
{
template <class T, class F>
static inline T reduce(unsigned mask, T value, F combine)
{
    uint64_t all[32], bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    const unsigned there = simgpu_gather(bits, mask, all);
    bool first = true;
    for (int i = 0; i < 32; i++)
        if (there >> i & 1) {
            T v;
            __builtin_memcpy(&v, &all[i], sizeof v);
            value = first ? v : combine(value, v);
            first = false;
        }
    return value;
}
} // namespace simgpu

#define SIMGPU_REDUCE(name, T, expression)                                     \
    static inline T name(unsigned mask, T value)                               \
    {                                                                          \
        return simgpu::reduce(mask, value,                                     \
                              [](T a, T b) { return (T)(expression); });       \
    }
SIMGPU_REDUCE(__reduce_add_sync, unsigned, a + b)
SIMGPU_REDUCE(__reduce_add_sync, int, a + b)
SIMGPU_REDUCE(__reduce_min_sync, unsigned, a < b ? a : b)
SIMGPU_REDUCE(__reduce_min_sync, int, a < b ? a : b)
SIMGPU_REDUCE(__reduce_max_sync, unsigned, a < b ? b : a)
SIMGPU_REDUCE(__reduce_max_sync, int, a < b ? b : a)
SIMGPU_REDUCE(__reduce_and_sync, unsigned, a &b)
SIMGPU_REDUCE(__reduce_or_sync, unsigned, a | b)
SIMGPU_REDUCE(__reduce_xor_sync, unsigned, a ^ b)
#undef SIMGPU_REDUCE

SIMGPU_SHUFFLED
static inline unsigned __match_any_sync(unsigned mask, T value)
{
    uint64_t all[32], bits = 0;
    unsigned same = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    const unsigned there = simgpu_gather(bits, mask, all);
    for (int i = 0; i < 32; i++)
        same |= (unsigned)((there >> i & 1) && all[i] == bits) << i;
    return same;
}

SIMGPU_SHUFFLED
static inline unsigned __match_all_sync(unsigned mask, T value, int *all_same)
{
    uint64_t all[32], bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    const unsigned there = simgpu_gather(bits, mask, all);
    *all_same = 1;
    for (int i = 0; i < 32; i++)
        *all_same &= !(there >> i & 1) || all[i] == bits;
    return *all_same ? mask : 0;
}

#undef SIMGPU_SHUFFLED

#include "simgpu/atomics.h" /* needs what is above */
#include "simgpu/launches.h"

#endif
