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

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX,
                        unsigned int gridDimY, unsigned int gridDimZ,
                        unsigned int blockDimX, unsigned int blockDimY,
                        unsigned int blockDimZ, unsigned int sharedMemBytes,
                        CUstream hStream, void **kernelParams, void **extra)
{
    const dim3 grid = {gridDimX, gridDimY, gridDimZ};
    const dim3 block = {blockDimX, blockDimY, blockDimZ};
    if (extra)
        return CUDA_ERROR_NOT_SUPPORTED;
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

/* ---- modules: cubins and PTX run only on GPUs ---------------------------- */

CUresult cuModuleLoad(CUmodule *module, const char *fname)
{
    return module && fname ? CUDA_ERROR_NOT_SUPPORTED
                           : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    return module && image ? CUDA_ERROR_NOT_SUPPORTED
                           : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuModuleUnload(CUmodule hmod)
{
    (void)hmod; // there is none
    return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
    (void)hfunc, (void)hmod, (void)name;
    return CUDA_ERROR_INVALID_HANDLE;
}
