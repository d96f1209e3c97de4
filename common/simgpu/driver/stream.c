/*
 * stream.c: streams, events and launches, by the driver's names
 */
#include <stddef.h> /* NULL */

#include "core/stream.h"
#include "driver/call.h"

CUresult cuStreamCreate(CUstream *phStream, unsigned int Flags)
{
    DRIVER_CALL(cudaStreamCreateWithFlags(phStream, Flags));
}

CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags,
                                    int priority)
{
    DRIVER_CALL(cudaStreamCreateWithPriority(phStream, flags, priority));
}

CUresult cuStreamDestroy(CUstream hStream)
{
    DRIVER_CALL(cudaStreamDestroy(hStream));
}

CUresult cuStreamSynchronize(CUstream hStream)
{
    DRIVER_CALL(cudaStreamSynchronize(hStream));
}

CUresult cuStreamQuery(CUstream hStream)
{
    DRIVER_CALL(cudaStreamQuery(hStream));
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
    DRIVER_CALL(cudaStreamWaitEvent(hStream, hEvent, Flags));
}

CUresult cuStreamGetFlags(CUstream hStream, unsigned int *flags)
{
    DRIVER_CALL(cudaStreamGetFlags(hStream, flags));
}

CUresult cuStreamGetPriority(CUstream hStream, int *priority)
{
    DRIVER_CALL(cudaStreamGetPriority(hStream, priority));
}

CUresult cuStreamGetId(CUstream hStream, unsigned long long *streamId)
{
    DRIVER_CALL(cudaStreamGetId(hStream, streamId));
}

CUresult cuStreamGetCtx(CUstream hStream, CUcontext *pctx)
{
    const CUresult err = context_current();
    if (err != CUDA_SUCCESS || !pctx)
        return err ? err : CUDA_ERROR_INVALID_VALUE;
    const struct stream *const s = simgpu_stream_of(hStream);
    if (!s)
        return CUDA_ERROR_INVALID_HANDLE;
    *pctx = context_of(simgpu_stream_device(s));
    return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
    DRIVER_CALL(cudaLaunchHostFunc(hStream, fn, userData));
}

CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
    DRIVER_CALL(cudaEventCreateWithFlags(phEvent, Flags));
}

CUresult cuEventDestroy(CUevent hEvent)
{
    DRIVER_CALL(cudaEventDestroy(hEvent));
}

CUresult cuEventRecord(CUevent hEvent, CUstream hStream)
{
    DRIVER_CALL(cudaEventRecord(hEvent, hStream));
}

CUresult cuEventSynchronize(CUevent hEvent)
{
    DRIVER_CALL(cudaEventSynchronize(hEvent));
}

CUresult cuEventQuery(CUevent hEvent)
{
    DRIVER_CALL(cudaEventQuery(hEvent));
}

CUresult cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    DRIVER_CALL(cudaEventElapsedTime(pMilliseconds, hStart, hEnd));
}

/* ---- kernels: a function is the handle that cudaGetFuncBySymbol() gives -- */

enum { MAX_PARAMS = 4096 }; /* a launch passes as many bytes */

/* The parameters in the buffer that the list `extra` names. */
static CUresult unpack(CUfunction f, void **extra, void *params[MAX_PARAMS])
{
    char *buffer = NULL;
    size_t nbytes = 0, offset, size;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
            nbytes = *(const size_t *)extra[1];
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < MAX_PARAMS; i++) {
        if (cudaFuncGetParamInfo(f, i, &offset, &size) != cudaSuccess) {
            cudaGetLastError(); // there are no more
            return CUDA_SUCCESS;
        }
        if (!buffer || offset + size > nbytes)
            return CUDA_ERROR_INVALID_VALUE;
        params[i] = buffer + offset;
    }
    return CUDA_ERROR_INVALID_VALUE;
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
        const CUresult wrong = unpack(f, extra, params);
        if (wrong != CUDA_SUCCESS || kernelParams)
            return wrong ? wrong : CUDA_ERROR_INVALID_VALUE;
        kernelParams = params;
    }
    DRIVER_CALL(cudaLaunchKernel(f, grid, block, kernelParams, sharedMemBytes,
                                 hStream));
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib,
                            int value)
{
    DRIVER_CALL(
        cudaFuncSetAttribute(hfunc, (enum cudaFuncAttribute)attrib, value));
}

CUresult cuFuncGetName(const char **name, CUfunction hfunc)
{
    DRIVER_CALL(cudaFuncGetName(name, hfunc));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks,
                                                     CUfunction func,
                                                     int blockSize,
                                                     size_t dynamicSMemSize)
{
    DRIVER_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        numBlocks, func, blockSize, dynamicSMemSize));
}

static cudaError_t find_block_size(int *grid, int *block, CUfunction func,
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
    if (!minGridSize || !blockSize)
        return CUDA_ERROR_INVALID_VALUE;
    DRIVER_CALL(find_block_size(minGridSize, blockSize, func,
                                blockSizeToDynamicSMemSize, dynamicSMemSize,
                                blockSizeLimit));
}
