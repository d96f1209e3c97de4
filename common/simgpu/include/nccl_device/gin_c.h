/*
 * gin_c.h: ncclGin's operations as functions, for other languages
 *
 * Each does what the member function of ncclGin does. A signal is identified by
 * number or, with NCCL_GIN_SIGNAL_TYPE_VA, by window and offset.
 */
#ifndef SIMGPU_NCCL_DEVICE_GIN_C_H
#define SIMGPU_NCCL_DEVICE_GIN_C_H

#include <new>

#include "gin.h"

struct ncclGin_C {
    const ncclDevComm &comm;
    uint32_t contextId;
    ncclGinResourceSharingMode resourceSharingMode;
    unsigned backendMask;

    __device__
    ncclGin_C(const ncclDevComm &comm, unsigned backendMask, int contextIndex,
              ncclGinResourceSharingMode mode = NCCL_GIN_RESOURCE_SHARING_GPU)
        : comm(comm), contextId(ncclGin(comm, contextIndex, mode).contextId),
          resourceSharingMode(mode), backendMask(backendMask)
    {
    }
};

__device__ static inline void
ncclGin_C_initWithResourceSharingMode(ncclGin_C *net, unsigned backendMask,
                                      const ncclDevComm &comm, int contextIndex,
                                      ncclGinResourceSharingMode mode)
{
    ::new (net) ncclGin_C(comm, backendMask, contextIndex, mode);
}
__device__ static inline void ncclGin_C_init(ncclGin_C *net,
                                             unsigned backendMask,
                                             const ncclDevComm &comm,
                                             int contextIndex)
{
    ncclGin_C_initWithResourceSharingMode(net, backendMask, comm, contextIndex,
                                          NCCL_GIN_RESOURCE_SHARING_GPU);
}

namespace simgpu
{
__device__ static inline ncclGin gin_of(const ncclGin_C *net)
{
    return ncclGin(net->comm, (int)net->contextId, net->resourceSharingMode);
}

/* A signal as the C forms describe it. */
struct gin_signal {
    ncclGinSignalType type;
    ncclWindow_t window;
    size_t offset;
    ncclGinSignal_t id;
    bool is_strong;
    uint64_t value;
};

__device__ static inline uint64_t gin_value(ncclGinSignalOp_t op, uint64_t arg)
{
    return op == ncclGinSignalInc ? 1 : arg;
}
/* Call do_it(action) with the remote action for the signal. */
template <class FUNCTION>
__device__ static inline void gin_with(const gin_signal &s, FUNCTION do_it)
{
    if (s.type == NCCL_GIN_SIGNAL_TYPE_NONE)
        do_it(ncclGin_None{});
    else if (s.type == NCCL_GIN_SIGNAL_TYPE_VA && s.is_strong)
        do_it(ncclGin_StrongVASignalAdd{{s.window, s.offset, s.value}});
    else if (s.type == NCCL_GIN_SIGNAL_TYPE_VA)
        do_it(ncclGin_WeakVASignalAdd{{s.window, s.offset, s.value}});
    else if (s.is_strong)
        do_it(ncclGin_StrongSignalAdd{{s.id, s.value}});
    else
        do_it(ncclGin_WeakSignalAdd{{s.id, s.value}});
}

struct gin_put_value { /* a value of 1, 2, 4 or 8 bytes */
    ncclGin gin;
    ncclTeam team;
    int peer;
    ncclWindow_t window;
    size_t offset;
    uint64_t value;
    ncclCoopAny coop;

    template <class T, class ACTION> __device__ void of(ACTION action) const
    {
        T v;
        memcpy(&v, &value, sizeof v);
        gin.putValue(team, peer, window, offset, v, action, coop);
    }
    template <class ACTION>
    __device__ void run(size_t size, ACTION action) const
    {
        switch (size) {
        case 1: of<uint8_t>(action); break;
        case 2: of<uint16_t>(action); break;
        case 4: of<uint32_t>(action); break;
        case 8: of<uint64_t>(action); break;
        default:
            simgpu_nccl_fault("ncclGinPutValue",
                              "a value of %zu bytes, not 1, 2, 4 or 8", size);
        }
    }
};
} // namespace simgpu

