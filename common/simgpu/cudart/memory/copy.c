/*
 * copy.c: copies
 *
 * These calls of cudaMemcpy block until the copy is done: device to host,
 * within the host, and pinned memory to device. A copy from pageable memory to
 * a device is staged, and the call returns once the source has been read. A
 * copy between devices does not block.
 *
 * cudaMemcpyAsync follows its stream, and does not block if the host's memory
 * is pinned. Pageable memory is used during the call, as drivers do: a source
 * is staged without waiting for the stream, and a copy to the host is complete
 * when the call returns. So is one within the host. (CUDA 11's manual, "API
 * synchronization behavior". From CUDA 12 on it says that such a call "might"
 * block, so check_remark_pageable() notes it.)
 */
#include "cudart/memory/copy.h"

#include <stdlib.h> /* malloc */
#include <string.h> /* memcpy */

#include "core/device.h"
#include "core/heap/dataless.h"
#include "core/heap/heap.h"
#include "core/heap/host_extent.h"
#include "core/heap/resident.h"
#include "core/host.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream/pending.h"
#include "core/stream/stream.h"
#include "core/watch/check.h"
#include "cudart/graphs/capture.h"
#include "cudart/kernels/host_code.h"
#include "cudart/kernels/host_object.h"
#include "cudart/memory/direction.h"
#include "cudart/memory/symbol.h"

struct copy_op {
    struct op op;
    struct copy box; /* dst and src: addresses at which simgpu accesses them */
    void *staged;    /* copy of a pageable source, or NULL */
    int tells;       /* from a device to the host */
    int is_told;     /* from the host to a device */
    int variables;   /* device whose variables it touches, or -1 */
};

static void run_copy(struct op *op)
{
    const struct copy_op *const o = (struct copy_op *)op;
    const struct copy *const c = &o->box;
    const int looks =
        (o->tells || o->is_told) &&
        host_code_looks(c->width * c->height * c->depth, o->tells);
    pending_pause(c->dst);
    pending_pause(c->src);
    simgpu_resident_enter(o->variables);
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++) {
            char *const to = (char *)c->dst + z * c->dslice + y * c->dpitch;
            memmove(to, (const char *)c->src + z * c->sslice + y * c->spitch,
                    c->width);
            if (o->tells) {
                host_code_told(to, looks ? c->width : 0);
                host_object_told(to, c->width);
            }
            if (o->is_told) {
                host_code_replace_bytes(to, looks ? c->width : 0);
                host_object_replace(to, c->width);
            }
        }
    simgpu_resident_leave(o->variables);
    pending_resume(c->dst);
    pending_resume(c->src);
}

static void release_copy(struct op *op)
{
    free(((struct copy_op *)op)->staged);
    free(op);
}

/* Number of bytes from the first to the last that a box touches. */
static size_t extent(const struct copy *c, size_t pitch, size_t slice)
{
    return (c->depth - 1) * slice + (c->height - 1) * pitch + c->width;
}

static cudaError_t check_pitches(const struct copy *c)
{
    if (c->dpitch < c->width || c->spitch < c->width)
        return c->height == 1 ? cudaErrorInvalidValue
                              : cudaErrorInvalidPitchValue;
    return c->depth == 1 || (c->dslice >= c->height * c->dpitch &&
                             c->sslice >= c->height * c->spitch)
               ? cudaSuccess
               : cudaErrorInvalidPitchValue;
}

/* True for pageable memory of which the copy will touch all these bytes. */
static int is_the_hosts(const struct span *s, const struct span *other)
{
    return s->device == API_PAGEABLE && !symbol_holds(s->raw) &&
           !dataless(other->access.alloc);
}

static void check_host(const struct copy *c, const struct span *dst, size_t to,
                       const struct span *src, size_t from)
{
    if (is_the_hosts(src, dst))
        host_extent_read(c->name, c->site, src->raw, from);
    if (is_the_hosts(dst, src))
        host_extent_write(c->name, c->site, dst->raw, to);
}

