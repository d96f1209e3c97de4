/*
 * memory.c: allocating, freeing and registering memory
 */
#include "cudart/memory.h"

#include <errno.h>   /* EEXIST */
#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* malloc */
#include <string.h>  /* memset */

#include "core/check.h"
#include "core/device.h"
#include "core/heap.h"
#include "core/host.h"
#include "core/site.h"
#include "core/stream.h"
#include "cudart/capture.h"
#include "cudart/graph_memory.h"
#include "cudart/pool.h"

/* All bytes of an allocation. */
static struct graph_access whole(const struct heap_block *b,
                                 enum graph_touch how, uint32_t site)
{
    return (struct graph_access){
        .alloc = b->id, .end = b->nbytes, .write = how, .site = site};
}

static cudaError_t allocate(int device, size_t size, int managed, uint32_t site,
                            void **out)
{
    const cudaError_t err = capture_allows_unsafe();
    if (!out)
        return err != cudaSuccess ? err : cudaErrorInvalidValue;
    if (err != cudaSuccess) {
        *out = NULL;
        return err;
    }
    return simgpu_heap_alloc(device, size, managed, site, out) == 0
               ? cudaSuccess
               : cudaErrorMemoryAllocation;
}

cudaError_t cudaMalloc(void **devPtr, size_t size)
{
    API_ENTER();
    simgpu_host_call("cudaMalloc", CALLER_SITE());
    return api_return(
        allocate(simgpu_device_current(), size, 0, CALLER_SITE(), devPtr));
}

cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags)
{
    API_ENTER();
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return api_return(cudaErrorInvalidValue);
    const cudaError_t err =
        allocate(simgpu_device_current(), size, 1, CALLER_SITE(), devPtr);
    struct heap_block b;
    if (err == cudaSuccess && simgpu_heap_find(*devPtr, &b) == 0) {
        // Writes by the host are invisible: take all of it as written.
        const struct graph_access a = whole(&b, GRAPH_WRITE, CALLER_SITE());
        host_touch("cudaMallocManaged", CALLER_SITE(), &a);
    }
    return api_return(err);
}

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
    API_ENTER();
    return api_return(allocate(HEAP_PINNED, size, 0, CALLER_SITE(), ptr));
}

/* Where all addresses are unified, all pinned memory is the devices', too. */
enum { EVERYWHERE = cudaHostAllocPortable | cudaHostAllocMapped };

static void host_flags_note(const void *p, unsigned flags);

cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags)
{
    API_ENTER();
    if (flags > 7)
        return api_return(cudaErrorInvalidValue);
    const cudaError_t err =
        allocate(HEAP_PINNED, size, 0, CALLER_SITE(), pHost);
    if (err == cudaSuccess)
        host_flags_note(*pHost, flags | EVERYWHERE);
    return api_return(err);
}

/* Flags of pinned memory, by the address that the program got or gave. */
static struct host_flags {
    struct host_flags *next;
    const void *p;
    unsigned flags;
} * host_flags;
static pthread_mutex_t flags_lock = PTHREAD_MUTEX_INITIALIZER;

static void host_flags_note(const void *p, unsigned flags)
{
    pthread_mutex_lock(&flags_lock);
    struct host_flags *f = host_flags;
    while (f && f->p != p)
        f = f->next;
    if (!f && (f = malloc(sizeof *f))) {
        f->p = p;
        f->next = host_flags;
        host_flags = f;
    }
    if (f)
        f->flags = flags;
    pthread_mutex_unlock(&flags_lock);
}

cudaError_t cudaHostGetFlags(unsigned int *pFlags, void *pHost)
{
    struct heap_block b;
    const int pinned =
        simgpu_heap_find(pHost, &b) == 0 && b.device == HEAP_PINNED;
    if (!pFlags || (!pinned && !simgpu_heap_registered(pHost)))
        return api_return(cudaErrorInvalidValue);
    *pFlags = EVERYWHERE;
    pthread_mutex_lock(&flags_lock);
    for (const struct host_flags *f = host_flags; f; f = f->next)
        if (f->p == (pinned ? b.base : pHost))
            *pFlags = f->flags;
    pthread_mutex_unlock(&flags_lock);
    return api_return(cudaSuccess);
}