/* ---- put ----------------------------------------------------------------- */

__device__ static inline void ncclGinPut_v3(
    ncclGin_C *net, ncclTeam team, int peer, ncclWindow_t dstWin,
    size_t dstOffset, ncclWindow_t srcWin, size_t srcOffset, size_t bytes,
    ncclGinSignalType signalType, ncclWindow_t signalWin, size_t signalOffset,
    ncclGinSignal_t signalId, bool isStrong, ncclGinSignalOp_t signalOp,
    uint64_t signalOpArg, bool isCounter, ncclGinCounter_t counterId,
    ncclCoopAny coop, bool, ncclGinDescriptorSmem *, cuda::thread_scope,
    cuda::thread_scope, uint32_t, ncclGinSegmentType_t)
{
    const ncclGin gin = simgpu::gin_of(net);
    simgpu::gin_with(
        {signalType, signalWin, signalOffset, signalId, isStrong,
         simgpu::gin_value(signalOp, signalOpArg)},
        [&](auto action) {
            if (isCounter)
                gin.put(team, peer, dstWin, dstOffset, srcWin, srcOffset, bytes,
                        action, ncclGin_WeakCounterInc{{counterId}}, coop);
            else
                gin.put(team, peer, dstWin, dstOffset, srcWin, srcOffset, bytes,
                        action, ncclGin_None{}, coop);
        });
}
__device__ static inline void
ncclGinPut_v2(ncclGin_C *net, ncclTeam team, int peer, ncclWindow_t dstWin,
              size_t dstOffset, ncclWindow_t srcWin, size_t srcOffset,
              size_t bytes, bool isSignal, ncclGinSignal_t signalId,
              ncclGinSignalOp_t signalOp, uint64_t signalOpArg, bool isCounter,
              ncclGinCounter_t counterId, ncclCoopAny coop, bool isDescriptor,
              ncclGinDescriptorSmem *descriptor, cuda::thread_scope given,
              cuda::thread_scope required, uint32_t optFlags)
{
    ncclGinPut_v3(net, team, peer, dstWin, dstOffset, srcWin, srcOffset, bytes,
                  isSignal ? NCCL_GIN_SIGNAL_TYPE_INDEXED
                           : NCCL_GIN_SIGNAL_TYPE_NONE,
                  nullptr, 0, signalId, true, signalOp, signalOpArg, isCounter,
                  counterId, coop, isDescriptor, descriptor, given, required,
                  optFlags, ncclGinSegmentTypeDevice);
}
__device__ static inline void
ncclGinPut(ncclGin_C *net, ncclTeam team, int peer, ncclWindow_t dstWin,
           size_t dstOffset, ncclWindow_t srcWin, size_t srcOffset,
           size_t bytes, bool isSignal, ncclGinSignal_t signalId,
           ncclGinSignalOp_t signalOp, uint64_t signalOpArg, bool isCounter,
           ncclGinCounter_t counterId, ncclCoopAny coop, bool isDescriptor,
           ncclGinDescriptorSmem *descriptor, cuda::thread_scope given,
           cuda::thread_scope required)
{
    ncclGinPut_v2(net, team, peer, dstWin, dstOffset, srcWin, srcOffset, bytes,
                  isSignal, signalId, signalOp, signalOpArg, isCounter,
                  counterId, coop, isDescriptor, descriptor, given, required,
                  ncclGinOptFlagsDefault);
}

