/* cub/util_ptx.cuh: CUB's names for operations of a warp and a thread */
#ifndef SIMGPU_CUB_UTIL_PTX_CUH
#define SIMGPU_CUB_UTIL_PTX_CUH

#include "cub/util_type.cuh"

namespace cub
{
/* The mask of logical warp number `warp`, which has W lanes. */
template <int W> constexpr unsigned WarpMask(unsigned warp)
{
    return ~0u >> (32 - W) << (PowerOfTwo<W>::VALUE && W < 32 ? warp * W : 0);
}
static inline unsigned LaneMaskLt()
{
    return (1u << simgpu::lane()) - 1;
}
static inline unsigned LaneMaskLe()
{
    return LaneMaskLt() << 1 | 1;
}
static inline unsigned LaneMaskGt()
{
    return ~LaneMaskLe();
}
static inline unsigned LaneMaskGe()
{
    return ~LaneMaskLt();
}

/* Get a value from a lane of the logical warp of W lanes: the lane `by` before
 * this one, if that is not before `first`; the lane `by` after it, if not after
 * `last`; or lane number `from`. */
template <int W, class T> T ShuffleUp(T x, int by, int first, unsigned members)
{
    const int me = simgpu::lane(), from = me - by;
    return simgpu::shuffle(members, x, from < me / W * W + first ? me : from);
}
template <int W, class T> T ShuffleDown(T x, int by, int last, unsigned members)
{
    const int me = simgpu::lane(), from = me + by;
    return simgpu::shuffle(members, x, from > me / W * W + last ? me : from);
}
template <int W, class T> T ShuffleIndex(T x, int from, unsigned members)
{
    return simgpu::shuffle(members, x, simgpu::lane() / W * W + from % W);
}
/* The lanes whose labels have the same lowest BITS bits. */
template <int BITS, int W = 32> unsigned MatchAny(unsigned label)
{
    const unsigned members =
        WarpMask<W>((unsigned)simgpu::lane() / (unsigned)W);
    return __match_any_sync(members, BITS < 32 ? label & ((1u << BITS % 32) - 1)
                                               : label);
}

static inline void CTA_SYNC()
{
    __syncthreads();
}
static inline int CTA_SYNC_AND(int predicate)
{
    return __syncthreads_and(predicate);
}
static inline int CTA_SYNC_OR(int predicate)
{
    return __syncthreads_or(predicate);
}
static inline void WARP_SYNC(unsigned members)
{
    __syncwarp(members);
}
static inline int WARP_ANY(int predicate, unsigned members)
{
    return __any_sync(members, predicate);
}
static inline int WARP_ALL(int predicate, unsigned members)
{
    return __all_sync(members, predicate);
}
static inline unsigned WARP_BALLOT(int predicate, unsigned members)
{
    return __ballot_sync(members, predicate);
}

/* BFE extracts bits of a number, BFI inserts bits of y
 * into x, IADD3 adds three. */
template <class T> unsigned BFE(T x, unsigned start, unsigned nbits)
{
    return (unsigned)((unsigned long long)x >> start & ((1ull << nbits) - 1));
}
static inline void BFI(unsigned &out, unsigned x, unsigned y, unsigned start,
                       unsigned nbits)
{
    const unsigned bits = (unsigned)((1ull << nbits) - 1) << start;
    out = (x & ~bits) | (y << start & bits);
}
static inline unsigned IADD3(unsigned x, unsigned y, unsigned z)
{
    return x + y + z;
}
static inline unsigned SHL_ADD(unsigned x, unsigned by, unsigned y)
{
    return (x << by) + y;
}
static inline unsigned SHR_ADD(unsigned x, unsigned by, unsigned y)
{
    return (x >> by) + y;
}
static inline int PRMT(unsigned a, unsigned b, unsigned index)
{
    return (int)__byte_perm(a, b, index);
}
static inline void ThreadExit()
{
    simgpu_exit();
}
static inline void ThreadTrap()
{
    __trap();
}
} // namespace cub
#endif
