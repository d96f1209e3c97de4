/*
 * device.c: devices, their properties and peer access
 */
#include "core/device.h"
#include "base/gpu_name.h"
#include "core/heap.h"
#include "core/site.h"
#include "core/stream.h"
#include "core/visible.h"
#include "cudart/capture.h"
#include "cudart/limits.h"

#include <stddef.h> /* offsetof */
#include <stdio.h>  /* snprintf */
#include <string.h> /* memcpy */

enum {
    DRIVER_VERSION = 13000,
    MAX_THREADS = 1024,
};

static int valid(int device)
{
    return device >= 0 && device < simgpu_proc()->ndevices;
}

static const struct topo_gpu *gpu_of(int device)
{
    return topo_gpu(simgpu_proc()->topo, simgpu_proc_place(device));
}

cudaError_t cudaGetDeviceCount(int *count)
{
    if (!count)
        return api_return(cudaErrorInvalidValue);
    *count = simgpu_proc()->ndevices;
    return api_return(*count ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaSetDevice(int device)
{
    return api_return(simgpu_device_set(device) == 0 ? cudaSuccess
                                                     : cudaErrorInvalidDevice);
}

cudaError_t cudaGetDevice(int *device)
{
    if (!device)
        return api_return(cudaErrorInvalidValue);
    *device = simgpu_device_current();
    return api_return(cudaSuccess);
}

/* Where the reserved part has the members that CUDA 13 dropped. */
enum dropped {
    CLOCK_RATE,
    MEMORY_CLOCK_RATE,
    DEVICE_OVERLAP,
    EXEC_TIMEOUT,
    COMPUTE_MODE,
    TEXTURE_1D_LINEAR,
    SINGLE_TO_DOUBLE
};

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    if (!prop)
        return api_return(cudaErrorInvalidValue);
    if (!valid(device))
        return api_return(cudaErrorInvalidDevice);
    const struct topo_gpu *const g = gpu_of(device);
    const struct limits *const l = limits_of(device);
    struct gpu_name_pci pci = {0};
    gpu_name_pci(g->bus_id, &pci);
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
        .pciBusID = (int)pci.bus,
        .pciDeviceID = (int)pci.device,
        .pciDomainID = (int)pci.domain,
        .asyncEngineCount = 3,
        .unifiedAddressing = 1,
        .memoryBusWidth = g->mem_bus_bits,
        .l2CacheSize = (int)g->l2_nbytes,
        .maxThreadsPerMultiProcessor = l->threads_per_sm,
        .maxTexture1D = 131072,
        .maxTexture1DMipmap = 32768,
        .maxTexture2D = {131072, 65536},
        .maxTexture2DMipmap = {32768, 32768},
        .maxTexture2DLinear = {131072, 65000, 2097120},
        .maxTexture2DGather = {32768, 32768},
        .maxTexture3D = {16384, 16384, 16384},
        .maxTexture3DAlt = {8192, 8192, 32768},
        .maxTextureCubemap = 32768,
        .maxTexture1DLayered = {32768, 2048},
        .maxTexture2DLayered = {32768, 32768, 2048},
        .maxTextureCubemapLayered = {32768, 2046},
        .maxSurface1D = 32768,
        .maxSurface2D = {131072, 65536},
        .maxSurface3D = {16384, 16384, 16384},
        .maxSurface1DLayered = {32768, 2048},
        .maxSurface2DLayered = {32768, 32768, 2048},
        .maxSurfaceCubemap = 32768,
        .maxSurfaceCubemapLayered = {32768, 2046},
        .streamPrioritiesSupported = 1,
        .sharedMemPerMultiprocessor = (size_t)l->shared_per_sm,
        .regsPerMultiprocessor = 65536,
        .managedMemory = 1,
        .cooperativeLaunch = 1,
        .texturePitchAlignment = 32,
        .surfaceAlignment = 512,
        .globalL1CacheSupported = 1,
        .localL1CacheSupported = 1,
        .concurrentManagedAccess = 1,
        .computePreemptionSupported = 1,
        .canUseHostPointerForRegisteredMem = 1,
        .reservedSharedMemPerBlock = l->sm >= 80 ? 1024 : 0,
        .hostRegisterReadOnlySupported = 1,
        .memoryPoolSupportedHandleTypes = cudaMemHandleTypePosixFileDescriptor,
        .clusterLaunch = l->sm >= 90,
        .unifiedFunctionPointers = 1,
        .multiGpuBoardGroupID = device,
        .ECCEnabled = 1,
        .sharedMemPerBlockOptin = (size_t)l->shared_per_block_max,
        .maxBlocksPerMultiProcessor = l->blocks_per_sm,
        .memoryPoolsSupported = 1,
        .hostNumaId = g->numa,
        .hostRegisterSupported = 1,
        .ipcEventSupported = 1,
        .reserved = {[CLOCK_RATE] = g->clock_khz,
                     [MEMORY_CLOCK_RATE] = g->mem_clock_khz,
                     [DEVICE_OVERLAP] = 1,
                     [TEXTURE_1D_LINEAR] = 1 << 28,
                     // several threads and processes
                     [COMPUTE_MODE] = cudaComputeModeDefault,
                     [SINGLE_TO_DOUBLE] = // of these GPUs
                     g->sm % 10 == 0 && g->sm < 120 ? 2 : 64},
    };
    snprintf(prop->name, sizeof prop->name, "%s", g->name);
    visible_uuid(simgpu_proc_place(device), (unsigned char *)prop->uuid.bytes);
    return api_return(cudaSuccess);
}

