/*
 * gin.h: ncclGin, one-sided operations over the network
 *
 * A put moves its bytes before it returns, as stores of the calling kernel on
 * the path between the GPUs. What the peer may read it learns from a signal.
 * The words of a signal lie in the resource buffer of the rank that receives
 * it, one for each sender; its value is their sum:
 *
 *     signal  := word[context][signal][sender]      64 bits each
 *     counter := word[context][counter]
 *     shadow  := word[context][signal]
 *
 * So what a wait follows does not depend on the order in which several senders
 * arrive.
 */
#ifndef SIMGPU_NCCL_DEVICE_GIN_H
#define SIMGPU_NCCL_DEVICE_GIN_H

#include <cuda/atomic>

#include "core.h"
#include "gin_types.h"

namespace simgpu
{
static inline uint64_t gin_sum(uint64_t old, const void *operand)
{
    return old + *(const uint64_t *)operand;
}

/* A word of another rank or this one, grown by n after all that the kernel
 * did. */
static inline void gin_grow(void *word, uint64_t n)
{
    simgpu_sync_update(word, 8, gin_sum, &n, SIMGPU_RELEASE);
}

/* True if value has reached least, both of so many bits that wrap around. */
static inline bool gin_reached(uint64_t value, uint64_t least, int bits)
{
    const uint64_t mask = ~UINT64_C(0) >> (64 - bits);
    return ((value - least) & mask) <= mask >> 1;
}
} // namespace simgpu

