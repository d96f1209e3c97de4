/*
 * copy_3d.c: copies of boxes, copies of arrays, and batches of copies
 */
#include "core/device.h"
#include "core/proc.h"
#include "core/site.h"
#include "cudart/memory/copy.h"

struct side { /* one side of a box: address of its first byte, and its steps */
    char *at;
    size_t pitch, slice, nrows; /* nrows: rows per slice in memory */
};

/* The size of an element. If an array takes part, all positions and extents
 * count its elements, otherwise bytes. */
static size_t element_of(const struct cudaMemcpy3DParms *p)
{
    return p->srcArray   ? p->srcArray->elem_nbytes
           : p->dstArray ? p->dstArray->elem_nbytes
                         : 1;
}

static cudaError_t side_of(cudaArray_const_t array, struct cudaPitchedPtr ptr,
                           struct cudaPos pos, size_t elem_nbytes,
                           struct side *out)
{
    if ((array != NULL) == (ptr.ptr != NULL))
        return cudaErrorInvalidValue;
    if (array) {
        const size_t nrows = array->extent.height ? array->extent.height : 1;
        *out = (struct side){array->base, array->width, array->width * nrows,
                             nrows};
    } else {
        *out =
            (struct side){ptr.ptr, ptr.pitch, ptr.pitch * ptr.ysize, ptr.ysize};
    }
    out->at += pos.x * elem_nbytes + pos.y * out->pitch + pos.z * out->slice;
    return cudaSuccess;
}

/* False if a row would extend into the next row, or a slice into the
 * next slice. copy_run() checks rows and slices that are too short
 * for the extent alone. */
static int stays_in(const struct side *s, struct cudaPos pos,
                    struct cudaExtent e, size_t elem_nbytes)
{
    if (s->pitch < e.width * elem_nbytes ||
        (e.depth > 1 && s->nrows < e.height))
        return 1;
    return (pos.x + e.width) * elem_nbytes <= s->pitch &&
           (e.depth <= 1 || pos.y + e.height <= s->nrows);
}

static int inside(cudaArray_const_t a, struct cudaPos pos, struct cudaExtent e)
{
    if (!a)
        return 1;
    const size_t height = a->extent.height ? a->extent.height : 1;
    const size_t depth = a->extent.depth ? a->extent.depth : 1;
    return pos.x + e.width <= a->extent.width && pos.y + e.height <= height &&
           pos.z + e.depth <= depth;
}

static cudaError_t run_box(const char *name, uint32_t site,
                           const struct cudaMemcpy3DParms *p,
                           cudaStream_t stream, int wait, enum copy_host host)
{
    struct side dst, src;
    if (!p)
        return cudaErrorInvalidValue;
    const size_t elem = element_of(p);
    cudaError_t err = side_of(p->srcArray, p->srcPtr, p->srcPos, elem, &src);
    if (err == cudaSuccess)
        err = side_of(p->dstArray, p->dstPtr, p->dstPos, elem, &dst);
    if (err != cudaSuccess)
        return err;
    if (!inside(p->srcArray, p->srcPos, p->extent) ||
        !inside(p->dstArray, p->dstPos, p->extent) ||
        !stays_in(&src, p->srcPos, p->extent, elem) ||
        !stays_in(&dst, p->dstPos, p->extent, elem) ||
        (p->srcArray && p->dstArray &&
         p->srcArray->elem_nbytes != p->dstArray->elem_nbytes))
        return cudaErrorInvalidValue;
    return copy_run(&(struct copy){
        .name = name,
        .site = site,
        .dst = dst.at,
        .src = src.at,
        .width = p->extent.width * elem,
        .height = p->extent.height,
        .depth = p->extent.depth,
        .dpitch = dst.pitch,
        .spitch = src.pitch,
        .dslice = dst.slice,
        .sslice = src.slice,
        .kind = p->kind,
        .stream = stream,
        .wait = wait,
        .host = host,
    });
}

static cudaError_t copy_box(const char *name, uint32_t site,
                            const struct cudaMemcpy3DParms *p,
                            cudaStream_t stream, int wait)
{
    return run_box(name, site, p, stream, wait, COPY_AS_DRIVERS);
}

