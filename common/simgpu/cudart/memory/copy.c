/*
 * copy.c: copies
 *
 * Which calls of cudaMemcpy block until the copy is done: device to host,
 * within the host, and pinned memory to device. A copy from pageable memory to
 * a device is staged: the call returns once the source has been read. A copy
 * between devices does not block.
 */
#include "cudart/copy.h"

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
#include "cudart/capture.h"
#include "cudart/symbol.h"

struct copy_op {
    struct op op;
    struct copy box; /* dst and src as simgpu accesses them */
    void *staged;    /* a copy of a pageable source, or NULL */
};

static void run_copy(struct op *op)
{
    const struct copy *const c = &((struct copy_op *)op)->box;
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++)
            memmove((char *)c->dst + z * c->dslice + y * c->dpitch,
                    (const char *)c->src + z * c->sslice + y * c->spitch,
                    c->width);
}

static void release_copy(struct op *op)
{
    free(((struct copy_op *)op)->staged);
    free(op);
}

static int on_device(const struct span *s)
{
    return s->device >= 0;
}

/* Managed memory is the host's, too. */
static int is_host(const struct span *s)
{
    return !on_device(s) || s->managed;
}

/* The addresses of variables may be passed as a device's. */
static int is_device(const struct span *s)
{
    return s->device != API_PAGEABLE || symbol_holds(s->raw);
}

/*
 * True if the given kind fits the operands' places. All memory but pageable
 * memory counts as a device's. CUDA copies from a device as if from the host
 * and to it as if to the host, but calls that undefined: it is refused.
 */
static int kind_fits(enum cudaMemcpyKind kind, const struct span *dst,
                     const struct span *src)
{
    switch (kind) {
    case cudaMemcpyDefault: return 1;
    case cudaMemcpyHostToHost: return is_host(dst) && is_host(src);
    case cudaMemcpyHostToDevice: return is_device(dst) && is_host(src);
    case cudaMemcpyDeviceToHost: return is_host(dst) && is_device(src);
    case cudaMemcpyDeviceToDevice: return is_device(dst) && is_device(src);
    }
    return 0;
}

int copy_is_kind(enum cudaMemcpyKind kind)
{
    return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault;
}

static int is_devices(const void *p)
{
    struct span at;
    return span_of(p, 1, 0, &at) == cudaSuccess && is_device(&at);
}

cudaError_t copy_direction(enum cudaMemcpyKind kind, const void *dst,
                           const void *src)
{
    const int within = kind == cudaMemcpyDeviceToDevice;
    if (!copy_is_kind(kind))
        return cudaErrorInvalidMemcpyDirection;
    if ((within || kind == cudaMemcpyHostToDevice) && !is_devices(dst))
        return cudaErrorInvalidValue;
    if ((within || kind == cudaMemcpyDeviceToHost) && !is_devices(src))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

/* Bytes from the first to the last touched by a box. */
static size_t extent(const struct copy *c, size_t pitch, size_t slice)
{
    return (c->depth - 1) * slice + (c->height - 1) * pitch + c->width;
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

static cudaError_t operands(const struct copy *c, struct span *dst,
                            struct span *src)
{
    const size_t to = extent(c, c->dpitch, c->dslice);
    const size_t from = extent(c, c->spitch, c->sslice);
    cudaError_t err = span_of(c->dst, to, 1, dst);
    if (err != cudaSuccess)
        note_bounds(c, c->dst, to, "writes");
    else if ((err = span_of(c->src, from, 0, src)) != cudaSuccess)
        note_bounds(c, c->src, from, "reads");
    if (err == cudaSuccess && !kind_fits(c->kind, dst, src))
        err = cudaErrorInvalidValue;
    return err;
}

/* True if the rows of a side lie behind each other, without a gap. */
static int is_dense(const struct copy *c, size_t pitch, size_t slice)
{
    return (c->height == 1 || pitch == c->width) &&
           (c->depth == 1 || slice == c->width * c->height);
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
    const size_t nbytes = extent(c, c->spitch, c->sslice);
    const int n = stream_tails(simgpu_stream_device(s), 1, fences, MAX);
    if (n > 0)
        simgpu_fence_join(fences, n, c->name, c->site);
    struct graph_access read = src->access;
    read.site = c->site;
    if (!is_dense(c, c->spitch, c->sslice))
        read.write |= GRAPH_ROUGH;
    host_touch(c->name, c->site, &read);
    if (dataless(dst->access.alloc))
        return; // the copy will not be performed
    op->staged =
        simgpu_need(malloc(nbytes), "staging a copy of %zu bytes", nbytes);
    memcpy(op->staged, op->box.src, nbytes);
    op->box.src = op->staged;
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
 * Write the rows of a box to `access`, in pairs of destination and source; for
 * more than MAX_ROWS rows the whole extent, marked as rough. `access` has room
 * for 2 * MAX_ROWS.
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

static struct fence enqueue_rows(const struct copy *c, struct stream *s,
                                 struct op *op, const struct span *dst,
                                 const struct span *src)
{
    const size_t all = c->height * c->depth;
    const size_t rows = all < MAX_ROWS ? all : MAX_ROWS;
    struct graph_access *const access = simgpu_need(
        malloc(2 * rows * sizeof *access), "a copy of %zu rows", all);
    const struct fence m = api_enqueue_touching(
        s, op, dst, src, volume(c), access, touch_rows(c, dst, src, access));
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
    if (!is_dense(c, c->dpitch, c->dslice))
        rows.access.write |= GRAPH_ROUGH;
    return api_enqueue_touching(s, &op->op, dst, src, volume(c), &rows.access,
                                1);
}

/* The host is ordered with what it copies to and from managed memory. */
static int joins_host(const struct span *dst, const struct span *src,
                      int staged)
{
    return !on_device(dst) || (!on_device(src) && !staged);
}

cudaError_t copy_run(const struct copy *c)
{
    struct span dst, src;
    struct stream *s;
    if (c->width == 0 || c->height == 0 || c->depth == 0)
        return cudaSuccess; // even where a capture forbids copies
    if (!copy_is_kind(c->kind))
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
    const int staged = c->wait && src.device == API_PAGEABLE && on_device(&dst);
    if (staged)
        stage(op, c, s, &dst, &src);
    const struct fence m = enqueue(c, s, op, &dst, &src);
    if (c->wait && joins_host(&dst, &src, staged))
        simgpu_fence_join(&m, 1, c->name, c->site);
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
    const struct stream *const s = simgpu_stream_of(stream);
    cudaError_t err = check_peers(dst, dstDevice, src, srcDevice);
    if (err == cudaSuccess && s)
        err = capture_allows_call(s); // no graph holds it
    if (err != cudaSuccess)
        return api_return(err);
    return api_return(copy_bytes("cudaMemcpyPeerAsync", CALLER_SITE(), dst, src,
                                 count, cudaMemcpyDeviceToDevice, stream, 0));
}

/* What is enqueued to s follows all work of a device so far. */
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

/* What is enqueued to a device's legacy stream, and so to its blocking ones,
 * follows all work of s so far. */
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

/* Unlike cudaMemcpyPeerAsync(), in order with the work of both devices. */
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
