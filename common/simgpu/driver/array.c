/*
 * array.c: the driver's functions for arrays
 */
#include <stddef.h> /* NULL */

#include "cudart/memory/copy.h"
#include "driver/call.h"
#include "driver/channels.h"

/* ---- arrays -------------------------------------------------------------- */

CUresult cuArray3DCreate(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    const unsigned known = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST |
                           CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER;
    if (!pHandle || !d)
        return CUDA_ERROR_INVALID_VALUE;
    if (d->Flags & ~known) // a depth format has one channel
        return d->Flags & CUDA_ARRAY3D_DEPTH_TEXTURE && d->NumChannels != 1
                   ? CUDA_ERROR_INVALID_VALUE
                   : CUDA_ERROR_NOT_SUPPORTED;
    const struct cudaChannelFormatDesc c =
        channels_of(d->Format, d->NumChannels);
    const struct cudaExtent e = {d->Width, d->Height, d->Depth};
    DRIVER_CALL(cudaMalloc3DArray((cudaArray_t *)pHandle, &c, e, d->Flags));
}

CUresult cuArrayCreate(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *d)
{
    if (!pHandle || !d)
        return CUDA_ERROR_INVALID_VALUE;
    const struct cudaChannelFormatDesc c =
        channels_of(d->Format, d->NumChannels);
    DRIVER_CALL(cudaMallocArray((cudaArray_t *)pHandle, &c, d->Width, d->Height,
                                cudaArrayDefault));
}

CUresult cuArrayDestroy(CUarray hArray)
{
    if (!hArray)
        return CUDA_ERROR_INVALID_HANDLE;
    DRIVER_CALL(cudaFreeArray((cudaArray_t)hArray));
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray hArray)
{
    const struct cudaArray *const a = (cudaArray_t)hArray;
    const CUresult err = context_current();
    if (err != CUDA_SUCCESS)
        return err;
    if (!d || !a)
        return d ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    *d = (CUDA_ARRAY3D_DESCRIPTOR){
        .Width = a->extent.width,
        .Height = a->extent.height,
        .Depth = a->extent.depth,
        .Format = channels_format(&a->desc),
        .NumChannels = (unsigned)(a->elem_nbytes * 8 / (unsigned)a->desc.x),
        .Flags = a->flags};
    return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *d, CUarray hArray)
{
    CUDA_ARRAY3D_DESCRIPTOR all;
    const CUresult err = cuArray3DGetDescriptor(d ? &all : NULL, hArray);
    if (err == CUDA_SUCCESS)
        *d = (CUDA_ARRAY_DESCRIPTOR){all.Width, all.Height, all.Format,
                                     all.NumChannels};
    return err;
}

/* ---- copying consecutive bytes of an array's first row ------------------- */

/* The address of these bytes, or NULL if they exceed the
 * row or there is no array. */
static char *bytes_of(CUarray array, size_t offset, size_t nbytes)
{
    const cudaArray_t a = (cudaArray_t)array;
    const size_t row = a ? a->extent.width * a->elem_nbytes : 0;
    return offset <= row && nbytes <= row - offset && a ? a->base + offset
                                                        : NULL;
}

CUresult cuMemcpyHtoA(CUarray dstArray, size_t dstOffset, const void *srcHost,
                      size_t ByteCount)
{
    char *const to = bytes_of(dstArray, dstOffset, ByteCount);
    if (!to)
        return CUDA_ERROR_INVALID_VALUE;
    DRIVER_CALL(cudaMemcpy(to, srcHost, ByteCount, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyAtoH(void *dstHost, CUarray srcArray, size_t srcOffset,
                      size_t ByteCount)
{
    const char *const from = bytes_of(srcArray, srcOffset, ByteCount);
    if (!from)
        return CUDA_ERROR_INVALID_VALUE;
    DRIVER_CALL(cudaMemcpy(dstHost, from, ByteCount, cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyDtoA(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice,
                      size_t ByteCount)
{
    char *const to = bytes_of(dstArray, dstOffset, ByteCount);
    if (!to)
        return CUDA_ERROR_INVALID_VALUE;
    DRIVER_CALL(
        cudaMemcpy(to, (void *)srcDevice, ByteCount, cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyAtoD(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset,
                      size_t ByteCount)
{
    const char *const from = bytes_of(srcArray, srcOffset, ByteCount);
    if (!from)
        return CUDA_ERROR_INVALID_VALUE;
    DRIVER_CALL(cudaMemcpy((void *)dstDevice, from, ByteCount,
                           cudaMemcpyDeviceToDevice));
}
