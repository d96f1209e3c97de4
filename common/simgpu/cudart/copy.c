/*
 * copy.c: copies and memsets
 *
 * Which calls of cudaMemcpy block until the copy is done: device to host,
 * within the host, and pinned memory to device. A copy from pageable memory to
 * a device is staged: the call returns once the source has been read. A copy
 * between devices does not block.
 */
#include "cudart/api.h"

#include <stdlib.h> /* malloc */
#include <string.h> /* memcpy */

#include "core/check.h"
#include "core/dataless.h"
#include "core/device.h"
#include "core/heap.h"
#include "core/host.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream.h"

struct copy_op { /* height rows of width bytes */
    struct op op;
    char *dst;
    const char *src;
    size_t dpitch, spitch, width, height;
    void *staged; /* a copy of a pageable source, or NULL */
};

static void run_copy(struct op *op)
{
    const struct copy_op *const c = (struct copy_op *)op;
    for (size_t row = 0; row < c->height; row++)
        memmove(c->dst + row * c->dpitch, c->src + row * c->spitch, c->width);
}

static void release_copy(struct op *op)
{
    free(((struct copy_op *)op)->staged);
    free(op);
}

struct copy { /* the arguments of a call */
    const char *name;
    uint32_t site;
    void *dst;
    const void *src;
    size_t width, height;  /* bytes, rows */
    size_t dpitch, spitch; /* from one row to the next, if there are several */
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
    int wait; /* cudaMemcpy rather than cudaMemcpyAsync */
};

static int on_device(const struct span *s)
{
    return s->device >= 0;
}

/* True if the given kind fits the operands' places. Managed memory fits
 * everywhere. */
static int kind_fits(enum cudaMemcpyKind kind, const struct span *dst,
                     const struct span *src)
{
    switch (kind) {
    case cudaMemcpyDefault: return 1;
    case cudaMemcpyHostToHost: return !on_device(dst) && !on_device(src);
    case cudaMemcpyHostToDevice: return !on_device(src);
    case cudaMemcpyDeviceToHost: return !on_device(dst);
    case cudaMemcpyDeviceToDevice:
        return dst->device != API_PAGEABLE && src->device != API_PAGEABLE;
    }
    return 0;
}

/* Bytes from the first to the last touched by a pitched copy. */
static size_t extent(size_t pitch, size_t width, size_t height)
{
    return height ? (height - 1) * pitch + width : 0;
}

/* Note a copy that CUDA refuses because it leaves an allocation or uses a freed
 * one: programs tend to ignore the error. */
static void note_bounds(const struct copy *c, const void *p, size_t nbytes,
                        const char *verb)
{
    char where[256], what[512];
    struct heap_block b;
    const int alive = simgpu_heap_find(p, &b) == 0;
    if (!b.base)
        return;
    simgpu_heap_describe(p, what, sizeof what);
    simgpu_site_text(c->site, where, sizeof where);
    check_note(c->site,
               alive ? "out of bounds: %s at %s %s %zu bytes, starting at %s"
                     : "use after free: %s at %s %s %zu bytes, starting at %s",
               c->name, where, verb, nbytes, what);
}

