/*
 * array.c: pitched memory and arrays
 *
 * An array is device memory whose layout is hidden from programs: rows without
 * padding. Textures and surfaces read it (texture.c).
 */
#include <stdlib.h> /* calloc */

#include "core/device.h"
#include "core/heap/heap.h"
#include "core/host.h"
#include "core/site.h"
#include "cudart/graphs/capture.h"
#include "cudart/memory/copy.h"
#include "cudart/memory/memory.h"

enum { PITCH = 512 }; /* rows of pitched memory start at multiples of it */

static cudaError_t pitched(const char *name, uint32_t site, void **devPtr,
                           size_t *pitch, size_t width, size_t nrows)
{
    const cudaError_t err = capture_allows_unsafe();
    if (err != cudaSuccess) {
        if (devPtr)
            *devPtr = NULL;
        return err;
    }
    if (!devPtr || !pitch)
        return cudaErrorInvalidValue;
    simgpu_host_call(name, site);
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    return simgpu_heap_alloc(simgpu_device_current(), *pitch * nrows,
                             HEAP_ORDINARY, site, devPtr)
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

cudaError_t array_channels(const struct cudaChannelFormatDesc *f, int *n)
{
    const int bits[4] = {f->x, f->y, f->z, f->w};
    for (*n = 0; *n < 4 && bits[*n];)
        ++*n;
    for (int i = 0; i < 4; i++)
        if (bits[i] != (i < *n ? f->x : 0))
            return cudaErrorInvalidChannelDescriptor;
    if ((*n != 1 && *n != 2 && *n != 4) ||
        (f->x != 8 && f->x != 16 && f->x != 32) ||
        f->f > cudaChannelFormatKindFloat ||
        (f->f == cudaChannelFormatKindFloat && f->x == 8))
        return cudaErrorInvalidChannelDescriptor;
    return cudaSuccess;
}

static int within(struct cudaExtent e, int width, int height, int depth)
{
    return e.width <= (size_t)width && e.height <= (size_t)height &&
           e.depth <= (size_t)depth;
}

/* True if the device supports textures of that extent;
 * layers count as depth. */
static int has_extent(int device, struct cudaExtent e, unsigned flags)
{
    struct cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, device) != cudaSuccess)
        return 0;
    const int *const cubes = p.maxTextureCubemapLayered;
    const int *const layers = p.maxTexture2DLayered;
    const int *const deep = p.maxTexture3D, *const deeper = p.maxTexture3DAlt;
    if (flags & cudaArrayCubemap)
        return flags & cudaArrayLayered
                   ? within(e, cubes[0], cubes[0], cubes[1])
                   : e.width <= (size_t)p.maxTextureCubemap;
    if (flags & cudaArrayLayered)
        return e.height ? within(e, layers[0], layers[1], layers[2])
                        : within(e, p.maxTexture1DLayered[0], 0,
                                 p.maxTexture1DLayered[1]);
    if (e.depth)
        return within(e, deep[0], deep[1], deep[2]) ||
               within(e, deeper[0], deeper[1], deeper[2]);
    return e.height ? within(e, p.maxTexture2D[0], p.maxTexture2D[1], 0)
                    : within(e, p.maxTexture1D, 0, 0);
}

static cudaError_t check_array(const struct cudaChannelFormatDesc *desc,
                               struct cudaExtent extent, unsigned flags)
{
    int nchannels;
    const cudaError_t err = array_channels(desc, &nchannels);
    if (err != cudaSuccess)
        return err;
    if (flags & cudaArrayCubemap &&
        (extent.width != extent.height || extent.depth == 0 ||
         extent.depth % 6 || (!(flags & cudaArrayLayered) && extent.depth > 6)))
        return cudaErrorInvalidValue;
    return extent.width && has_extent(simgpu_device_current(), extent, flags)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

static cudaError_t make_array(cudaArray_t *array,
                              const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned flags,
                              const char *name, uint32_t site)
{
    cudaError_t err = capture_allows_unsafe();
    if (err != cudaSuccess)
        return err;
    if (!array || !desc)
        return cudaErrorInvalidValue;
    err = check_array(desc, extent, flags);
    if (err != cudaSuccess)
        return err;
    const int bits = desc->x + desc->y + desc->z + desc->w;
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
    if (simgpu_heap_alloc(simgpu_device_current(), a->width * nrows,
                          HEAP_ORDINARY, site, &base) != 0) {
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
    if (!desc)
        return api_return(cudaErrorInvalidValue);
    if (!array)
        return api_return(cudaErrorInvalidResourceHandle);
    *desc = array->desc;
    return api_return(cudaSuccess);
}
