/*
 * properties.c: what programs can query about a device
 */
#include "base/gpu_name.h"
#include "core/device.h"
#include "core/proc.h"
#include "core/visible.h"
#include "cudart/api.h"
#include "cudart/kernels/limits.h"

#include <stddef.h> /* offsetof */
#include <stdio.h>  /* snprintf */
#include <string.h> /* memcpy */

enum { MAX_THREADS = 1024 };

/* The members that CUDA 13 dropped, within the reserved part. */
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
    if (device < 0 || device >= simgpu_proc()->ndevices)
        return api_return(cudaErrorInvalidDevice);
    const struct topo_gpu *const g = simgpu_proc_gpu(device);
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
        // "full unified memory with hardware coherency": the CUDA
        // programming guide, Unified Memory
        .pageableMemoryAccess = g->pageable,
        .pageableMemoryAccessUsesHostPageTables = g->pageable,
        .directManagedMemAccessFromHost = g->pageable,
        .hostNativeAtomicSupported = g->pageable,
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
                     [SINGLE_TO_DOUBLE] = // a ratio of rates
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

/* 1 if simgpu has a feature, regardless of whether the modelled GPU does. Some
 * features have a name only in the driver's header. */
static const struct {
    int attr, value;
} features[] = {
    {92, 0}, // stream memory operations, version 1
    {93, 0}, // 64-bit stream memory operations, version 1
    {94, 0}, // stream waits for cleared bits, version 1
    {96, 0}, // cooperative launches on several devices
    {cudaDevAttrCanFlushRemoteWrites, 0},
    {102, 1}, // virtual memory management
    {103, 1}, // virtual memory: file descriptors as handles
    {104, 0}, // virtual memory: Windows handles
    {105, 0}, // virtual memory: Windows kernel handles
    {107, 0}, // compressible memory
    {110, 0}, // RDMA of virtual memory
    {122, 1}, // 64-bit stream memory operations
    {123, 1}, // stream waits for cleared bits
    {124, 0}, // DMA-BUF
    {127, 0}, // tensor maps
    {129, 0}, // pointers to functions that host and device share
    {132, 0}, // multicast
    {cudaDevAttrD3D12CigSupported, 0},
    {136, 0}, // decompression algorithms
    {137, 0}, // longest input of decompression
    {cudaDevAttrVulkanCigSupported, 0},
    {141, 0}, // virtual memory of the host's NUMA nodes
    {cudaDevAttrHostNumaMemoryPoolsSupported, 1},
    {cudaDevAttrHostMemoryPoolsSupported, 0},
    {cudaDevAttrOnlyPartialHostNativeAtomicSupported, 0},
};

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
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (features[i].attr == (int)attr) {
            *value = features[i].value;
            return cudaSuccess;
        }
    /* Fabric handles: NVLink joins the GPUs of several hosts only in racks of
     * Grace Blackwell superchips. */
    if ((int)attr == 128) {
        *value = p.major >= 10 && p.pageableMemoryAccess;
        return cudaSuccess;
    }
    if (attr != cudaDevAttrMemSyncDomainCount)
        return api_return(cudaErrorInvalidValue);
    *value = p.major >= 9 ? 4 : 1;
    return cudaSuccess;
}
