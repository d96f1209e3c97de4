/* cub/util_allocator.cuh: an allocator of device
 * memory, which caches nothing */
#ifndef SIMGPU_CUB_UTIL_ALLOCATOR_CUH
#define SIMGPU_CUB_UTIL_ALLOCATOR_CUH

#include "cuda_runtime.h"

namespace cub
{
struct CachingDeviceAllocator {
    explicit CachingDeviceAllocator(bool = false) {}
    CachingDeviceAllocator(unsigned, unsigned, unsigned = 0, size_t = 0,
                           bool = false)
    {
    }
    cudaError_t DeviceAllocate(void **p, size_t nbytes,
                               cudaStream_t stream = nullptr)
    {
        return cudaMallocAsync(p, nbytes ? nbytes : 1, stream);
    }
    cudaError_t DeviceFree(void *p)
    {
        return cudaFree(p);
    }
    cudaError_t FreeAllCached()
    {
        return cudaSuccess;
    }
};
} // namespace cub
#endif
