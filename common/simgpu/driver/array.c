/*
 * array.c: arrays, textures and surfaces, by the driver's names
 */
#include <stddef.h> /* NULL */

#include "cudart/copy.h"
#include "driver/call.h"

static const struct {
    CUarray_format format;
    int bits;
    enum cudaChannelFormatKind kind;
} formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
    {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* All bits are 0 for a format or a number of channels that there is not. */
static struct cudaChannelFormatDesc channels(CUarray_format format, unsigned n)
{
    struct cudaChannelFormatDesc d = {0};
    if (n != 1 && n != 2 && n != 4)
        return d;
    for (int i = 0; i < FORMATS; i++)
        if (formats[i].format == format) {
            const int bits = formats[i].bits;
            d = (struct cudaChannelFormatDesc){
                bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 2 ? bits : 0,
                formats[i].kind};
        }
    return d;
}

/* ---- arrays -------------------------------------------------------------- */

CUresult cuArray3DCreate(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    const unsigned known = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST |
                           CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER;
    if (!pHandle || !d)
        return CUDA_ERROR_INVALID_VALUE;
    if (d->Flags & ~known) // depth has one channel
        return d->Flags & CUDA_ARRAY3D_DEPTH_TEXTURE && d->NumChannels != 1
                   ? CUDA_ERROR_INVALID_VALUE
                   : CUDA_ERROR_NOT_SUPPORTED;
    const struct cudaChannelFormatDesc c = channels(d->Format, d->NumChannels);
    const struct cudaExtent e = {d->Width, d->Height, d->Depth};
    DRIVER_CALL(cudaMalloc3DArray((cudaArray_t *)pHandle, &c, e, d->Flags));
}

CUresult cuArrayCreate(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *d)
{
    if (!pHandle || !d)
        return CUDA_ERROR_INVALID_VALUE;
    const struct cudaChannelFormatDesc c = channels(d->Format, d->NumChannels);
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
        .NumChannels = (unsigned)(a->elem_nbytes * 8 / (unsigned)a->desc.x),
        .Flags = a->flags};
    for (int i = 0; i < FORMATS; i++)
        if (formats[i].bits == a->desc.x && formats[i].kind == a->desc.f)
            d->Format = formats[i].format;
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

/* ---- copies of consecutive bytes, in an array's first row ---------------- */

/* Where they are; NULL beyond the end of the row, or without an array. */
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

/* ---- objects ------------------------------------------------------------- */

/* The runtime's description of a resource. *format: of its channels. */
static CUresult resource_of(const CUDA_RESOURCE_DESC *d,
                            struct cudaResourceDesc *r,
                            struct cudaChannelFormatDesc *format)
{
    *r = (struct cudaResourceDesc){0};
    switch (d->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        if (!d->res.array.hArray)
            return CUDA_ERROR_INVALID_VALUE;
        r->resType = cudaResourceTypeArray;
        r->res.array.array = (cudaArray_t)d->res.array.hArray;
        *format = r->res.array.array->desc;
        return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_LINEAR:
        r->resType = cudaResourceTypeLinear;
        r->res.linear.devPtr = (void *)d->res.linear.devPtr;
        r->res.linear.sizeInBytes = d->res.linear.sizeInBytes;
        r->res.linear.desc = *format =
            channels(d->res.linear.format, d->res.linear.numChannels);
        return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_PITCH2D:
        r->resType = cudaResourceTypePitch2D;
        r->res.pitch2D.devPtr = (void *)d->res.pitch2D.devPtr;
        r->res.pitch2D.width = d->res.pitch2D.width;
        r->res.pitch2D.height = d->res.pitch2D.height;
        r->res.pitch2D.pitchInBytes = d->res.pitch2D.pitchInBytes;
        r->res.pitch2D.desc = *format =
            channels(d->res.pitch2D.format, d->res.pitch2D.numChannels);
        return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: return CUDA_ERROR_NOT_SUPPORTED;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

static struct cudaTextureDesc
settings_of(const CUDA_TEXTURE_DESC *d,
            const struct cudaChannelFormatDesc *format)
{
    const int stays = d->flags & CU_TRSF_READ_AS_INTEGER || format->x == 32 ||
                      format->f == cudaChannelFormatKindFloat;
    struct cudaTextureDesc t = {
        .filterMode = (enum cudaTextureFilterMode)d->filterMode,
        .readMode =
            stays ? cudaReadModeElementType : cudaReadModeNormalizedFloat,
        .sRGB = (d->flags & CU_TRSF_SRGB) != 0,
        .normalizedCoords = (d->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
        .maxAnisotropy = d->maxAnisotropy};
    for (int i = 0; i < 3; i++)
        t.addressMode[i] = (enum cudaTextureAddressMode)d->addressMode[i];
    for (int i = 0; i < 4; i++)
        t.borderColor[i] = d->borderColor[i];
    return t;
}

CUresult cuTexObjectCreate(CUtexObject *pTexObject,
                           const CUDA_RESOURCE_DESC *pResDesc,
                           const CUDA_TEXTURE_DESC *pTexDesc,
                           const CUDA_RESOURCE_VIEW_DESC *pResViewDesc)
{
    struct cudaResourceDesc r;
    struct cudaChannelFormatDesc format;
    if (!pTexObject || !pResDesc || !pTexDesc)
        return CUDA_ERROR_INVALID_VALUE;
    if (pResViewDesc)
        return CUDA_ERROR_NOT_SUPPORTED;
    const CUresult err = resource_of(pResDesc, &r, &format);
    if (err != CUDA_SUCCESS)
        return err;
    const struct cudaTextureDesc t = settings_of(pTexDesc, &format);
    DRIVER_CALL(cudaCreateTextureObject(pTexObject, &r, &t, NULL));
}

CUresult cuTexObjectDestroy(CUtexObject texObject)
{
    DRIVER_CALL(cudaDestroyTextureObject(texObject));
}

CUresult cuSurfObjectCreate(CUsurfObject *pSurfObject,
                            const CUDA_RESOURCE_DESC *pResDesc)
{
    struct cudaResourceDesc r;
    struct cudaChannelFormatDesc format;
    if (!pSurfObject || !pResDesc)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult err = resource_of(pResDesc, &r, &format);
    if (err != CUDA_SUCCESS)
        return err;
    DRIVER_CALL(cudaCreateSurfaceObject(pSurfObject, &r));
}

CUresult cuSurfObjectDestroy(CUsurfObject surfObject)
{
    DRIVER_CALL(cudaDestroySurfaceObject(surfObject));
}
