/*
 * fill.c: memsets
 */
#include <string.h> /* memset */

#include "core/heap/heap.h"
#include "core/heap/resident.h"
#include "core/site.h"
#include "core/stream/pending.h"
#include "core/stream/stream.h"
#include "core/watch/check.h"
#include "cudart/graphs/capture.h"
#include "cudart/memory/copy.h"
#include "cudart/memory/symbol.h"

struct fill_op {
    struct op op;
    struct fill box; /* dst: address at which simgpu accesses it */
    int variables;   /* device whose variables it touches, or -1 */
};

static void fill_row(char *at, const struct fill *f)
{
    if (f->elem_nbytes == 1) {
        memset(at, (int)f->value, f->width);
        return;
    }
    for (size_t i = 0; i < f->width; i += f->elem_nbytes)
        memcpy(at + i, &f->value, f->elem_nbytes); // little-endian
}

static void run_fill(struct op *op)
{
    const struct fill *const f = &((struct fill_op *)op)->box;
    const int variables = ((struct fill_op *)op)->variables;
    simgpu_resident_enter(variables);
    for (size_t z = 0; z < f->depth; z++)
        for (size_t y = 0; y < f->height; y++)
            fill_row((char *)f->dst + z * f->slice + y * f->pitch, f);
    simgpu_resident_leave(variables);
}

static cudaError_t check(const struct fill *f)
{
    if (f->elem_nbytes != 1 && f->elem_nbytes != 2 && f->elem_nbytes != 4)
        return cudaErrorInvalidValue;
    if ((uintptr_t)f->dst % f->elem_nbytes || f->width % f->elem_nbytes)
        return cudaErrorInvalidValue;
    return (f->height > 1 && f->pitch < f->width) ||
                   (f->depth > 1 && f->slice < f->pitch * f->height)
               ? cudaErrorInvalidPitchValue
               : cudaSuccess;
}

cudaError_t simgpu_fill(const struct fill *f)
{
    struct span dst;
    struct stream *s;
    if (f->width == 0 || f->height == 0 || f->depth == 0)
        return cudaSuccess; // even where a capture forbids fills
    cudaError_t err = api_stream(f->stream, &s);
    if (err != cudaSuccess)
        return err;
    const size_t extent =
        (f->depth - 1) * f->slice + (f->height - 1) * f->pitch + f->width;
    err = check(f);
    if (err == cudaSuccess) {
        err = span_of(f->dst, extent, 1, &dst);
        if (err != cudaSuccess)
            check_note_bounds(f->site, f->name, "writes", f->dst, extent);
    }
    const int captures = simgpu_stream_capture(s) != NULL;
    if (err == cudaSuccess && !captures && dst.device == API_PAGEABLE &&
        !symbol_holds(dst.raw))
        err = cudaErrorInvalidValue;
    if (err != cudaSuccess)
        return err;
    if (captures)
        return capture_fill(s, f);
    struct fill_op *const op =
        simgpu_op_new(sizeof *op, run_fill, GRAPH_MEMSET, f->name, f->site);
    op->box = *f;
    op->box.dst = dst.raw;
    op->variables = api_span_variable(&dst, simgpu_stream_device(s));
    if (f->width * f->height * f->depth != extent)
        dst.access.write |= GRAPH_ROUGH;
    const struct span *const spans[] = {&dst};
    const struct fence m =
        api_enqueue(s, &op->op, spans, 1, f->width * f->height * f->depth);
    if (f->wait && (dst.device == HEAP_PINNED || dst.on_host))
        simgpu_fence_join(&m, 1, f->name, f->site);
    else if (dst.device == HEAP_PINNED)
        pending_add(&(struct pending){
            .fence = m,
            .base = f->dst,
            .nbytes = extent,
            .width = f->width,
            .pitch = f->height * f->depth == 1 ? f->width : f->pitch,
            .is_target = 1,
            .access = dst.access});
    return cudaSuccess;
}

static cudaError_t fill(const char *name, uint32_t site, void *dst,
                        size_t pitch, int value, size_t width, size_t height,
                        size_t depth, size_t slice, cudaStream_t stream,
                        int wait)
{
    return simgpu_fill(&(struct fill){.name = name,
                                      .site = site,
                                      .dst = dst,
                                      .value = (unsigned char)value,
                                      .elem_nbytes = 1,
                                      .width = width,
                                      .height = height,
                                      .depth = depth,
                                      .pitch = pitch,
                                      .slice = slice,
                                      .stream = stream,
                                      .wait = wait});
}

cudaError_t cudaMemset(void *devPtr, int value, size_t count)
{
    API_ENTER();
    return api_return(fill("cudaMemset", CALLER_SITE(), devPtr, count, value,
                           count, 1, 1, count, 0, 1));
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count,
                            cudaStream_t stream)
{
    API_ENTER();
    return api_return(fill("cudaMemsetAsync", CALLER_SITE(), devPtr, count,
                           value, count, 1, 1, count, stream, 0));
}

cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width,
                         size_t height)
{
    API_ENTER();
    return api_return(fill("cudaMemset2D", CALLER_SITE(), devPtr, pitch, value,
                           width, height, 1, 0, 0, 1));
}

cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value,
                              size_t width, size_t height, cudaStream_t stream)
{
    API_ENTER();
    return api_return(fill("cudaMemset2DAsync", CALLER_SITE(), devPtr, pitch,
                           value, width, height, 1, 0, stream, 0));
}

static cudaError_t fill_3d(const char *name, uint32_t site,
                           struct cudaPitchedPtr p, int value,
                           struct cudaExtent e, cudaStream_t stream, int wait)
{
    return fill(name, site, p.ptr, p.pitch, value, e.width, e.height, e.depth,
                p.pitch * p.ysize, stream, wait);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value,
                         struct cudaExtent extent)
{
    API_ENTER();
    return api_return(fill_3d("cudaMemset3D", CALLER_SITE(), pitchedDevPtr,
                              value, extent, 0, 1));
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value,
                              struct cudaExtent extent, cudaStream_t stream)
{
    API_ENTER();
    return api_return(fill_3d("cudaMemset3DAsync", CALLER_SITE(), pitchedDevPtr,
                              value, extent, stream, 0));
}
