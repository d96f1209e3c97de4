/*
 * gin_types.h: the arguments of ncclGin's operations
 */
#ifndef SIMGPU_NCCL_DEVICE_GIN_TYPES_H
#define SIMGPU_NCCL_DEVICE_GIN_TYPES_H

#include "host.h"

/* ---- actions when a put is complete -------------------------------------- */

struct ncclGin_None {
};
struct ncclGinDescriptorSmem {
    alignas(64) char space[128];
};
struct ncclGin_DescriptorSmem {
    ncclGinDescriptorSmem *descriptor;
};

/* At the peer, increase signal number `signal`. */
struct ncclGin_SignalAdd {
    ncclGinSignal_t signal;
    uint64_t value;
};
struct ncclGin_StrongSignalAdd : ncclGin_SignalAdd {
};
struct ncclGin_WeakSignalAdd : ncclGin_SignalAdd {
};
struct ncclGin_SignalInc {
    ncclGinSignal_t signal;
};
struct ncclGin_StrongSignalInc : ncclGin_SignalInc {
};
struct ncclGin_WeakSignalInc : ncclGin_SignalInc {
};

/* The same for a 64-bit word in a window. */
struct ncclGin_VASignalAdd {
    ncclWindow_t signalWindow;
    size_t signalOffset;
    uint64_t value;
};
struct ncclGin_StrongVASignalAdd : ncclGin_VASignalAdd {
};
struct ncclGin_WeakVASignalAdd : ncclGin_VASignalAdd {
};
struct ncclGin_VASignalInc {
    ncclWindow_t signalWindow;
    size_t signalOffset;
};
struct ncclGin_StrongVASignalInc : ncclGin_VASignalInc {
};
struct ncclGin_WeakVASignalInc : ncclGin_VASignalInc {
};

/* Here, increase a counter when the source may be used again. */
struct ncclGin_CounterInc {
    ncclGinCounter_t counter;
};
struct ncclGin_WeakCounterInc : ncclGin_CounterInc {
};

struct ncclGin_SegmentDevice {
};
struct ncclGin_SegmentMixed {
};
struct ncclGin_SegmentHostNuma {
};

/* The same, for the C forms. */
typedef enum ncclGinSegmentType {
    ncclGinSegmentTypeDevice = 0,
    ncclGinSegmentTypeMixed = 1,
    ncclGinSegmentTypeHostNuma = 2,
} ncclGinSegmentType_t;
typedef enum ncclGinSignalOp_t {
    ncclGinSignalInc = 0,
    ncclGinSignalAdd,
} ncclGinSignalOp_t;
enum ncclGinSignalType {
    NCCL_GIN_SIGNAL_TYPE_NONE,
    NCCL_GIN_SIGNAL_TYPE_VA,
    NCCL_GIN_SIGNAL_TYPE_INDEXED,
};

typedef enum {
    NCCL_NET_DEVICE_HOST = 0,
    NCCL_NET_DEVICE_UNPACK = 1,
    NCCL_NET_DEVICE_GIN_PROXY = 2,
    NCCL_NET_DEVICE_GIN_GDAKI = 3,
    NCCL_NET_DEVICE_GIN_GPI = 4,
    NCCL_NET_DEVICE_GIN_EFA_GDA = 5,
} ncclNetDeviceType;

enum ncclGinOptFlags {
    ncclGinOptFlagsDefault = 0,
    ncclGinOptFlagsMaySkipCreditCheck = 1 << 0,
    ncclGinOptFlagsAggregateRequests = 1 << 1,
};
enum ncclGinResourceSharingMode : uint8_t {
    NCCL_GIN_RESOURCE_SHARING_GPU = 0,
    NCCL_GIN_RESOURCE_SHARING_CTA = 1,
    NCCL_GIN_RESOURCE_SHARING_THREAD = 2,
};
#define NCCL_GIN_BACKEND_MASK_ALL (1u << NCCL_GIN_TYPE_PROXY)

#endif
