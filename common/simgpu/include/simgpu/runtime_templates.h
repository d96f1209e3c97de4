/*
 * runtime_templates.h: C++ forms of the runtime's functions
 *
 * They take typed pointers, kernels and variables instead of addresses. All are
 * inlined, so that messages name the caller's line.
 */
#ifndef SIMGPU_RUNTIME_TEMPLATES_H
#define SIMGPU_RUNTIME_TEMPLATES_H

#include <utility> /* std::forward */

#define SIMGPU_INLINE static inline __attribute__((always_inline))

/* ---- memory -------------------------------------------------------------- */

template <class T>
SIMGPU_INLINE cudaError_t cudaMallocPitch(T **devPtr, size_t *pitch,
                                          size_t width, size_t height)
{
    return ::cudaMallocPitch((void **)(void *)devPtr, pitch, width, height);
}

/* CUDA 12's forms, with a device's number or cudaCpuDeviceId. */
SIMGPU_INLINE struct cudaMemLocation simgpu_location(int device)
{
    struct cudaMemLocation l;
    l.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost
                                       : cudaMemLocationTypeDevice;
    l.id = device;
    return l;
}
SIMGPU_INLINE cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count,
                                               int dstDevice,
                                               cudaStream_t stream = 0)
{
    return ::cudaMemPrefetchAsync(devPtr, count, simgpu_location(dstDevice), 0,
                                  stream);
}
SIMGPU_INLINE cudaError_t cudaMemAdvise(const void *devPtr, size_t count,
                                        enum cudaMemoryAdvise advice,
                                        int device)
{
    return ::cudaMemAdvise(devPtr, count, advice, simgpu_location(device));
}

template <class T>
SIMGPU_INLINE cudaError_t cudaMallocFromPoolAsync(T **ptr, size_t size,
                                                  cudaMemPool_t memPool,
                                                  cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)ptr, size, memPool,
                                     stream);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaMallocAsync(T **ptr, size_t size,
                                          cudaMemPool_t memPool,
                                          cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)ptr, size, memPool,
                                     stream);
}

template <class T>
SIMGPU_INLINE cudaError_t
cudaStreamAttachMemAsync(cudaStream_t stream, T *devPtr, size_t length = 0,
                         unsigned int flags = cudaMemAttachSingle)
{
    return ::cudaStreamAttachMemAsync(stream, (void *)devPtr, length, flags);
}

/* ---- device variables ---------------------------------------------------- */

