/*
 * managed.c: managed memory: prefetching, advice, and its location
 *
 * Managed memory exists once, and is open to all devices and the host.
 * Prefetching moves nothing, but in modelled time the bytes cross the link, the
 * first time that they go to a location.
 */
#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* calloc */

#include "core/heap/heap.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream/stream.h"
#include "cudart/graphs/capture.h"

enum { HOST = cudaCpuDeviceId, NOWHERE = cudaInvalidDeviceId };

struct advised { /* what programs have said about an allocation */
    struct advised *next;
    uint64_t alloc;
    int read_mostly, preferred, prefetched;
    uint64_t accessed_by; /* bit 0: the host; then the devices */
    int at;               /* location of its bytes */
};

static struct advised *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What is known of an allocation; made on demand. The lock is held. */
static struct advised *about(const struct heap_block *b)
{
    struct advised *m = all;
    while (m && m->alloc != b->id)
        m = m->next;
    if (m)
        return m;
    m = simgpu_need(calloc(1, sizeof *m), "managed memory");
    m->alloc = b->id;
    m->preferred = m->prefetched = NOWHERE;
    m->at = HOST;
    m->next = all;
    all = m;
    return m;
}

/* A range of one managed allocation. */
static cudaError_t range(const void *p, size_t count, struct heap_block *b)
{
    if (simgpu_heap_find(p, b) != 0 || !b->managed || count == 0 ||
        (const char *)p + count > b->base + b->nbytes)
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

static int has_node(int numa)
{
    int32_t place;
    return topo_numa_place(simgpu_proc()->topo, simgpu_proc_place(0), numa,
                           &place) == 0;
}

/* The device of a location, HOST for any location on the host. */
static cudaError_t place_of(struct cudaMemLocation where, int *device)
{
    switch (where.type) {
    case cudaMemLocationTypeDevice:
        *device = where.id;
        return where.id >= 0 && where.id < simgpu_proc()->ndevices
                   ? cudaSuccess
                   : cudaErrorInvalidDevice;
    case cudaMemLocationTypeHostNuma:
        *device = HOST;
        return has_node(where.id) ? cudaSuccess : cudaErrorInvalidValue;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNumaCurrent: *device = HOST; return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

static int32_t graph_place(int device)
{
    return simgpu_proc_place(device == HOST ? HEAP_PINNED : device);
}

/* ---- prefetching --------------------------------------------------------- */

/* What to prefetch, and to which location. */
static cudaError_t to_prefetch(const void *p, size_t count,
                               struct cudaMemLocation where,
                               struct heap_block *b, int *to)
{
    const cudaError_t err = place_of(where, to);
    return err != cudaSuccess ? err : range(p, count, b);
}

static cudaError_t prefetch(const void *p, size_t count,
                            struct cudaMemLocation where, cudaStream_t stream,
                            const char *name, uint32_t site)
{
    struct stream *s;
    struct heap_block b;
    int to;
    cudaError_t err = api_stream(stream, &s);
    if (err == cudaSuccess)
        err = to_prefetch(p, count, where, &b, &to);
    if (err != cudaSuccess)
        return err;
    if (simgpu_stream_capture(s))
        return cudaErrorStreamCaptureUnsupported;
    pthread_mutex_lock(&lock);
    struct advised *const m = about(&b);
    const struct graph_move move = {graph_place(m->at), graph_place(to), count};
    const int moves = m->at != to;
    m->at = m->prefetched = to;
    pthread_mutex_unlock(&lock);
    struct op *const op =
        simgpu_op_new(sizeof *op, NULL, GRAPH_COPY, name, site);
    op->node.latency_ps = simgpu_proc()->costs->copy_ps;
    op->node.nmoves = (uint16_t)moves;
    op->node.bytes = count;
    op->moves = &move;
    simgpu_stream_enqueue(s, op);
    return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count,
                                 struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream)
{
    API_ENTER();
    if (flags != 0)
        return api_return(cudaErrorInvalidValue);
    return api_return(prefetch(devPtr, count, location, stream,
                               "cudaMemPrefetchAsync", CALLER_SITE()));
}

/* The location for range i of a batch: that of the last range of locations that
 * begins at or before i. */
static struct cudaMemLocation place_for(size_t i,
                                        const struct cudaMemLocation *places,
                                        const size_t *first, size_t nplaces)
{
    size_t at = 0;
    while (at + 1 < nplaces && first[at + 1] <= i)
        at++;
    return places[at];
}

/* Prefetch all ranges, or none. */
cudaError_t cudaMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                      struct cudaMemLocation *prefetchLocs,
                                      size_t *prefetchLocIdxs,
                                      size_t numPrefetchLocs,
                                      unsigned long long flags,
                                      cudaStream_t stream)
{
    API_ENTER();
    if (!dptrs || !sizes || !count || !prefetchLocs || !prefetchLocIdxs ||
        !numPrefetchLocs || prefetchLocIdxs[0] != 0 || flags)
        return api_return(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++) {
        struct heap_block b;
        int to;
        if (to_prefetch(
                dptrs[i], sizes[i],
                place_for(i, prefetchLocs, prefetchLocIdxs, numPrefetchLocs),
                &b, &to) != cudaSuccess)
            return api_return(cudaErrorInvalidValue);
    }
    for (size_t i = 0; i < count; i++) {
        const cudaError_t err = prefetch(
            dptrs[i], sizes[i],
            place_for(i, prefetchLocs, prefetchLocIdxs, numPrefetchLocs),
            stream, "cudaMemPrefetchBatchAsync", CALLER_SITE());
        if (err != cudaSuccess)
            return api_return(err);
    }
    return api_return(cudaSuccess);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr,
                                     size_t length, unsigned int flags)
{
    API_ENTER();
    struct stream *s;
    struct heap_block b;
    const cudaError_t err = api_stream(stream, &s);
    if (err != cudaSuccess)
        return api_return(err);
    if (simgpu_heap_find(devPtr, &b) != 0 || !b.managed ||
        (length != 0 && (b.base != devPtr || length != b.nbytes)) ||
        (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost &&
         flags != cudaMemAttachSingle))
        return api_return(cudaErrorInvalidValue);
    struct op *const op =
        simgpu_op_new(sizeof *op, NULL, GRAPH_MARK, "cudaStreamAttachMemAsync",
                      CALLER_SITE());
    simgpu_stream_enqueue(s, op);
    return api_return(cudaSuccess);
}

/* ---- advice -------------------------------------------------------------- */

static void take_advice(struct advised *m, enum cudaMemoryAdvise advice,
                        int device)
{
    const uint64_t bit = UINT64_C(1) << (device + 1); // HOST is -1
    switch (advice) {
    case cudaMemAdviseSetReadMostly: m->read_mostly = 1; break;
    case cudaMemAdviseUnsetReadMostly: m->read_mostly = 0; break;
    case cudaMemAdviseSetPreferredLocation: m->preferred = device; break;
    case cudaMemAdviseUnsetPreferredLocation: m->preferred = NOWHERE; break;
    case cudaMemAdviseSetAccessedBy: m->accessed_by |= bit; break;
    case cudaMemAdviseUnsetAccessedBy: m->accessed_by &= ~bit; break;
    }
}

cudaError_t cudaMemAdvise(const void *devPtr, size_t count,
                          enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    API_ENTER();
    struct heap_block b;
    int device;
    if (advice < cudaMemAdviseSetReadMostly ||
        advice > cudaMemAdviseUnsetAccessedBy ||
        range(devPtr, count, &b) != cudaSuccess ||
        // even if the advice ignores the location
        place_of(location, &device) != cudaSuccess)
        return api_return(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    take_advice(about(&b), advice, device);
    pthread_mutex_unlock(&lock);
    return api_return(cudaSuccess);
}

/* Write the devices that access the memory, then NOWHERE, to n entries. */
static void list_accessors(const struct advised *m, int *out, size_t n)
{
    size_t at = 0;
    for (int device = HOST; device < PROC_MAX_DEVICES - 1 && at < n; device++)
        if (m->accessed_by >> (device + 1) & 1)
            out[at++] = device;
    while (at < n)
        out[at++] = NOWHERE;
}

static int type_of(int device)
{
    return device == NOWHERE ? cudaMemLocationTypeInvalid
           : device == HOST  ? cudaMemLocationTypeHost
                             : cudaMemLocationTypeDevice;
}

static cudaError_t answer(const struct advised *m,
                          enum cudaMemRangeAttribute attribute, int *out,
                          size_t nbytes)
{
    if (!out || nbytes < sizeof *out ||
        (nbytes != sizeof *out &&
         attribute != cudaMemRangeAttributeAccessedBy) ||
        nbytes % sizeof *out)
        return cudaErrorInvalidValue;
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly: *out = m->read_mostly; break;
    case cudaMemRangeAttributePreferredLocation:
    case cudaMemRangeAttributePreferredLocationId: *out = m->preferred; break;
    case cudaMemRangeAttributeAccessedBy:
        list_accessors(m, out, nbytes / sizeof *out);
        break;
    case cudaMemRangeAttributeLastPrefetchLocation:
    case cudaMemRangeAttributeLastPrefetchLocationId:
        *out = m->prefetched;
        break;
    case cudaMemRangeAttributePreferredLocationType:
        *out = type_of(m->preferred);
        break;
    case cudaMemRangeAttributeLastPrefetchLocationType:
        *out = type_of(m->prefetched);
        break;
    default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataSize,
                                     enum cudaMemRangeAttribute attribute,
                                     const void *devPtr, size_t count)
{
    struct heap_block b;
    cudaError_t err = range(devPtr, count, &b);
    if (err != cudaSuccess)
        return api_return(err);
    pthread_mutex_lock(&lock);
    err = answer(about(&b), attribute, data, dataSize);
    pthread_mutex_unlock(&lock);
    return api_return(err);
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *dataSizes,
                                      enum cudaMemRangeAttribute *attributes,
                                      size_t numAttributes, const void *devPtr,
                                      size_t count)
{
    if (!data || !dataSizes || !attributes || !numAttributes)
        return api_return(cudaErrorInvalidValue);
    for (size_t i = 0; i < numAttributes; i++) {
        const cudaError_t err = cudaMemRangeGetAttribute(
            data[i], dataSizes[i], attributes[i], devPtr, count);
        if (err != cudaSuccess)
            return api_return(err);
    }
    return api_return(cudaSuccess);
}
