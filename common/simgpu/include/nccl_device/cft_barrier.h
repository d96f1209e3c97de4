/*
 * cft_barrier.h: a barrier by CFT, which no modelled machine has
 */
#ifndef SIMGPU_NCCL_DEVICE_CFT_BARRIER_H
#define SIMGPU_NCCL_DEVICE_CFT_BARRIER_H

#include "cft.h"

template <class Coop> struct ncclCftBarrierSession {
    __device__ ncclCftBarrierSession(Coop, const ncclDevComm &, uint32_t,
                                     bool = false)
    {
        simgpu::no_cft("ncclCftBarrierSession");
    }
    ncclCftBarrierSession(const ncclCftBarrierSession &) = delete;
    __device__ void arrive(Coop, cuda::memory_order, ncclMemProxyType,
                           ncclMemProxyType)
    {
    }
    __device__ void wait(Coop, cuda::memory_order, ncclMemProxyType,
                         ncclMemProxyType)
    {
    }
    __device__ void sync(Coop, cuda::memory_order, ncclMemProxyType,
                         ncclMemProxyType)
    {
    }
    __device__ ncclResult_t wait(Coop, cuda::memory_order, ncclMemProxyType,
                                 ncclMemProxyType, uint64_t)
    {
        return ncclInvalidUsage;
    }
    __device__ ncclResult_t sync(Coop, cuda::memory_order, ncclMemProxyType,
                                 ncclMemProxyType, uint64_t)
    {
        return ncclInvalidUsage;
    }
};

#endif
