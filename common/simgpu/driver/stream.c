/*
 * stream.c: the driver's functions for streams and events
 */
#include <stddef.h> /* NULL */

#include "core/stream/stream.h"
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
