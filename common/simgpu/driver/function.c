/*
 * function.c: kernels, as the driver's functions
 *
 * A CUfunction is the handle that cudaGetFuncBySymbol() gives. A kernel's
 * address, which the runtime's functions take, is not a CUfunction. For
 * launches in the style before CUDA 4, a block's shape, shared memory and
 * parameters are kept with the function, for all threads of the process.
 */
#include <pthread.h> /* pthread_mutex_lock */
#include <stdlib.h>  /* calloc */
#include <string.h>  /* memcpy */

#include "cudart/kernels/function.h"
#include "driver/call.h"

/* Limits of a launch: the number of parameters, and of their bytes. */
enum { MAX_PARAMS = 4096, MAX_NBYTES = 32764 };

/* Point params at the parameters in a buffer. */
static CUresult unpack(CUfunction f, char *buffer, size_t nbytes,
                       void *params[MAX_PARAMS])
{
    size_t offset, size;
    cudaError_t err;
    for (size_t i = 0; i < MAX_PARAMS; i++) {
        DRIVER_ASK(err, cudaFuncGetParamInfo(simgpu_function_of(f), i, &offset,
                                             &size));
        if (err != cudaSuccess) // no more parameters
            return CUDA_SUCCESS;
        if (!buffer || offset + size > nbytes)
            return CUDA_ERROR_INVALID_VALUE;
        params[i] = buffer + offset;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

/* The same for the buffer that the list `extra` gives. */
static CUresult unpack_list(CUfunction f, void **extra,
                            void *params[MAX_PARAMS])
{
    char *buffer = NULL;
    size_t nbytes = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
            nbytes = *(const size_t *)extra[1];
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    return unpack(f, buffer, nbytes, params);
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX,
                        unsigned int gridDimY, unsigned int gridDimZ,
                        unsigned int blockDimX, unsigned int blockDimY,
                        unsigned int blockDimZ, unsigned int sharedMemBytes,
                        CUstream hStream, void **kernelParams, void **extra)
{
    const dim3 grid = {gridDimX, gridDimY, gridDimZ};
    const dim3 block = {blockDimX, blockDimY, blockDimZ};
    void *params[MAX_PARAMS];
    if (extra) {
        const CUresult wrong = unpack_list(f, extra, params);
        if (wrong != CUDA_SUCCESS || kernelParams)
            return wrong ? wrong : CUDA_ERROR_INVALID_VALUE;
        kernelParams = params;
    }
    DRIVER_CALL(cudaLaunchKernel(simgpu_function_of(f), grid, block,
                                 kernelParams, sharedMemBytes, hStream));
}

/* Attributes have the same numbers and values in the runtime. */
_Static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute),
               "arrays of attributes have the same layout");
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f,
                          void **kernelParams, void **extra)
{
    void *params[MAX_PARAMS];
    if (!config || (extra && kernelParams))
        return CUDA_ERROR_INVALID_VALUE;
    if (extra) {
        const CUresult wrong = unpack_list(f, extra, params);
        if (wrong != CUDA_SUCCESS)
            return wrong;
        kernelParams = params;
    }
    const cudaLaunchConfig_t same = {
        .gridDim = {config->gridDimX, config->gridDimY, config->gridDimZ},
        .blockDim = {config->blockDimX, config->blockDimY, config->blockDimZ},
        .dynamicSmemBytes = config->sharedMemBytes,
        .stream = config->hStream,
        .attrs = (cudaLaunchAttribute *)config->attrs,
        .numAttrs = config->numAttrs};
    DRIVER_CALL(
        cudaLaunchKernelExC(&same, simgpu_function_of(f), kernelParams));
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib,
                            int value)
{
    DRIVER_CALL(cudaFuncSetAttribute(simgpu_function_of(hfunc),
                                     (enum cudaFuncAttribute)attrib, value));
}

CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib,
                            CUfunction hfunc)
{
    struct cudaFuncAttributes a;
    cudaError_t err;
    const CUresult current = context_current();
    if (current != CUDA_SUCCESS || !pi)
        return current ? current : CUDA_ERROR_INVALID_VALUE;
    DRIVER_ASK(err, cudaFuncGetAttributes(&a, simgpu_function_of(hfunc)));
    if (err != cudaSuccess)
        return result_of(err);
    const int values[] = {
        [CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = a.maxThreadsPerBlock,
        [CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = (int)a.sharedSizeBytes,
        [CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES] = (int)a.constSizeBytes,
        [CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES] = (int)a.localSizeBytes,
        [CU_FUNC_ATTRIBUTE_NUM_REGS] = a.numRegs,
        [CU_FUNC_ATTRIBUTE_PTX_VERSION] = a.ptxVersion,
        [CU_FUNC_ATTRIBUTE_BINARY_VERSION] = a.binaryVersion,
        [CU_FUNC_ATTRIBUTE_CACHE_MODE_CA] = a.cacheModeCA,
        [CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] =
            a.maxDynamicSharedSizeBytes,
        [CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] =
            a.preferredShmemCarveout,
        [CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET] = a.clusterDimMustBeSet,
        [CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH] = a.requiredClusterWidth,
        [CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT] = a.requiredClusterHeight,
        [CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH] = a.requiredClusterDepth,
        [CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED] =
            a.nonPortableClusterSizeAllowed,
        [CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE] =
            a.clusterSchedulingPolicyPreference,
    };
    if ((size_t)attrib >= sizeof values / sizeof *values)
        return CUDA_ERROR_INVALID_VALUE;
    *pi = values[attrib];
    return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char **name, CUfunction hfunc)
{
    DRIVER_CALL(cudaFuncGetName(name, simgpu_function_of(hfunc)));
}

CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config)
{
    DRIVER_CALL(cudaFuncSetCacheConfig(simgpu_function_of(hfunc),
                                       (enum cudaFuncCache)config));
}

CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config)
{
    const char *name;
    if ((unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
        return CUDA_ERROR_INVALID_VALUE;
    // only checks that hfunc is a function
    DRIVER_CALL(cudaFuncGetName(&name, simgpu_function_of(hfunc)));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks,
                                                     CUfunction func,
                                                     int blockSize,
                                                     size_t dynamicSMemSize)
{
    DRIVER_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        numBlocks, simgpu_function_of(func), blockSize, dynamicSMemSize));
}

static cudaError_t find_block_size(int *grid, int *block, const void *func,
                                   CUoccupancyB2DSize shared, size_t nbytes,
                                   int limit)
{
    struct cudaFuncAttributes attr;
    int device, nsm, nblocks, most = 0;
    cudaError_t err = cudaGetDevice(&device);
    if (err == cudaSuccess)
        err = cudaDeviceGetAttribute(&nsm, cudaDevAttrMultiProcessorCount,
                                     device);
    if (err == cudaSuccess)
        err = cudaFuncGetAttributes(&attr, func);
    if (err != cudaSuccess)
        return err;
    if (limit <= 0 || limit > attr.maxThreadsPerBlock)
        limit = attr.maxThreadsPerBlock;
    for (int size = (limit + 31) / 32 * 32; size > 0; size -= 32) {
        const int threads = size < limit ? size : limit;
        err = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &nblocks, func, threads, shared ? shared(threads) : nbytes);
        if (err != cudaSuccess)
            return err;
        if (nblocks * threads > most) {
            most = nblocks * threads;
            *block = threads;
            *grid = nblocks * nsm;
        }
    }
    return cudaSuccess;
}

CUresult
cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize,
                                 CUfunction func,
                                 CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                 size_t dynamicSMemSize, int blockSizeLimit)
{
    if (!minGridSize || !blockSize || blockSizeLimit < 0)
        return CUDA_ERROR_INVALID_VALUE;
    DRIVER_CALL(find_block_size(
        minGridSize, blockSize, simgpu_function_of(func),
        blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit));
}

/* ---- launches in the style before CUDA 4 --------------------------------- */

