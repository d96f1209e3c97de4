/*
 * reduce_copy.h: sums of several sources, copied to several destinations
 *
 * Element i of each destination becomes the sum (or another reduction) of
 * element i of all sources. Sources and destinations are given by a function of
 * their number, by a window, of which each rank of a team has a part, or by a
 * multimem pointer: then the switch sums, or writes to all. Floating-point
 * types of less than 32 bits are summed in float and rounded once. UNROLL has
 * no effect here.
 *
 * The threads of coop share the elements; no thread waits for other ranks.
 */
#ifndef SIMGPU_NCCL_DEVICE_REDUCE_COPY_H
#define SIMGPU_NCCL_DEVICE_REDUCE_COPY_H

#include <type_traits>

#include "../simgpu/multimem.h"
#include "core.h"

namespace nccl
{
namespace utility
{
template <class T> struct OpSum {
    using EltType = T;
    __device__ T operator()(const T &a, const T &b) const
    {
        return a + b;
    }
};

/* The operator for the type in which T is summed. */
template <class RedOp, class AccEltType> struct AccRedOp {
    using Type = RedOp;
};
template <template <class> class Red, class T, class AccEltType>
struct AccRedOp<Red<T>, AccEltType> {
    using Type = Red<AccEltType>;
};
} // namespace utility
} // namespace nccl

namespace simgpu
{
enum { PACK_BYTES = 16 };

template <class T>
using reduce_acc =
    typename multimem_wide<T, (sizeof(T) < 4) &&
                                  !std::is_integral<T>::value>::type;

template <class T> static inline bool is_packed(const T *p)
{
    return (uintptr_t)p % PACK_BYTES == 0;
}

/* The program's operator or, if it is a template for T, its instance for the
 * type in which T is reduced. */
template <class RED, class ACC,
          class TYPE = typename nccl::utility::AccRedOp<RED, ACC>::Type>
struct reduction {
    typedef TYPE type;
    __device__ static TYPE of(const RED &)
    {
        return TYPE{};
    }
};
template <class RED, class ACC> struct reduction<RED, ACC, RED> {
    typedef RED type;
    __device__ static const RED &of(const RED &red)
    {
        return red;
    }
};

/* Reduce N elements of all sources. */
template <bool BY_SWITCH, int N, class T, class SRC, class RED>
__device__ static inline void reduce_elements(T *out, SRC src, int nSrc,
                                              const RED &red, size_t i)
{
    typedef reduce_acc<T> acc;
    const typename reduction<RED, acc>::type of = reduction<RED, acc>::of(red);
    T part[N];
    acc sum[N] = {};
    for (int s = 0; s < nSrc; s++) {
        if (BY_SWITCH)
            multimem_load<T, multimem_add, N>((uintptr_t)(src(s) + i), part);
        else
            for (int k = 0; k < N; k++)
                part[k] = src(s)[i + (size_t)k];
        for (int k = 0; k < N; k++)
            sum[k] = s ? (acc)of(sum[k], (acc)part[k]) : (acc)part[k];
    }
    for (int k = 0; k < N; k++)
        out[k] = (T)sum[k];
}

template <bool BY_SWITCH, int N, class T, class DST>
__device__ static inline void copy_elements(const T *value, DST dst, int nDst,
                                            size_t i)
{
    for (int d = 0; d < nDst; d++)
        if (BY_SWITCH)
            simgpu_multicast_store(dst(d) + i, N * sizeof(T), value);
        else
            for (int k = 0; k < N; k++)
                dst(d)[i + (size_t)k] = value[k];
}

/* Process elements [begin, end), N at a time. */
template <class T, bool FROM, bool TO, int N, class COOP, class SRC, class DST,
          class RED>
__device__ static inline void reduce_range(COOP coop, SRC src, int nSrc,
                                           DST dst, int nDst, const RED &red,
                                           size_t begin, size_t end)
{
    T value[N];
    for (size_t i = begin + (size_t)(coop.thread_rank() * N); i < end;
         i += (size_t)(coop.size() * N)) {
        reduce_elements<FROM, N>(value, src, nSrc, red, i);
        copy_elements<TO, N>(value, dst, nDst, i);
    }
}

template <class T, bool FROM, bool TO, class COOP, class SRC, class DST,
          class RED>
__device__ static inline void reduce_copy(COOP coop, SRC src, int nSrc, DST dst,
                                          int nDst, const RED &red,
                                          size_t count)
{
    constexpr int N = sizeof(T) < PACK_BYTES ? PACK_BYTES / sizeof(T) : 1;
    bool packed = true;
    for (int s = 0; s < nSrc; s++)
        packed = packed && is_packed(src(s));
    for (int d = 0; d < nDst; d++)
        packed = packed && is_packed(dst(d));
    const size_t whole = packed ? count / (size_t)N * (size_t)N : 0;
    reduce_range<T, FROM, TO, N>(coop, src, nSrc, dst, nDst, red, (size_t)0,
                                 whole);
    reduce_range<T, FROM, TO, 1>(coop, src, nSrc, dst, nDst, red, whole, count);
}

/* ---- sources and destinations -------------------------------------------- */

template <class T> struct one_place {
    T *p;
    __device__ T *operator()(int) const
    {
        return p;
    }
};
template <class T> struct strided_places {
    T *p;
    size_t step;
    __device__ T *operator()(int i) const
    {
        return p + (size_t)i * step;
    }
};
template <class T> struct team_places {
    ncclSymPtr<T> p;
    ncclTeam team;
    __device__ T *operator()(int i) const
    {
        return p.peerPtr(team, i);
    }
};
} // namespace simgpu

