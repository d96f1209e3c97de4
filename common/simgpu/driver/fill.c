/*
 * fill.c: memsets of 1, 2 and 4 bytes; copies of rows and boxes, including
 * those of arrays
 */
#include "core/site.h"
#include "cudart/memory/copy.h"
#include "driver/call.h"

/* ---- filling ------------------------------------------------------------- */

/* Fill rows of `count` elements. The driver's functions without a stream use
 * the default stream. */
#define FILL(name_, type, value_, nbytes, pitch_, count, rows, stream_, wait_) \
    DRIVER_CALL(simgpu_fill(&(struct fill){.name = (name_),                    \
                                           .site = CALLER_SITE(),              \
                                           .dst = (void *)dstDevice,           \
                                           .value = (type)(value_),            \
                                           .elem_nbytes = (nbytes),            \
                                           .width = (count) * (nbytes),        \
                                           .height = (rows),                   \
                                           .depth = 1,                         \
                                           .pitch = (pitch_),                  \
                                           .stream = (stream_),                \
                                           .wait = (wait_)}))

/* Define the four functions for elements of one type: one row or many, with a
 * stream or without. */
#define FILLS(bits, type, row, row_async, rows, rows_async)                    \
    CUresult row(CUdeviceptr dstDevice, type x, size_t N)                      \
    {                                                                          \
        FILL(#row, type, x, bits / 8, N * (bits / 8), N, 1, 0, 1);             \
    }                                                                          \
    CUresult row_async(CUdeviceptr dstDevice, type x, size_t N,                \
                       CUstream hStream)                                       \
    {                                                                          \
        FILL(#row_async, type, x, bits / 8, N * (bits / 8), N, 1, hStream, 0); \
    }                                                                          \
    CUresult rows(CUdeviceptr dstDevice, size_t dstPitch, type x,              \
                  size_t Width, size_t Height)                                 \
    {                                                                          \
        FILL(#rows, type, x, bits / 8, dstPitch, Width, Height, 0, 1);         \
    }                                                                          \
    CUresult rows_async(CUdeviceptr dstDevice, size_t dstPitch, type x,        \
                        size_t Width, size_t Height, CUstream hStream)         \
    {                                                                          \
        FILL(#rows_async, type, x, bits / 8, dstPitch, Width, Height, hStream, \
             0);                                                               \
    }

FILLS(8, unsigned char, cuMemsetD8, cuMemsetD8Async, cuMemsetD2D8,
      cuMemsetD2D8Async)
FILLS(16, unsigned short, cuMemsetD16, cuMemsetD16Async, cuMemsetD2D16,
      cuMemsetD2D16Async)
FILLS(32, unsigned int, cuMemsetD32, cuMemsetD32Async, cuMemsetD2D32,
      cuMemsetD2D32Async)

/* ---- copying rows -------------------------------------------------------- */

struct side { /* one side of a copy */
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    size_t x, y, pitch;
};

static const char *first_of(const struct side *s, size_t pitch)
{
    const char *const base =
        s->type == CU_MEMORYTYPE_HOST ? s->host : (const char *)s->device;
    return base + s->y * pitch + s->x;
}

static int is_known(CUmemorytype type, CUarray array)
{
    return type == CU_MEMORYTYPE_HOST || type == CU_MEMORYTYPE_DEVICE ||
           type == CU_MEMORYTYPE_UNIFIED ||
           (type == CU_MEMORYTYPE_ARRAY && array);
}

static enum cudaMemcpyKind kind_of(const struct side *to,
                                   const struct side *from)
{
    const int to_host = to->type == CU_MEMORYTYPE_HOST;
    const int from_host = from->type == CU_MEMORYTYPE_HOST;
    if (to->type == CU_MEMORYTYPE_UNIFIED ||
        from->type == CU_MEMORYTYPE_UNIFIED)
        return cudaMemcpyDefault;
    return to_host ? from_host ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost
           : from_host ? cudaMemcpyHostToDevice
                       : cudaMemcpyDeviceToDevice;
}

static cudaError_t copy_3d(const CUDA_MEMCPY3D *c, const CUstream *stream);

/* Copy an array's rows, as a box of one slice. */
static cudaError_t copy_slice(const CUDA_MEMCPY2D *c, const CUstream *stream)
{
    const CUDA_MEMCPY3D box = {.srcXInBytes = c->srcXInBytes,
                               .srcY = c->srcY,
                               .srcMemoryType = c->srcMemoryType,
                               .srcHost = c->srcHost,
                               .srcDevice = c->srcDevice,
                               .srcArray = c->srcArray,
                               .srcPitch = c->srcPitch,
                               .dstXInBytes = c->dstXInBytes,
                               .dstY = c->dstY,
                               .dstMemoryType = c->dstMemoryType,
                               .dstHost = c->dstHost,
                               .dstDevice = c->dstDevice,
                               .dstArray = c->dstArray,
                               .dstPitch = c->dstPitch,
                               .WidthInBytes = c->WidthInBytes,
                               .Height = c->Height,
                               .Depth = 1};
    return copy_3d(&box, stream);
}

static cudaError_t copy_2d(const CUDA_MEMCPY2D *c, const CUstream *stream)
{
    if (!c->WidthInBytes || !c->Height)
        return cudaSuccess;
    if (c->srcMemoryType == CU_MEMORYTYPE_ARRAY ||
        c->dstMemoryType == CU_MEMORYTYPE_ARRAY)
        return copy_slice(c, stream);
    const struct side to = {c->dstMemoryType, c->dstHost, c->dstDevice,
                            c->dstXInBytes,   c->dstY,    c->dstPitch};
    const struct side from = {c->srcMemoryType, c->srcHost, c->srcDevice,
                              c->srcXInBytes,   c->srcY,    c->srcPitch};
    const size_t to_pitch = to.pitch ? to.pitch : c->WidthInBytes + to.x;
    const size_t from_pitch =
        from.pitch ? from.pitch : c->WidthInBytes + from.x;
    if (to.x + c->WidthInBytes > to_pitch ||
        from.x + c->WidthInBytes > from_pitch)
        return cudaErrorInvalidValue;
    char *const dst = (char *)(uintptr_t)first_of(&to, to_pitch);
    const char *const src = first_of(&from, from_pitch);
    return stream
               ? cudaMemcpy2DAsync(dst, to_pitch, src, from_pitch,
                                   c->WidthInBytes, c->Height,
                                   kind_of(&to, &from), *stream)
               : cudaMemcpy2D(dst, to_pitch, src, from_pitch, c->WidthInBytes,
                              c->Height, kind_of(&to, &from));
}

/* A copy of no bytes is valid; its other members are not checked. */
static CUresult check_rows(const CUDA_MEMCPY2D *c)
{
    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    return !c->WidthInBytes || !c->Height ||
                   (is_known(c->dstMemoryType, c->dstArray) &&
                    is_known(c->srcMemoryType, c->srcArray))
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *pCopy)
{
    const CUresult err = check_rows(pCopy);
    if (err != CUDA_SUCCESS)
        return err;
    DRIVER_CALL(copy_2d(pCopy, NULL));
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *pCopy)
{
    const CUresult err = check_rows(pCopy);
    if (err != CUDA_SUCCESS)
        return err;
    DRIVER_CALL(copy_2d(pCopy, NULL));
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
    const CUresult err = check_rows(pCopy);
    if (err != CUDA_SUCCESS)
        return err;
    DRIVER_CALL(copy_2d(pCopy, &hStream));
}

/* ---- copying boxes ------------------------------------------------------- */

/* Convert one side of a box to the runtime's form. Without given steps, rows
 * and slices are contiguous. Returns 1 if the box lies within them. */
static int lay_out(struct side *s, const CUDA_MEMCPY3D *c, size_t z,
                   size_t nrows, struct cudaPitchedPtr *ptr)
{
    if (s->pitch == 0)
        s->pitch = s->x + c->WidthInBytes;
    if (nrows == 0)
        nrows = s->y + c->Height;
    const char *const first = first_of(s, s->pitch) + z * nrows * s->pitch;
    *ptr = (struct cudaPitchedPtr){.ptr = (char *)(uintptr_t)first,
                                   .pitch = s->pitch,
                                   .xsize = c->WidthInBytes,
                                   .ysize = nrows};
    return s->x + c->WidthInBytes <= s->pitch && s->y + c->Height <= nrows;
}

/* Find one side's first element in an array. Returns 0 if it
 * lies between two elements. */
static int place_in(cudaArray_t array, size_t x, size_t y, size_t z,
                    struct cudaPos *at)
{
    *at = (struct cudaPos){x / array->elem_nbytes, y, z};
    return x % array->elem_nbytes == 0;
}

/* The width of a box in elements of the array it is copied from or to. */
static size_t width_of(const CUDA_MEMCPY3D *c,
                       const struct cudaMemcpy3DParms *p)
{
    return c->WidthInBytes / (p->srcArray   ? p->srcArray->elem_nbytes
                              : p->dstArray ? p->dstArray->elem_nbytes
                                            : 1);
}

static int is_empty_box(const CUDA_MEMCPY3D *c)
{
    return !c->WidthInBytes || !c->Height || !c->Depth;
}

/* Without a stream, use the default one and wait. */
static cudaError_t copy_3d(const CUDA_MEMCPY3D *c, const CUstream *stream)
{
    struct side to = {c->dstMemoryType, c->dstHost, c->dstDevice,
                      c->dstXInBytes,   c->dstY,    c->dstPitch};
    struct side from = {c->srcMemoryType, c->srcHost, c->srcDevice,
                        c->srcXInBytes,   c->srcY,    c->srcPitch};
    struct cudaMemcpy3DParms p = {
        .extent = {c->WidthInBytes, c->Height, c->Depth},
        .kind = kind_of(&to, &from)};
    if (is_empty_box(c))
        return cudaSuccess;
    if (to.type == CU_MEMORYTYPE_ARRAY)
        p.dstArray = (cudaArray_t)c->dstArray;
    if (from.type == CU_MEMORYTYPE_ARRAY)
        p.srcArray = (cudaArray_t)c->srcArray;
    if (!(p.dstArray ? place_in(p.dstArray, to.x, to.y, c->dstZ, &p.dstPos)
                     : lay_out(&to, c, c->dstZ, c->dstHeight, &p.dstPtr)) ||
        !(p.srcArray ? place_in(p.srcArray, from.x, from.y, c->srcZ, &p.srcPos)
                     : lay_out(&from, c, c->srcZ, c->srcHeight, &p.srcPtr)))
        return cudaErrorInvalidValue;
    p.extent.width = width_of(c, &p);
    return stream ? cudaMemcpy3DAsync(&p, *stream) : cudaMemcpy3D(&p);
}

/* Only mipmapped arrays have levels of detail, so they are not checked. */
static CUresult check_box(const CUDA_MEMCPY3D *c)
{
    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    return is_empty_box(c) || (is_known(c->dstMemoryType, c->dstArray) &&
                               is_known(c->srcMemoryType, c->srcArray))
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *pCopy)
{
    const CUresult err = check_box(pCopy);
    if (err != CUDA_SUCCESS)
        return err;
    DRIVER_CALL(copy_3d(pCopy, NULL));
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *pCopy, CUstream hStream)
{
    const CUresult err = check_box(pCopy);
    if (err != CUDA_SUCCESS)
        return err;
    DRIVER_CALL(copy_3d(pCopy, &hStream));
}
