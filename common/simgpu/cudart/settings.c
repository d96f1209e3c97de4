/*
 * settings.c: limits, flags and choices that programs make for devices
 */
#include <string.h> /* memcmp */

#include "core/device.h"
#include "core/proc.h"
#include "core/stream.h"
#include "cudart/api.h"

enum { DEFAULT_STACK = 1024, DEFAULT_PRINTF = 1 << 20, DEFAULT_HEAP = 8 << 20 };

/* Limits of each device; 0: the default. */
static size_t limits[PROC_MAX_DEVICES][cudaLimitPersistingL2CacheSize + 1];
static unsigned flags[PROC_MAX_DEVICES];
static enum cudaFuncCache cache[PROC_MAX_DEVICES];

static int valid(int device)
{
    return device >= 0 && device < simgpu_proc()->ndevices;
}

static size_t default_of(enum cudaLimit limit)
{
    switch (limit) {
    case cudaLimitStackSize: return DEFAULT_STACK;
    case cudaLimitPrintfFifoSize: return DEFAULT_PRINTF;
    case cudaLimitMallocHeapSize: return DEFAULT_HEAP;
    case cudaLimitDevRuntimeSyncDepth: return 2;
    case cudaLimitDevRuntimePendingLaunchCount: return 2048;
    case cudaLimitMaxL2FetchGranularity: return 64;
    case cudaLimitPersistingL2CacheSize: return 0;
    }
    return 0;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    API_ENTER();
    if ((int)limit < 0 || limit > cudaLimitPersistingL2CacheSize)
        return api_return(cudaErrorUnsupportedLimit);
    if (limit == cudaLimitMaxL2FetchGranularity && value > 128)
        return api_return(cudaErrorInvalidValue);
    limits[simgpu_device_current()][limit] = value;
    return api_return(cudaSuccess);
}

cudaError_t cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit)
{
    if (!pValue)
        return api_return(cudaErrorInvalidValue);
    if ((int)limit < 0 || limit > cudaLimitPersistingL2CacheSize)
        return api_return(cudaErrorUnsupportedLimit);
    const size_t set = limits[simgpu_device_current()][limit];
    *pValue = set ? set : default_of(limit);
    return api_return(cudaSuccess);
}

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
    return api_return(func ? check_banks(config)
                           : cudaErrorInvalidDeviceFunction);
}

/* At most one way to wait, and known bits. */
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

/* How many of the wanted properties (those that are not 0) a device has. */
static int score(const struct cudaDeviceProp *want,
                 const struct cudaDeviceProp *has)
{
    int n = 0;
    n += want->name[0] && !strcmp(want->name, has->name);
    n += want->totalGlobalMem && want->totalGlobalMem <= has->totalGlobalMem;
    n += want->major &&
         (want->major < has->major ||
          (want->major == has->major && want->minor <= has->minor));
    n += want->multiProcessorCount &&
         want->multiProcessorCount <= has->multiProcessorCount;
    n += want->sharedMemPerBlock &&
         want->sharedMemPerBlock <= has->sharedMemPerBlock;
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
    return api_return(cudaSuccess); // nothing persists
}

cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(
    enum cudaFlushGPUDirectRDMAWritesTarget target,
    enum cudaFlushGPUDirectRDMAWritesScope scope)
{
    (void)target, (void)scope;
    return api_return(cudaErrorNotSupported); // no network writes to devices
}

/* ---- atomics across links ------------------------------------------------ */

/* All operations, natively, over NVLink; none across PCIe. */
static cudaError_t capabilities(unsigned *out,
                                const enum cudaAtomicOperation *operations,
                                unsigned count, int native)
{
    if (!out || !operations || !count)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++)
        out[i] = native ? cudaAtomicCapabilitySigned |
                              cudaAtomicCapabilityUnsigned |
                              cudaAtomicCapabilityScalar32 |
                              cudaAtomicCapabilityScalar64
                        : 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAtomicCapabilities(
    unsigned int *out, const enum cudaAtomicOperation *operations,
    unsigned int count, int srcDevice, int dstDevice)
{
    int native;
    const cudaError_t err = cudaDeviceGetP2PAttribute(
        &native, cudaDevP2PAttrNativeAtomicSupported, srcDevice, dstDevice);
    return err ? err : api_return(capabilities(out, operations, count, native));
}

cudaError_t
cudaDeviceGetHostAtomicCapabilities(unsigned int *out,
                                    const enum cudaAtomicOperation *operations,
                                    unsigned int count, int device)
{
    if (!valid(device))
        return api_return(cudaErrorInvalidDevice);
    return api_return(capabilities(out, operations, count, 0));
}
