/*
 * driver.c: the driver's functions for textures and surfaces
 */
#include <stddef.h> /* NULL */

#include "cudart/memory/copy.h"
#include "driver/call.h"
#include "driver/channels.h"

/* Convert a resource's description to the runtime's. *format describes its
 * channels. */
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
            channels_of(d->res.linear.format, d->res.linear.numChannels);
        return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_PITCH2D:
        r->resType = cudaResourceTypePitch2D;
        r->res.pitch2D.devPtr = (void *)d->res.pitch2D.devPtr;
        r->res.pitch2D.width = d->res.pitch2D.width;
        r->res.pitch2D.height = d->res.pitch2D.height;
        r->res.pitch2D.pitchInBytes = d->res.pitch2D.pitchInBytes;
        r->res.pitch2D.desc = *format =
            channels_of(d->res.pitch2D.format, d->res.pitch2D.numChannels);
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
