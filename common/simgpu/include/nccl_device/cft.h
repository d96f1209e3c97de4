/*
 * cft.h: NCCL's transfers over the NVLink fabric (CFT)
 *
 * CFT needs GPUs of compute capability 10.0 with a fabric, and a CUDA newer
 * than 13.2. No modelled machine has that, which ncclCommQueryProperties
 * reports, and ncclDevCommCreate refuses cftCaps. The names exist so that
 * programs which only use CFT where it is available compile. They behave as
 * NCCL's do without the hardware: a call ends the run, and no window has an
 * endpoint.
 */
#ifndef SIMGPU_NCCL_DEVICE_CFT_H
#define SIMGPU_NCCL_DEVICE_CFT_H

#include <cuda/atomic>

#include "core.h"

enum class ncclMemProxyType : uint32_t {
    Generic = 1u << 0,
    Fabric = 1u << 1,
};
enum class ncclMemFenceScope : uint32_t {
    Cta = 1u << 0,
    Sys = 1u << 1,
};

struct ncclCftSmem {
    alignas(16) uint64_t bar;
};

template <class T> struct ncclCftOpSum {
};
template <class T> struct ncclCftOpAnd {
};
template <class T> struct ncclCftOpXor {
};
template <class T> struct ncclCftOpOr {
};
template <class T> struct ncclCftOpMin {
};
template <class T> struct ncclCftOpMax {
};

namespace simgpu
{
__device__ [[noreturn]] static inline void no_cft(const char *call)
{
    simgpu_nccl_fault(call, "no machine here has CFT: see "
                            "ncclCommQueryProperties, cftSupport");
}
} // namespace simgpu

/* A fence between the fabric and other accesses. There
 * are none of the fabric. */
template <class Coop>
__device__ static inline void
ncclMemFence(Coop coop, cuda::memory_order, ncclMemProxyType producer,
             ncclMemProxyType consumer, ncclMemFenceScope scope)
{
    if (producer == ncclMemProxyType::Fabric ||
        consumer == ncclMemProxyType::Fabric)
        simgpu::no_cft("ncclMemFence");
    if (scope == ncclMemFenceScope::Sys)
        __threadfence_system();
    coop.sync();
}

#define SIMGPU_CFT(name)                                                       \
    template <class... ARGS> __device__ void name(ARGS &&...)                  \
    {                                                                          \
        simgpu::no_cft("ncclCft::" #name);                                     \
    }

template <class Coop> struct ncclCft {
    __device__ ncclCft(Coop, ncclCftSmem &)
    {
        simgpu::no_cft("ncclCft");
    }
    SIMGPU_CFT(submit)
    SIMGPU_CFT(flushSmem)
    SIMGPU_CFT(flush)
    SIMGPU_CFT(put)
    SIMGPU_CFT(putCounted)
    SIMGPU_CFT(putCpMask)
    SIMGPU_CFT(putMultimem)
    SIMGPU_CFT(putMultimemCounted)
    SIMGPU_CFT(putMultimemCpMask)
    SIMGPU_CFT(get)
    SIMGPU_CFT(red)
    SIMGPU_CFT(redCounted)
    SIMGPU_CFT(redMultimem)
    SIMGPU_CFT(redMultimemCounted)
    SIMGPU_CFT(pullRed)
    template <class OpCoop>
    __device__ ncclResult_t waitCounted(OpCoop, cuda::memory_order,
                                        ncclMemProxyType, uint64_t *, size_t,
                                        uint64_t)
    {
        simgpu::no_cft("ncclCft::waitCounted");
    }
    template <class OpCoop>
    __device__ void waitCounted(OpCoop, cuda::memory_order, ncclMemProxyType,
                                uint64_t *, size_t, uint32_t *)
    {
        simgpu::no_cft("ncclCft::waitCounted");
    }
};
#undef SIMGPU_CFT

/* ---- teams and endpoints ------------------------------------------------- */

/* The team is this rank alone. */
__device__ static inline ncclTeam
ncclTeamCft(const ncclDevComm &, ncclCftTeamMode_t = NCCL_CFT_TEAM_FLAT)
{
    return {1, 0, 1};
}
__device__ static inline ncclTeam ncclTeamCftMultimem(const ncclDevComm &)
{
    return {1, 0, 1};
}

namespace simgpu
{
__device__ static inline void no_endpoint(ncclCftLeId *leId, size_t *leOffset)
{
    *leId = NCCL_LE_ID_INVALID;
    *leOffset = 0;
}
} // namespace simgpu

__device__ static inline void ncclGetCftLeInfo(ncclWindow_t, size_t, int,
                                               ncclTeam, const ncclDevComm &,
                                               ncclCftLeId *leId,
                                               size_t *leOffset)
{
    simgpu::no_endpoint(leId, leOffset);
}
__device__ static inline void ncclGetPeerLeInfo(ncclWindow_t, size_t, int,
                                                const ncclDevComm &,
                                                ncclCftLeId *leId,
                                                size_t *leOffset)
{
    simgpu::no_endpoint(leId, leOffset);
}
__device__ static inline void ncclGetMultimemLeInfo(ncclWindow_t, size_t,
                                                    const ncclDevComm &,
                                                    ncclCftLeId *leId,
                                                    size_t *leOffset)
{
    simgpu::no_endpoint(leId, leOffset);
}
__device__ static inline void
ncclGetResourceBufferCftLeInfo(const ncclDevComm &, ncclDevResourceHandle, int,
                               ncclCftLeId *leId, size_t *leOffset)
{
    simgpu::no_endpoint(leId, leOffset);
}
__device__ static inline void
ncclGetResourceBufferPeerLeInfo(const ncclDevComm &, ncclDevResourceHandle, int,
                                ncclCftLeId *leId, size_t *leOffset)
{
    simgpu::no_endpoint(leId, leOffset);
}
__device__ static inline void
ncclGetResourceBufferMultimemLeInfo(const ncclDevComm &, ncclDevResourceHandle,
                                    ncclCftLeId *leId, size_t *leOffset)
{
    simgpu::no_endpoint(leId, leOffset);
}

#endif
