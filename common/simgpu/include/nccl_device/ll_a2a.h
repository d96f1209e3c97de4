/*
 * ll_a2a.h: sessions in which ranks send each other single elements
 *
 * A block has two sets of slots on each rank, which alternate by epoch. An
 * element uses one slot for each 8 bytes; these are `maxElts` slots apart. Each
 * slot contains the epoch in which it was filled, which is what its receiver
 * waits for:
 *
 *     block := epoch, slots[2][nSlots]     lines of 16 bytes
 *     slot  := data (8 bytes), epoch (4 bytes)
 *
 * A slot is filled at most once per epoch. The modelled time of an element is
 * its latency; its bytes cost nothing.
 */
#ifndef SIMGPU_NCCL_DEVICE_LL_A2A_H
#define SIMGPU_NCCL_DEVICE_LL_A2A_H

#include <string.h>
#include <utility>

#include "core.h"

template <class Coop> struct ncclLLA2ASession {
    __device__
    ncclLLA2ASession(Coop coop, const ncclDevComm &comm, ncclTeam team,
                     ncclLLA2AHandle handle, uint32_t block, int maxElts,
                     bool multimem = false, ncclMultimemHandle mmHandle = {})
        : coop(coop), comm(comm), team(team), handle(handle), block(block),
          pitch(maxElts)
    {
        if (handle.nSlots == 0)
            simgpu_nccl_fault("ncclLLA2ASession",
                              "the handle has no slots: see "
                              "ncclLLA2ACreateRequirement");
        if (multimem && !mmHandle.mcBasePtr)
            simgpu_nccl_fault("ncclLLA2ASession",
                              "multimem, but the device communicator was "
                              "created without lsaMultimem");
        epoch = line(team.rank, 0)->epoch + 1;
    }
    ncclLLA2ASession(const ncclLLA2ASession &) = delete;
    __device__ ~ncclLLA2ASession()
    {
        if (coop.thread_rank() == 0)
            line(team.rank, 0)->epoch = epoch - 1;
        coop.sync();
    }

    template <class T> __device__ void send(int peer, int elt, T data)
    {
        uint64_t word[words<T>()] = {};
        if (peer < 0 || peer >= team.nRanks)
            simgpu_nccl_fault("ncclLLA2ASession::send", "peer %d of %d", peer,
                              team.nRanks);
        memcpy(word, &data, sizeof data);
        for (int i = 0; i < words<T>(); i++) {
            slot *const s = at(peer, elt + i * pitch, "send");
            if (simgpu_peek(&s->epoch) == epoch)
                simgpu_nccl_fault("ncclLLA2ASession::send",
                                  "slot %d of rank %d of the team was filled "
                                  "in this epoch before: endEpoch() first",
                                  elt + i * pitch, peer);
            simgpu_sync_store(&s->data, 8, word[i], 0);
            simgpu_sync_store(&s->epoch, 4, epoch, SIMGPU_RELEASE);
        }
    }
    template <class T> __device__ void bcast(int elt, T data)
    {
        for (int i = 0; i < team.nRanks; i++)
            send((team.rank + i) % team.nRanks, elt, data);
    }

    template <class T> __device__ T recv(int elt)
    {
        uint64_t word[words<T>()];
        T data;
        for (int i = 0; i < words<T>(); i++) {
            slot *const s = at(team.rank, elt + i * pitch, "recv");
            simgpu_sync_wait(&s->epoch, 4, epoch, 1);
            word[i] = simgpu_sync_load(&s->data, 8, 0);
        }
        memcpy(&data, word, sizeof data);
        return data;
    }
    template <int MinEltCount, int MaxEltCount, class T>
    __device__ void recvUnrolled(int eltStart, int eltCount, int eltStride,
                                 T (&vals)[MaxEltCount])
    {
        for (int i = 0; i < MaxEltCount; i++)
            if (i < MinEltCount || i < eltCount)
                vals[i] = recv<T>(eltStart + i * eltStride);
    }
    template <int Unroll, class Elt, class EltToAcc, class Reduce>
    __device__ auto recvReduce(int eltStart, int eltCount, int eltStride,
                               EltToAcc eltToAcc, Reduce red)
        -> decltype(eltToAcc(std::declval<Elt>()))
    {
        auto acc = eltToAcc(recv<Elt>(eltStart));
        for (int i = 1; i < eltCount; i++)
            acc = red(acc, eltToAcc(recv<Elt>(eltStart + i * eltStride)));
        return acc;
    }

    /* Every rank has sent to all ranks, and received
     * from all, in this epoch. */
    __device__ void endEpoch(Coop)
    {
        coop.sync();
        epoch++;
    }

  private:
    struct slot {
        uint64_t data;
        uint32_t epoch, unused;
    };
    Coop coop;
    const ncclDevComm &comm;
    ncclTeam team;
    ncclLLA2AHandle handle;
    uint32_t block;
    int pitch;
    uint32_t epoch;

    template <class T> __device__ static constexpr int words()
    {
        return (int)((sizeof(T) + 7) / 8);
    }
    /* Line i of a rank's block. */
    __device__ slot *line(int rank, uint32_t i) const
    {
        return (slot *)ncclGetPeerPointer(
            comm.resourceWindow,
            ncclGetResourceBufferOffset(handle.bufHandle) +
                (block * (1 + 2 * handle.nSlots) + i) * sizeof(slot),
            team, rank);
    }
    __device__ slot *at(int rank, int elt, const char *verb) const
    {
        if (elt < 0 || elt >= (int)handle.nSlots)
            simgpu_nccl_fault("ncclLLA2ASession",
                              "%s: slot %d of %u (ncclLLA2ACalcSlots)", verb,
                              elt, handle.nSlots);
        return line(rank, 1 + (epoch & 1) * handle.nSlots + (uint32_t)elt);
    }
};

#endif
