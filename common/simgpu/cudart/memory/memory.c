/*
 * memory.c: allocating, freeing and registering memory
 */
#include "cudart/memory/memory.h"

#include <errno.h>   /* EEXIST */
#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* malloc */
#include <string.h>  /* memset */

#include "core/device.h"
#include "core/heap/heap.h"
#include "core/host.h"
#include "core/site.h"
#include "core/stream/lent.h"
#include "core/stream/pending.h"
#include "core/stream/stream.h"
#include "core/watch/check.h"
#include "cudart/graphs/capture.h"
#include "cudart/graphs/graph_memory.h"
#include "cudart/memory/life.h"
#include "cudart/memory/pool.h"

static cudaError_t allocate(int device, size_t size, enum heap_kind kind,
                            uint32_t site, void **out)
{
    const cudaError_t err = capture_allows_unsafe();
    if (!out)
        return err != cudaSuccess ? err : cudaErrorInvalidValue;
    if (err != cudaSuccess) {
        *out = NULL;
        return err;
    }
    return simgpu_heap_alloc(device, size, kind, site, out) == 0
               ? cudaSuccess
               : cudaErrorMemoryAllocation;
}

cudaError_t cudaMalloc(void **devPtr, size_t size)
{
    API_ENTER();
    simgpu_host_call("cudaMalloc", CALLER_SITE());
    return api_return(allocate(simgpu_device_current(), size, HEAP_ORDINARY,
                               CALLER_SITE(), devPtr));
}

cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags)
{
    API_ENTER();
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return api_return(cudaErrorInvalidValue);
    const cudaError_t err = allocate(simgpu_device_current(), size,
                                     HEAP_MANAGED, CALLER_SITE(), devPtr);
    struct heap_block b;
    if (err == cudaSuccess && simgpu_heap_find(*devPtr, &b) == 0) {
        // the host's writes are invisible, so everything counts as written
        const struct graph_access a =
            life_whole(&b, GRAPH_WRITE, CALLER_SITE());
        host_touch("cudaMallocManaged", CALLER_SITE(), &a);
    }
    return api_return(err);
}

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
    API_ENTER();
    return api_return(
        allocate(HEAP_PINNED, size, HEAP_ORDINARY, CALLER_SITE(), ptr));
}

/* All addresses are unified, so all pinned memory is also the devices'. */
enum { EVERYWHERE = cudaHostAllocPortable | cudaHostAllocMapped };

static void host_flags_note(const void *p, unsigned flags);

cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags)
{
    API_ENTER();
    if (flags > 7)
        return api_return(cudaErrorInvalidValue);
    const cudaError_t err =
        allocate(HEAP_PINNED, size, HEAP_ORDINARY, CALLER_SITE(), pHost);
    if (err == cudaSuccess)
        host_flags_note(*pHost, flags | EVERYWHERE);
    return api_return(err);
}

/* Flags of pinned memory, by the address that the program got or passed. */
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

/* Wait until the device is idle, as cudaFree does. */
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

/* Handle a pointer that can't be freed; record a double free. */
static cudaError_t bad_free(const void *p, const struct heap_block *b,
                            const char *call, uint32_t site)
{
    char where[256], from[256];
    if (b->base == p)
        simgpu_check_note(site,
                          "double free: %s at %s frees the %zu-byte allocation "
                          "made at %s again",
                          call, simgpu_site_text(site, where, sizeof where),
                          b->nbytes,
                          simgpu_site_text(b->site, from, sizeof from));
    return cudaErrorInvalidValue;
}

/* Free p, which must be the start of an allocation of device memory or, if
 * `pinned`, of pinned memory. */
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
        pending_give_back(b.base, b.nbytes, GRAPH_FREE, call, site);
    if (host)
        drain_all(call, site);
    else
        drain(b.device, call, site);
    simgpu_lent_free(b.id, call, site);
    pool_freed(p);
    const enum graph_memory_end end = graph_memory_end(p);
    if (!pinned) {
        const struct graph_access a = life_whole(
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

cudaError_t memory_alloc_on(struct stream *s, int device, size_t nbytes,
                            const char *call, uint32_t site, void **out)
{
    const cudaError_t err = allocate(device, nbytes, HEAP_ORDINARY, site, out);
    if (err == cudaSuccess && *out)
        life_mark(s, *out, GRAPH_ALLOC, call, site);
    return err;
}

cudaError_t memory_alloc_numa_on(struct stream *s, int32_t place, size_t nbytes,
                                 const char *call, uint32_t site, void **out)
{
    if (heap_alloc_numa(place, nbytes, site, out) != 0)
        return cudaErrorMemoryAllocation;
    if (*out)
        life_mark(s, *out, GRAPH_ALLOC, call, site);
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
        life_use(s, p, call, site);
        return cudaSuccess;
    }
    heap_free_pending(p);
    heap_note_free(p, site);
    life_end(s, p, &b, call, site);
    return cudaSuccess;
}

/* ---- registered host memory ---------------------------------------------- */

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
    API_ENTER();
    simgpu_proc(); // a program may call nothing else
    if (!ptr || size == 0 || flags > 15 || flags & cudaHostRegisterIoMemory)
        return api_return(cudaErrorInvalidValue); // no program has I/O memory
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
    size_t nbytes;
    char *const base = (char *)heap_registered_range(ptr, &nbytes);
    if (base == ptr)
        pending_give_back(base, nbytes, GRAPH_WRITE, "cudaHostUnregister",
                          CALLER_SITE());
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
