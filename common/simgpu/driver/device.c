/*
 * device.c: the driver's functions for devices, and a context's settings
 */
#include <string.h> /* memcpy */

#include "core/device.h"
#include "core/proc.h"
#include "driver/call.h"

/* Like DRIVER_CALL(), for functions that need no context. */
#define DEVICE_CALL(call)                                                      \
    do {                                                                       \
        const CUresult err = context_initialized();                            \
        return err != CUDA_SUCCESS ? err : result_of(call);                    \
    } while (0)

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
    struct cudaDeviceProp p;
    const CUresult err = context_initialized();
    if (err != CUDA_SUCCESS || !uuid)
        return err ? err : CUDA_ERROR_INVALID_VALUE;
    if (cudaGetDeviceProperties(&p, dev) != cudaSuccess)
        return CUDA_ERROR_INVALID_DEVICE;
    memcpy(uuid, &p.uuid, sizeof *uuid);
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice dev)
{
    struct cudaDeviceProp p;
    const CUresult err = context_initialized();
    if (err != CUDA_SUCCESS || !bytes)
        return err ? err : CUDA_ERROR_INVALID_VALUE;
    if (cudaGetDeviceProperties(&p, dev) != cudaSuccess)
        return CUDA_ERROR_INVALID_DEVICE;
    *bytes = p.totalGlobalMem;
    return CUDA_SUCCESS;
}

/* Attributes have the same numbers in the runtime and in the driver. */
CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
    DEVICE_CALL(cudaDeviceGetAttribute(pi, (enum cudaDeviceAttr)attrib, dev));
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
    const CUresult err = cuDeviceGetAttribute(
        major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, dev);
    return err != CUDA_SUCCESS
               ? err
               : cuDeviceGetAttribute(
                     minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, dev);
}

CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
{
    DEVICE_CALL(cudaDeviceGetPCIBusId(pciBusId, len, dev));
}

CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId)
{
    DEVICE_CALL(cudaDeviceGetByPCIBusId(dev, pciBusId));
}

CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev,
                               CUdevice peerDev)
{
    DEVICE_CALL(cudaDeviceCanAccessPeer(canAccessPeer, dev, peerDev));
}

CUresult cuDevicePrimaryCtxReset(CUdevice dev)
{
    const CUresult err = context_initialized();
    if (err != CUDA_SUCCESS)
        return err;
    const int before = simgpu_device_current();
    if (simgpu_device_set(dev) != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    const CUresult reset = result_of(cudaDeviceReset());
    simgpu_device_set(before);
    return reset;
}

CUresult cuCtxSynchronize(void)
{
    DRIVER_CALL(cudaDeviceSynchronize());
}

CUresult cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    DRIVER_CALL(
        cudaDeviceGetStreamPriorityRange(leastPriority, greatestPriority));
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
    DRIVER_CALL(cudaGetDeviceFlags(flags));
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
    const CUresult err = context_initialized();
    if (err != CUDA_SUCCESS || !version)
        return err ? err : CUDA_ERROR_INVALID_VALUE;
    if (ctx && context_device(ctx) < 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    // the version in which contexts last changed, regardless of CUDA's version
    *version = 3020;
    return CUDA_SUCCESS;
}

/* Limits and cache settings have the same numbers in the
 * runtime and in the driver. */
CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    DRIVER_CALL(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}

CUresult cuCtxGetLimit(size_t *pvalue, CUlimit limit)
{
    DRIVER_CALL(cudaDeviceGetLimit(pvalue, (enum cudaLimit)limit));
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    DRIVER_CALL(cudaDeviceSetCacheConfig((enum cudaFuncCache)config));
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *pconfig)
{
    DRIVER_CALL(cudaDeviceGetCacheConfig((enum cudaFuncCache *)pconfig));
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)
{
    const int peer = context_device(peerContext);
    if (peer < 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    DRIVER_CALL(cudaDeviceEnablePeerAccess(peer, Flags));
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext)
{
    const int peer = context_device(peerContext);
    if (peer < 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    DRIVER_CALL(cudaDeviceDisablePeerAccess(peer));
}

CUresult cuProfilerStart(void)
{
    DRIVER_CALL(cudaSuccess); // nothing to do: every run is recorded
}

CUresult cuProfilerStop(void)
{
    DRIVER_CALL(cudaSuccess);
}

/* Libraries look up the name without a version (NCCL's inspector does). */
#undef cuDeviceGetUuid
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
    __attribute__((alias("cuDeviceGetUuid_v2")));
