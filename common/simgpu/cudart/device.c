/*
 * device.c: devices, their names and peer access
 */
#include "core/device.h"
#include "base/gpu_name.h"
#include "core/heap/heap.h"
#include "core/site.h"
#include "core/stream/stream.h"
#include "core/visible.h"
#include "cudart/graphs/capture.h"
#include "cudart/kernels/limits.h"

#include <stdio.h> /* snprintf */

enum { DRIVER_VERSION = 13000 };

static int valid(int device)
{
    return device >= 0 && device < simgpu_proc()->ndevices;
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

cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
    enum { ENOUGH = sizeof "0000:1b:00.0" };
    if (!pciBusId || len <= 0)
        return api_return(cudaErrorInvalidValue);
    if (!valid(device))
        return api_return(len < ENOUGH ? cudaErrorInvalidValue
                                       : cudaErrorInvalidDevice);
    snprintf(pciBusId, (size_t)len, "%s",
             simgpu_proc_gpu(device)->bus_id); // truncates
    return api_return(len < ENOUGH ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId)
{
    struct gpu_name_pci own;
    if (!device || !pciBusId || !gpu_name_pci(pciBusId, &own))
        return api_return(cudaErrorInvalidValue);
    for (int i = 0; i < simgpu_proc()->ndevices; i++)
        if (gpu_name_pci(simgpu_proc_gpu(i)->bus_id, &own) &&
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
 * Return the device to its initial state, without memory and streams, after
 * waiting for its operations. Its handles and pointers become invalid. A device
 * on which an operation has failed cannot be reset: that takes a new process.
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