#define SIMGPU_UNROLL int UNROLL = 4 * 16 / sizeof(T)

/* ---- any reduction ------------------------------------------------------- */

template <class T, class Coop, class SrcLambda, class DstLambda, class RedOp,
          class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclLsaReduceLsaCopy(Coop coop, SrcLambda src, int nSrc, DstLambda dst,
                     int nDst, const RedOp &redOp, IntCount count)
{
    simgpu::reduce_copy<T, false, false>(coop, src, nSrc, dst, nDst, redOp,
                                         count);
}
template <class T, class Coop, class SrcLambda, class DstLambda, class RedOp,
          class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclLsaReduceMultimemCopy(Coop coop, SrcLambda src, int nSrc, DstLambda dst,
                          int nDst, const RedOp &redOp, IntCount count)
{
    simgpu::reduce_copy<T, false, true>(coop, src, nSrc, dst, nDst, redOp,
                                        count);
}

/* ---- sums ---------------------------------------------------------------- */

/* The four combinations of source and destination forms. */
#define SIMGPU_SUM_COPY(name, FROM, TO)                                        \
    template <class T, class Coop, class SrcLambda, class DstLambda,           \
              class IntCount, SIMGPU_UNROLL>                                   \
    __device__ static inline void name(Coop coop, SrcLambda src, int nSrc,     \
                                       DstLambda dst, int nDst,                \
                                       IntCount count)                         \
    {                                                                          \
        simgpu::reduce_copy<T, FROM, TO>(coop, src, nSrc, dst, nDst,           \
                                         nccl::utility::OpSum<T>{}, count);    \
    }
SIMGPU_SUM_COPY(ncclLsaReduceSumLsaCopy, false, false)
SIMGPU_SUM_COPY(ncclLsaReduceSumMultimemCopy, false, true)
SIMGPU_SUM_COPY(ncclMultimemReduceSumLsaCopy, true, false)
SIMGPU_SUM_COPY(ncclMultimemReduceSumMultimemCopy, true, true)
#undef SIMGPU_SUM_COPY

/* ---- several sources, one destination ------------------------------------ */

