/*
 * settings.c: limits, flags and preferences that programs set for devices
 */
#include <stdint.h> /* SIZE_MAX */
#include <string.h> /* memcmp */

#include "core/device.h"
#include "core/proc.h"
#include "core/stream/stream.h"
#include "cudart/api.h"
#include "cudart/graphs/capture.h"
#include "cudart/kernels/limits.h"
#include "device/allocate.h"
#include "device/launch.h"

static unsigned flags[PROC_MAX_DEVICES];
static enum cudaFuncCache cache[PROC_MAX_DEVICES];

static int valid(int device)
{
    return device >= 0 && device < simgpu_proc()->ndevices;
}

/* ---- limits -------------------------------------------------------------- */

enum {
    STACK_STEP = 16,
    PRINTF_OF_SM = 64 << 10,
    LEAST_PRINTF = 512 << 10,
    LEAST_HEAP = 4 << 20,
    L2_PARTS = 16,     /* parts of the L2 cache, whose lines persist or not */
    L2_PERSISTING = 3, /* parts that persist by default */
    L2_MOST = 10,
    SHARED_SIZE = 7, /* per block; only the driver's header has the name */
    LIMITS
};

/* Limits that the program has set, by device; 0: not set. */
static size_t limits[PROC_MAX_DEVICES][LIMITS];

static size_t l2_part(int device)
{
    return (size_t)simgpu_proc_gpu(device)->l2_nbytes / L2_PARTS;
}

static size_t default_limit(int device, int limit)
{
    const struct topo_gpu *const g = simgpu_proc_gpu(device);
    switch (limit) {
    case cudaLimitStackSize: return 1024;
    case cudaLimitPrintfFifoSize: return (size_t)g->nsm * PRINTF_OF_SM;
    case cudaLimitMallocHeapSize: return ALLOCATE_LIMIT;
    case cudaLimitDevRuntimeSyncDepth: return 2;
    case cudaLimitDevRuntimePendingLaunchCount: return 2048;
    case cudaLimitMaxL2FetchGranularity: return 64;
    case cudaLimitPersistingL2CacheSize: return l2_part(device) * L2_PERSISTING;
    default: return (size_t)limits_of(device)->shared_per_block_max;
    }
}

static size_t at_least(size_t value, size_t least)
{
    return value > least ? value : least;
}

static size_t up_to_step(size_t value, size_t step)
{
    return (value + step - 1) / step * step;
}

/* The limit that results from a value that the program sets. */
static size_t rounded_limit(int device, int limit, size_t value)
{
    switch (limit) {
    case cudaLimitStackSize: return up_to_step(value, STACK_STEP);
    case cudaLimitPrintfFifoSize: return at_least(value, LEAST_PRINTF);
    case cudaLimitMallocHeapSize: return at_least(value, LEAST_HEAP);
    case cudaLimitPersistingL2CacheSize:
        return up_to_step(value, l2_part(device));
    default: return value;
    }
}

/* The largest value that a limit can have. */
static size_t most_of_limit(int device, int limit)
{
    switch (limit) {
    case cudaLimitMaxL2FetchGranularity: return 128;
    case cudaLimitPersistingL2CacheSize: return l2_part(device) * L2_MOST;
    default: return SIZE_MAX;
    }
}

static cudaError_t check_limit(int device, int limit)
{
    if (limit < 0 || limit >= LIMITS)
        return cudaErrorInvalidValue;
    // kernels of compute capability 9.0 cannot wait for their children
    return limit == cudaLimitDevRuntimeSyncDepth && limits_of(device)->sm >= 90
               ? cudaErrorUnsupportedLimit
               : cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    API_ENTER();
    const int device = simgpu_device_current();
    const cudaError_t err = check_limit(device, (int)limit);
    if (err != cudaSuccess)
        return api_return(err);
    if ((int)limit == SHARED_SIZE)
        return api_return(cudaErrorNotPermitted);
    if (value > most_of_limit(device, (int)limit))
        return api_return(cudaErrorInvalidValue);
    const cudaError_t captured = capture_allows_unsafe();
    if (captured != cudaSuccess)
        return api_return(captured);
    limits[device][limit] = rounded_limit(device, (int)limit, value);
    if (limit == cudaLimitMallocHeapSize)
        allocate_set_limit(device, limits[device][limit]);
    return api_return(cudaSuccess);
}

cudaError_t cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit)
{
    simgpu_proc(); // may be the program's first call
    const int device = simgpu_device_current();
    const cudaError_t err =
        pValue ? check_limit(device, (int)limit) : cudaErrorInvalidValue;
    if (err != cudaSuccess)
        return api_return(err);
    const size_t set = limits[device][limit];
    *pValue = set ? set : default_limit(device, (int)limit);
    return api_return(cudaSuccess);
}

/* ---- preferences --------------------------------------------------------- */

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig)
{
    if ((int)cacheConfig < 0 || cacheConfig > cudaFuncCachePreferEqual)
        return api_return(cudaErrorInvalidValue);
    cache[simgpu_device_current()] = cacheConfig;
    return api_return(cudaSuccess);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig)
{
    if (!pCacheConfig)
        return api_return(cudaErrorInvalidValue);
    *pCacheConfig = cache[simgpu_device_current()];
    return api_return(cudaSuccess);
}

