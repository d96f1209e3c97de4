/*
 * texture.c: creating texture and surface objects
 *
 * A texture reads an array, rows of pitched memory, or linear memory; a surface
 * accesses an array. Mipmaps and views in other formats are refused.
 */
#include "extras/texture/texture.h"

#include "core/host.h"
#include "core/site.h"
#include "cudart/memory/copy.h"

enum { ALIGNMENT = 512, PITCH_ALIGNMENT = 32 };

static cudaError_t describe_channels(struct texture *t,
                                     const struct cudaChannelFormatDesc *f)
{
    const cudaError_t err = array_channels(f, &t->nchannels);
    t->format = f->f;
    t->bits = f->x;
    t->elem_nbytes = (size_t)(t->nchannels * f->x / 8);
    return err;
}

static cudaError_t describe_array(struct texture *t, const struct cudaArray *a)
{
    const int layered = a && a->flags & (cudaArrayLayered | cudaArrayCubemap);
    if (!a)
        return cudaErrorInvalidResourceHandle;
    t->cubes = !(a->flags & cudaArrayCubemap)   ? NO_CUBE
               : !(a->flags & cudaArrayLayered) ? ONE_CUBE
                                                : MANY_CUBES;
    t->base = a->base;
    t->nlayers = layered ? a->extent.depth : 0;
    t->ndims = a->extent.height == 0             ? 1
               : a->extent.depth == 0 || layered ? 2
                                                 : 3;
    t->size[0] = a->extent.width;
    t->size[1] = t->ndims > 1 ? a->extent.height : 1;
    t->size[2] = t->ndims > 2 ? a->extent.depth : 1;
    t->pitch = a->width;
    t->slice = a->width * t->size[1];
    return describe_channels(t, &a->desc);
}

/* Rows in memory that the program has allocated. */
static cudaError_t describe_memory(struct texture *t, void *p, size_t width,
                                   size_t height, size_t pitch)
{
    struct span s;
    const size_t row = width * t->elem_nbytes;
    if (!p || (!width && !t->is_linear) || !height ||
        (uintptr_t)p % ALIGNMENT || row > pitch)
        return cudaErrorInvalidValue;
    const cudaError_t err = span_of(p, (height - 1) * pitch + row, 0, &s);
    if (err != cudaSuccess || s.device == API_PAGEABLE)
        return cudaErrorInvalidValue;
    t->base = p;
    t->size[0] = width;
    t->size[1] = height;
    t->size[2] = 1;
    t->pitch = pitch;
    return cudaSuccess;
}

static cudaError_t describe(struct texture *t, const struct cudaResourceDesc *r)
{
    cudaError_t err;
    *t = (struct texture){.resource = *r};
    switch (r->resType) {
    case cudaResourceTypeArray: return describe_array(t, r->res.array.array);
    case cudaResourceTypeLinear:
        t->is_linear = 1;
        t->ndims = 1;
        err = describe_channels(t, &r->res.linear.desc);
        return err != cudaSuccess
                   ? err
                   : describe_memory(t, r->res.linear.devPtr,
                                     r->res.linear.sizeInBytes / t->elem_nbytes,
                                     1, r->res.linear.sizeInBytes);
    case cudaResourceTypePitch2D:
        t->ndims = 2;
        err = describe_channels(t, &r->res.pitch2D.desc);
        if (err == cudaSuccess && r->res.pitch2D.pitchInBytes % PITCH_ALIGNMENT)
            err = cudaErrorInvalidValue;
        return err != cudaSuccess
                   ? err
                   : describe_memory(
                         t, r->res.pitch2D.devPtr, r->res.pitch2D.width,
                         r->res.pitch2D.height, r->res.pitch2D.pitchInBytes);
    case cudaResourceTypeMipmappedArray: return cudaErrorNotSupported;
    }
    return cudaErrorInvalidValue;
}

static cudaError_t check_settings(const struct texture *t)
{
    const struct cudaTextureDesc *const d = &t->desc;
    const int is_float = t->format == cudaChannelFormatKindFloat;
    const int normalizes = d->readMode == cudaReadModeNormalizedFloat;
    const int can_normalize = !is_float && t->bits < 32;
    if (d->filterMode == cudaFilterModeLinear && !is_float &&
        !(normalizes && can_normalize))
        return cudaErrorInvalidFilterSetting;
    if (normalizes && !can_normalize)
        return cudaErrorInvalidNormSetting;
    return d->sRGB ? cudaErrorNotSupported : cudaSuccess;
}

static cudaError_t add(unsigned long long *object, const struct texture *t,
                       const char *name, uint32_t site)
{
    simgpu_host_call(name, site);
    *object = texture_add(t);
    return *object ? cudaSuccess : cudaErrorMemoryAllocation;
}

static const struct texture *object_of(unsigned long long object, int surface)
{
    const struct texture *const t = texture_of(object);
    return t && t->is_surface == surface ? t : NULL;
}

cudaError_t
cudaCreateTextureObject(cudaTextureObject_t *pTexObject,
                        const struct cudaResourceDesc *pResDesc,
                        const struct cudaTextureDesc *pTexDesc,
                        const struct cudaResourceViewDesc *pResViewDesc)
{
    struct texture t;
    API_ENTER();
    if (!pResDesc || !pTexDesc)
        return api_return(pResDesc ? cudaErrorInvalidResourceHandle
                                   : cudaErrorInvalidValue);
    cudaError_t err =
        pResViewDesc ? cudaErrorNotSupported : describe(&t, pResDesc);
    if (err != cudaSuccess)
        return api_return(err);
    t.desc = *pTexDesc;
    err = check_settings(&t);
    if (err == cudaSuccess && !pTexObject)
        err = cudaErrorInvalidValue;
    return api_return(
        err != cudaSuccess
            ? err
            : add(pTexObject, &t, "cudaCreateTextureObject", CALLER_SITE()));
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject)
{
    API_ENTER();
    if (!object_of(texObject, 0))
        return api_return(texObject ? cudaErrorInvalidValue : cudaSuccess);
    texture_remove(texObject);
    return api_return(cudaSuccess);
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                             cudaTextureObject_t texObject)
{
    const struct texture *const t = object_of(texObject, 0);
    if (!t || !pResDesc)
        return api_return(cudaErrorInvalidValue);
    *pResDesc = t->resource;
    return api_return(cudaSuccess);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc,
                                            cudaTextureObject_t texObject)
{
    const struct texture *const t = object_of(texObject, 0);
    if (!t || !pTexDesc)
        return api_return(cudaErrorInvalidValue);
    *pTexDesc = t->desc;
    return api_return(cudaSuccess);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject,
                                    const struct cudaResourceDesc *pResDesc)
{
    struct texture t;
    API_ENTER();
    if (!pSurfObject || !pResDesc || pResDesc->resType != cudaResourceTypeArray)
        return api_return(cudaErrorInvalidValue);
    const cudaError_t err = describe(&t, pResDesc);
    if (err != cudaSuccess)
        return api_return(err);
    t.is_surface = 1;
    return api_return(
        add(pSurfObject, &t, "cudaCreateSurfaceObject", CALLER_SITE()));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject)
{
    API_ENTER();
    if (!object_of(surfObject, 1))
        return api_return(surfObject ? cudaErrorInvalidValue : cudaSuccess);
    texture_remove(surfObject);
    return api_return(cudaSuccess);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                             cudaSurfaceObject_t surfObject)
{
    const struct texture *const t = object_of(surfObject, 1);
    if (!t || !pResDesc)
        return api_return(cudaErrorInvalidValue);
    *pResDesc = t->resource;
    return api_return(cudaSuccess);
}