cudaError_t copy_node(const char *name, uint32_t site,
                      const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    return run_box(name, site, p, stream, 0, COPY_IN_GRAPH);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    API_ENTER();
    return api_return(copy_box("cudaMemcpy3D", CALLER_SITE(), p, 0, 1));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p,
                              cudaStream_t stream)
{
    API_ENTER();
    return api_return(
        copy_box("cudaMemcpy3DAsync", CALLER_SITE(), p, stream, 0));
}

static cudaError_t copy_peer(const char *name, uint32_t site,
                             const struct cudaMemcpy3DPeerParms *p,
                             cudaStream_t stream)
{
    const int n = simgpu_proc()->ndevices;
    if (!p)
        return cudaErrorInvalidValue;
    if (p->srcDevice < 0 || p->srcDevice >= n || p->dstDevice < 0 ||
        p->dstDevice >= n)
        return cudaErrorInvalidDevice;
    const struct cudaMemcpy3DParms box = {.srcArray = p->srcArray,
                                          .srcPos = p->srcPos,
                                          .srcPtr = p->srcPtr,
                                          .dstArray = p->dstArray,
                                          .dstPos = p->dstPos,
                                          .dstPtr = p->dstPtr,
                                          .extent = p->extent,
                                          .kind = cudaMemcpyDeviceToDevice};
    return copy_box(name, site, &box, stream, 0);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
    API_ENTER();
    return api_return(copy_peer("cudaMemcpy3DPeer", CALLER_SITE(), p, 0));
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p,
                                  cudaStream_t stream)
{
    API_ENTER();
    return api_return(
        copy_peer("cudaMemcpy3DPeerAsync", CALLER_SITE(), p, stream));
}

/* ---- arrays as rows ------------------------------------------------------ */

/* Copy rows between an array, from (x, y) on, and pitched memory. */
static cudaError_t array_rows(const char *name, uint32_t site,
                              cudaArray_const_t array, size_t x, size_t y,
                              void *p, size_t pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream, int wait, int to_array)
{
    if (!array)
        return cudaErrorInvalidResourceHandle;
    if (!p)
        return cudaErrorInvalidValue;
    const size_t nrows = array->extent.height ? array->extent.height : 1;
    if (x + width > array->width || y + height > nrows)
        return cudaErrorInvalidValue;
    char *const at = array->base + x + y * array->width;
    return to_array ? copy_rows(name, site, at, array->width, p, pitch, width,
                                height, kind, stream, wait)
                    : copy_rows(name, site, p, pitch, at, array->width, width,
                                height, kind, stream, wait);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                const void *src, size_t spitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind)
{
    API_ENTER();
    return api_return(array_rows("cudaMemcpy2DToArray", CALLER_SITE(), dst,
                                 wOffset, hOffset, (void *)src, spitch, width,
                                 height, kind, 0, 1, 1));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset,
                                     size_t hOffset, const void *src,
                                     size_t spitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind,
                                     cudaStream_t stream)
{
    API_ENTER();
    return api_return(array_rows("cudaMemcpy2DToArrayAsync", CALLER_SITE(), dst,
                                 wOffset, hOffset, (void *)src, spitch, width,
                                 height, kind, stream, 0, 1));
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch,
                                  cudaArray_const_t src, size_t wOffset,
                                  size_t hOffset, size_t width, size_t height,
                                  enum cudaMemcpyKind kind)
{
    API_ENTER();
    return api_return(array_rows("cudaMemcpy2DFromArray", CALLER_SITE(), src,
                                 wOffset, hOffset, dst, dpitch, width, height,
                                 kind, 0, 1, 0));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch,
                                       cudaArray_const_t src, size_t wOffset,
                                       size_t hOffset, size_t width,
                                       size_t height, enum cudaMemcpyKind kind,
                                       cudaStream_t stream)
{
    API_ENTER();
    return api_return(array_rows("cudaMemcpy2DFromArrayAsync", CALLER_SITE(),
                                 src, wOffset, hOffset, dst, dpitch, width,
                                 height, kind, stream, 0, 0));
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst,
                                     size_t hOffsetDst, cudaArray_const_t src,
                                     size_t wOffsetSrc, size_t hOffsetSrc,
                                     size_t width, size_t height,
                                     enum cudaMemcpyKind kind)
{
    API_ENTER();
    if (!dst)
        return api_return(cudaErrorInvalidValue);
    return api_return(
        array_rows("cudaMemcpy2DArrayToArray", CALLER_SITE(), src, wOffsetSrc,
                   hOffsetSrc, dst->base + wOffsetDst + hOffsetDst * dst->width,
                   dst->width, width, height, kind, 0, 1, 0));
}