struct settings { /* kept for a function's next launch */
    CUfunction function;
    dim3 block;
    unsigned shared_nbytes, params_nbytes;
    char params[MAX_NBYTES];
    struct settings *next;
};

static struct settings *first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A function's settings, or NULL if f is not a function or memory runs out. The
 * caller must hold the lock. */
static struct settings *settings_of(CUfunction f)
{
    struct settings *s = first;
    while (s && s->function != f)
        s = s->next;
    if (s)
        return s;
    s = simgpu_function_of(f) ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    s->function = f;
    s->block = (dim3){1, 1, 1};
    s->next = first;
    return first = s;
}

/* Change the settings `s` of a function. */
#define CHANGE(hfunc, ...)                                                     \
    do {                                                                       \
        const CUresult current = context_current();                            \
        if (current != CUDA_SUCCESS)                                           \
            return current;                                                    \
        pthread_mutex_lock(&lock);                                             \
        struct settings *const s = settings_of(hfunc);                         \
        if (s)                                                                 \
            __VA_ARGS__;                                                       \
        pthread_mutex_unlock(&lock);                                           \
        return s ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;                   \
    } while (0)

CUresult cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z)
{
    if (x <= 0 || y <= 0 || z <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    CHANGE(hfunc, s->block = (dim3){(unsigned)x, (unsigned)y, (unsigned)z});
}

CUresult cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes)
{
    int most;
    const CUresult err = cuFuncGetAttribute(
        &most, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, hfunc);
    if (err != CUDA_SUCCESS || bytes > (unsigned)most)
        return err ? err : CUDA_ERROR_INVALID_VALUE;
    CHANGE(hfunc, s->shared_nbytes = bytes);
}

CUresult cuParamSetSize(CUfunction hfunc, unsigned int numbytes)
{
    if (numbytes > MAX_NBYTES)
        return CUDA_ERROR_INVALID_VALUE;
    CHANGE(hfunc, s->params_nbytes = numbytes);
}

static CUresult set_param(CUfunction hfunc, int offset, const void *ptr,
                          unsigned numbytes)
{
    if (!ptr || offset < 0 || numbytes > MAX_NBYTES ||
        (unsigned)offset > MAX_NBYTES - numbytes)
        return CUDA_ERROR_INVALID_VALUE;
    CHANGE(hfunc, memcpy(s->params + offset, ptr, numbytes));
}

CUresult cuParamSetv(CUfunction hfunc, int offset, void *ptr,
                     unsigned int numbytes)
{
    return set_param(hfunc, offset, ptr, numbytes);
}

CUresult cuParamSeti(CUfunction hfunc, int offset, unsigned int value)
{
    return set_param(hfunc, offset, &value, sizeof value);
}

CUresult cuParamSetf(CUfunction hfunc, int offset, float value)
{
    return set_param(hfunc, offset, &value, sizeof value);
}

/* Launch a function with its settings. */
static cudaError_t launch(CUfunction f, int width, int height, CUstream stream)
{
    void *params[MAX_PARAMS];
    if (width <= 0 || height <= 0)
        return cudaErrorInvalidValue;
    const dim3 grid = {(unsigned)width, (unsigned)height, 1};
    pthread_mutex_lock(&lock);
    struct settings *const s = settings_of(f);
    cudaError_t err = cudaErrorInvalidDeviceFunction;
    if (s)
        err = unpack(f, s->params, s->params_nbytes, params) == CUDA_SUCCESS
                  ? cudaLaunchKernel(simgpu_function_of(f), grid, s->block,
                                     params, s->shared_nbytes, stream)
                  : cudaErrorInvalidValue;
    pthread_mutex_unlock(&lock);
    return err;
}

CUresult cuLaunch(CUfunction f)
{
    DRIVER_CALL(launch(f, 1, 1, NULL));
}

CUresult cuLaunchGrid(CUfunction f, int grid_width, int grid_height)
{
    DRIVER_CALL(launch(f, grid_width, grid_height, NULL));
}

CUresult cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height,
                           CUstream hStream)
{
    DRIVER_CALL(launch(f, grid_width, grid_height, hStream));
}
