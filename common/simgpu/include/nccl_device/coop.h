/*
 * coop.h: NCCL's groups of threads
 *
 * Each has thread_rank(), size(), num_threads() and sync().
 */
#ifndef SIMGPU_NCCL_DEVICE_COOP_H
#define SIMGPU_NCCL_DEVICE_COOP_H

#include <cuda_runtime.h>
#include <new>

/* A power of two of neighbouring lanes in a warp. */
template <int nThreads> struct ncclCoopTile {
    static_assert(nThreads >= 1 && nThreads <= 32 &&
                      (nThreads & (nThreads - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16 or 32 threads");
    __device__ int thread_rank() const
    {
        return (int)threadIdx.x % nThreads;
    }
    __device__ constexpr int size() const
    {
        return nThreads;
    }
    __device__ constexpr int num_threads() const
    {
        return nThreads;
    }
    __device__ unsigned laneMask() const
    {
        return (0xffffffffu >> (32 - nThreads))
               << (threadIdx.x % 32 & (unsigned)-nThreads);
    }
    __device__ void sync()
    {
        if (nThreads > 1)
            __syncwarp(laneMask());
    }
};
typedef ncclCoopTile<1> ncclCoopThread;
typedef ncclCoopTile<32> ncclCoopWarp;

/* Some lanes of a warp. */
struct ncclCoopLanes {
    unsigned lmask;
    __device__ constexpr ncclCoopLanes(unsigned lmask = ~0u) : lmask(lmask) {}
    __device__ int thread_rank() const
    {
        return __popc(lmask & ((1u << threadIdx.x % 32) - 1));
    }
    __device__ int size() const
    {
        return __popc(lmask);
    }
    __device__ int num_threads() const
    {
        return size();
    }
    __device__ void sync()
    {
        __syncwarp(lmask);
    }
};

/* Consecutive warps of a block, with an id below 16 that no
 * other such group uses. */
struct ncclCoopWarpSpan {
    unsigned warp0 : 8, nWarps : 8, id : 8;
    __device__ constexpr ncclCoopWarpSpan(int warp0, int nWarps, int id)
        : warp0((unsigned)warp0), nWarps((unsigned)nWarps), id((unsigned)id)
    {
    }
    __device__ int thread_rank() const
    {
        return (int)(threadIdx.x - 32 * warp0);
    }
    __device__ int size() const
    {
        return (int)(32 * nWarps);
    }
    __device__ int num_threads() const
    {
        return size();
    }
    __device__ void sync()
    {
        __barrier_sync_count(1 + id, 32 * nWarps);
    }
};

/* The block. */
struct ncclCoopCta {
    __device__ int thread_rank() const
    {
        return (int)threadIdx.x;
    }
    __device__ int size() const
    {
        return (int)blockDim.x;
    }
    __device__ int num_threads() const
    {
        return size();
    }
    __device__ void sync()
    {
        __syncthreads();
    }
};

/* Any of the above, chosen at run time. */
struct ncclCoopAny {
    struct VTable {
        int (*thread_rank)(const void *);
        int (*size)(const void *);
        void (*sync)(void *);
    };
    alignas(void *) char space[16];
    const VTable *vtable;

    template <class Impl> __device__ static int rank_of(const void *o)
    {
        return ((const Impl *)o)->thread_rank();
    }
    template <class Impl> __device__ static int size_of(const void *o)
    {
        return ((const Impl *)o)->size();
    }
    template <class Impl> __device__ static void sync_of(void *o)
    {
        ((Impl *)o)->sync();
    }
    ncclCoopAny() = default;
    ncclCoopAny(const ncclCoopAny &) = default;
    template <class Impl> __device__ ncclCoopAny(Impl impl)
    {
        static_assert(sizeof(Impl) <= sizeof space, "a group of NCCL's");
        static constexpr VTable table = {rank_of<Impl>, size_of<Impl>,
                                         sync_of<Impl>};
        ::new (space) Impl(impl);
        vtable = &table;
    }
    __device__ int thread_rank() const
    {
        return vtable->thread_rank(space);
    }
    __device__ int size() const
    {
        return vtable->size(space);
    }
    __device__ int num_threads() const
    {
        return vtable->size(space);
    }
    __device__ void sync()
    {
        vtable->sync(space);
    }
};

template <int N>
__device__ static inline unsigned ncclCoopGetLaneMask(ncclCoopTile<N> coop)
{
    return coop.laneMask();
}
__device__ static inline unsigned ncclCoopGetLaneMask(ncclCoopLanes coop)
{
    return coop.lmask;
}
__device__ static inline unsigned ncclCoopGetLaneMask(ncclCoopWarpSpan)
{
    return ~0u;
}
__device__ static inline unsigned ncclCoopGetLaneMask(ncclCoopCta)
{
    return ~0u;
}

/* What is known about a group at compile time. */
template <int N>
__device__ static inline constexpr bool ncclCoopIsThread(ncclCoopTile<N>)
{
    return N == 1;
}
template <class Coop>
__device__ static inline constexpr bool ncclCoopIsThread(Coop)
{
    return false;
}
template <int N>
__device__ static inline constexpr bool ncclCoopWithinWarp(ncclCoopTile<N>)
{
    return true;
}
__device__ static inline constexpr bool ncclCoopWithinWarp(ncclCoopLanes)
{
    return true;
}
__device__ static inline constexpr bool ncclCoopWithinWarp(ncclCoopWarpSpan)
{
    return false;
}
__device__ static inline constexpr bool ncclCoopWithinWarp(ncclCoopCta)
{
    return false;
}

/* The calling warp's threads that can act together. */
__device__ static inline ncclCoopLanes ncclCoopCoalesced()
{
    return ncclCoopLanes(__activemask());
}
template <class Coop>
__device__ static inline ncclCoopTile<32> ncclCoopCoalesced(Coop)
{
    return ncclCoopTile<32>();
}
__device__ static inline ncclCoopLanes ncclCoopCoalesced(ncclCoopLanes coop)
{
    return coop;
}
template <int N>
__device__ static inline ncclCoopTile<N> ncclCoopCoalesced(ncclCoopTile<N> coop)
{
    return coop;
}

/* ---- broadcasting one thread's value ------------------------------------- */

template <class T, class SHUFFLE>
__device__ static inline T simgpu_coop_shuffle(T value, SHUFFLE shuffle)
{
    unsigned words[(sizeof(T) + 3) / 4] = {};
    memcpy(words, &value, sizeof value);
    for (unsigned &w : words)
        w = shuffle(w);
    memcpy(&value, words, sizeof value);
    return value;
}

template <int N, class T>
__device__ static inline T ncclCoopBcast(ncclCoopTile<N> coop, T value,
                                         int root, bool = true)
{
    const unsigned mask = coop.laneMask();
    return simgpu_coop_shuffle(
        value, [=](unsigned w) { return __shfl_sync(mask, w, root, N); });
}

template <class T>
__device__ static inline T ncclCoopBcast(ncclCoopLanes coop, T value, int root,
                                         bool = true)
{
    const int lane = (int)__fns(coop.lmask, 0, 1 + root);
    return simgpu_coop_shuffle(
        value, [=](unsigned w) { return __shfl_sync(coop.lmask, w, lane); });
}

template <class Coop, class T>
__device__ static inline T simgpu_coop_bcast(Coop coop, T value, int root,
                                             bool entrySync, void *stash)
{
    static_assert(sizeof(T) <= 16, "NCCL broadcasts 16 bytes at most");
    if (entrySync)
        coop.sync();
    if (coop.thread_rank() == root)
        memcpy(stash, &value, sizeof value);
    coop.sync();
    memcpy(&value, stash, sizeof value);
    return value;
}

template <class T>
__device__ static inline T ncclCoopBcast(ncclCoopWarpSpan coop, T value,
                                         int root, bool entrySync = true)
{
    __shared__ char stash[16][16];
    return simgpu_coop_bcast(coop, value, root, entrySync, stash[coop.id]);
}

template <class T>
__device__ static inline T ncclCoopBcast(ncclCoopCta coop, T value, int root,
                                         bool entrySync = true)
{
    __shared__ char stash[16];
    return simgpu_coop_bcast(coop, value, root, entrySync, stash);
}

#endif