static cudaError_t operands(const struct copy *c, struct span *dst,
                            struct span *src)
{
    const size_t to = extent(c, c->dpitch, c->dslice);
    const size_t from = extent(c, c->spitch, c->sslice);
    cudaError_t err = span_of(c->dst, to, 1, dst);
    if (err != cudaSuccess)
        check_note_bounds(c->site, c->name, "writes", c->dst, to);
    else if ((err = span_of(c->src, from, 0, src)) != cudaSuccess)
        check_note_bounds(c->site, c->name, "reads", c->src, from);
    if (err == cudaSuccess && !direction_fits(c->kind, dst, src))
        err = cudaErrorInvalidValue;
    if (err == cudaSuccess)
        check_host(c, dst, to, src, from);
    return err;
}

/* True if the rows of a side are contiguous. */
static int is_dense(const struct copy *c, size_t pitch, size_t slice)
{
    return (c->height == 1 || pitch == c->width) &&
           (c->depth == 1 || slice == c->width * c->height);
}

/* Wait until everything that the copy follows is done. */
static void join_stream(const struct copy *c, const struct stream *s)
{
    enum { MAX = 1024 };
    struct fence fences[MAX];
    const int n = stream_tails(simgpu_stream_device(s), 1, fences, MAX);
    if (n > 0)
        simgpu_fence_join(fences, n, c->name, c->site);
}

/* Read the source: when the call returns, it is the caller's again. */
static void stage(struct copy_op *op, const struct copy *c,
                  const struct span *dst, const struct span *src)
{
    const size_t nbytes = extent(c, c->spitch, c->sslice);
    struct graph_access read = src->access;
    read.site = c->site;
    if (!is_dense(c, c->spitch, c->sslice))
        read.write |= GRAPH_ROUGH;
    host_touch(c->name, c->site, &read);
    if (dataless(dst->access.alloc))
        return; // the copy will not be performed
    op->staged =
        simgpu_need(malloc(nbytes), "staging a copy of %zu bytes", nbytes);
    simgpu_resident_enter(op->variables);
    memcpy(op->staged, op->box.src, nbytes);
    simgpu_resident_leave(op->variables);
    op->box.src = op->staged;
}

/* True for a copy between two devices of this process that goes through the
 * host, because neither device has access to the other's memory. Imported
 * memory was opened with access. */
static int goes_through_host(const struct span *dst, const struct span *src)
{
    const uint64_t me = simgpu_proc()->rank;
    return span_on_device(dst) && span_on_device(src) &&
           dst->access.alloc >> 32 == me && src->access.alloc >> 32 == me &&
           !device_reaches(dst->device, src->device) &&
           !device_reaches(src->device, dst->device);
}

/*
 * Write the rows of a box to `access`, in pairs of destination and source. If
 * there are more than MAX_ROWS, write the whole extent, marked as rough.
 * `access` must have 2 * MAX_ROWS entries.
 */
enum { MAX_ROWS = 1 << 16 };

