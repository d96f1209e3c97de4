/*
 * copy.c: copies and fills
 *
 * Who waits (semantics of cudaMemcpy): a copy from the device to the host, one
 * within the host and one from pinned memory to the device keep the caller
 * until they are done; one from pageable memory is staged, which frees the
 * source, and the caller goes on; one between devices doesn't keep the caller.
 */
#include "core/dataless.h"
#include "cudart/api.h"

#include <stdlib.h> /* malloc */
#include <string.h> /* memcpy */

#include "core/check.h"
#include "core/host.h"

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

struct copy { /* a call, as its caller put it */
    const char *name;
    uint32_t site;
    void *dst;
    const void *src;
    size_t dpitch, spitch, width, height;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
    int wait; /* cudaMemcpy rather than cudaMemcpyAsync */
};

static int on_device(const struct span *s)
{
    return s->device >= 0;
}

/* Does the kind that was given fit where the bytes lie? Managed memory fits
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

/* Bytes from the first to the last that a pitched copy touches. */
static size_t extent(size_t pitch, size_t width, size_t height)
{
    return height ? (height - 1) * pitch + width : 0;
}

/* A copy that CUDA refuses, since it leaves an allocation or uses one that is
 * gone: worth a word, as programs ignore errors. */
static void note_bounds(const struct copy *c, const void *p, size_t nbytes,
                        const char *verb)
{
    char where[256], what[512];
    struct heap_block b;
    const int alive = heap_find(p, &b) == 0;
    if (!b.base)
        return;
    heap_describe(p, what, sizeof what);
    proc_site_text(c->site, where, sizeof where);
    check_note(c->site,
               alive ? "out of bounds: %s at %s %s %zu bytes from %s on"
                     : "use after free: %s at %s %s %zu bytes from %s on",
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
 * The source of a pageable copy is the caller's again when the call returns: it
 * is read by the host, when all that the copy follows is done.
 */
static void stage(struct copy_op *op, const struct copy *c, struct stream *s,
                  const struct span *dst, const struct span *src)
{
    enum { MAX = 1024 };
    struct mark marks[MAX];
    const size_t nbytes = extent(op->spitch, op->width, op->height);
    const int n = device_marks(stream_device(s), 1, marks, MAX);
    if (n > 0)
        marks_join(marks, n, c->name, c->site);
    struct graph_access read = src->access;
    read.site = c->site;
    if (c->height > 1 && c->spitch > c->width)
        read.write |= GRAPH_ROUGH;
    host_touch(c->name, c->site, &read);
    if (dataless(dst->access.alloc))
        return; // nothing will be made of it
    op->staged = malloc(nbytes);
    if (!op->staged)
        proc_fault(NULL, "out of host memory staging a copy of %zu bytes",
                   nbytes);
    memcpy(op->staged, op->src, nbytes);
    op->src = op->staged;
}

/* Between two devices, and not straight? Imported memory was opened with peer
 * access. */
static int goes_through_host(const struct span *dst, const struct span *src)
{
    const uint64_t me = proc()->rank;
    return on_device(dst) && on_device(src) && dst->access.alloc >> 32 == me &&
           src->access.alloc >> 32 == me &&
           !api_peers(dst->device, src->device);
}

/*
 * The rows of a pitched copy, in pairs of destination and source; with more of
 * them than this, all that lies between, said to be rough. `access` has room
 * for 2 * MAX_ROWS.
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

static struct mark enqueue_rows(const struct copy *c, struct stream *s,
                                struct op *op, const struct span *dst,
                                const struct span *src)
{
    const size_t rows = c->height < MAX_ROWS ? c->height : MAX_ROWS;
    struct graph_access *const access = malloc(2 * rows * sizeof *access);
    if (!access)
        proc_fault(NULL, "out of host memory for a copy of %zu rows",
                   c->height);
    const struct mark m =
        api_enqueue_touching(s, op, dst, src, c->width * c->height, access,
                             touch_rows(c, dst, src, access));
    free(access);
    return m;
}

/* Enqueue it. The host has read a staged source already. */
static struct mark enqueue(const struct copy *c, struct stream *s,
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
    struct stream *const s = stream_of(c->stream);
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (c->width == 0 || c->height == 0)
        return cudaSuccess;
    const cudaError_t err = operands(c, &dst, &src);
    if (err != cudaSuccess)
        return err;
    struct copy_op *const op =
        op_new(sizeof *op, run_copy, GRAPH_COPY, c->name, c->site);
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
    const struct mark m = enqueue(c, s, op, &dst, &src);
    if (c->wait && (to_host || (from_host && !staged)))
        marks_join(&m, 1, c->name, c->site);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count,
                       enum cudaMemcpyKind kind)
{
    API_ENTER();
    return api_return(copy(&(struct copy){"cudaMemcpy", PROC_SITE(), dst, src,
                                          count, count, count, 1, kind, 0, 1}));
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count,
                            enum cudaMemcpyKind kind, cudaStream_t stream)
{
    API_ENTER();
    return api_return(
        copy(&(struct copy){"cudaMemcpyAsync", PROC_SITE(), dst, src, count,
                            count, count, 1, kind, stream, 0}));
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src,
                         size_t spitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    API_ENTER();
    return api_return(
        copy(&(struct copy){"cudaMemcpy2D", PROC_SITE(), dst, src, dpitch,
                            spitch, width, height, kind, 0, 1}));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src,
                              size_t spitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    API_ENTER();
    return api_return(
        copy(&(struct copy){"cudaMemcpy2DAsync", PROC_SITE(), dst, src, dpitch,
                            spitch, width, height, kind, stream, 0}));
}

/* Both devices have to exist and to hold what they are said to hold. */
static cudaError_t check_peers(const void *dst, int dstDevice, const void *src,
                               int srcDevice)
{
    struct heap_block b;
    const int n = proc()->ndevices;
    if (dstDevice < 0 || dstDevice >= n || srcDevice < 0 || srcDevice >= n)
        return cudaErrorInvalidDevice;
    if (heap_find(dst, &b) != 0 || (!b.imported && b.device != dstDevice))
        return cudaErrorInvalidValue;
    if (heap_find(src, &b) != 0 || (!b.imported && b.device != srcDevice))
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
    return api_return(copy(
        &(struct copy){"cudaMemcpyPeerAsync", PROC_SITE(), dst, src, count,
                       count, count, 1, cudaMemcpyDeviceToDevice, stream, 0}));
}

cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src,
                           int srcDevice, size_t count)
{
    API_ENTER();
    const cudaError_t err = check_peers(dst, dstDevice, src, srcDevice);
    if (err != cudaSuccess)
        return api_return(err);
    return api_return(
        copy(&(struct copy){"cudaMemcpyPeer", PROC_SITE(), dst, src, count,
                            count, count, 1, cudaMemcpyDeviceToDevice, 0, 0}));
}

/* ---- fills -------------------------------------------------------------------- */

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
    struct stream *const s = stream_of(stream);
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
        op_new(sizeof *op, run_fill, GRAPH_MEMSET, name, site);
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
    return api_return(fill("cudaMemset", PROC_SITE(), devPtr, value, count, 0));
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count,
                            cudaStream_t stream)
{
    API_ENTER();
    return api_return(
        fill("cudaMemsetAsync", PROC_SITE(), devPtr, value, count, stream));
}