__device__ static inline void
ncclGinPutValue_v3(ncclGin_C *net, ncclTeam team, int peer, ncclWindow_t dstWin,
                   size_t dstOffset, uint64_t value, size_t size,
                   ncclGinSignalType signalType, ncclWindow_t signalWin,
                   size_t signalOffset, ncclGinSignal_t signalId, bool isStrong,
                   ncclGinSignalOp_t signalOp, uint64_t signalOpArg,
                   ncclCoopAny coop, bool, ncclGinDescriptorSmem *,
                   cuda::thread_scope, cuda::thread_scope, uint32_t)
{
    const simgpu::gin_put_value put = {simgpu::gin_of(net), team,  peer, dstWin,
                                       dstOffset,           value, coop};
    simgpu::gin_with({signalType, signalWin, signalOffset, signalId, isStrong,
                      simgpu::gin_value(signalOp, signalOpArg)},
                     [&](auto action) { put.run(size, action); });
}
__device__ static inline void
ncclGinPutValue_v2(ncclGin_C *net, ncclTeam team, int peer, ncclWindow_t dstWin,
                   size_t dstOffset, uint64_t value, size_t size, bool isSignal,
                   ncclGinSignal_t signalId, ncclGinSignalOp_t signalOp,
                   uint64_t signalOpArg, ncclCoopAny coop, bool isDescriptor,
                   ncclGinDescriptorSmem *descriptor, cuda::thread_scope given,
                   cuda::thread_scope required, uint32_t optFlags)
{
    ncclGinPutValue_v3(net, team, peer, dstWin, dstOffset, value, size,
                       isSignal ? NCCL_GIN_SIGNAL_TYPE_INDEXED
                                : NCCL_GIN_SIGNAL_TYPE_NONE,
                       nullptr, 0, signalId, true, signalOp, signalOpArg, coop,
                       isDescriptor, descriptor, given, required, optFlags);
}
__device__ static inline void
ncclGinPutValue(ncclGin_C *net, ncclTeam team, int peer, ncclWindow_t dstWin,
                size_t dstOffset, uint64_t value, size_t size, bool isSignal,
                ncclGinSignal_t signalId, ncclGinSignalOp_t signalOp,
                uint64_t signalOpArg, ncclCoopAny coop, bool isDescriptor,
                ncclGinDescriptorSmem *descriptor, cuda::thread_scope given,
                cuda::thread_scope required)
{
    ncclGinPutValue_v2(net, team, peer, dstWin, dstOffset, value, size,
                       isSignal, signalId, signalOp, signalOpArg, coop,
                       isDescriptor, descriptor, given, required,
                       ncclGinOptFlagsDefault);
}

/* ---- get, signal --------------------------------------------------------- */

__device__ static inline void
ncclGinGet_v2(ncclGin_C *net, ncclTeam team, int peer, ncclWindow_t remoteWnd,
              size_t remoteOffset, ncclWindow_t localWnd, size_t localOffset,
              size_t bytes, ncclCoopAny coop, bool, ncclGinDescriptorSmem *,
              uint32_t, ncclGinSegmentType_t)
{
    simgpu::gin_of(net).get(team, peer, remoteWnd, remoteOffset, localWnd,
                            localOffset, bytes, coop);
}
__device__ static inline void
ncclGinGet(ncclGin_C *net, ncclTeam team, int peer, ncclWindow_t remoteWnd,
           size_t remoteOffset, ncclWindow_t localWnd, size_t localOffset,
           size_t bytes, ncclCoopAny coop, bool isDescriptor,
           ncclGinDescriptorSmem *descriptor, uint32_t optFlags)
{
    ncclGinGet_v2(net, team, peer, remoteWnd, remoteOffset, localWnd,
                  localOffset, bytes, coop, isDescriptor, descriptor, optFlags,
                  ncclGinSegmentTypeDevice);
}

