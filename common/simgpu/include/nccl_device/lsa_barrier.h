/*
 * lsa_barrier.h: a barrier of ranks that reach each other by loads and stores
 *
 * In its resource buffer each rank has an inbox per barrier and peer, into
 * which the peer writes the number of barriers at which it has arrived:
 *
 *     words := epoch[2][nBarriers], unused[nBarriers],
 *              inbox[nBarriers][team.nRanks]
 *
 * A barrier orders as if its memory order were acq_rel, even if the program
 * passes another: an order that is too weak is not reported.
 */
#ifndef SIMGPU_NCCL_DEVICE_LSA_BARRIER_H
#define SIMGPU_NCCL_DEVICE_LSA_BARRIER_H

#include <cuda/atomic>

#include "core.h"

template <class Coop> struct ncclLsaBarrierSession {
    __device__ ncclLsaBarrierSession(Coop coop, const ncclDevComm &comm,
                                     ncclTeam team, ncclLsaBarrierHandle handle,
                                     uint32_t index, bool multimem = false,
                                     ncclMultimemHandle mmHandle = {})
        : coop(coop), comm(comm), team(team), handle(handle), index(index),
          multimem(multimem)
    {
        if (index >= (uint32_t)handle.nBarriers)
            simgpu_nccl_fault("ncclLsaBarrierSession",
                              "barrier %u of %d: the device communicator was "
                              "created with too few of them "
                              "(lsaBarrierCount, barrierCount)",
                              index, handle.nBarriers);
        if (multimem && !mmHandle.mcBasePtr)
            simgpu_nccl_fault("ncclLsaBarrierSession",
                              "multimem, but the device communicator was "
                              "created without lsaMultimem");
        if (team.rank < 0 || team.rank >= team.nRanks)
            simgpu_nccl_fault("ncclLsaBarrierSession",
                              "this rank is number %d of a team of %d",
                              team.rank, team.nRanks);
        epoch = *epoch_word();
    }
    __device__ ncclLsaBarrierSession(Coop coop, const ncclDevComm &comm,
                                     ncclTeamTagLsa, uint32_t index,
                                     bool multimem = false)
        : ncclLsaBarrierSession(coop, comm, ncclTeamLsa(comm), comm.lsaBarrier,
                                index, multimem, comm.lsaMultimem)
    {
    }
    ncclLsaBarrierSession(const ncclLsaBarrierSession &) = delete;
    __device__ ~ncclLsaBarrierSession()
    {
        if (coop.thread_rank() == 0)
            *epoch_word() = epoch;
        coop.sync();
    }

    /* Tell the peers that the group has arrived,
     * releasing all that it wrote. */
    __device__ void arrive(Coop, cuda::memory_order)
    {
        coop.sync();
        for (int i = coop.thread_rank(); i < team.nRanks - 1; i += coop.size())
            simgpu_sync_store(inbox(peer(i), team.rank), 4, epoch + 1,
                              SIMGPU_RELEASE);
    }
    /* Wait for all peers, and acquire what they wrote. */
    __device__ void wait(Coop, cuda::memory_order)
    {
        for (int i = coop.thread_rank(); i < team.nRanks - 1; i += coop.size())
            simgpu_sync_wait(inbox(team.rank, peer(i)), 4, epoch + 1, 0);
        epoch++;
        coop.sync();
    }
    __device__ void sync(Coop, cuda::memory_order order)
    {
        arrive(coop, order);
        wait(coop, order);
    }
    /* A barrier that hangs is reported, so none times out. */
    __device__ ncclResult_t wait(Coop, cuda::memory_order order, uint64_t)
    {
        coop.sync();
        wait(coop, order);
        return ncclSuccess;
    }
    __device__ ncclResult_t sync(Coop, cuda::memory_order order, uint64_t)
    {
        sync(coop, order);
        return ncclSuccess;
    }

  private:
    Coop coop;
    const ncclDevComm &comm;
    ncclTeam team;
    ncclLsaBarrierHandle handle;
    uint32_t index;
    bool multimem;
    uint32_t epoch;

    __device__ int peer(int i) const
    {
        return i + (team.rank <= i);
    }
    __device__ uint32_t *epoch_word() const
    {
        return (uint32_t *)ncclGetResourceBufferLocalPointer(comm,
                                                             handle.bufHandle) +
               (multimem ? 0 : handle.nBarriers) + index;
    }
    __device__ uint32_t *inbox(int owner, int from) const
    {
        return (uint32_t *)ncclGetResourceBufferPeerPointer(
                   comm, handle.bufHandle, team, owner) +
               3 * handle.nBarriers + (int)index * team.nRanks + from;
    }
};

#endif
