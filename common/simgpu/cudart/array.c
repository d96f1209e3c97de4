/*
 * array.c: pitched memory and arrays
 *
 * An array is device memory whose layout programs do not see: rows without
 * padding. Textures and surfaces read it (texture.c).
 */
#include <stdlib.h> /* calloc */

#include "core/device.h"
#include "core/heap.h"
#include "core/host.h"
#include "core/site.h"
#include "cudart/capture.h"
#include "cudart/copy.h"
#include "cudart/memory.h"

enum { PITCH = 512 }; /* rows of pitched memory start at multiples of it */

static cudaError_t pitched(const char *name, uint32_t site, void **devPtr,
                           size_t *pitch, size_t width, size_t nrows)
{
    const cudaError_t err = capture_allows_unsafe();
    if (err != cudaSuccess)
        return err;
    if (!devPtr || !pitch)
        return cudaErrorInvalidValue;
    simgpu_host_call(name, site);
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    return simgpu_heap_alloc(simgpu_device_current(), *pitch * nrows, 0, site,
                             devPtr)
               ? cudaErrorMemoryAllocation
               : cudaSuccess;
}

cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width,
                            size_t height)
{
    API_ENTER();
    return api_return(pitched("cudaMallocPitch", CALLER_SITE(), devPtr, pitch,
                              width, height));
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr,
                         struct cudaExtent extent)
{
    API_ENTER();
    if (!pitchedDevPtr)
        return api_return(cudaErrorInvalidValue);
    struct cudaPitchedPtr p = {.xsize = extent.width, .ysize = extent.height};
    const cudaError_t err =
        pitched("cudaMalloc3D", CALLER_SITE(), &p.ptr, &p.pitch, extent.width,
                extent.height * extent.depth);
    if (err == cudaSuccess)
        *pitchedDevPtr = p;
    return api_return(err);
}

/* ---- arrays -------------------------------------------------------------- */

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

static cudaError_t make_array(cudaArray_t *array,
                              const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned flags,
                              const char *name, uint32_t site)
{
    const cudaError_t err = capture_allows_unsafe();
    if (err != cudaSuccess)
        return err;
    const int bits = desc ? desc->x + desc->y + desc->z + desc->w : 0;
    if (!array || !desc || bits <= 0 || bits % 8 || extent.width == 0)
        return cudaErrorInvalidValue;
    if (flags & cudaArrayCubemap &&
        (extent.width != extent.height || extent.depth == 0 ||
         extent.depth % 6 || (!(flags & cudaArrayLayered) && extent.depth > 6)))
        return cudaErrorInvalidValue;
    struct cudaArray *const a = calloc(1, sizeof *a);
    if (!a)
        return cudaErrorMemoryAllocation;
    a->desc = *desc;
    a->extent = extent;
    a->flags = flags;
    a->elem_nbytes = (size_t)bits / 8;
    a->width = extent.width * a->elem_nbytes;
    const size_t nrows =
        (extent.height ? extent.height : 1) * (extent.depth ? extent.depth : 1);
    void *base;
    simgpu_host_call(name, site);
    if (simgpu_heap_alloc(simgpu_device_current(), a->width * nrows, 0, site,
                          &base) != 0) {
        free(a);
        return cudaErrorMemoryAllocation;
    }
    a->base = base;
    *array = a;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array,
                            const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height, unsigned int flags)
{
    API_ENTER();
    return api_return(make_array(array, desc,
                                 (struct cudaExtent){width, height, 0}, flags,
                                 "cudaMallocArray", CALLER_SITE()));
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array,
                              const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned int flags)
{
    API_ENTER();
    return api_return(make_array(array, desc, extent, flags,
                                 "cudaMalloc3DArray", CALLER_SITE()));
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    API_ENTER();
    if (!array)
        return api_return(cudaSuccess);
    void *const base = array->base;
    free(array);
    return api_return(memory_free(base, "cudaFreeArray", CALLER_SITE()));
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc,
                             struct cudaExtent *extent, unsigned int *flags,
                             cudaArray_t array)
{
    if (!array)
        return api_return(cudaErrorInvalidResourceHandle);
    if (desc)
        *desc = array->desc;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return api_return(cudaSuccess);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc,
                               cudaArray_const_t array)
{
    if (!desc || !array)
        return api_return(cudaErrorInvalidValue);
    *desc = array->desc;
    return api_return(cudaSuccess);
}