template <class T, class Coop, class SrcLambda, class IntCount, SIMGPU_UNROLL>
__device__ static inline void ncclLsaReduceSum(Coop coop, SrcLambda src,
                                               int nSrc, T *dst, IntCount count)
{
    ncclLsaReduceSumLsaCopy<T>(coop, src, nSrc, simgpu::one_place<T>{dst}, 1,
                               count);
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void ncclLsaReduceSum(Coop coop, ncclSymPtr<T> src,
                                               T *dst, IntCount count,
                                               ncclTeam team)
{
    ncclLsaReduceSumLsaCopy<T>(coop, simgpu::team_places<T>{src, team},
                               team.nRanks, simgpu::one_place<T>{dst}, 1,
                               count);
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void ncclLsaReduceSum(Coop coop, ncclSymPtr<T> src,
                                               T *dst, IntCount count,
                                               ncclDevComm_t comm)
{
    ncclLsaReduceSum(coop, src, dst, count, ncclTeamLsa(comm));
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void ncclLsaReduceSum(Coop coop, ncclWindow_t window,
                                               size_t offset, T *dst,
                                               IntCount count, ncclTeam team)
{
    ncclLsaReduceSum(coop, ncclSymPtr<T>(window, offset), dst, count, team);
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclLsaReduceSum(Coop coop, ncclWindow_t window, size_t offset, T *dst,
                 IntCount count, ncclDevComm_t comm)
{
    ncclLsaReduceSum(coop, window, offset, dst, count, ncclTeamLsa(comm));
}

template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void ncclMultimemReduceSum(Coop coop, T *mcSrc, T *dst,
                                                    IntCount count)
{
    ncclMultimemReduceSumLsaCopy<T>(coop, simgpu::one_place<T>{mcSrc}, 1,
                                    simgpu::one_place<T>{dst}, 1, count);
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclMultimemReduceSum(Coop coop, ncclSymPtr<T> src, T *dst, IntCount count,
                      ncclMultimemHandle mm)
{
    ncclMultimemReduceSum(coop, src.multimemPtr(mm), dst, count);
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclMultimemReduceSum(Coop coop, ncclWindow_t window, size_t offset, T *dst,
                      IntCount count, ncclMultimemHandle mm)
{
    ncclMultimemReduceSum(coop, ncclSymPtr<T>(window, offset), dst, count, mm);
}

template <class T, class Coop, class SrcLambda, class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclLocalReduceSum(Coop coop, SrcLambda src, int nSrc, T *dst, IntCount count)
{
    ncclLsaReduceSum(coop, src, nSrc, dst, count);
}
/* Source i is base + i * displ. */
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void ncclLocalReduceSum(Coop coop, int nSrc, T *base,
                                                 size_t displ, T *dst,
                                                 IntCount count)
{
    ncclLsaReduceSum(coop, simgpu::strided_places<T>{base, displ}, nSrc, dst,
                     count);
}

/* ---- one source, several destinations ------------------------------------ */

template <class T, class Coop, class DstLambda, class IntCount, SIMGPU_UNROLL>
__device__ static inline void ncclLsaCopy(Coop coop, T *src, DstLambda dst,
                                          int nDst, IntCount count)
{
    ncclLsaReduceSumLsaCopy<T>(coop, simgpu::one_place<T>{src}, 1, dst, nDst,
                               count);
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void ncclLsaCopy(Coop coop, T *src, ncclSymPtr<T> dst,
                                          IntCount count, ncclTeam team)
{
    ncclLsaCopy(coop, src, simgpu::team_places<T>{dst, team}, team.nRanks,
                count);
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void ncclLsaCopy(Coop coop, T *src, ncclSymPtr<T> dst,
                                          IntCount count, ncclDevComm_t comm)
{
    ncclLsaCopy(coop, src, dst, count, ncclTeamLsa(comm));
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void ncclLsaCopy(Coop coop, T *src,
                                          ncclWindow_t window, size_t offset,
                                          IntCount count, ncclTeam team)
{
    ncclLsaCopy(coop, src, ncclSymPtr<T>(window, offset), count, team);
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void ncclLsaCopy(Coop coop, T *src,
                                          ncclWindow_t window, size_t offset,
                                          IntCount count, ncclDevComm_t comm)
{
    ncclLsaCopy(coop, src, window, offset, count, ncclTeamLsa(comm));
}

template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void ncclMultimemCopy(Coop coop, T *src, T *mcDst,
                                               IntCount count)
{
    ncclLsaReduceSumMultimemCopy<T>(coop, simgpu::one_place<T>{src}, 1,
                                    simgpu::one_place<T>{mcDst}, 1, count);
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclMultimemCopy(Coop coop, T *src, ncclSymPtr<T> dst, IntCount count,
                 ncclMultimemHandle mm)
{
    ncclMultimemCopy(coop, src, dst.multimemPtr(mm), count);
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclMultimemCopy(Coop coop, T *src, ncclWindow_t window, size_t offset,
                 IntCount count, ncclMultimemHandle mm)
{
    ncclMultimemCopy(coop, src, ncclSymPtr<T>(window, offset), count, mm);
}

template <class T, class Coop, class DstLambda, class IntCount, SIMGPU_UNROLL>
__device__ static inline void ncclLocalCopy(Coop coop, T *src, DstLambda dst,
                                            int nDst, IntCount count)
{
    ncclLsaCopy(coop, src, dst, nDst, count);
}
/* Destination i is base + i * displ. */
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void ncclLocalCopy(Coop coop, T *src, int nDst,
                                            T *base, size_t displ,
                                            IntCount count)
{
    ncclLsaCopy(coop, src, simgpu::strided_places<T>{base, displ}, nDst, count);
}

/* ---- several sources, several destinations ------------------------------- */

template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclLsaReduceSumCopy(Coop coop, ncclSymPtr<T> src, ncclTeam srcTeam,
                     ncclSymPtr<T> dst, ncclTeam dstTeam, IntCount count)
{
    ncclLsaReduceSumLsaCopy<T>(
        coop, simgpu::team_places<T>{src, srcTeam}, srcTeam.nRanks,
        simgpu::team_places<T>{dst, dstTeam}, dstTeam.nRanks, count);
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclLsaReduceSumCopy(Coop coop, ncclSymPtr<T> src, ncclSymPtr<T> dst,
                     IntCount count, ncclTeam team)
{
    ncclLsaReduceSumCopy(coop, src, team, dst, team, count);
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclLsaReduceSumCopy(Coop coop, ncclSymPtr<T> src, ncclSymPtr<T> dst,
                     IntCount count, ncclDevComm_t comm)
{
    ncclLsaReduceSumCopy(coop, src, dst, count, ncclTeamLsa(comm));
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclLsaReduceSumCopy(Coop coop, ncclWindow_t srcWindow, size_t srcOffset,
                     ncclWindow_t dstWindow, size_t dstOffset, IntCount count,
                     ncclTeam team)
{
    ncclLsaReduceSumCopy(coop, ncclSymPtr<T>(srcWindow, srcOffset),
                         ncclSymPtr<T>(dstWindow, dstOffset), count, team);
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclLsaReduceSumCopy(Coop coop, ncclWindow_t srcWindow, size_t srcOffset,
                     ncclWindow_t dstWindow, size_t dstOffset, IntCount count,
                     ncclDevComm_t comm)
{
    ncclLsaReduceSumCopy<T>(coop, srcWindow, srcOffset, dstWindow, dstOffset,
                            count, ncclTeamLsa(comm));
}

template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclMultimemReduceSumCopy(Coop coop, T *mcSrc, T *mcDst, IntCount count)
{
    ncclMultimemReduceSumMultimemCopy<T>(coop, simgpu::one_place<T>{mcSrc}, 1,
                                         simgpu::one_place<T>{mcDst}, 1, count);
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclMultimemReduceSumCopy(Coop coop, ncclSymPtr<T> src,
                          ncclMultimemHandle srcMm, ncclSymPtr<T> dst,
                          ncclMultimemHandle dstMm, IntCount count)
{
    ncclMultimemReduceSumCopy(coop, src.multimemPtr(srcMm),
                              dst.multimemPtr(dstMm), count);
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclMultimemReduceSumCopy(Coop coop, ncclWindow_t srcWindow, size_t srcOffset,
                          ncclMultimemHandle srcMm, ncclWindow_t dstWindow,
                          size_t dstOffset, ncclMultimemHandle dstMm,
                          IntCount count)
{
    ncclMultimemReduceSumCopy(coop, ncclSymPtr<T>(srcWindow, srcOffset), srcMm,
                              ncclSymPtr<T>(dstWindow, dstOffset), dstMm,
                              count);
}

template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclLsaReduceSumMultimemCopy(Coop coop, ncclSymPtr<T> src, ncclTeam srcTeam,
                             T *mcDst, IntCount count)
{
    ncclLsaReduceSumMultimemCopy<T>(coop, simgpu::team_places<T>{src, srcTeam},
                                    srcTeam.nRanks, simgpu::one_place<T>{mcDst},
                                    1, count);
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclLsaReduceSumMultimemCopy(Coop coop, ncclSymPtr<T> src, ncclTeam srcTeam,
                             ncclSymPtr<T> dst, ncclMultimemHandle dstMm,
                             IntCount count)
{
    ncclLsaReduceSumMultimemCopy(coop, src, srcTeam, dst.multimemPtr(dstMm),
                                 count);
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclMultimemReduceSumLsaCopy(Coop coop, T *mcSrc, ncclSymPtr<T> dst,
                             ncclTeam dstTeam, IntCount count)
{
    ncclMultimemReduceSumLsaCopy<T>(coop, simgpu::one_place<T>{mcSrc}, 1,
                                    simgpu::team_places<T>{dst, dstTeam},
                                    dstTeam.nRanks, count);
}
template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclMultimemReduceSumLsaCopy(Coop coop, ncclSymPtr<T> src,
                             ncclMultimemHandle srcMm, ncclSymPtr<T> dst,
                             ncclTeam dstTeam, IntCount count)
{
    ncclMultimemReduceSumLsaCopy(coop, src.multimemPtr(srcMm), dst, dstTeam,
                                 count);
}

template <class T, class Coop, class IntCount, SIMGPU_UNROLL>
__device__ static inline void
ncclLocalReduceSumCopy(Coop coop, int nSrc, T *srcBase, size_t srcDispl,
                       int nDst, T *dstBase, size_t dstDispl, IntCount count)
{
    ncclLsaReduceSumLsaCopy<T>(
        coop, simgpu::strided_places<T>{srcBase, srcDispl}, nSrc,
        simgpu::strided_places<T>{dstBase, dstDispl}, nDst, count);
}

#undef SIMGPU_UNROLL
#endif