static size_t touch_rows(const struct copy *c, const struct span *dst,
                         const struct span *src, struct graph_access *access)
{
    const size_t rows = c->height * c->depth;
    const int rough = rows > MAX_ROWS;
    const size_t n = rough ? 1 : rows;
    for (size_t row = 0; row < n; row++) {
        struct graph_access *const to = &access[2 * row], *const from = to + 1;
        const size_t y = row % c->height, z = row / c->height;
        *to = dst->access;
        *from = src->access;
        to->site = from->site = c->site;
        to->begin += y * c->dpitch + z * c->dslice;
        from->begin += y * c->spitch + z * c->sslice;
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

static size_t volume(const struct copy *c)
{
    return c->width * c->height * c->depth;
}

/* Enqueue a copy. The host has already read a staged source. */
static struct fence enqueue(const struct copy *c, struct stream *s,
                            struct copy_op *op, const struct span *dst,
                            const struct span *src)
{
    const size_t all = c->height * c->depth;
    const size_t rows = all < MAX_ROWS ? all : MAX_ROWS;
    struct graph_access *const access = simgpu_need(
        malloc(2 * rows * sizeof *access), "a copy of %zu rows", all);
    size_t n = touch_rows(c, dst, src, access);
    if (op->staged) {
        n /= 2;
        for (size_t i = 1; i < n; i++)
            access[i] = access[2 * i];
    }
    const struct fence m =
        api_enqueue_touching(s, &op->op, dst, src, volume(c), access, n);
    free(access);
    return m;
}

/* ---- the host's part ----------------------------------------------------- */

/* A device's variables are in the process's own memory. */
static int is_host(const struct span *s)
{
    return s->device == HEAP_PINNED ||
           (s->device == API_PAGEABLE && !symbol_holds(s->raw));
}

static int is_pageable(const struct span *s)
{
    return s->device == API_PAGEABLE && is_host(s) &&
           !simgpu_heap_registered(s->raw);
}

/* True if the copy's source is read before the call returns. */
static int is_staged(const struct copy *c, const struct span *dst,
                     const struct span *src)
{
    if (c->wait)
        return span_on_device(dst) && src->device == API_PAGEABLE;
    if (is_host(dst) || !is_host(src))
        return 0;
    return c->host == COPY_SOURCE_NOW ||
           (c->host == COPY_AS_DRIVERS && is_pageable(src));
}

/* True if the copy is complete when the call returns. The manual doesn't say so
 * of managed memory, but programs count on it. */
static int joins_host(const struct copy *c, const struct span *dst,
                      const struct span *src, int staged)
{
    if (c->wait)
        return dst->on_host || src->on_host || !span_on_device(dst) ||
               (!span_on_device(src) && !staged);
    return c->host != COPY_IN_GRAPH && is_host(dst) &&
           (is_pageable(dst) || is_host(src));
}

/* The host must not touch pinned memory of the copy for now. */
static void watch(const struct copy *c, struct fence f, const struct span *dst,
                  const struct span *src)
{
    const struct pending target = {
        .fence = f,
        .base = c->dst,
        .nbytes = extent(c, c->dpitch, c->dslice),
        .width = c->width,
        .pitch = c->height * c->depth == 1 ? c->width : c->dpitch,
        .is_target = 1,
        .access = dst->access};
    const struct pending source = {
        .fence = f,
        .base = (char *)c->src,
        .nbytes = extent(c, c->spitch, c->sslice),
        .width = c->width,
        .pitch = c->height * c->depth == 1 ? c->width : c->spitch,
        .access = src->access};
    if (is_host(dst))
        pending_add(&target);
    if (is_host(src))
        pending_add(&source);
}

cudaError_t copy_run(const struct copy *c)
{
    struct span dst, src;
    struct stream *s;
    if (c->width == 0 || c->height == 0 || c->depth == 0)
        return cudaSuccess; // even where a capture forbids copies
    if (!direction_is_kind(c->kind))
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t err = check_pitches(c);
    if (err == cudaSuccess)
        err = api_stream(c->stream, &s);
    if (err != cudaSuccess)
        return err;
    err = operands(c, &dst, &src);
    if (err != cudaSuccess)
        return err;
    if (simgpu_stream_capture(s))
        return capture_copy(s, c);
    struct copy_op *const op =
        simgpu_op_new(sizeof *op, run_copy, GRAPH_COPY, c->name, c->site);
    op->op.release = release_copy;
    if (goes_through_host(&dst, &src))
        op->op.node.flags |= GRAPH_STAGED;
    op->box = *c;
    op->box.dst = dst.raw;
    op->box.src = src.raw;
    op->tells = is_host(&dst) && !is_host(&src);
    op->is_told = is_host(&src) && !is_host(&dst) && !dst.on_host;
    const int to = api_span_variable(&dst, simgpu_stream_device(s));
    const int from = api_span_variable(&src, simgpu_stream_device(s));
    op->variables = to >= 0 ? to : from;
    const int staged = is_staged(c, &dst, &src);
    if (staged && c->wait)
        join_stream(c, s);
    if (staged)
        stage(op, c, &dst, &src);
    const struct fence m = enqueue(c, s, op, &dst, &src);
    if (!c->wait && c->host == COPY_AS_DRIVERS &&
        (staged || (is_pageable(&dst) && !is_host(&src))))
        check_remark_pageable(c->site, c->name);
    if (joins_host(c, &dst, &src, staged))
        simgpu_fence_join(&m, 1, c->name, c->site);
    else if (!staged)
        watch(c, m, &dst, &src);
    return cudaSuccess;
}

cudaError_t copy_bytes(const char *name, uint32_t site, void *dst,
                       const void *src, size_t count, enum cudaMemcpyKind kind,
                       cudaStream_t stream, int wait)
{
    return copy_rows(name, site, dst, count, src, count, count, 1, kind, stream,
                     wait);
}

cudaError_t copy_rows(const char *name, uint32_t site, void *dst, size_t dpitch,
                      const void *src, size_t spitch, size_t width,
                      size_t height, enum cudaMemcpyKind kind,
                      cudaStream_t stream, int wait)
{
    return copy_run(&(struct copy){
        .name = name,
        .site = site,
        .dst = dst,
        .src = src,
        .width = width,
        .height = height,
        .depth = 1,
        .dpitch = dpitch,
        .spitch = spitch,
        .kind = kind,
        .stream = stream,
        .wait = wait,
    });
}

/* ---- calls --------------------------------------------------------------- */

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count,
                       enum cudaMemcpyKind kind)
{
    API_ENTER();
    return api_return(
        copy_bytes("cudaMemcpy", CALLER_SITE(), dst, src, count, kind, 0, 1));
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count,
                            enum cudaMemcpyKind kind, cudaStream_t stream)
{
    API_ENTER();
    return api_return(copy_bytes("cudaMemcpyAsync", CALLER_SITE(), dst, src,
                                 count, kind, stream, 0));
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src,
                         size_t spitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    API_ENTER();
    return api_return(copy_rows("cudaMemcpy2D", CALLER_SITE(), dst, dpitch, src,
                                spitch, width, height, kind, 0, 1));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src,
                              size_t spitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    API_ENTER();
    return api_return(copy_rows("cudaMemcpy2DAsync", CALLER_SITE(), dst, dpitch,
                                src, spitch, width, height, kind, stream, 0));
}

/* Check that both devices exist and own the memory that
 * the call says they own. */
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
    const struct stream *const s = simgpu_stream_of(stream);
    cudaError_t err = check_peers(dst, dstDevice, src, srcDevice);
    if (err == cudaSuccess && s)
        err = capture_allows_call(s); // a graph cannot contain it
    if (err != cudaSuccess)
        return api_return(err);
    return api_return(copy_bytes("cudaMemcpyPeerAsync", CALLER_SITE(), dst, src,
                                 count, cudaMemcpyDeviceToDevice, stream, 0));
}