static cudaError_t operands(const struct copy *c, struct span *dst,
                            struct span *src)
{
    if (c->height > 1 && (c->dpitch < c->width || c->spitch < c->width))
        return cudaErrorInvalidPitchValue;
    if (c->kind < cudaMemcpyHostToHost || c->kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    const size_t to = extent(c->dpitch, c->width, c->height);
    const size_t from = extent(c->spitch, c->width, c->height);
    cudaError_t err = span_of(c->dst, to, 1, dst);
    if (err != cudaSuccess)
        note_bounds(c, c->dst, to, "writes");
    else if ((err = span_of(c->src, from, 0, src)) != cudaSuccess)
        note_bounds(c, c->src, from, "reads");
    if (err == cudaSuccess && !kind_fits(c->kind, dst, src))
        err = cudaErrorInvalidValue;
    return err;
}

/*
 * Read the source of a pageable copy, once everything that the copy follows is
 * done: the source is the caller's again when the call returns.
 */
static void stage(struct copy_op *op, const struct copy *c, struct stream *s,
                  const struct span *dst, const struct span *src)
{
    enum { MAX = 1024 };
    struct fence fences[MAX];
    const size_t nbytes = extent(op->spitch, op->width, op->height);
    const int n = stream_tails(simgpu_stream_device(s), 1, fences, MAX);
    if (n > 0)
        simgpu_fence_join(fences, n, c->name, c->site);
    struct graph_access read = src->access;
    read.site = c->site;
    if (c->height > 1 && c->spitch > c->width)
        read.write |= GRAPH_ROUGH;
    host_touch(c->name, c->site, &read);
    if (dataless(dst->access.alloc))
        return; // the copy will not be performed
    op->staged = malloc(nbytes);
    if (!op->staged)
        simgpu_report_fault(
            NULL, "out of host memory staging a copy of %zu bytes", nbytes);
    memcpy(op->staged, op->src, nbytes);
    op->src = op->staged;
}

/* True for a copy between two devices of this process that goes through the
 * host, because neither has access to the other's memory. Imported memory was
 * opened with access. */
static int goes_through_host(const struct span *dst, const struct span *src)
{
    const uint64_t me = simgpu_proc()->rank;
    return on_device(dst) && on_device(src) && dst->access.alloc >> 32 == me &&
           src->access.alloc >> 32 == me &&
           !device_reaches(dst->device, src->device) &&
           !device_reaches(src->device, dst->device);
}

/*
 * Write the rows of a pitched copy to `access`, in pairs of destination and
 * source; for more than MAX_ROWS rows the whole extent, marked as rough.
 * `access` has room for 2 * MAX_ROWS.
 */
enum { MAX_ROWS = 1 << 16 };

static size_t touch_rows(const struct copy *c, const struct span *dst,
                         const struct span *src, struct graph_access *access)
{
    const int rough = c->height > MAX_ROWS;
    const size_t n = rough ? 1 : c->height;
    for (size_t row = 0; row < n; row++) {
        struct graph_access *const to = &access[2 * row], *const from = to + 1;
        *to = dst->access;
        *from = src->access;
        to->site = from->site = c->site;
        to->begin += row * c->dpitch;
        from->begin += row * c->spitch;
        if (rough) {
            to->write |= GRAPH_ROUGH;
            from->write |= GRAPH_ROUGH;
        } else {
            to->end = to->begin + c->width;
            from->end = from->begin + c->width;
        }
    }
    return 2 * n;
}

static struct fence enqueue_rows(const struct copy *c, struct stream *s,
                                 struct op *op, const struct span *dst,
                                 const struct span *src)
{
    const size_t rows = c->height < MAX_ROWS ? c->height : MAX_ROWS;
    struct graph_access *const access = malloc(2 * rows * sizeof *access);
    if (!access)
        simgpu_report_fault(NULL, "out of host memory for a copy of %zu rows",
                            c->height);
    const struct fence m =
        api_enqueue_touching(s, op, dst, src, c->width * c->height, access,
                             touch_rows(c, dst, src, access));
    free(access);
    return m;
}

/* Enqueue a copy. A staged source has been read by the host already. */
static struct fence enqueue(const struct copy *c, struct stream *s,
                            struct copy_op *op, const struct span *dst,
                            const struct span *src)
{
    struct span rows = *dst;
    rows.access.site = c->site;
    if (!op->staged)
        return enqueue_rows(c, s, &op->op, dst, src);
    if (c->height > 1 && c->dpitch > c->width)
        rows.access.write |= GRAPH_ROUGH;
    return api_enqueue_touching(s, &op->op, dst, src, c->width * c->height,
                                &rows.access, 1);
}

static cudaError_t copy(const struct copy *c)
{
    struct span dst, src;
    struct stream *const s = simgpu_stream_of(c->stream);
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (c->width == 0 || c->height == 0)
        return cudaSuccess;
    const cudaError_t err = operands(c, &dst, &src);
    if (err != cudaSuccess)
        return err;
    struct copy_op *const op =
        simgpu_op_new(sizeof *op, run_copy, GRAPH_COPY, c->name, c->site);
    op->op.release = release_copy;
    if (goes_through_host(&dst, &src))
        op->op.node.flags |= GRAPH_STAGED;
    op->dst = dst.raw;
    op->src = src.raw;
    op->dpitch = c->dpitch;
    op->spitch = c->spitch;
    op->width = c->width;
    op->height = c->height;
    const int to_host = !on_device(&dst), from_host = !on_device(&src);
    const int staged = c->wait && src.device == API_PAGEABLE && on_device(&dst);
    if (staged)
        stage(op, c, s, &dst, &src);
    const struct fence m = enqueue(c, s, op, &dst, &src);
    if (c->wait && (to_host || (from_host && !staged)))
        simgpu_fence_join(&m, 1, c->name, c->site);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count,
                       enum cudaMemcpyKind kind)
{
    API_ENTER();
    return api_return(copy(&(struct copy){
        .name = "cudaMemcpy",
        .site = CALLER_SITE(),
        .dst = dst,
        .src = src,
        .width = count,
        .height = 1,
        .kind = kind,
        .wait = 1,
    }));
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count,
                            enum cudaMemcpyKind kind, cudaStream_t stream)
{
    API_ENTER();
    return api_return(copy(&(struct copy){
        .name = "cudaMemcpyAsync",
        .site = CALLER_SITE(),
        .dst = dst,
        .src = src,
        .width = count,
        .height = 1,
        .kind = kind,
        .stream = stream,
    }));
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src,
                         size_t spitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    API_ENTER();
    return api_return(copy(&(struct copy){
        .name = "cudaMemcpy2D",
        .site = CALLER_SITE(),
        .dst = dst,
        .src = src,
        .dpitch = dpitch,
        .spitch = spitch,
        .width = width,
        .height = height,
        .kind = kind,
        .wait = 1,
    }));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src,
                              size_t spitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    API_ENTER();
    return api_return(copy(&(struct copy){
        .name = "cudaMemcpy2DAsync",
        .site = CALLER_SITE(),
        .dst = dst,
        .src = src,
        .dpitch = dpitch,
        .spitch = spitch,
        .width = width,
        .height = height,
        .kind = kind,
        .stream = stream,
    }));
}

/* Both devices must exist and hold the memory that they are said to hold. */
static cudaError_t check_peers(const void *dst, int dstDevice, const void *src,
                               int srcDevice)
{
    struct heap_block b;
    const int n = simgpu_proc()->ndevices;
    if (dstDevice < 0 || dstDevice >= n || srcDevice < 0 || srcDevice >= n)
        return cudaErrorInvalidDevice;
    if (simgpu_heap_find(dst, &b) != 0 ||
        (!b.imported && b.device != dstDevice))
        return cudaErrorInvalidValue;
    if (simgpu_heap_find(src, &b) != 0 ||
        (!b.imported && b.device != srcDevice))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src,
                                int srcDevice, size_t count,
                                cudaStream_t stream)
{
    API_ENTER();
    const cudaError_t err = check_peers(dst, dstDevice, src, srcDevice);
    if (err != cudaSuccess)
        return api_return(err);
    return api_return(copy(&(struct copy){
        .name = "cudaMemcpyPeerAsync",
        .site = CALLER_SITE(),
        .dst = dst,
        .src = src,
        .width = count,
        .height = 1,
        .kind = cudaMemcpyDeviceToDevice,
        .stream = stream,
    }));
}

cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src,
                           int srcDevice, size_t count)
{
    API_ENTER();
    const cudaError_t err = check_peers(dst, dstDevice, src, srcDevice);
    if (err != cudaSuccess)
        return api_return(err);
    return api_return(copy(&(struct copy){
        .name = "cudaMemcpyPeer",
        .site = CALLER_SITE(),
        .dst = dst,
        .src = src,
        .width = count,
        .height = 1,
        .kind = cudaMemcpyDeviceToDevice,
    }));
}

