/*
 * gin.h: ncclGin, one-sided operations over the network
 *
 * The network does a put or get while the kernel continues (simgpu/network.h).
 * The source may change, and the data of a get are there, only after a flush or
 * after a wait for the operation's counter. The peer learns from a signal what
 * it may read. A strong signal, which is the default, covers everything that
 * the context has put to the peer before; a weak one covers only the put that
 * it is part of.
 *
 * The words of a signal are in the resource buffer of the rank that receives
 * it, one for each sender; the signal's value is their sum:
 *
 *     signal  := word[context][signal][sender]      64 bits each
 *     counter := word[context][counter]
 *     shadow  := word[context][signal]
 *
 * The operations that a wait follows therefore don't depend on the order in
 * which several senders arrive.
 */
#ifndef SIMGPU_NCCL_DEVICE_GIN_H
#define SIMGPU_NCCL_DEVICE_GIN_H

#include <cuda/atomic>

#include "../simgpu/network.h"
#include "core.h"
#include "gin_types.h"

namespace simgpu
{
/* Flags for how a signal arrives: simgpu/network.h. */
template <class ACTION> struct gin_strength {
    enum { value = SIMGPU_STRONG };
};
template <> struct gin_strength<ncclGin_WeakSignalAdd> {
    enum { value = 0 };
};
template <> struct gin_strength<ncclGin_WeakSignalInc> {
    enum { value = 0 };
};
template <> struct gin_strength<ncclGin_WeakVASignalAdd> {
    enum { value = 0 };
};
template <> struct gin_strength<ncclGin_WeakVASignalInc> {
    enum { value = 0 };
};

/* True if value has reached least; both have that many bits and wrap around. */
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