/* Wait until the device is idle (cudaFree does). */
static void drain(int device, const char *call, uint32_t site)
{
    enum { MAX = 1024 };
    struct fence fences[MAX];
    const int n = stream_tails(device, 0, fences, MAX);
    simgpu_fence_join(fences, n, call, site);
}

/* Pinned memory belongs to all devices. */
static void drain_all(const char *call, uint32_t site)
{
    enum { MAX = 1024 };
    struct fence fences[MAX];
    int n = 0;
    for (int device = 0; device < simgpu_proc()->ndevices; device++)
        n += stream_tails(device, 0, fences + n, MAX - n);
    simgpu_fence_join(fences, n, call, site);
}

/* Handle a pointer that can't be freed: note a double free. */
static cudaError_t bad_free(const void *p, const struct heap_block *b,
                            const char *call, uint32_t site)
{
    char where[256], from[256];
    if (b->base == p)
        check_note(site,
                   "double free: %s at %s frees the %zu-byte allocation "
                   "made at %s again",
                   call, simgpu_site_text(site, where, sizeof where), b->nbytes,
                   simgpu_site_text(b->site, from, sizeof from));
    return cudaErrorInvalidValue;
}

/* Free p, which must be the start of an allocation of device memory, or of
 * pinned memory if `pinned`. */
static cudaError_t release(void *p, int pinned, const char *call, uint32_t site)
{
    struct heap_block b;
    const cudaError_t err = capture_allows_unsafe();
    if (err != cudaSuccess || !p)
        return err;
    if (simgpu_heap_find(p, &b) != 0 || b.free_pending)
        return bad_free(p, &b, call, site);
    if (b.imported && b.base == p && pool_has(p))
        return simgpu_heap_unimport(p) == 0 ? cudaSuccess
                                            : cudaErrorInvalidValue;
    const int host = b.device == HEAP_PINNED;
    if (b.base != p || b.imported || b.mapped ||
        (host && !pool_has(p)) != pinned)
        return cudaErrorInvalidValue;
    if (host)
        drain_all(call, site);
    else
        drain(b.device, call, site);
    pool_freed(p);
    const enum graph_memory_end end = graph_memory_end(p);
    if (!pinned) {
        const struct graph_access a = whole(
            &b, end == GRAPH_MEMORY_KEPT ? GRAPH_WRITE : GRAPH_FREE, site);
        host_touch(call, site, &a);
    }
    if (end == GRAPH_MEMORY_ENDED || end == GRAPH_MEMORY_KEPT)
        return end == GRAPH_MEMORY_KEPT ? cudaSuccess : cudaErrorInvalidValue;
    heap_note_free(p, site);
    return simgpu_heap_free(p) == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaFree(void *devPtr)
{
    API_ENTER();
    return api_return(release(devPtr, 0, "cudaFree", CALLER_SITE()));
}

cudaError_t cudaFreeHost(void *ptr)
{
    API_ENTER();
    return api_return(release(ptr, 1, "cudaFreeHost", CALLER_SITE()));
}

cudaError_t memory_free(void *p, const char *call, uint32_t site)
{
    return release(p, 0, call, site);
}

/* ---- in stream order ----------------------------------------------------- */

struct free_op {
    struct op op;
    void *p;
};

static void run_free(struct op *op)
{
    simgpu_heap_free(((struct free_op *)op)->p);
}

/* Enqueue the operation with which an allocation's life begins, or ends: it
 * then frees p. */
static void mark_life(struct stream *s, void *p, const struct heap_block *b,
                      enum graph_touch how, const char *call, uint32_t site)
{
    const struct graph_access access = whole(b, how, site);
    struct free_op *const op =
        simgpu_op_new(sizeof *op, p ? run_free : NULL, GRAPH_MARK, call, site);
    op->p = p;
    op->op.node.naccesses = 1;
    op->op.accesses = &access;
    simgpu_stream_enqueue(s, &op->op);
}

/* The whole allocation at p is touched so, in stream order. */
static void mark(struct stream *s, void *p, enum graph_touch how,
                 const char *call, uint32_t site)
{
    struct heap_block b;
    if (simgpu_heap_find(p, &b) == 0)
        mark_life(s, NULL, &b, how, call, site);
}

void memory_mark(struct stream *s, void *p, const char *call, uint32_t site)
{
    mark(s, p, GRAPH_WRITE, call, site);
}

cudaError_t memory_alloc_on(struct stream *s, int device, size_t nbytes,
                            const char *call, uint32_t site, void **out)
{
    const cudaError_t err = allocate(device, nbytes, 0, site, out);
    if (err == cudaSuccess && *out)
        mark(s, *out, GRAPH_ALLOC, call, site);
    return err;
}

cudaError_t memory_alloc_numa_on(struct stream *s, int32_t place, size_t nbytes,
                                 const char *call, uint32_t site, void **out)
{
    if (heap_alloc_numa(place, nbytes, site, out) != 0)
        return cudaErrorMemoryAllocation;
    if (*out)
        mark(s, *out, GRAPH_ALLOC, call, site);
    return cudaSuccess;
}

cudaError_t memory_free_on(struct stream *s, void *p, const char *call,
                           uint32_t site)
{
    struct heap_block b;
    if (simgpu_heap_find(p, &b) != 0 || b.free_pending)
        return bad_free(p, &b, call, site);
    if (b.base != p || (b.device == HEAP_PINNED && !pool_has(p)))
        return cudaErrorInvalidValue;
    if (b.imported)
        return pool_has(p) && simgpu_heap_unimport(p) == 0
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    pool_freed(p);
    const enum graph_memory_end end = graph_memory_end(p);
    if (end == GRAPH_MEMORY_ENDED)
        return cudaErrorInvalidValue;
    if (end == GRAPH_MEMORY_KEPT) {
        memory_mark(s, p, call, site);
        return cudaSuccess;
    }
    heap_free_pending(p);
    heap_note_free(p, site);
    mark_life(s, p, &b, GRAPH_FREE, call, site);
    return cudaSuccess;
}

/* ---- registered host memory ---------------------------------------------- */

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
    API_ENTER();
    if (!ptr || size == 0 || flags > 15 || flags & cudaHostRegisterIoMemory)
        return api_return(cudaErrorInvalidValue); // a program has no other
    const cudaError_t captured = capture_allows_unsafe();
    if (captured != cudaSuccess)
        return api_return(captured);
    const int err = heap_register(ptr, size);
    if (err == 0)
        host_flags_note(ptr, flags | EVERYWHERE);
    return api_return(err == 0        ? cudaSuccess
                      : err == EEXIST ? cudaErrorHostMemoryAlreadyRegistered
                                      : cudaErrorMemoryAllocation);
}