__device__ static inline void
ncclGinSignal_v3(ncclGin_C *net, ncclTeam team, int peer,
                 ncclGinSignalType signalType, ncclWindow_t signalWin,
                 size_t signalOffset, ncclGinSignal_t signalId, bool isStrong,
                 ncclGinSignalOp_t signalOp, uint64_t signalOpArg,
                 ncclCoopAny coop, bool, ncclGinDescriptorSmem *,
                 cuda::thread_scope, cuda::thread_scope, uint32_t)
{
    const ncclGin gin = simgpu::gin_of(net);
    simgpu::gin_with(
        {signalType, signalWin, signalOffset, signalId, isStrong,
         simgpu::gin_value(signalOp, signalOpArg)},
        [&](auto action) { gin.signal(team, peer, action, coop); });
}
__device__ static inline void
ncclGinSignal_v2(ncclGin_C *net, ncclTeam team, int peer, bool isSignal,
                 ncclGinSignal_t signalId, ncclGinSignalOp_t signalOp,
                 uint64_t signalOpArg, ncclCoopAny coop, bool isDescriptor,
                 ncclGinDescriptorSmem *descriptor, cuda::thread_scope given,
                 cuda::thread_scope required, uint32_t optFlags)
{
    ncclGinSignal_v3(net, team, peer,
                     isSignal ? NCCL_GIN_SIGNAL_TYPE_INDEXED
                              : NCCL_GIN_SIGNAL_TYPE_NONE,
                     nullptr, 0, signalId, true, signalOp, signalOpArg, coop,
                     isDescriptor, descriptor, given, required, optFlags);
}
__device__ static inline void
ncclGinSignal(ncclGin_C *net, ncclTeam team, int peer, bool isSignal,
              ncclGinSignal_t signalId, ncclGinSignalOp_t signalOp,
              uint64_t signalOpArg, ncclCoopAny coop, bool isDescriptor,
              ncclGinDescriptorSmem *descriptor, cuda::thread_scope given,
              cuda::thread_scope required)
{
    ncclGinSignal_v2(net, team, peer, isSignal, signalId, signalOp, signalOpArg,
                     coop, isDescriptor, descriptor, given, required,
                     ncclGinOptFlagsDefault);
}

/* ---- waiting for the network --------------------------------------------- */

__device__ static inline void ncclGinFlush(ncclGin_C *net, ncclCoopAny coop,
                                           cuda::memory_order order)
{
    simgpu::gin_of(net).flush(coop, order);
}
__device__ static inline void ncclGinFlush_v2(ncclGin_C *net, ncclCoopAny coop,
                                              cuda::memory_order order, bool,
                                              ncclGinDescriptorSmem *)
{
    simgpu::gin_of(net).flush(coop, order);
}
__device__ static inline ncclResult_t
ncclGinFlushTimeout(ncclGin_C *net, ncclCoopAny coop, cuda::memory_order order,
                    bool, ncclGinDescriptorSmem *, uint64_t timeoutCycles)
{
    return simgpu::gin_of(net).flush(coop, order, ncclGin_None{},
                                     timeoutCycles);
}
__device__ static inline void
ncclGinFlushAsync(ncclGin_C *net, ncclTeam team, uint32_t peer,
                  ncclGinRequest_t *outRequest, ncclCoopAny coop,
                  uint32_t optFlags, bool, ncclGinDescriptorSmem *)
{
    simgpu::gin_of(net).flushAsync(team, peer, outRequest, coop, optFlags);
}
__device__ static inline void
ncclGinWait(ncclGin_C *net, ncclGinRequest_t *request, ncclCoopAny coop, bool,
            ncclGinDescriptorSmem *, cuda::memory_order order)
{
    simgpu::gin_of(net).wait(*request, coop, ncclGin_None{}, order);
}
__device__ static inline ncclResult_t
ncclGinWaitTimeout(ncclGin_C *net, ncclGinRequest_t *request, ncclCoopAny coop,
                   bool, ncclGinDescriptorSmem *, cuda::memory_order order,
                   uint64_t timeoutCycles)
{
    return simgpu::gin_of(net).wait(*request, coop, ncclGin_None{}, order,
                                    timeoutCycles);
}

/* ---- counters ------------------------------------------------------------ */

__device__ static inline uint64_t ncclGinReadCounter(ncclGin_C *net,
                                                     ncclGinCounter_t counter,
                                                     int bits,
                                                     cuda::memory_order order)
{
    return simgpu::gin_of(net).readCounter(counter, bits, order);
}
__device__ static inline void
ncclGinWaitCounter(ncclGin_C *net, ncclCoopAny coop, ncclGinCounter_t counter,
                   uint64_t least, int bits, cuda::memory_order order)
{
    simgpu::gin_of(net).waitCounter(coop, counter, least, bits, order);
}
__device__ static inline ncclResult_t
ncclGinWaitCounterTimeout(ncclGin_C *net, ncclCoopAny coop,
                          ncclGinCounter_t counter, uint64_t least, int bits,
                          cuda::memory_order order, uint64_t timeoutCycles)
{
    return simgpu::gin_of(net).waitCounter(coop, counter, least, bits, order,
                                           timeoutCycles);
}
__device__ static inline void ncclGinResetCounter(ncclGin_C *net,
                                                  ncclGinCounter_t counter)
{
    simgpu::gin_of(net).resetCounter(counter);
}

