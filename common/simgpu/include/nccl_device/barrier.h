/*
 * barrier.h: a barrier of all ranks: within each node by loads and stores,
 * between nodes by signals
 */
#ifndef SIMGPU_NCCL_DEVICE_BARRIER_H
#define SIMGPU_NCCL_DEVICE_BARRIER_H

#include <optional>

#include "gin_barrier.h"
#include "lsa_barrier.h"

template <class Coop> struct ncclBarrierSession {
    __device__
    ncclBarrierSession(Coop coop, ncclTeam innerTeam, ncclTeam outerTeam,
                       ncclGin gin, ncclLsaBarrierHandle innerHandle,
                       ncclGinBarrierHandle outerHandle, uint32_t index,
                       bool multimem = false, ncclMultimemHandle innerMm = {})
        : coop(coop), net(gin)
    {
        inner.emplace(coop, gin.comm, innerTeam, innerHandle, index, multimem,
                      innerMm);
        outer.emplace(coop, gin, outerTeam, outerHandle, index);
    }
    __device__ ncclBarrierSession(Coop coop, ncclTeamTagWorld, ncclGin gin,
                                  uint32_t index, bool multimem = false)
        : ncclBarrierSession(
              coop, ncclTeamLsa(gin.comm), ncclTeamRail(gin.comm), gin,
              gin.comm.hybridLsaBarrier, gin.comm.hybridRailGinBarrier, index,
              multimem, gin.comm.lsaMultimem)
    {
    }
    __device__ ncclBarrierSession(Coop coop, ncclTeamTagLsa,
                                  const ncclDevComm &comm, uint32_t index,
                                  bool multimem = false)
        : coop(coop)
    {
        inner.emplace(coop, comm, ncclTeamLsa(comm), comm.hybridLsaBarrier,
                      index, multimem, comm.lsaMultimem);
    }
    __device__ ncclBarrierSession(Coop coop, ncclTeamTagRail, ncclGin gin,
                                  uint32_t index)
        : coop(coop), net(gin)
    {
        outer.emplace(coop, gin, ncclTeamRail(gin.comm),
                      gin.comm.hybridRailGinBarrier, index);
    }
    ncclBarrierSession(const ncclBarrierSession &) = delete;

    __device__ ncclLsaBarrierSession<Coop> &lsaBarrier()
    {
        return *inner;
    }
    __device__ ncclGinBarrierSession<Coop> &ginBarrier()
    {
        return *outer;
    }

    /*
     * First a rank meets its node. Then it meets the ranks with its place
     * in the other nodes, which have met theirs. No signals are sent
     * within a node, so the fence Put waits for what this rank has put to
     * the ranks of its node.
     */
    __device__ void sync(Coop, cuda::memory_order order,
                         ncclGinFenceLevel fence = simgpu_fence_all)
    {
        if (inner && outer && fence & ncclGinFenceLevel::Put)
            net->flush(coop);
        if (inner)
            inner->sync(coop, order);
        if (outer)
            outer->sync(coop, order, fence);
    }
    __device__ ncclResult_t sync(Coop, cuda::memory_order order,
                                 ncclGinFenceLevel fence, uint64_t)
    {
        sync(coop, order, fence);
        return ncclSuccess;
    }

  private:
    Coop coop;
    std::optional<ncclGin> net;
    std::optional<ncclLsaBarrierSession<Coop>> inner;
    std::optional<ncclGinBarrierSession<Coop>> outer;
};

template <class Coop>
__device__ static inline void
ncclBarrier(Coop coop, ncclTeamTagWorld tag, ncclGin gin, uint32_t index,
            cuda::memory_order order = cuda::memory_order_acq_rel,
            ncclGinFenceLevel fence = simgpu_fence_all, bool multimem = false)
{
    ncclBarrierSession<Coop> session(coop, tag, gin, index, multimem);
    session.sync(coop, order, fence);
}
template <class Coop>
__device__ static inline void
ncclBarrier(Coop coop, ncclTeamTagRail tag, ncclGin gin, uint32_t index,
            cuda::memory_order order = cuda::memory_order_acq_rel,
            ncclGinFenceLevel fence = simgpu_fence_all)
{
    ncclBarrierSession<Coop> session(coop, tag, gin, index);
    session.sync(coop, order, fence);
}

#endif