/* Copy bytes of an array as if its rows were contiguous; offsets are counted as
 * CUDA counts them. */
static cudaError_t array_bytes(const char *name, uint32_t site,
                               cudaArray_const_t array, size_t x, size_t y,
                               void *p, size_t count, enum cudaMemcpyKind kind,
                               cudaStream_t stream, int wait, int to_array)
{
    if (!array)
        return cudaErrorInvalidResourceHandle;
    if (!p)
        return cudaErrorInvalidValue;
    const size_t nrows = array->extent.height ? array->extent.height : 1;
    const size_t offset = x + y * array->width;
    if (offset + count > nrows * array->width)
        return cudaErrorInvalidValue;
    char *const at = array->base + offset;
    return copy_bytes(name, site, to_array ? at : p, to_array ? p : at, count,
                      kind, stream, wait);
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset,
                              const void *src, size_t count,
                              enum cudaMemcpyKind kind)
{
    API_ENTER();
    return api_return(array_bytes("cudaMemcpyToArray", CALLER_SITE(), dst,
                                  wOffset, hOffset, (void *)src, count, kind, 0,
                                  1, 1));
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset,
                                   size_t hOffset, const void *src,
                                   size_t count, enum cudaMemcpyKind kind,
                                   cudaStream_t stream)
{
    API_ENTER();
    return api_return(array_bytes("cudaMemcpyToArrayAsync", CALLER_SITE(), dst,
                                  wOffset, hOffset, (void *)src, count, kind,
                                  stream, 0, 1));
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src,
                                size_t wOffset, size_t hOffset, size_t count,
                                enum cudaMemcpyKind kind)
{
    API_ENTER();
    return api_return(array_bytes("cudaMemcpyFromArray", CALLER_SITE(), src,
                                  wOffset, hOffset, dst, count, kind, 0, 1, 0));
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src,
                                     size_t wOffset, size_t hOffset,
                                     size_t count, enum cudaMemcpyKind kind,
                                     cudaStream_t stream)
{
    API_ENTER();
    return api_return(array_bytes("cudaMemcpyFromArrayAsync", CALLER_SITE(),
                                  src, wOffset, hOffset, dst, count, kind,
                                  stream, 0, 0));
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst,
                                   size_t hOffsetDst, cudaArray_const_t src,
                                   size_t wOffsetSrc, size_t hOffsetSrc,
                                   size_t count, enum cudaMemcpyKind kind)
{
    API_ENTER();
    if (!dst)
        return api_return(cudaErrorInvalidResourceHandle);
    return api_return(array_bytes(
        "cudaMemcpyArrayToArray", CALLER_SITE(), src, wOffsetSrc, hOffsetSrc,
        dst->base + wOffsetDst + hOffsetDst * dst->width, count, kind, 0, 1,
        0));
}

/* ---- batches of copies --------------------------------------------------- */

/* True for a valid time at which a copy may read its source. */
static int is_order(enum cudaMemcpySrcAccessOrder order)
{
    return order >= cudaMemcpySrcAccessOrderStream &&
           order <= cudaMemcpySrcAccessOrderAny;
}

/* "Any" permits a read after the call, which is when it finds mistakes. */
static enum copy_host host_of(enum cudaMemcpySrcAccessOrder order)
{
    return order == cudaMemcpySrcAccessOrderDuringApiCall ? COPY_SOURCE_NOW
                                                          : COPY_SOURCE_LATER;
}

/* The attributes of copy i: the last ones that begin at or before it. */
static enum cudaMemcpySrcAccessOrder
order_of(size_t i, const struct cudaMemcpyAttributes *attrs,
         const size_t *first, size_t nattrs)
{
    size_t at = 0;
    while (at + 1 < nattrs && first[at + 1] <= i)
        at++;
    return attrs[at].srcAccessOrder;
}