/* ---- signals ------------------------------------------------------------- */

__device__ static inline uint64_t *
ncclGinGetSignalShadowPtr(ncclGin_C *net, ncclGinSignal_t signal)
{
    return simgpu::gin_of(net).getSignalShadowPtr(signal);
}
__device__ static inline void
ncclGinIncreaseSignalShadow(ncclGin_C *net, ncclGinSignal_t signal,
                            uint64_t delta)
{
    simgpu::gin_of(net).increaseSignalShadow(signal, delta);
}
__device__ static inline uint64_t ncclGinReadSignal(ncclGin_C *net,
                                                    ncclGinSignal_t signal,
                                                    int bits,
                                                    cuda::memory_order order)
{
    return simgpu::gin_of(net).readSignal(signal, bits, order);
}
__device__ static inline uint64_t
ncclGinReadSignalVA(ncclGin_C *net, ncclWindow_t signalWindow,
                    size_t signalOffset, int bits, cuda::memory_order order)
{
    return simgpu::gin_of(net).readSignal(signalWindow, signalOffset, bits,
                                          order);
}
__device__ static inline void
ncclGinWaitSignal(ncclGin_C *net, ncclCoopAny coop, ncclGinSignal_t signal,
                  uint64_t least, int bits, cuda::memory_order order)
{
    simgpu::gin_of(net).waitSignal(coop, signal, least, bits, order);
}
__device__ static inline ncclResult_t
ncclGinWaitSignalTimeout(ncclGin_C *net, ncclCoopAny coop,
                         ncclGinSignal_t signal, uint64_t least, int bits,
                         cuda::memory_order order, uint64_t timeoutCycles)
{
    return simgpu::gin_of(net).waitSignal(coop, signal, least, bits, order,
                                          timeoutCycles);
}
__device__ static inline void
ncclGinWaitSignalVA(ncclGin_C *net, ncclCoopAny coop, ncclWindow_t signalWindow,
                    size_t signalOffset, uint64_t least, int bits,
                    cuda::memory_order order)
{
    simgpu::gin_of(net).waitSignal(coop, signalWindow, signalOffset, least,
                                   bits, order);
}
__device__ static inline ncclResult_t
ncclGinWaitSignalTimeoutVA(ncclGin_C *net, ncclCoopAny coop,
                           ncclWindow_t signalWindow, size_t signalOffset,
                           uint64_t least, int bits, cuda::memory_order order,
                           uint64_t timeoutCycles)
{
    return simgpu::gin_of(net).waitSignal(coop, signalWindow, signalOffset,
                                          least, bits, order, timeoutCycles);
}
__device__ static inline void
ncclGinWaitSignalMeetShadow(ncclGin_C *net, ncclCoopAny coop,
                            ncclGinSignal_t signal, int bits,
                            cuda::memory_order order)
{
    simgpu::gin_of(net).waitSignalMeetShadow(coop, signal, bits, order);
}
__device__ static inline void
ncclGinWaitSignalFollowShadow(ncclGin_C *net, ncclCoopAny coop,
                              ncclGinSignal_t signal, uint64_t leastDelta,
                              uint64_t *before, uint64_t *delta, int bits,
                              cuda::memory_order order)
{
    simgpu::gin_of(net).waitSignalFollowShadow(coop, signal, leastDelta, before,
                                               delta, bits, order);
}
__device__ static inline void ncclGinResetSignal(ncclGin_C *net,
                                                 ncclGinSignal_t signal)
{
    simgpu::gin_of(net).resetSignal(signal);
}
__device__ static inline void ncclGinResetSignalVA(ncclGin_C *net,
                                                   ncclWindow_t signalWindow,
                                                   size_t signalOffset)
{
    simgpu::gin_of(net).resetSignal(signalWindow, signalOffset);
}

#endif
