/*
 * device.c: which devices there are, and what they are like
 */
#include "cudart/api.h"
#include "cudart/limits.h"

#include <stdio.h>   /* snprintf */
#include <string.h>  /* memset */
#include <strings.h> /* strcasecmp */

enum {
    DRIVER_VERSION = 13000,
    MAX_THREADS = 1024,
};

/* Peer access that device [i] has to device [k]. */
static unsigned char enabled[PROC_MAX_DEVICES][PROC_MAX_DEVICES];

static int valid(int device)
{
    return device >= 0 && device < proc()->ndevices;
}

static const struct topo_gpu *gpu_of(int device)
{
    return topo_gpu(proc()->topo, proc_place(device));
}

cudaError_t cudaGetDeviceCount(int *count)
{
    if (!count)
        return api_return(cudaErrorInvalidValue);
    *count = proc()->ndevices;
    return api_return(cudaSuccess);
}

cudaError_t cudaSetDevice(int device)
{
    return api_return(device_set(device) == 0 ? cudaSuccess
                                              : cudaErrorInvalidDevice);
}

cudaError_t cudaGetDevice(int *device)
{
    if (!device)
        return api_return(cudaErrorInvalidValue);
    *device = device_current();
    return api_return(cudaSuccess);
}

/* "0000:1b:00.0" taken apart. */
static void bus_id(const struct topo_gpu *g, unsigned *domain, unsigned *bus,
                   unsigned *device)
{
    *domain = *bus = *device = 0;
    sscanf(g->bus_id, "%x:%x:%x", domain, bus, device);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    if (!prop)
        return api_return(cudaErrorInvalidValue);
    if (!valid(device))
        return api_return(cudaErrorInvalidDevice);
    const struct topo_gpu *const g = gpu_of(device);
    const struct limits *const l = limits_of(device);
    unsigned domain, bus, number;
    bus_id(g, &domain, &bus, &number);
    *prop = (struct cudaDeviceProp){
        .totalGlobalMem = g->mem_nbytes,
        .sharedMemPerBlock = (size_t)l->shared_per_block,
        .regsPerBlock = 65536,
        .warpSize = 32,
        .memPitch = 0x7fffffff,
        .maxThreadsPerBlock = MAX_THREADS,
        .maxThreadsDim = {1024, 1024, 64},
        .maxGridSize = {0x7fffffff, 65535, 65535},
        .totalConstMem = 64 << 10,
        .major = g->sm / 10,
        .minor = g->sm % 10,
        .textureAlignment = 512,
        .multiProcessorCount = g->nsm,
        .canMapHostMemory = 1,
        .concurrentKernels = 1,
        .pciBusID = (int)bus,
        .pciDeviceID = (int)number,
        .pciDomainID = (int)domain,
        .asyncEngineCount = 3,
        .unifiedAddressing = 1,
        .memoryBusWidth = g->mem_bus_bits,
        .l2CacheSize = (int)g->l2_nbytes,
        .maxThreadsPerMultiProcessor = l->threads_per_sm,
        .streamPrioritiesSupported = 1,
        .sharedMemPerMultiprocessor = (size_t)l->shared_per_sm,
        .regsPerMultiprocessor = 65536,
        .managedMemory = 1,
        .cooperativeLaunch = 0,
        .sharedMemPerBlockOptin = (size_t)l->shared_per_block_max,
        .maxBlocksPerMultiProcessor = l->blocks_per_sm,
        .memoryPoolsSupported = 1,
        .hostRegisterSupported = 1,
        .ipcEventSupported = 1,
    };
    snprintf(prop->name, sizeof prop->name, "%s", g->name);
    snprintf(prop->uuid.bytes, sizeof prop->uuid.bytes, "simgpu-%d",
             proc_place(device));
    return api_return(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr,
                                   int device)
{
    struct cudaDeviceProp p;
    if (!value)
        return api_return(cudaErrorInvalidValue);
    const cudaError_t err = cudaGetDeviceProperties(&p, device);
    if (err != cudaSuccess)
        return err;
    switch (attr) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxBlockDimX: *value = p.maxThreadsDim[0]; break;
    case cudaDevAttrMaxBlockDimY: *value = p.maxThreadsDim[1]; break;
    case cudaDevAttrMaxBlockDimZ: *value = p.maxThreadsDim[2]; break;
    case cudaDevAttrMaxGridDimX: *value = p.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *value = p.maxGridSize[1]; break;
    case cudaDevAttrMaxGridDimZ: *value = p.maxGridSize[2]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = (int)p.sharedMemPerBlock;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = (int)p.sharedMemPerBlockOptin;
        break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = (int)p.sharedMemPerMultiprocessor;
        break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrMaxRegistersPerBlock: *value = p.regsPerBlock; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = p.maxThreadsPerMultiProcessor;
        break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrPciBusId: *value = p.pciBusID; break;
    case cudaDevAttrPciDeviceId: *value = p.pciDeviceID; break;
    case cudaDevAttrPciDomainId: *value = p.pciDomainID; break;
    case cudaDevAttrClockRate: *value = gpu_of(device)->clock_khz; break;
    case cudaDevAttrMemoryClockRate:
        *value = gpu_of(device)->mem_clock_khz;
        break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = p.memoryBusWidth; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrUnifiedAddressing: *value = 1; break;
    case cudaDevAttrManagedMemory: *value = 1; break;
    case cudaDevAttrConcurrentKernels: *value = 1; break;
    case cudaDevAttrCanMapHostMemory: *value = 1; break;
    case cudaDevAttrAsyncEngineCount: *value = p.asyncEngineCount; break;
    case cudaDevAttrCooperativeLaunch: *value = 0; break;
    case cudaDevAttrStreamPrioritiesSupported: *value = 1; break;
    case cudaDevAttrTotalConstantMemory: *value = (int)p.totalConstMem; break;
    case cudaDevAttrMaxPitch: *value = (int)p.memPitch; break;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        *value = p.regsPerMultiprocessor;
        break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        *value = p.maxBlocksPerMultiProcessor;
        break;
    case cudaDevAttrMemoryPoolsSupported:
        *value = p.memoryPoolsSupported;
        break;
    case cudaDevAttrHostRegisterSupported:
        *value = p.hostRegisterSupported;
        break;
    case cudaDevAttrIpcEventSupport: *value = p.ipcEventSupported; break;
    case cudaDevAttrGpuOverlap: *value = 1; break;
    case cudaDevAttrComputeMode: // default: several threads and processes
    case cudaDevAttrIntegrated:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrTccDriver:
    case cudaDevAttrIsMultiGpuBoard:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrClusterLaunch: *value = 0; break;
    default: return api_return(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
    if (!pciBusId || len < 13)
        return api_return(cudaErrorInvalidValue);
    if (!valid(device))
        return api_return(cudaErrorInvalidDevice);
    snprintf(pciBusId, (size_t)len, "%s", gpu_of(device)->bus_id);
    return api_return(cudaSuccess);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId)
{
    if (!device || !pciBusId)
        return api_return(cudaErrorInvalidValue);
    for (int i = 0; i < proc()->ndevices; i++)
        if (strcasecmp(gpu_of(i)->bus_id, pciBusId) == 0) {
            *device = i;
            return api_return(cudaSuccess);
        }
    return api_return(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceSynchronize(void)
{
    enum { MAX = 1024 };
    struct mark marks[MAX];
    API_ENTER();
    const int n = device_marks(device_current(), 0, marks, MAX);
    marks_join(marks, n, "cudaDeviceSynchronize", PROC_SITE());
    return api_return(cudaSuccess);
}

/*
 * The device as it was at the beginning: no memory, no streams, no error. Its
 * operations are waited for first; handles and pointers of it are dead.
 */
cudaError_t cudaDeviceReset(void)
{
    enum { MAX = 1024 };
    struct mark marks[MAX];
    API_ENTER();
    const int device = device_current();
    const int n = device_marks(device, 0, marks, MAX);
    marks_join(marks, n, "cudaDeviceReset", PROC_SITE());
    streams_reset(device);
    heap_reset(device);
    memset(enabled[device], 0, sizeof enabled[device]);
    device_reset_error(device);
    return api_return(cudaSuccess);
}

/* ---- peers ---------------------------------------------------------------- */

int api_peers(int a, int b)
{
    return a == b || enabled[a][b] || enabled[b][a];
}

int api_reaches(int device, int peer)
{
    return device == peer || enabled[device][peer];
}

cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device,
                                    int peerDevice)
{
    if (!canAccessPeer)
        return api_return(cudaErrorInvalidValue);
    if (!valid(device) || !valid(peerDevice))
        return api_return(cudaErrorInvalidDevice);
    *canAccessPeer =
        topo_p2p(proc()->topo, proc_place(device), proc_place(peerDevice));
    return api_return(cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags)
{
    const int device = device_current();
    int can;
    if (flags != 0)
        return api_return(cudaErrorInvalidValue);
    if (!valid(peerDevice) || peerDevice == device)
        return api_return(cudaErrorInvalidDevice);
    cudaDeviceCanAccessPeer(&can, device, peerDevice);
    if (!can)
        return api_return(cudaErrorPeerAccessUnsupported);
    if (enabled[device][peerDevice])
        return api_return(cudaErrorPeerAccessAlreadyEnabled);
    enabled[device][peerDevice] = 1;
    return api_return(cudaSuccess);
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice)
{
    const int device = device_current();
    if (!valid(peerDevice))
        return api_return(cudaErrorInvalidDevice);
    if (!enabled[device][peerDevice])
        return api_return(cudaErrorPeerAccessNotEnabled);
    enabled[device][peerDevice] = 0;
    return api_return(cudaSuccess);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr,
                                      int srcDevice, int dstDevice)
{
    int can;
    if (!value || srcDevice == dstDevice)
        return api_return(cudaErrorInvalidValue);
    const cudaError_t err = cudaDeviceCanAccessPeer(&can, srcDevice, dstDevice);
    if (err != cudaSuccess)
        return err;
    *value = attr == cudaDevP2PAttrPerformanceRank ? 0 : can;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority,
                                             int *greatestPriority)
{
    if (leastPriority)
        *leastPriority = 0;
    if (greatestPriority)
        *greatestPriority = -5;
    return api_return(cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int *driverVersion)
{
    if (!driverVersion)
        return api_return(cudaErrorInvalidValue);
    *driverVersion = DRIVER_VERSION;
    return api_return(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int *runtimeVersion)
{
    return cudaDriverGetVersion(runtimeVersion);
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    size_t used;
    if (!free || !total)
        return api_return(cudaErrorInvalidValue);
    heap_usage(device_current(), &used, total);
    *free = *total - used;
    return api_return(cudaSuccess);
}