/* ---- memsets ------------------------------------------------------------- */

struct fill_op {
    struct op op;
    char *dst;
    int value;
    size_t count;
};

static void run_fill(struct op *op)
{
    const struct fill_op *const f = (struct fill_op *)op;
    memset(f->dst, f->value, f->count);
}

static cudaError_t fill(const char *name, uint32_t site, void *devPtr,
                        int value, size_t count, cudaStream_t stream)
{
    struct span dst;
    struct stream *const s = simgpu_stream_of(stream);
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (count == 0)
        return cudaSuccess;
    const cudaError_t err = span_of(devPtr, count, 1, &dst);
    if (err != cudaSuccess)
        return err;
    if (dst.device == API_PAGEABLE)
        return cudaErrorInvalidValue;
    struct fill_op *const op =
        simgpu_op_new(sizeof *op, run_fill, GRAPH_MEMSET, name, site);
    op->dst = dst.raw;
    op->value = value;
    op->count = count;
    const struct span *const spans[] = {&dst};
    api_enqueue(s, &op->op, spans, 1, count);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *devPtr, int value, size_t count)
{
    API_ENTER();
    return api_return(
        fill("cudaMemset", CALLER_SITE(), devPtr, value, count, 0));
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count,
                            cudaStream_t stream)
{
    API_ENTER();
    return api_return(
        fill("cudaMemsetAsync", CALLER_SITE(), devPtr, value, count, stream));
}
