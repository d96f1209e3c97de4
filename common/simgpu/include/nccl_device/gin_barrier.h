/*
 * gin_barrier.h: a barrier of any ranks, by signals
 *
 * Barrier number index of a handle uses signals signal0 + index * team.nRanks
 * + rank: each rank signals all others with its own. How often they have met is
 * the shadow of the first.
 */
#ifndef SIMGPU_NCCL_DEVICE_GIN_BARRIER_H
#define SIMGPU_NCCL_DEVICE_GIN_BARRIER_H

#include "gin.h"

enum ncclGinFenceLevel : uint32_t {
    None = 0,
    Put = 1u << 0,
    Get = 1u << 1,
    Relaxed = None,
};
__host__ __device__ static inline constexpr ncclGinFenceLevel
operator|(ncclGinFenceLevel a, ncclGinFenceLevel b)
{
    return (ncclGinFenceLevel)((uint32_t)a | (uint32_t)b);
}
__host__ __device__ static inline constexpr ncclGinFenceLevel
operator&(ncclGinFenceLevel a, ncclGinFenceLevel b)
{
    return (ncclGinFenceLevel)((uint32_t)a & (uint32_t)b);
}

struct ncclGinAllContexts {
    const ncclDevComm &comm;
    __host__ __device__ constexpr ncclGinAllContexts(const ncclDevComm &comm)
        : comm(comm)
    {
    }
    __device__ operator ncclGin() const
    {
        return ncclGin(comm, 0);
    }
};

static constexpr ncclGinFenceLevel simgpu_fence_all =
    ncclGinFenceLevel::Put | ncclGinFenceLevel::Get;

template <class Coop> struct ncclGinBarrierSession {
    __device__ ncclGinBarrierSession(Coop coop, ncclGin net, ncclTeam team,
                                     ncclGinBarrierHandle handle,
                                     uint32_t index)
        : coop(coop), net(net), team(team),
          first(handle.signal0 + index * (uint32_t)team.nRanks)
    {
        rounds = *net.getSignalShadowPtr(first);
    }
    __device__ ncclGinBarrierSession(Coop coop, ncclGin net, ncclTeamTagRail,
                                     uint32_t index)
        : ncclGinBarrierSession(coop, net, ncclTeamRail(net.comm),
                                net.comm.railGinBarrier, index)
    {
    }
    __device__ ncclGinBarrierSession(Coop coop, ncclGin net, ncclTeamTagWorld,
                                     uint32_t index)
        : ncclGinBarrierSession(coop, net, ncclTeamWorld(net.comm),
                                net.comm.worldGinBarrier, index)
    {
    }
    ncclGinBarrierSession(const ncclGinBarrierSession &) = delete;
    __device__ ~ncclGinBarrierSession()
    {
        if (coop.thread_rank() == 0)
            *net.getSignalShadowPtr(first) = rounds;
        coop.sync();
    }

    __device__ void sync(Coop, cuda::memory_order,
                         ncclGinFenceLevel = simgpu_fence_all)
    {
        coop.sync();
        for (int i = coop.thread_rank(); i < team.nRanks; i += coop.size())
            if (i != team.rank)
                net.signal(team, i,
                           ncclGin_SignalInc{first + (uint32_t)team.rank});
        rounds++;
        for (int i = coop.thread_rank(); i < team.nRanks; i += coop.size())
            if (i != team.rank)
                net.waitSignal(ncclCoopThread(), first + (uint32_t)i, rounds);
        coop.sync();
    }
    __device__ ncclResult_t sync(Coop, cuda::memory_order order,
                                 ncclGinFenceLevel fence, uint64_t)
    {
        sync(coop, order, fence);
        return ncclSuccess;
    }

  private:
    Coop coop;
    ncclGin net;
    ncclTeam team;
    ncclGinSignal_t first;
    uint64_t rounds;
};

template <class Coop, class Gin, class Tag>
__device__ static inline void
ncclGinBarrier(Coop coop, Gin gin, Tag tag, uint32_t index,
               cuda::memory_order order = cuda::memory_order_acq_rel,
               ncclGinFenceLevel fence = simgpu_fence_all)
{
    ncclGinBarrierSession<Coop> session(coop, gin, tag, index);
    session.sync(coop, order, fence);
}
template <class Coop, class Gin>
__device__ static inline void
ncclGinBarrier(Coop coop, Gin gin, ncclTeam team, ncclGinBarrierHandle handle,
               uint32_t index,
               cuda::memory_order order = cuda::memory_order_acq_rel,
               ncclGinFenceLevel fence = simgpu_fence_all)
{
    ncclGinBarrierSession<Coop> session(coop, gin, team, handle, index);
    session.sync(coop, order, fence);
}

#endif