cudaError_t cudaMemcpyBatchAsync(void *const *dsts, const void *const *srcs,
                                 const size_t *sizes, size_t count,
                                 struct cudaMemcpyAttributes *attrs,
                                 size_t *attrsIdxs, size_t numAttrs,
                                 cudaStream_t stream)
{
    API_ENTER();
    if (!dsts || !srcs || !sizes || !count || !attrs || !attrsIdxs ||
        !numAttrs || numAttrs > count || attrsIdxs[0] != 0 || !stream)
        return api_return(cudaErrorInvalidValue);
    for (size_t i = 0; i < numAttrs; i++)
        if (!is_order(attrs[i].srcAccessOrder))
            return api_return(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++) {
        const cudaError_t err = copy_run(&(struct copy){
            .name = "cudaMemcpyBatchAsync",
            .site = CALLER_SITE(),
            .dst = dsts[i],
            .src = srcs[i],
            .width = sizes[i],
            .height = 1,
            .depth = 1,
            .dpitch = sizes[i],
            .spitch = sizes[i],
            .kind = cudaMemcpyDefault,
            .stream = stream,
            .host = host_of(order_of(i, attrs, attrsIdxs, numAttrs)),
        });
        if (err != cudaSuccess)
            return api_return(err);
    }
    return api_return(cudaSuccess);
}

static cudaArray_t array_of(const struct cudaMemcpy3DOperand *o)
{
    return o->type == cudaMemcpyOperandTypeArray ? o->op.array.array : NULL;
}

/* An operand of a batch, as a side of cudaMemcpy3D. */
static cudaError_t operand(const struct cudaMemcpy3DOperand *o,
                           const struct cudaExtent *e, size_t elem_nbytes,
                           struct cudaPitchedPtr *ptr, struct cudaPos *pos)
{
    if (o->type == cudaMemcpyOperandTypePointer) {
        const size_t width =
            o->op.ptr.rowLength ? o->op.ptr.rowLength : e->width;
        *ptr = (struct cudaPitchedPtr){
            o->op.ptr.ptr, width * elem_nbytes, width,
            o->op.ptr.layerHeight ? o->op.ptr.layerHeight : e->height};
        return cudaSuccess;
    }
    if (!array_of(o))
        return cudaErrorInvalidValue;
    *pos = (struct cudaPos){o->op.array.offset.x, o->op.array.offset.y,
                            o->op.array.offset.z};
    return cudaSuccess;
}

static cudaError_t parms_of(const struct cudaMemcpy3DBatchOp *b,
                            struct cudaMemcpy3DParms *p)
{
    *p = (struct cudaMemcpy3DParms){.srcArray = array_of(&b->src),
                                    .dstArray = array_of(&b->dst),
                                    .extent = b->extent,
                                    .kind = cudaMemcpyDefault};
    if (!is_order(b->srcAccessOrder))
        return cudaErrorInvalidValue;
    const size_t elem = element_of(p);
    const cudaError_t err =
        operand(&b->src, &p->extent, elem, &p->srcPtr, &p->srcPos);
    return err != cudaSuccess
               ? err
               : operand(&b->dst, &p->extent, elem, &p->dstPtr, &p->dstPos);
}

cudaError_t cudaMemcpy3DBatchAsync(size_t numOps,
                                   struct cudaMemcpy3DBatchOp *opList,
                                   unsigned long long flags,
                                   cudaStream_t stream)
{
    API_ENTER();
    if (!numOps || !opList || flags || !stream)
        return api_return(cudaErrorInvalidValue);
    for (size_t i = 0; i < numOps; i++) {
        struct cudaMemcpy3DParms p;
        cudaError_t err = parms_of(&opList[i], &p);
        if (err == cudaSuccess)
            err = run_box("cudaMemcpy3DBatchAsync", CALLER_SITE(), &p, stream,
                          0, host_of(opList[i].srcAccessOrder));
        if (err != cudaSuccess)
            return api_return(err);
    }
    return api_return(cudaSuccess);
}
