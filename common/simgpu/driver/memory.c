/*
 * memory.c: the driver's functions for allocating and copying
 */
#include <stddef.h> /* NULL */

#include "core/device.h"
#include "core/heap/heap.h"
#include "driver/call.h"

/* ---- allocating ---------------------------------------------------------- */

CUresult cuMemGetInfo(size_t *free, size_t *total)
{
    DRIVER_CALL(cudaMemGetInfo(free, total));
}

CUresult cuMemAlloc(CUdeviceptr *dptr, size_t bytesize)
{
    if (bytesize == 0)
        return CUDA_ERROR_INVALID_VALUE;
    DRIVER_CALL(cudaMalloc((void **)dptr, bytesize));
}

CUresult cuMemFree(CUdeviceptr dptr)
{
    DRIVER_CALL(cudaFree((void *)dptr));
}

CUresult cuMemAllocPitch(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes,
                         size_t Height, unsigned int ElementSizeBytes)
{
    if (ElementSizeBytes != 4 && ElementSizeBytes != 8 &&
        ElementSizeBytes != 16)
        return CUDA_ERROR_INVALID_VALUE;
    DRIVER_CALL(cudaMallocPitch((void **)dptr, pPitch, WidthInBytes, Height));
}

CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize,
                           unsigned int flags)
{
    DRIVER_CALL(cudaMallocManaged((void **)dptr, bytesize, flags));
}

CUresult cuMemAllocHost(void **pp, size_t bytesize)
{
    DRIVER_CALL(cudaMallocHost(pp, bytesize));
}

CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
    DRIVER_CALL(cudaHostAlloc(pp, bytesize, Flags));
}

CUresult cuMemFreeHost(void *p)
{
    DRIVER_CALL(cudaFreeHost(p));
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *pdptr, void *p,
                                   unsigned int Flags)
{
    DRIVER_CALL(cudaHostGetDevicePointer((void **)pdptr, p, Flags));
}

CUresult cuMemHostGetFlags(unsigned int *pFlags, void *p)
{
    DRIVER_CALL(cudaHostGetFlags(pFlags, p));
}

CUresult cuMemHostRegister(void *p, size_t bytesize, unsigned int Flags)
{
    DRIVER_CALL(cudaHostRegister(p, bytesize, Flags));
}

CUresult cuMemHostUnregister(void *p)
{
    DRIVER_CALL(cudaHostUnregister(p));
}

CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
    DRIVER_CALL(cudaMallocAsync((void **)dptr, bytesize, hStream));
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)
{
    DRIVER_CALL(cudaFreeAsync((void *)dptr, hStream));
}

CUresult cuMemGetAddressRange(CUdeviceptr *pbase, size_t *psize,
                              CUdeviceptr dptr)
{
    struct heap_block b;
    const CUresult err = context_current();
    if (err != CUDA_SUCCESS)
        return err;
    if (simgpu_heap_find((void *)dptr, &b) != 0)
        return CUDA_ERROR_NOT_FOUND;
    if (pbase)
        *pbase = (uintptr_t)b.base;
    if (psize)
        *psize = b.nbytes;
    return CUDA_SUCCESS;
}

/* ---- copying ------------------------------------------------------------- */

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount)
{
    DRIVER_CALL(
        cudaMemcpy((void *)dst, (void *)src, ByteCount, cudaMemcpyDefault));
}

CUresult cuMemcpyHtoD(CUdeviceptr dstDevice, const void *srcHost,
                      size_t ByteCount)
{
    DRIVER_CALL(cudaMemcpy((void *)dstDevice, srcHost, ByteCount,
                           cudaMemcpyHostToDevice));
}

CUresult cuMemcpyDtoH(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount)
{
    DRIVER_CALL(cudaMemcpy(dstHost, (void *)srcDevice, ByteCount,
                           cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyDtoD(CUdeviceptr dstDevice, CUdeviceptr srcDevice,
                      size_t ByteCount)
{
    DRIVER_CALL(cudaMemcpy((void *)dstDevice, (void *)srcDevice, ByteCount,
                           cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount,
                       CUstream hStream)
{
    DRIVER_CALL(cudaMemcpyAsync((void *)dst, (void *)src, ByteCount,
                                cudaMemcpyDefault, hStream));
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr dstDevice, const void *srcHost,
                           size_t ByteCount, CUstream hStream)
{
    DRIVER_CALL(cudaMemcpyAsync((void *)dstDevice, srcHost, ByteCount,
                                cudaMemcpyHostToDevice, hStream));
}

CUresult cuMemcpyDtoHAsync(void *dstHost, CUdeviceptr srcDevice,
                           size_t ByteCount, CUstream hStream)
{
    DRIVER_CALL(cudaMemcpyAsync(dstHost, (void *)srcDevice, ByteCount,
                                cudaMemcpyDeviceToHost, hStream));
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr dstDevice, CUdeviceptr srcDevice,
                           size_t ByteCount, CUstream hStream)
{
    DRIVER_CALL(cudaMemcpyAsync((void *)dstDevice, (void *)srcDevice, ByteCount,
                                cudaMemcpyDeviceToDevice, hStream));
}

/* The device of a peer's context, where NULL is the current one; negative for
 * an invalid context. */
static int peer_device(CUcontext context)
{
    return context ? context_device(context) : simgpu_device_current();
}

CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext,
                      CUdeviceptr srcDevice, CUcontext srcContext,
                      size_t ByteCount)
{
    const int dst = peer_device(dstContext);
    const int src = peer_device(srcContext);
    if (dst < 0 || src < 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    DRIVER_CALL(cudaMemcpyPeer((void *)dstDevice, dst, (void *)srcDevice, src,
                               ByteCount));
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext,
                           CUdeviceptr srcDevice, CUcontext srcContext,
                           size_t ByteCount, CUstream hStream)
{
    const int dst = peer_device(dstContext);
    const int src = peer_device(srcContext);
    if (dst < 0 || src < 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    DRIVER_CALL(cudaMemcpyPeerAsync((void *)dstDevice, dst, (void *)srcDevice,
                                    src, ByteCount, hStream));
}
