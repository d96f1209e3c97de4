/*
 * cuda_runtime.h: the runtime's functions, with C++'s conveniences, and what
 * device code needs when simnvcc compiles it
 */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "channel_descriptor.h"
#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "library_types.h"
#include "simgpu/dropped.h"
#include "vector_functions.h"

#ifdef __cplusplus

/* Always inlined, so that messages name the caller's line. */
#define SIMGPU_INLINE static inline __attribute__((always_inline))

template <class T> SIMGPU_INLINE cudaError_t cudaMalloc(T **devPtr, size_t size)
{
    return ::cudaMalloc((void **)(void *)devPtr, size);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaMallocHost(T **ptr, size_t size,
                                         unsigned int flags = 0)
{
    return ::cudaHostAlloc((void **)(void *)ptr, size, flags);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaHostAlloc(T **ptr, size_t size,
                                        unsigned int flags)
{
    return ::cudaHostAlloc((void **)(void *)ptr, size, flags);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaMallocManaged(
    T **devPtr, size_t size, unsigned int flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged((void **)(void *)devPtr, size, flags);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaMallocAsync(T **devPtr, size_t size,
                                          cudaStream_t stream)
{
    return ::cudaMallocAsync((void **)(void *)devPtr, size, stream);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaHostGetDevicePointer(T **pDevice, void *pHost,
                                                   unsigned int flags)
{
    return ::cudaHostGetDevicePointer((void **)(void *)pDevice, pHost, flags);
}

SIMGPU_INLINE cudaError_t cudaEventCreate(cudaEvent_t *event,
                                          unsigned int flags)
{
    return ::cudaEventCreateWithFlags(event, flags);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaLaunchKernel(T *func, dim3 gridDim, dim3 blockDim,
                                           void **args, size_t sharedMem = 0,
                                           cudaStream_t stream = 0)
{
    return ::cudaLaunchKernel((const void *)func, gridDim, blockDim, args,
                              sharedMem, stream);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr,
                                                T *func)
{
    return ::cudaFuncGetAttributes(attr, (const void *)func);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaFuncSetAttribute(T *func,
                                               enum cudaFuncAttribute attr,
                                               int value)
{
    return ::cudaFuncSetAttribute((const void *)func, attr, value);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *numBlocks, T func, int blockSize, size_t dynamicSMemSize)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        numBlocks, (const void *)func, blockSize, dynamicSMemSize);
}

#undef SIMGPU_INLINE

#include "simgpu/runtime_templates.h"
#endif

#ifdef __SIMNVCC__
#include "simgpu/device.h"

#include "simgpu/cluster.h"
#include "simgpu/nv_atomic.h"
#include "simgpu/ptx.h"
#if __has_include("simgpu/texture.h") /* extras */
#include "simgpu/texture.h"
#endif
#endif
#endif