/* Banks of shared memory have had 4 bytes since Maxwell. */
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *pConfig)
{
    if (!pConfig)
        return api_return(cudaErrorInvalidValue);
    *pConfig = cudaSharedMemBankSizeFourByte;
    return api_return(cudaSuccess);
}

static cudaError_t check_banks(enum cudaSharedMemConfig config)
{
    return (int)config >= 0 && config <= cudaSharedMemBankSizeEightByte
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    return api_return(check_banks(config));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *func,
                                       enum cudaSharedMemConfig config)
{
    return api_return(kernel_find(func) ? check_banks(config)
                      : func            ? cudaErrorInvalidResourceHandle
                                        : cudaErrorInvalidDeviceFunction);
}

/* At most one way to wait, and only known bits. */
static int are_valid(unsigned f)
{
    const unsigned schedule = f & cudaDeviceScheduleMask;
    return !(f & ~(unsigned)cudaDeviceMask) &&
           (schedule == 0 || schedule == 1 || schedule == 2 || schedule == 4);
}

cudaError_t cudaSetDeviceFlags(unsigned int wanted)
{
    API_ENTER();
    if (!are_valid(wanted))
        return api_return(cudaErrorInvalidValue);
    flags[simgpu_device_current()] = wanted;
    return api_return(cudaSuccess);
}

cudaError_t cudaGetDeviceFlags(unsigned int *out)
{
    if (!out)
        return api_return(cudaErrorInvalidValue);
    *out = flags[simgpu_device_current()] | cudaDeviceMapHost;
    return api_return(cudaSuccess);
}

cudaError_t cudaInitDevice(int device, unsigned int deviceFlags,
                           unsigned int how)
{
    API_ENTER();
    if (!valid(device))
        return api_return(cudaErrorInvalidDevice);
    if ((how & ~(unsigned)cudaInitDeviceFlagsAreValid) ||
        !are_valid(deviceFlags))
        return api_return(cudaErrorInvalidValue);
    if (how & cudaInitDeviceFlagsAreValid)
        flags[device] = deviceFlags;
    return api_return(cudaSuccess);
}

cudaError_t cudaSetValidDevices(int *device_arr, int len)
{
    if (len < 0 || len > simgpu_proc()->ndevices || (len && !device_arr))
        return api_return(cudaErrorInvalidValue);
    for (int i = 0; i < len; i++)
        if (!valid(device_arr[i]))
            return api_return(cudaErrorInvalidDevice);
    return api_return(cudaSuccess);
}

/* The number of wanted properties (those that are not 0) that a device has,
 * among those in which the GPUs of a node can differ. */
static int score(const struct cudaDeviceProp *want,
                 const struct cudaDeviceProp *has)
{
    int n = 0;
    n += want->major &&
         (want->major < has->major ||
          (want->major == has->major && want->minor <= has->minor));
    n += want->pciBusID && want->pciBusID == has->pciBusID;
    return n;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    int best = -1;
    if (!device || !prop)
        return api_return(cudaErrorInvalidValue);
    for (int i = 0; i < simgpu_proc()->ndevices; i++) {
        struct cudaDeviceProp has;
        cudaGetDeviceProperties(&has, i);
        const int points = score(prop, &has);
        if (points > best) {
            best = points;
            *device = i;
        }
    }
    return api_return(cudaSuccess);
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return api_return(cudaSuccess); // no lines persist
}

cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(
    enum cudaFlushGPUDirectRDMAWritesTarget target,
    enum cudaFlushGPUDirectRDMAWritesScope scope)
{
    return api_return(
        target != cudaFlushGPUDirectRDMAWritesTargetCurrentDevice ||
                (scope != cudaFlushGPUDirectRDMAWritesToOwner &&
                 scope != cudaFlushGPUDirectRDMAWritesToAllDevices)
            ? cudaErrorInvalidValue
            : cudaErrorNotSupported); // no network writes to devices
}

/* ---- atomics over links -------------------------------------------------- */

/* All operations are native over NVLink, none over PCIe. */
static void capabilities(unsigned *out, unsigned count, int native)
{
    for (unsigned i = 0; i < count; i++)
        out[i] = native ? cudaAtomicCapabilitySigned |
                              cudaAtomicCapabilityUnsigned |
                              cudaAtomicCapabilityScalar32 |
                              cudaAtomicCapabilityScalar64
                        : 0;
}

cudaError_t cudaDeviceGetP2PAtomicCapabilities(
    unsigned int *out, const enum cudaAtomicOperation *operations,
    unsigned int count, int srcDevice, int dstDevice)
{
    int native;
    if (!out || !operations || !count)
        return api_return(cudaErrorInvalidValue);
    if (srcDevice == dstDevice)
        return api_return(cudaErrorInvalidDevice);
    const cudaError_t err = cudaDeviceGetP2PAttribute(
        &native, cudaDevP2PAttrNativeAtomicSupported, srcDevice, dstDevice);
    if (err == cudaSuccess)
        capabilities(out, count, native);
    return err;
}

cudaError_t
cudaDeviceGetHostAtomicCapabilities(unsigned int *out,
                                    const enum cudaAtomicOperation *operations,
                                    unsigned int count, int device)
{
    if (!out || !operations || !count)
        return api_return(cudaErrorInvalidValue);
    if (!valid(device))
        return api_return(cudaErrorInvalidDevice);
    capabilities(out, count, 0);
    return api_return(cudaSuccess);
}