template <class T>
SIMGPU_INLINE cudaError_t cudaMemcpyToSymbol(
    const T &symbol, const void *src, size_t count, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol((const void *)&symbol, src, count, offset,
                                kind);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaMemcpyToSymbolAsync(
    const T &symbol, const void *src, size_t count, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset,
                                     kind, stream);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaMemcpyFromSymbol(
    void *dst, const T &symbol, size_t count, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset,
                                  kind);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaMemcpyFromSymbolAsync(
    void *dst, const T &symbol, size_t count, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{
    return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count,
                                       offset, kind, stream);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaGetSymbolAddress(void **devPtr, const T &symbol)
{
    return ::cudaGetSymbolAddress(devPtr, (const void *)&symbol);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol)
{
    if (!size)
        return ::cudaGetSymbolSize(size, (const void *)&symbol);
    *size = sizeof(T);
    return cudaSuccess;
}

template <class T>
SIMGPU_INLINE cudaError_t cudaGraphAddMemcpyNodeToSymbol(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps,
    size_t ndeps, const T &symbol, const void *src, size_t count, size_t offset,
    enum cudaMemcpyKind kind)
{
    return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, deps, ndeps,
                                            (const void *)&symbol, src, count,
                                            offset, kind);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaGraphAddMemcpyNodeFromSymbol(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps,
    size_t ndeps, void *dst, const T &symbol, size_t count, size_t offset,
    enum cudaMemcpyKind kind)
{
    return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, deps, ndeps, dst,
                                              (const void *)&symbol, count,
                                              offset, kind);
}

/* ---- kernels ------------------------------------------------------------- */

template <class T>
SIMGPU_INLINE cudaError_t cudaLaunchCooperativeKernel(T *func, dim3 gridDim,
                                                      dim3 blockDim,
                                                      void **args,
                                                      size_t sharedMem = 0,
                                                      cudaStream_t stream = 0)
{
    return ::cudaLaunchCooperativeKernel((const void *)func, gridDim, blockDim,
                                         args, sharedMem, stream);
}

template <class... Params, class... Args>
SIMGPU_INLINE cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                             void (*kernel)(Params...),
                                             Args &&...args)
{
    return [&](Params... params) {
        void *all[] = {(void *)&params..., nullptr};
        return ::cudaLaunchKernelExC(config, (const void *)kernel, all);
    }(std::forward<Args>(args)...);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaFuncSetCacheConfig(T *func,
                                                 enum cudaFuncCache config)
{
    return ::cudaFuncSetCacheConfig((const void *)func, config);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaFuncGetName(const char **name, T *func)
{
    return ::cudaFuncGetName(name, (const void *)func);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaGetKernel(cudaKernel_t *kernel, T *func)
{
    return ::cudaGetKernel(kernel, (const void *)func);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function,
                                              T *symbol)
{
    return ::cudaGetFuncBySymbol(function, (const void *)symbol);
}

/* ---- occupancy ----------------------------------------------------------- */

template <class T>
SIMGPU_INLINE cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, T func,
                                                       int blockSize,
                                                       size_t dynamicSMemSize,
                                                       unsigned int flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, (const void *)func, blockSize, dynamicSMemSize, flags);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(
    size_t *dynamicSmemSize, T *func, int numBlocks, int blockSize)
{
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(
        dynamicSmemSize, (const void *)func, numBlocks, blockSize);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaOccupancyMaxPotentialClusterSize(
    int *clusterSize, T *func, const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxPotentialClusterSize(clusterSize,
                                                  (const void *)func, config);
}

template <class T>
SIMGPU_INLINE cudaError_t cudaOccupancyMaxActiveClusters(
    int *numClusters, T *func, const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxActiveClusters(numClusters, (const void *)func,
                                            config);
}

/* The block size, in whole warps, with which most threads fit on a
 * multiprocessor. Shared memory is a function of the block size. */
template <class F, class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int *minGridSize, int *blockSize, T func, F blockSizeToDynamicSMemSize,
    int blockSizeLimit = 0, unsigned int flags = 0)
{
    struct cudaFuncAttributes attr;
    int device, nsm, most = 0;
    if (!minGridSize || !blockSize)
        return cudaErrorInvalidValue;
    cudaError_t err = ::cudaGetDevice(&device);
    if (err == cudaSuccess)
        err = ::cudaDeviceGetAttribute(&nsm, cudaDevAttrMultiProcessorCount,
                                       device);
    if (err == cudaSuccess)
        err = ::cudaFuncGetAttributes(&attr, (const void *)func);
    if (err != cudaSuccess)
        return err;
    int limit = attr.maxThreadsPerBlock;
    if (blockSizeLimit > 0 && blockSizeLimit < limit)
        limit = blockSizeLimit;
    for (int size = (limit + 31) / 32 * 32; size > 0; size -= 32) {
        const int threads = size < limit ? size : limit;
        int blocks;
        err = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, (const void *)func, threads,
            blockSizeToDynamicSMemSize(threads), flags);
        if (err != cudaSuccess)
            return err;
        if (blocks * threads > most) {
            most = blocks * threads;
            *blockSize = threads;
            *minGridSize = blocks * nsm;
        }
    }
    return most ? cudaSuccess : cudaErrorInvalidConfiguration;
}

template <class F, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(
    int *minGridSize, int *blockSize, T func, F blockSizeToDynamicSMemSize,
    int blockSizeLimit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        minGridSize, blockSize, func, blockSizeToDynamicSMemSize,
        blockSizeLimit, cudaOccupancyDefault);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(
    int *minGridSize, int *blockSize, T func, size_t dynamicSMemSize = 0,
    int blockSizeLimit = 0, unsigned int flags = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        minGridSize, blockSize, func, [=](int) { return dynamicSMemSize; },
        blockSizeLimit, flags);
}

template <class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, T func,
                                   size_t dynamicSMemSize = 0,
                                   int blockSizeLimit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(
        minGridSize, blockSize, func, dynamicSMemSize, blockSizeLimit);
}

/* ---- graphs -------------------------------------------------------------- */

SIMGPU_INLINE cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec,
                                               cudaGraph_t graph,
                                               cudaGraphNode_t *pErrorNode,
                                               char *pLogBuffer,
                                               size_t bufferSize)
{
    (void)pErrorNode, (void)pLogBuffer, (void)bufferSize;
    return ::cudaGraphInstantiate(pGraphExec, graph, 0);
}

#undef SIMGPU_INLINE
#endif