/* Attributes that are members of the properties. */
#define MEMBER(attr, member)                                                   \
    {                                                                          \
        attr, offsetof(struct cudaDeviceProp, member),                         \
            sizeof((struct cudaDeviceProp *)0)->member                         \
    }
static const struct attribute {
    enum cudaDeviceAttr attr;
    size_t offset, nbytes; /* an int or a size_t */
} members[] = {
    MEMBER(cudaDevAttrMaxThreadsPerBlock, maxThreadsPerBlock),
    MEMBER(cudaDevAttrMaxBlockDimX, maxThreadsDim[0]),
    MEMBER(cudaDevAttrMaxBlockDimY, maxThreadsDim[1]),
    MEMBER(cudaDevAttrMaxBlockDimZ, maxThreadsDim[2]),
    MEMBER(cudaDevAttrMaxGridDimX, maxGridSize[0]),
    MEMBER(cudaDevAttrMaxGridDimY, maxGridSize[1]),
    MEMBER(cudaDevAttrMaxGridDimZ, maxGridSize[2]),
    MEMBER(cudaDevAttrMaxSharedMemoryPerBlock, sharedMemPerBlock),
    MEMBER(cudaDevAttrMaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin),
    MEMBER(cudaDevAttrMaxSharedMemoryPerMultiprocessor,
           sharedMemPerMultiprocessor),
    MEMBER(cudaDevAttrWarpSize, warpSize),
    MEMBER(cudaDevAttrMaxRegistersPerBlock, regsPerBlock),
    MEMBER(cudaDevAttrMultiProcessorCount, multiProcessorCount),
    MEMBER(cudaDevAttrMaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    MEMBER(cudaDevAttrComputeCapabilityMajor, major),
    MEMBER(cudaDevAttrComputeCapabilityMinor, minor),
    MEMBER(cudaDevAttrPciBusId, pciBusID),
    MEMBER(cudaDevAttrPciDeviceId, pciDeviceID),
    MEMBER(cudaDevAttrPciDomainId, pciDomainID),
    MEMBER(cudaDevAttrGlobalMemoryBusWidth, memoryBusWidth),
    MEMBER(cudaDevAttrL2CacheSize, l2CacheSize),
    MEMBER(cudaDevAttrUnifiedAddressing, unifiedAddressing),
    MEMBER(cudaDevAttrManagedMemory, managedMemory),
    MEMBER(cudaDevAttrConcurrentKernels, concurrentKernels),
    MEMBER(cudaDevAttrCanMapHostMemory, canMapHostMemory),
    MEMBER(cudaDevAttrAsyncEngineCount, asyncEngineCount),
    MEMBER(cudaDevAttrCooperativeLaunch, cooperativeLaunch),
    MEMBER(cudaDevAttrStreamPrioritiesSupported, streamPrioritiesSupported),
    MEMBER(cudaDevAttrTotalConstantMemory, totalConstMem),
    MEMBER(cudaDevAttrMaxPitch, memPitch),
    MEMBER(cudaDevAttrMaxRegistersPerMultiprocessor, regsPerMultiprocessor),
    MEMBER(cudaDevAttrMaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor),
    MEMBER(cudaDevAttrMemoryPoolsSupported, memoryPoolsSupported),
    MEMBER(cudaDevAttrHostRegisterSupported, hostRegisterSupported),
    MEMBER(cudaDevAttrIpcEventSupport, ipcEventSupported),
    MEMBER(cudaDevAttrTextureAlignment, textureAlignment),
    MEMBER(cudaDevAttrTexturePitchAlignment, texturePitchAlignment),
    MEMBER(cudaDevAttrSurfaceAlignment, surfaceAlignment),
    MEMBER(cudaDevAttrEccEnabled, ECCEnabled),
    MEMBER(cudaDevAttrIntegrated, integrated),
    MEMBER(cudaDevAttrTccDriver, tccDriver),
    MEMBER(cudaDevAttrGlobalL1CacheSupported, globalL1CacheSupported),
    MEMBER(cudaDevAttrLocalL1CacheSupported, localL1CacheSupported),
    MEMBER(cudaDevAttrIsMultiGpuBoard, isMultiGpuBoard),
    MEMBER(cudaDevAttrMultiGpuBoardGroupID, multiGpuBoardGroupID),
    MEMBER(cudaDevAttrHostNativeAtomicSupported, hostNativeAtomicSupported),
    MEMBER(cudaDevAttrPageableMemoryAccess, pageableMemoryAccess),
    MEMBER(cudaDevAttrConcurrentManagedAccess, concurrentManagedAccess),
    MEMBER(cudaDevAttrComputePreemptionSupported, computePreemptionSupported),
    MEMBER(cudaDevAttrCanUseHostPointerForRegisteredMem,
           canUseHostPointerForRegisteredMem),
    MEMBER(cudaDevAttrPageableMemoryAccessUsesHostPageTables,
           pageableMemoryAccessUsesHostPageTables),
    MEMBER(cudaDevAttrDirectManagedMemAccessFromHost,
           directManagedMemAccessFromHost),
    MEMBER(cudaDevAttrMaxPersistingL2CacheSize, persistingL2CacheMaxSize),
    MEMBER(cudaDevAttrMaxAccessPolicyWindowSize, accessPolicyMaxWindowSize),
    MEMBER(cudaDevAttrReservedSharedMemoryPerBlock, reservedSharedMemPerBlock),
    MEMBER(cudaDevAttrSparseCudaArraySupported, sparseCudaArraySupported),
    MEMBER(cudaDevAttrHostRegisterReadOnlySupported,
           hostRegisterReadOnlySupported),
    MEMBER(cudaDevAttrTimelineSemaphoreInteropSupported,
           timelineSemaphoreInteropSupported),
    MEMBER(cudaDevAttrGPUDirectRDMASupported, gpuDirectRDMASupported),
    MEMBER(cudaDevAttrGPUDirectRDMAFlushWritesOptions,
           gpuDirectRDMAFlushWritesOptions),
    MEMBER(cudaDevAttrGPUDirectRDMAWritesOrdering, gpuDirectRDMAWritesOrdering),
    MEMBER(cudaDevAttrMemoryPoolSupportedHandleTypes,
           memoryPoolSupportedHandleTypes),
    MEMBER(cudaDevAttrClusterLaunch, clusterLaunch),
    MEMBER(cudaDevAttrDeferredMappingCudaArraySupported,
           deferredMappingCudaArraySupported),
    MEMBER(cudaDevAttrNumaConfig, deviceNumaConfig),
    MEMBER(cudaDevAttrNumaId, deviceNumaId),
    MEMBER(cudaDevAttrMpsEnabled, mpsEnabled),
    MEMBER(cudaDevAttrHostNumaId, hostNumaId),
    MEMBER(cudaDevAttrGpuPciDeviceId, gpuPciDeviceID),
    MEMBER(cudaDevAttrGpuPciSubsystemId, gpuPciSubsystemID),
    MEMBER(cudaDevAttrHostNumaMultinodeIpcSupported,
           hostNumaMultinodeIpcSupported),
    MEMBER(cudaDevAttrClockRate, reserved[CLOCK_RATE]),
    MEMBER(cudaDevAttrMemoryClockRate, reserved[MEMORY_CLOCK_RATE]),
    MEMBER(cudaDevAttrGpuOverlap, reserved[DEVICE_OVERLAP]),
    MEMBER(cudaDevAttrKernelExecTimeout, reserved[EXEC_TIMEOUT]),
    MEMBER(cudaDevAttrComputeMode, reserved[COMPUTE_MODE]),
    MEMBER(cudaDevAttrSingleToDoublePrecisionPerfRatio,
           reserved[SINGLE_TO_DOUBLE]),
    MEMBER(cudaDevAttrMaxTexture1DWidth, maxTexture1D),
    MEMBER(cudaDevAttrMaxTexture2DWidth, maxTexture2D[0]),
    MEMBER(cudaDevAttrMaxTexture2DHeight, maxTexture2D[1]),
    MEMBER(cudaDevAttrMaxTexture3DWidth, maxTexture3D[0]),
    MEMBER(cudaDevAttrMaxTexture3DHeight, maxTexture3D[1]),
    MEMBER(cudaDevAttrMaxTexture3DDepth, maxTexture3D[2]),
    MEMBER(cudaDevAttrMaxTexture2DLayeredWidth, maxTexture2DLayered[0]),
    MEMBER(cudaDevAttrMaxTexture2DLayeredHeight, maxTexture2DLayered[1]),
    MEMBER(cudaDevAttrMaxTexture2DLayeredLayers, maxTexture2DLayered[2]),
    MEMBER(cudaDevAttrMaxTexture1DLayeredWidth, maxTexture1DLayered[0]),
    MEMBER(cudaDevAttrMaxTexture1DLayeredLayers, maxTexture1DLayered[1]),
    MEMBER(cudaDevAttrMaxTexture2DGatherWidth, maxTexture2DGather[0]),
    MEMBER(cudaDevAttrMaxTexture2DGatherHeight, maxTexture2DGather[1]),
    MEMBER(cudaDevAttrMaxTexture3DWidthAlt, maxTexture3DAlt[0]),
    MEMBER(cudaDevAttrMaxTexture3DHeightAlt, maxTexture3DAlt[1]),
    MEMBER(cudaDevAttrMaxTexture3DDepthAlt, maxTexture3DAlt[2]),
    MEMBER(cudaDevAttrMaxTextureCubemapWidth, maxTextureCubemap),
    MEMBER(cudaDevAttrMaxTextureCubemapLayeredWidth,
           maxTextureCubemapLayered[0]),
    MEMBER(cudaDevAttrMaxTextureCubemapLayeredLayers,
           maxTextureCubemapLayered[1]),
    MEMBER(cudaDevAttrMaxSurface1DWidth, maxSurface1D),
    MEMBER(cudaDevAttrMaxSurface2DWidth, maxSurface2D[0]),
    MEMBER(cudaDevAttrMaxSurface2DHeight, maxSurface2D[1]),
    MEMBER(cudaDevAttrMaxSurface3DWidth, maxSurface3D[0]),
    MEMBER(cudaDevAttrMaxSurface3DHeight, maxSurface3D[1]),
    MEMBER(cudaDevAttrMaxSurface3DDepth, maxSurface3D[2]),
    MEMBER(cudaDevAttrMaxSurface1DLayeredWidth, maxSurface1DLayered[0]),
    MEMBER(cudaDevAttrMaxSurface1DLayeredLayers, maxSurface1DLayered[1]),
    MEMBER(cudaDevAttrMaxSurface2DLayeredWidth, maxSurface2DLayered[0]),
    MEMBER(cudaDevAttrMaxSurface2DLayeredHeight, maxSurface2DLayered[1]),
    MEMBER(cudaDevAttrMaxSurface2DLayeredLayers, maxSurface2DLayered[2]),
    MEMBER(cudaDevAttrMaxSurfaceCubemapWidth, maxSurfaceCubemap),
    MEMBER(cudaDevAttrMaxSurfaceCubemapLayeredWidth,
           maxSurfaceCubemapLayered[0]),
    MEMBER(cudaDevAttrMaxSurfaceCubemapLayeredLayers,
           maxSurfaceCubemapLayered[1]),
    MEMBER(cudaDevAttrMaxTexture1DLinearWidth, reserved[TEXTURE_1D_LINEAR]),
    MEMBER(cudaDevAttrMaxTexture2DLinearWidth, maxTexture2DLinear[0]),
    MEMBER(cudaDevAttrMaxTexture2DLinearHeight, maxTexture2DLinear[1]),
    MEMBER(cudaDevAttrMaxTexture2DLinearPitch, maxTexture2DLinear[2]),
    MEMBER(cudaDevAttrMaxTexture2DMipmappedWidth, maxTexture2DMipmap[0]),
    MEMBER(cudaDevAttrMaxTexture2DMipmappedHeight, maxTexture2DMipmap[1]),
    MEMBER(cudaDevAttrMaxTexture1DMipmappedWidth, maxTexture1DMipmap),
};
#undef MEMBER

static int member_of(const struct cudaDeviceProp *p, const struct attribute *a)
{
    const char *const at = (const char *)p + a->offset;
    int value;
    size_t size;
    if (a->nbytes == sizeof size) {
        memcpy(&size, at, sizeof size);
        return (int)size;
    }
    memcpy(&value, at, sizeof value);
    return value;
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
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (members[i].attr == attr) {
            *value = member_of(&p, &members[i]);
            return cudaSuccess;
        }
    switch (attr) {
    case cudaDevAttrHostNumaMemoryPoolsSupported: *value = 1; break;
    case cudaDevAttrHostMemoryPoolsSupported:
    case cudaDevAttrOnlyPartialHostNativeAtomicSupported:
    case cudaDevAttrD3D12CigSupported:
    case cudaDevAttrVulkanCigSupported: *value = 0; break;
    case cudaDevAttrMemSyncDomainCount: *value = p.major >= 9 ? 4 : 1; break;
    case cudaDevAttrCanFlushRemoteWrites: *value = 0; break;
    default: return api_return(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
    enum { ENOUGH = sizeof "0000:1b:00.0" };
    if (!pciBusId || len <= 0)
        return api_return(cudaErrorInvalidValue);
    if (!valid(device))
        return api_return(len < ENOUGH ? cudaErrorInvalidValue
                                       : cudaErrorInvalidDevice);
    snprintf(pciBusId, (size_t)len, "%s", gpu_of(device)->bus_id); // cut off
    return api_return(len < ENOUGH ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId)
{
    struct gpu_name_pci own;
    if (!device || !pciBusId || !gpu_name_pci(pciBusId, &own))
        return api_return(cudaErrorInvalidValue);
    for (int i = 0; i < simgpu_proc()->ndevices; i++)
        if (gpu_name_pci(gpu_of(i)->bus_id, &own) &&
            gpu_name_is_pci(pciBusId, own)) {
            *device = i;
            return api_return(cudaSuccess);
        }
    return api_return(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceSynchronize(void)
{
    enum { MAX = 1024 };
    struct fence fences[MAX];
    API_ENTER();
    api_refuse_in_device_code(__func__, __builtin_return_address(0));
    const cudaError_t err = capture_allows_device_sync(simgpu_device_current());
    if (err != cudaSuccess)
        return api_return(err);
    const int n = stream_tails(simgpu_device_current(), 0, fences, MAX);
    simgpu_fence_join(fences, n, "cudaDeviceSynchronize", CALLER_SITE());
    return api_return(cudaSuccess);
}

/*
 * Return the device to its initial state: no memory, no streams. Waits for its
 * operations first; its handles and pointers become invalid. Nothing helps a
 * device on which an operation has failed: only a new process does.
 */
cudaError_t cudaDeviceReset(void)
{
    enum { MAX = 1024 };
    struct fence fences[MAX];
    API_ENTER();
    const int device = simgpu_device_current();
    const int n = stream_tails(device, 0, fences, MAX);
    simgpu_fence_join(fences, n, "cudaDeviceReset", CALLER_SITE());
    if (simgpu_device_error(device))
        return cudaSuccess;
    stream_release_all(device);
    heap_reset(device);
    device_drop_access(device);
    return api_return(cudaSuccess);
}

/* ---- peers --------------------------------------------------------------- */

cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device,
                                    int peerDevice)
{
    if (!valid(device) || !valid(peerDevice))
        return api_return(cudaErrorInvalidDevice);
    if (!canAccessPeer)
        return api_return(cudaErrorInvalidValue);
    *canAccessPeer = topo_p2p(simgpu_proc()->topo, simgpu_proc_place(device),
                              simgpu_proc_place(peerDevice));
    return api_return(cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags)
{
    const int device = simgpu_device_current();
    int can;
    if (!valid(peerDevice))
        return api_return(cudaErrorInvalidDevice);
    if (flags != 0)
        return api_return(cudaErrorInvalidValue);
    cudaDeviceCanAccessPeer(&can, device, peerDevice);
    if (!can || peerDevice == device)
        return api_return(cudaErrorPeerAccessUnsupported);
    if (device_has_access(device, peerDevice))
        return api_return(cudaErrorPeerAccessAlreadyEnabled);
    device_set_access(device, peerDevice, 1);
    return api_return(cudaSuccess);
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice)
{
    const int device = simgpu_device_current();
    if (!valid(peerDevice))
        return api_return(cudaErrorInvalidDevice);
    if (peerDevice == device || !device_has_access(device, peerDevice))
        return api_return(cudaErrorPeerAccessNotEnabled);
    device_set_access(device, peerDevice, 0);
    return api_return(cudaSuccess);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr,
                                      int srcDevice, int dstDevice)
{
    int can;
    if (!value)
        return api_return(cudaErrorInvalidValue);
    const cudaError_t err = cudaDeviceCanAccessPeer(&can, srcDevice, dstDevice);
    if (err != cudaSuccess)
        return err;
    if (srcDevice == dstDevice)
        return api_return(cudaErrorInvalidDevice);
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
    size_t used, all;
    heap_usage(simgpu_device_current(), &used, &all);
    if (free)
        *free = all - used;
    if (total)
        *total = all;
    return api_return(cudaSuccess);
}