template <unsigned backendMask> struct ncclGin_BackendMask {
    const ncclDevComm &comm;
    uint32_t contextId;
    ncclGinResourceSharingMode resourceSharingMode;

    __device__ ncclGin_BackendMask(
        const ncclDevComm &comm, int contextIndex,
        ncclGinResourceSharingMode mode = NCCL_GIN_RESOURCE_SHARING_GPU)
        : comm(comm), contextId(0), resourceSharingMode(mode)
    {
        if (comm.ginContextCount == 0)
            simgpu_nccl_fault("ncclGin",
                              "the device communicator was created without "
                              "GIN (ginConnectionType, ginSignalCount, ...)");
        contextId = (uint32_t)contextIndex % comm.ginContextCount;
    }

    /* ---- one-sided operations -------------------------------------------- */

    /* Each of a group's threads may call, or all of coop together. */
    template <class RemoteAction = ncclGin_None,
              class LocalAction = ncclGin_None, class Coop = ncclCoopThread,
              class DescriptorSmem = ncclGin_None,
              class SegmentType = ncclGin_SegmentDevice>
    __device__ void
    put(ncclTeam team, int peer, ncclWindow_t dstWnd, size_t dstOffset,
        ncclWindow_t srcWnd, size_t srcOffset, size_t bytes,
        RemoteAction remoteAction = ncclGin_None{},
        LocalAction localAction = ncclGin_None{}, Coop coop = ncclCoopThread{},
        DescriptorSmem = ncclGin_None{},
        cuda::thread_scope = cuda::thread_scope_thread,
        cuda::thread_scope = cuda::thread_scope_device,
        uint32_t = ncclGinOptFlagsDefault,
        SegmentType = ncclGin_SegmentDevice{}) const
    {
        coop.sync();
        if (coop.thread_rank() == 0) {
            const int to = world_rank(team, peer, "ncclGin::put");
            simgpu_memcpy(simgpu_nccl_remote(dstWnd, dstOffset, bytes, to,
                                             "ncclGin::put"),
                          simgpu_nccl_remote(srcWnd, srcOffset, bytes,
                                             comm.rank, "ncclGin::put"),
                          bytes);
            act_there(to, remoteAction);
            act_here(localAction);
        }
        coop.sync();
    }

    template <class T, class RemoteAction = ncclGin_None,
              class LocalAction = ncclGin_None, class Coop = ncclCoopThread,
              class... Rest>
    __device__ void put(ncclTeam team, int peer, ncclSymPtr<T> dstElts,
                        ncclSymPtr<T> srcElts, size_t nElts,
                        RemoteAction remoteAction = ncclGin_None{},
                        LocalAction localAction = ncclGin_None{},
                        Coop coop = ncclCoopThread{}, Rest... rest) const
    {
        put(team, peer, dstElts.window, dstElts.offset, srcElts.window,
            srcElts.offset, nElts * sizeof(T), remoteAction, localAction, coop,
            rest...);
    }

    template <class Coop = ncclCoopThread, class... Rest>
    __device__ void get(ncclTeam team, int peer, ncclWindow_t remoteWnd,
                        size_t remoteOffset, ncclWindow_t localWnd,
                        size_t localOffset, size_t bytes,
                        Coop coop = ncclCoopThread{}, Rest...) const
    {
        coop.sync();
        if (coop.thread_rank() == 0)
            simgpu_memcpy(
                simgpu_nccl_remote(localWnd, localOffset, bytes, comm.rank,
                                   "ncclGin::get"),
                simgpu_nccl_remote(remoteWnd, remoteOffset, bytes,
                                   world_rank(team, peer, "ncclGin::get"),
                                   "ncclGin::get"),
                bytes);
        coop.sync();
    }

    template <class T, class RemoteAction = ncclGin_None,
              class Coop = ncclCoopThread, class... Rest>
    __device__ void putValue(ncclTeam team, int peer, ncclWindow_t dstWnd,
                             size_t dstOffset, T value,
                             RemoteAction remoteAction = ncclGin_None{},
                             Coop coop = ncclCoopThread{}, Rest...) const
    {
        static_assert(sizeof(T) <= 8, "putValue takes 8 bytes at most");
        coop.sync();
        if (coop.thread_rank() == 0) {
            const int to = world_rank(team, peer, "ncclGin::putValue");
            *(T *)simgpu_nccl_remote(dstWnd, dstOffset, sizeof value, to,
                                     "ncclGin::putValue") = value;
            act_there(to, remoteAction);
        }
        coop.sync();
    }

    template <class T, class RemoteAction = ncclGin_None,
              class Coop = ncclCoopThread, class... Rest>
    __device__ void putValue(ncclTeam team, int peer, ncclSymPtr<T> dst,
                             T value,
                             RemoteAction remoteAction = ncclGin_None{},
                             Coop coop = ncclCoopThread{}, Rest... rest) const
    {
        putValue(team, peer, dst.window, dst.offset, value, remoteAction, coop,
                 rest...);
    }

    template <class RemoteAction, class Coop = ncclCoopThread, class... Rest>
    __device__ void signal(ncclTeam team, int peer, RemoteAction remoteAction,
                           Coop coop = ncclCoopThread(), Rest...) const
    {
        coop.sync();
        if (coop.thread_rank() == 0)
            act_there(world_rank(team, peer, "ncclGin::signal"), remoteAction);
        coop.sync();
    }

    /* The sources of this group's puts may be used again. */
    template <class Coop, class... Rest>
    __device__ void flush(Coop coop,
                          cuda::memory_order = cuda::memory_order_acquire,
                          Rest...) const
    {
        coop.sync();
    }
    template <class Coop, class DescriptorSmem>
    __device__ ncclResult_t flush(Coop coop, cuda::memory_order, DescriptorSmem,
                                  uint64_t) const
    {
        coop.sync();
        return ncclSuccess;
    }
    template <class Coop = ncclCoopThread, class... Rest>
    __device__ void flushAsync(ncclTeam team, uint32_t peer,
                               ncclGinRequest_t *outRequest,
                               Coop coop = ncclCoopThread{}, Rest...) const
    {
        world_rank(team, (int)peer, "ncclGin::flushAsync");
        *outRequest = ncclGinRequest_t{};
        coop.sync();
    }
    template <class Coop = ncclCoopThread, class... Rest>
    __device__ void wait(ncclGinRequest_t &, Coop coop = ncclCoopThread{},
                         Rest...) const
    {
        coop.sync();
    }

    /* ---- counters -------------------------------------------------------- */

    __device__ uint64_t
    readCounter(ncclGinCounter_t counter, int bits = 56,
                cuda::memory_order = cuda::memory_order_acquire) const
    {
        return simgpu_sync_peek(counter_word(counter), 8, SIMGPU_ACQUIRE) &
               ~UINT64_C(0) >> (64 - bits);
    }
    template <class Coop, class... Rest>
    __device__ void waitCounter(Coop coop, ncclGinCounter_t counter,
                                uint64_t least, int bits = 56, Rest...) const
    {
        coop.sync();
        if (coop.thread_rank() == 0)
            while (
                !simgpu::gin_reached(readCounter(counter, bits), least, bits))
                ;
        coop.sync();
    }
    __device__ void resetCounter(ncclGinCounter_t counter) const
    {
        simgpu_sync_store(counter_word(counter), 8, 0, 0);
    }

    /* ---- signals --------------------------------------------------------- */

    __device__ uint64_t *getSignalShadowPtr(ncclGinSignal_t signal) const
    {
        return word(comm.ginShadows, comm.rank, check_signal(signal));
    }
    __device__ void increaseSignalShadow(ncclGinSignal_t signal,
                                         uint64_t delta) const
    {
        *getSignalShadowPtr(signal) += delta;
    }

    __device__ uint64_t
    readSignal(ncclGinSignal_t signal, int bits = 64,
               cuda::memory_order = cuda::memory_order_acquire) const
    {
        uint64_t sum = 0;
        for (int from = 0; from < comm.nRanks; from++)
            sum += simgpu_sync_peek(signal_word(comm.rank, signal, from), 8,
                                    SIMGPU_ACQUIRE);
        return sum & ~UINT64_C(0) >> (64 - bits);
    }
    __device__ uint64_t
    readSignal(ncclWindow_t signalWindow, size_t signalOffset, int bits = 64,
               cuda::memory_order = cuda::memory_order_acquire) const
    {
        return simgpu_sync_peek(simgpu_nccl_remote(signalWindow, signalOffset,
                                                   8, comm.rank,
                                                   "ncclGin::readSignal"),
                                8, SIMGPU_ACQUIRE) &
               ~UINT64_C(0) >> (64 - bits);
    }

    template <class Coop>
    __device__ void
    waitSignal(Coop coop, ncclGinSignal_t signal, uint64_t least, int bits = 64,
               cuda::memory_order = cuda::memory_order_acquire) const
    {
        coop.sync();
        if (coop.thread_rank() == 0)
            await_signal(signal, least, bits);
        coop.sync();
    }
    template <class Coop>
    __device__ ncclResult_t waitSignal(Coop coop, ncclGinSignal_t signal,
                                       uint64_t least, int bits,
                                       cuda::memory_order order, uint64_t) const
    {
        waitSignal(coop, signal, least, bits, order);
        return ncclSuccess;
    }
    template <class Coop>
    __device__ void
    waitSignal(Coop coop, ncclWindow_t signalWindow, size_t signalOffset,
               uint64_t least, int bits = 64,
               cuda::memory_order = cuda::memory_order_acquire) const
    {
        coop.sync();
        if (coop.thread_rank() == 0) {
            if (bits == 64)
                simgpu_sync_wait(simgpu_nccl_remote(signalWindow, signalOffset,
                                                    8, comm.rank,
                                                    "ncclGin::waitSignal"),
                                 8, least, 0);
            else
                while (!simgpu::gin_reached(
                    readSignal(signalWindow, signalOffset), least, bits))
                    ;
        }
        coop.sync();
    }

    template <class Coop>
    __device__ void
    waitSignalMeetShadow(Coop coop, ncclGinSignal_t signal, int bits = 64,
                         cuda::memory_order = cuda::memory_order_acquire) const
    {
        waitSignal(coop, signal, *getSignalShadowPtr(signal), bits);
    }

    /* Wait until the signal is leastDelta ahead of its shadow; the shadow
     * catches up. */
    template <class Coop, class Uint>
    __device__ void waitSignalFollowShadow(
        Coop coop, ncclGinSignal_t signal, Uint leastDelta, Uint *before,
        Uint *delta, int bits = 64,
        cuda::memory_order = cuda::memory_order_acquire) const
    {
        uint64_t *const shadow = getSignalShadowPtr(signal);
        const uint64_t was = *shadow;
        waitSignal(coop, signal, was + leastDelta, bits);
        const uint64_t now = readSignal(signal, bits);
        coop.sync();
        if (coop.thread_rank() == 0)
            *shadow = now;
        *before = (Uint)was;
        *delta = (Uint)(now - was);
        coop.sync();
    }

    __device__ void resetSignal(ncclGinSignal_t signal) const
    {
        for (int from = 0; from < comm.nRanks; from++)
            simgpu_sync_store(signal_word(comm.rank, signal, from), 8, 0, 0);
        *getSignalShadowPtr(signal) = 0;
    }
    __device__ void resetSignal(ncclWindow_t signalWindow,
                                size_t signalOffset) const
    {
        simgpu_sync_store(simgpu_nccl_remote(signalWindow, signalOffset, 8,
                                             comm.rank, "ncclGin::resetSignal"),
                          8, 0, 0);
    }

  private:
    __device__ int world_rank(ncclTeam team, int peer, const char *call) const
    {
        if (peer < 0 || peer >= team.nRanks)
            simgpu_nccl_fault(call, "peer %d of a team of %d", peer,
                              team.nRanks);
        return ncclTeamRankToWorld(comm, team, peer);
    }

    /* Word number i of this context in an array of a rank. */
    __device__ uint64_t *word(ncclDevResourceHandle array, int rank,
                              size_t i) const
    {
        return (uint64_t *)simgpu_nccl_remote(
                   comm.resourceWindow, ncclGetResourceBufferOffset(array), 8,
                   rank, "ncclGin") +
               i;
    }
    __device__ size_t check_signal(ncclGinSignal_t signal) const
    {
        if (signal >= (uint32_t)comm.ginSignalCount)
            simgpu_nccl_fault("ncclGin",
                              "signal %u of %d: the device communicator was "
                              "created with too few (ginSignalCount)",
                              signal, comm.ginSignalCount);
        return (size_t)contextId * (size_t)comm.ginSignalCount + signal;
    }
    __device__ uint64_t *signal_word(int rank, ncclGinSignal_t signal,
                                     int from) const
    {
        return word(comm.ginSignals, rank,
                    check_signal(signal) * (size_t)comm.nRanks + (size_t)from);
    }
    __device__ uint64_t *counter_word(ncclGinCounter_t counter) const
    {
        if (counter >= (uint32_t)comm.ginCounterCount)
            simgpu_nccl_fault("ncclGin",
                              "counter %u of %d: the device communicator was "
                              "created with too few (ginCounterCount)",
                              counter, comm.ginCounterCount);
        return word(comm.ginCounters, comm.rank,
                    (size_t)contextId * (size_t)comm.ginCounterCount + counter);
    }

    /*
     * Wait for the sum of all senders' words. The wait follows the writes that
     * made the words what they are then, or, of a single sender, the write
     * that reached `least`.
     */
    __device__ void await_signal(ncclGinSignal_t signal, uint64_t least,
                                 int bits) const
    {
        uint64_t sum;
        int senders, last = 0;
        do {
            sum = 0;
            senders = 0;
            for (int from = 0; from < comm.nRanks; from++) {
                const uint64_t n = simgpu_sync_load(
                    signal_word(comm.rank, signal, from), 8, 0);
                sum += n;
                senders += n != 0;
                last = n ? from : last;
            }
        } while (!simgpu::gin_reached(sum, least, bits));
        for (int from = 0; from < comm.nRanks; from++) {
            uint64_t *const w = signal_word(comm.rank, signal, from);
            if (senders == 1 && bits == 64 && from == last)
                simgpu_sync_wait(w, 8, least, 0);
            else
                simgpu_sync_peek(w, 8, SIMGPU_ACQUIRE);
        }
    }

    __device__ void act_there(int, ncclGin_None) const {}
    __device__ void act_there(int to, const ncclGin_SignalAdd &a) const
    {
        simgpu::gin_grow(signal_word(to, a.signal, comm.rank), a.value);
    }
    __device__ void act_there(int to, const ncclGin_SignalInc &a) const
    {
        simgpu::gin_grow(signal_word(to, a.signal, comm.rank), 1);
    }
    __device__ void act_there(int to, const ncclGin_VASignalAdd &a) const
    {
        simgpu::gin_grow(simgpu_nccl_remote(a.signalWindow, a.signalOffset, 8,
                                            to, "ncclGin_VASignalAdd"),
                         a.value);
    }
    __device__ void act_there(int to, const ncclGin_VASignalInc &a) const
    {
        simgpu::gin_grow(simgpu_nccl_remote(a.signalWindow, a.signalOffset, 8,
                                            to, "ncclGin_VASignalInc"),
                         1);
    }
    __device__ void act_here(ncclGin_None) const {}
    __device__ void act_here(const ncclGin_CounterInc &a) const
    {
        simgpu::gin_grow(counter_word(a.counter), 1);
    }
};

using ncclGin = ncclGin_BackendMask<NCCL_GIN_BACKEND_MASK_ALL>;

#endif
