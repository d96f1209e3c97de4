/*
 * dropped.h: functions that CUDA 13 dropped, for older programs
 *
 * Part of cuda_runtime.h. Always inlined, so that messages name the caller's
 * line.
 */
#ifndef SIMGPU_DROPPED_H
#define SIMGPU_DROPPED_H

#define SIMGPU_DROPPED                                                         \
    static __inline__ __attribute__((always_inline, unused)) cudaError_t

SIMGPU_DROPPED cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

SIMGPU_DROPPED cudaThreadExit(void)
{
    return cudaDeviceReset();
}

SIMGPU_DROPPED cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
    return cudaDeviceSetLimit(limit, value);
}

SIMGPU_DROPPED cudaThreadGetLimit(size_t *pValue, enum cudaLimit limit)
{
    return cudaDeviceGetLimit(pValue, limit);
}

SIMGPU_DROPPED cudaThreadSetCacheConfig(enum cudaFuncCache cacheConfig)
{
    return cudaDeviceSetCacheConfig(cacheConfig);
}

SIMGPU_DROPPED cudaThreadGetCacheConfig(enum cudaFuncCache *pCacheConfig)
{
    return cudaDeviceGetCacheConfig(pCacheConfig);
}

#undef SIMGPU_DROPPED
#endif
