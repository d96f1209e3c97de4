/*
 * gin_barrier.h: a barrier of any ranks, by signals
 *
 * Barrier number index of a handle uses signals signal0 + index * team.nRanks +
 * rank. Each rank sends its own signal to all others, in one context or in all.
 * The shadow of a peer's signal counts the barriers with that peer. The signals
 * are strong: what a context has put to a peer has arrived when the peer leaves
 * the barrier. With the fence Put this includes what a rank puts to itself.
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
    /* gin is a context, or ncclGinAllContexts. */
    template <class Gin>
    __device__ ncclGinBarrierSession(Coop coop, Gin gin, ncclTeam team,
                                     ncclGinBarrierHandle handle,
                                     uint32_t index)
        : coop(coop), net(gin), team(team),
          first(handle.signal0 + index * (uint32_t)team.nRanks),
          all(is_all(gin))
    {
        if (team.rank < 0 || team.rank >= team.nRanks)
            simgpu_nccl_fault("ncclGinBarrierSession",
                              "this rank is number %d of a team of %d",
                              team.rank, team.nRanks);
    }
    template <class Gin>
    __device__ ncclGinBarrierSession(Coop coop, Gin gin, ncclTeamTagRail,
                                     uint32_t index)
        : ncclGinBarrierSession(coop, gin, ncclTeamRail(gin.comm),
                                gin.comm.railGinBarrier, index)
    {
    }
    template <class Gin>
    __device__ ncclGinBarrierSession(Coop coop, Gin gin, ncclTeamTagWorld,
                                     uint32_t index)
        : ncclGinBarrierSession(coop, gin, ncclTeamWorld(gin.comm),
                                gin.comm.worldGinBarrier, index)
    {
    }
    ncclGinBarrierSession(const ncclGinBarrierSession &) = delete;

    __device__ void sync(Coop, cuda::memory_order,
                         ncclGinFenceLevel fence = simgpu_fence_all)
    {
        const int ncontexts = all ? (int)net.comm.ginContextCount : 1;
        coop.sync();
        for (int i = coop.thread_rank(); i < ncontexts * team.nRanks;
             i += coop.size())
            if (peer(i) != team.rank)
                context(i).signal(
                    team, peer(i),
                    ncclGin_SignalInc{first + (uint32_t)team.rank});
        for (int i = coop.thread_rank(); i < ncontexts * team.nRanks;
             i += coop.size())
            if (peer(i) != team.rank)
                meet(context(i), first + (uint32_t)peer(i));
            else if (fence & ncclGinFenceLevel::Put)
                settle(context(i), peer(i));
        coop.sync();
        for (int c = 0; c < ncontexts && fence & ncclGinFenceLevel::Get; c++)
            context(c * team.nRanks).flush(coop);
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
    bool all;

    __device__ static bool is_all(const ncclGin &)
    {
        return false;
    }
    __device__ static bool is_all(const ncclGinAllContexts &)
    {
        return true;
    }
    /* The peer in step i of a barrier: the next rank comes
     * first, this one last. */
    __device__ int peer(int i) const
    {
        return (team.rank + 1 + i) % team.nRanks;
    }
    __device__ ncclGin context(int i) const
    {
        return all ? ncclGin(net.comm, i / team.nRanks) : net;
    }
    __device__ static void meet(const ncclGin &gin, ncclGinSignal_t signal)
    {
        uint64_t *const met = gin.getSignalShadowPtr(signal);
        const uint64_t least = *met + 1;
        gin.waitSignal(ncclCoopThread(), signal, least);
        *met = least;
    }
    __device__ void settle(const ncclGin &gin, int self) const
    {
        ncclGinRequest_t request;
        gin.flushAsync(team, (uint32_t)self, &request);
        gin.wait(request);
    }
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