    /* Each thread of a group may call these, or all
     * threads of coop together. */
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
            simgpu_network_copy(channel(to),
                                simgpu_nccl_remote(dstWnd, dstOffset, bytes, to,
                                                   "ncclGin::put"),
                                simgpu_nccl_remote(srcWnd, srcOffset, bytes,
                                                   comm.rank, "ncclGin::put"),
                                nullptr, bytes, "ncclGin::put");
            act_there(to, remoteAction, SIMGPU_BUNDLED);
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
        if (coop.thread_rank() == 0) {
            const int from = world_rank(team, peer, "ncclGin::get");
            simgpu_network_copy(channel(from),
                                simgpu_nccl_remote(localWnd, localOffset, bytes,
                                                   comm.rank, "ncclGin::get"),
                                simgpu_nccl_remote(remoteWnd, remoteOffset,
                                                   bytes, from, "ncclGin::get"),
                                nullptr, bytes, "ncclGin::get");
        }
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
            simgpu_network_copy(
                channel(to),
                simgpu_nccl_remote(dstWnd, dstOffset, sizeof value, to,
                                   "ncclGin::putValue"),
                nullptr, &value, sizeof value, "ncclGin::putValue");
            act_there(to, remoteAction, SIMGPU_BUNDLED);
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
            act_there(world_rank(team, peer, "ncclGin::signal"), remoteAction,
                      0);
        coop.sync();
    }

    /* Wait until everything that this context has put and got is complete. */
    template <class Coop, class DescriptorSmem = ncclGin_None>
    __device__ void flush(Coop coop,
                          cuda::memory_order = cuda::memory_order_acquire,
                          DescriptorSmem = ncclGin_None{}) const
    {
        coop.sync();
        if (coop.thread_rank() == 0)
            simgpu_network_wait(channel(-1), simgpu_network_latest());
        coop.sync();
    }
    template <class Coop, class DescriptorSmem>
    __device__ ncclResult_t flush(Coop coop, cuda::memory_order order,
                                  DescriptorSmem, uint64_t) const
    {
        flush(coop, order);
        return ncclSuccess;
    }

    /* The same for one peer; it is complete after wait(). */
    template <class Coop = ncclCoopThread, class DescriptorSmem = ncclGin_None>
    __device__ void
    flushAsync(ncclTeam team, uint32_t peer, ncclGinRequest_t *outRequest,
               Coop coop = ncclCoopThread{}, uint32_t = ncclGinOptFlagsDefault,
               DescriptorSmem = ncclGin_None{}) const
    {
        coop.sync();
        const int to = world_rank(team, (int)peer, "ncclGin::flushAsync");
        *outRequest = ncclGinRequest_t{{simgpu_network_latest(), (uint64_t)to}};
        coop.sync();
    }
    template <class Coop = ncclCoopThread, class DescriptorSmem = ncclGin_None>
    __device__ void wait(ncclGinRequest_t &request,
                         Coop coop = ncclCoopThread{},
                         DescriptorSmem = ncclGin_None{},
                         cuda::memory_order = cuda::memory_order_acquire) const
    {
        coop.sync();
        if (coop.thread_rank() == 0)
            simgpu_network_wait(channel((int)request.opaque[1]),
                                request.opaque[0]);
        coop.sync();
    }
    template <class Coop, class DescriptorSmem>
    __device__ ncclResult_t wait(ncclGinRequest_t &request, Coop coop,
                                 DescriptorSmem descriptor,
                                 cuda::memory_order order, uint64_t) const
    {
        wait(request, coop, descriptor, order);
        return ncclSuccess;
    }

    /* ---- counters -------------------------------------------------------- */

    __device__ uint64_t
    readCounter(ncclGinCounter_t counter, int bits = 56,
                cuda::memory_order = cuda::memory_order_acquire) const
    {
        return simgpu_sync_peek(counter_word(counter), 8, SIMGPU_ACQUIRE) &
               ~UINT64_C(0) >> (64 - bits);
    }
    template <class Coop>
    __device__ void
    waitCounter(Coop coop, ncclGinCounter_t counter, uint64_t least,
                int bits = 56,
                cuda::memory_order = cuda::memory_order_acquire) const
    {
        coop.sync();
        if (coop.thread_rank() == 0) {
            // the wait follows just these puts
            if (bits >= 56 && least >> 55 == 0)
                simgpu_sync_wait(counter_word(counter), 8, least, 0);
            else
                while (!simgpu::gin_reached(readCounter(counter, bits), least,
                                            bits))
                    ;
        }
        coop.sync();
    }
    template <class Coop>
    __device__ ncclResult_t waitCounter(Coop coop, ncclGinCounter_t counter,
                                        uint64_t least, int bits,
                                        cuda::memory_order, uint64_t) const
    {
        waitCounter(coop, counter, least, bits);
        return ncclSuccess;
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
    __device__ ncclResult_t waitSignal(Coop coop, ncclWindow_t signalWindow,
                                       size_t signalOffset, uint64_t least,
                                       int bits, cuda::memory_order order,
                                       uint64_t) const
    {
        waitSignal(coop, signalWindow, signalOffset, least, bits, order);
        return ncclSuccess;
    }

    template <class Coop>
    __device__ void
    waitSignalMeetShadow(Coop coop, ncclGinSignal_t signal, int bits = 64,
                         cuda::memory_order = cuda::memory_order_acquire) const
    {
        waitSignal(coop, signal, *getSignalShadowPtr(signal), bits);
    }

    /* Wait until the signal is leastDelta ahead of its shadow, then set the
     * shadow to the signal's value. */
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

    /* Capabilities of the network that barriers query. */
    __device__ bool _supportsStrongSignal() const
    {
        return true;
    }
    __device__ bool _flushesAllPutsOnAnySignal() const
    {
        return false;
    }

  private:
    __device__ int world_rank(ncclTeam team, int peer, const char *call) const
    {
        if (peer < 0 || peer >= team.nRanks)
            simgpu_nccl_fault(call, "peer %d of a team of %d", peer,
                              team.nRanks);
        return ncclTeamRankToWorld(comm, team, peer);
    }

    /* Word number i of this context in a rank's array. */
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
     * Wait for the sum of all senders' words. The wait is ordered after the
     * writes that gave the words their current values or, if there is a single
     * sender, after the write that reached `least`.
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

    __device__ simgpu_channel channel(int peer) const
    {
        return {comm.resourceWindow, contextId, peer};
    }
    __device__ uint64_t *action_word(int to, const ncclGin_SignalAdd &a) const
    {
        return signal_word(to, a.signal, comm.rank);
    }
    __device__ uint64_t *action_word(int to, const ncclGin_SignalInc &a) const
    {
        return signal_word(to, a.signal, comm.rank);
    }
    __device__ uint64_t *action_word(int to, const ncclGin_VASignalAdd &a) const
    {
        return (uint64_t *)simgpu_nccl_remote(a.signalWindow, a.signalOffset, 8,
                                              to, "ncclGin_VASignalAdd");
    }
    __device__ uint64_t *action_word(int to, const ncclGin_VASignalInc &a) const
    {
        return (uint64_t *)simgpu_nccl_remote(a.signalWindow, a.signalOffset, 8,
                                              to, "ncclGin_VASignalInc");
    }
    template <class A>
    __device__ static auto action_value(const A &a) -> decltype(a.value)
    {
        return a.value;
    }
    __device__ static uint64_t action_value(const ncclGin_SignalInc &)
    {
        return 1;
    }
    __device__ static uint64_t action_value(const ncclGin_VASignalInc &)
    {
        return 1;
    }

    __device__ void act_there(int, ncclGin_None, int) const {}
    template <class A>
    __device__ void act_there(int to, const A &action, int how) const
    {
        simgpu_network_signal(channel(to), action_word(to, action),
                              action_value(action),
                              how | simgpu::gin_strength<A>::value);
    }
    __device__ void act_here(ncclGin_None) const {}
    __device__ void act_here(const ncclGin_CounterInc &a) const
    {
        simgpu_network_count(channel(-1), counter_word(a.counter));
    }
};

template <ncclNetDeviceType backend>
using ncclGin_BackendOne = ncclGin_BackendMask<(1u << (int)backend)>;
using ncclGin = ncclGin_BackendMask<NCCL_GIN_BACKEND_MASK_ALL>;

#endif