cudaError_t cudaHostUnregister(void *ptr)
{
    API_ENTER();
    if (!ptr)
        return api_return(cudaErrorInvalidValue);
    const cudaError_t captured = capture_allows_unsafe();
    if (captured != cudaSuccess)
        return api_return(captured);
    const int err = heap_unregister(ptr);
    return api_return(err == 0        ? cudaSuccess
                      : err == ENOENT ? cudaErrorHostMemoryNotRegistered
                                      : cudaErrorInvalidValue);
}

cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost,
                                     unsigned int flags)
{
    struct heap_block b;
    if (!pDevice || flags != 0)
        return api_return(cudaErrorInvalidValue);
    const int pinned =
        simgpu_heap_find(pHost, &b) == 0 && b.device == HEAP_PINNED;
    if (!pinned && !simgpu_heap_registered(pHost))
        return api_return(cudaErrorInvalidValue);
    *pDevice = pHost;
    return api_return(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *ptr)
{
    struct heap_block b;
    if (!attributes)
        return api_return(cudaErrorInvalidValue);
    memset(attributes, 0, sizeof *attributes);
    if (simgpu_heap_find(ptr, &b) == 0 && b.device != HEAP_PINNED) {
        attributes->type =
            b.managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice;
        attributes->device = b.device;
        attributes->devicePointer = (void *)ptr;
        attributes->hostPointer = b.managed ? (void *)ptr : NULL;
    } else if ((b.base && b.device == HEAP_PINNED) ||
               simgpu_heap_registered(ptr)) {
        attributes->type = cudaMemoryTypeHost;
        attributes->device = simgpu_device_current();
        attributes->devicePointer = (void *)ptr;
        attributes->hostPointer = (void *)ptr;
    } else {
        attributes->type = cudaMemoryTypeUnregistered;
        attributes->device = cudaInvalidDeviceId;
        attributes->hostPointer = (void *)ptr;
    }
    return api_return(cudaSuccess);
}