/* Make what is enqueued to s follow all previous work of a device. */
static void follow_device(struct stream *s, int device, uint32_t site)
{
    enum { MAX_FENCES = 1024 };
    struct fence tail[MAX_FENCES];
    const int n = stream_tails(device, 0, tail, MAX_FENCES);
    struct op *const op =
        simgpu_op_new(sizeof *op, NULL, GRAPH_MARK, "cudaMemcpyPeer", site);
    for (int i = 0; i < n; i++)
        simgpu_op_after(op, tail[i]);
    simgpu_stream_enqueue(s, op);
}

/* Make what is enqueued to a device's legacy stream, and so to its blocking
 * streams, follow all previous work of s. */
static void lead_device(struct stream *s, int device, uint32_t site)
{
    const int before = simgpu_device_current();
    struct op *const op =
        simgpu_op_new(sizeof *op, NULL, GRAPH_MARK, "cudaMemcpyPeer", site);
    simgpu_op_after(op, simgpu_stream_tail(s));
    simgpu_device_set(device);
    simgpu_stream_enqueue(simgpu_stream_of(NULL), op);
    simgpu_device_set(before);
}

/* Unlike cudaMemcpyPeerAsync(), it is ordered with the work of both devices. */
cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src,
                           int srcDevice, size_t count)
{
    API_ENTER();
    cudaError_t err = check_peers(dst, dstDevice, src, srcDevice);
    if (err != cudaSuccess)
        return api_return(err);
    const uint32_t site = CALLER_SITE();
    const int others[] = {srcDevice, dstDevice};
    struct stream *s;
    err = api_stream(0, &s);
    if (err != cudaSuccess)
        return api_return(err);
    for (int i = 0; i < 2; i++)
        if (others[i] != simgpu_stream_device(s))
            follow_device(s, others[i], site);
    err = copy_bytes("cudaMemcpyPeer", site, dst, src, count,
                     cudaMemcpyDeviceToDevice, 0, 0);
    for (int i = 0; i < 2 && err == cudaSuccess; i++)
        if (others[i] != simgpu_stream_device(s))
            lead_device(s, others[i], site);
    return api_return(err);
}
