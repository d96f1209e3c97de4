/*
 * memory.c: allocating, freeing, registering
 */
#include "cudart/api.h"

#include <errno.h>  /* EEXIST */
#include <string.h> /* memset */

#include "core/check.h"
#include "core/host.h"

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
    if (!out)
        return cudaErrorInvalidValue;
    return heap_alloc(device, size, managed, site, out) == 0
               ? cudaSuccess
               : cudaErrorMemoryAllocation;
}

cudaError_t cudaMalloc(void **devPtr, size_t size)
{
    API_ENTER();
    host_call("cudaMalloc", PROC_SITE());
    return api_return(allocate(device_current(), size, 0, PROC_SITE(), devPtr));
}

cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags)
{
    API_ENTER();
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return api_return(cudaErrorInvalidValue);
    const cudaError_t err =
        allocate(device_current(), size, 1, PROC_SITE(), devPtr);
    struct heap_block b;
    if (err == cudaSuccess && heap_find(*devPtr, &b) == 0) {
        // The host may write to it, which nobody will see: all is written.
        const struct graph_access a = whole(&b, GRAPH_WRITE, PROC_SITE());
        host_touch("cudaMallocManaged", PROC_SITE(), &a);
    }
    return api_return(err);
}

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
    API_ENTER();
    return api_return(allocate(HEAP_PINNED, size, 0, PROC_SITE(), ptr));
}

cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags)
{
    API_ENTER();
    if (flags > 7)
        return api_return(cudaErrorInvalidValue);
    return api_return(allocate(HEAP_PINNED, size, 0, PROC_SITE(), pHost));
}

/* Wait for everything that the device has to do (cudaFree does). */
static void drain(int device, const char *call, uint32_t site)
{
    enum { MAX = 1024 };
    struct mark marks[MAX];
    const int n = device_marks(device, 0, marks, MAX);
    marks_join(marks, n, call, site);
}

/* Pinned memory is every device's. */
static void drain_all(const char *call, uint32_t site)
{
    enum { MAX = 1024 };
    struct mark marks[MAX];
    int n = 0;
    for (int device = 0; device < proc()->ndevices; device++)
        n += device_marks(device, 0, marks + n, MAX - n);
    marks_join(marks, n, call, site);
}

/* A pointer that can't be freed: was it freed before? */
static cudaError_t bad_free(const void *p, const struct heap_block *b,
                            const char *call, uint32_t site)
{
    char where[256], from[256];
    if (b->base == p)
        check_note(
            site,
            "double free: %s at %s frees the %zu-byte allocation made at "
            "%s once more",
            call, proc_site_text(site, where, sizeof where), b->nbytes,
            proc_site_text(b->site, from, sizeof from));
    return cudaErrorInvalidValue;
}

/* Free p, which must be the beginning of an allocation on the device side
 * (pinned = 0), or of pinned memory. */
static cudaError_t release(void *p, int pinned, const char *call, uint32_t site)
{
    struct heap_block b;
    if (!p)
        return cudaSuccess;
    if (heap_find(p, &b) != 0 || b.condemned)
        return bad_free(p, &b, call, site);
    if (b.base != p || b.imported || (b.device == HEAP_PINNED) != pinned)
        return cudaErrorInvalidValue;
    if (pinned)
        drain_all(call, site);
    else
        drain(b.device, call, site);
    if (!pinned) {
        const struct graph_access a = whole(&b, GRAPH_FREE, site);
        host_touch(call, site, &a);
    }
    return heap_free(p) == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaFree(void *devPtr)
{
    API_ENTER();
    return api_return(release(devPtr, 0, "cudaFree", PROC_SITE()));
}

cudaError_t cudaFreeHost(void *ptr)
{
    API_ENTER();
    return api_return(release(ptr, 1, "cudaFreeHost", PROC_SITE()));
}

/* ---- in stream order -------------------------------------------------------- */

struct free_op {
    struct op op;
    void *p;
};

static void run_free(struct op *op)
{
    heap_free(((struct free_op *)op)->p);
}

/* An operation of the stream with which an allocation begins, or ends: then
 * p is freed. */
static void mark_life(struct stream *s, void *p, const struct heap_block *b,
                      enum graph_touch how, const char *call, uint32_t site)
{
    const struct graph_access access = whole(b, how, site);
    struct free_op *const op =
        op_new(sizeof *op, p ? run_free : NULL, GRAPH_MARK, call, site);
    op->p = p;
    op->op.node.naccesses = 1;
    op->op.accesses = &access;
    stream_enqueue(s, &op->op);
}

cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t stream)
{
    API_ENTER();
    struct stream *const s = stream_of(stream);
    if (!s)
        return api_return(cudaErrorInvalidResourceHandle);
    const cudaError_t err =
        allocate(stream_device(s), size, 0, PROC_SITE(), devPtr);
    struct heap_block b;
    if (err == cudaSuccess && heap_find(*devPtr, &b) == 0)
        mark_life(s, NULL, &b, GRAPH_ALLOC, "cudaMallocAsync", PROC_SITE());
    return api_return(err);
}

cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t stream)
{
    API_ENTER();
    struct stream *const s = stream_of(stream);
    struct heap_block b;
    if (!s)
        return api_return(cudaErrorInvalidResourceHandle);
    if (!devPtr)
        return api_return(cudaSuccess);
    if (heap_find(devPtr, &b) != 0 || b.condemned)
        return api_return(bad_free(devPtr, &b, "cudaFreeAsync", PROC_SITE()));
    if (b.base != devPtr || b.imported)
        return api_return(cudaErrorInvalidValue);
    heap_condemn(devPtr);
    mark_life(s, devPtr, &b, GRAPH_FREE, "cudaFreeAsync", PROC_SITE());
    return api_return(cudaSuccess);
}

/* ---- registered host memory --------------------------------------------------- */

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
    API_ENTER();
    if (!ptr || size == 0 || flags > 15)
        return api_return(cudaErrorInvalidValue);
    const int err = heap_register(ptr, size);
    return api_return(err == 0        ? cudaSuccess
                      : err == EEXIST ? cudaErrorHostMemoryAlreadyRegistered
                                      : cudaErrorMemoryAllocation);
}

cudaError_t cudaHostUnregister(void *ptr)
{
    API_ENTER();
    if (!ptr)
        return api_return(cudaErrorInvalidValue);
    return api_return(heap_unregister(ptr) == 0
                          ? cudaSuccess
                          : cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost,
                                     unsigned int flags)
{
    struct heap_block b;
    if (!pDevice || flags != 0)
        return api_return(cudaErrorInvalidValue);
    const int pinned = heap_find(pHost, &b) == 0 && b.device == HEAP_PINNED;
    if (!pinned && !heap_registered(pHost))
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
    if (heap_find(ptr, &b) == 0 && b.device != HEAP_PINNED) {
        attributes->type =
            b.managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice;
        attributes->device = b.device;
        attributes->devicePointer = (void *)ptr;
        attributes->hostPointer = b.managed ? (void *)ptr : NULL;
    } else if ((b.base && b.device == HEAP_PINNED) || heap_registered(ptr)) {
        attributes->type = cudaMemoryTypeHost;
        attributes->device = device_current();
        attributes->devicePointer = (void *)ptr;
        attributes->hostPointer = (void *)ptr;
    } else {
        attributes->type = cudaMemoryTypeUnregistered;
        attributes->device = cudaInvalidDeviceId;
        attributes->hostPointer = (void *)ptr;
    }
    return api_return(cudaSuccess);
}
