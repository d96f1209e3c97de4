/*
 * pool_calls.c: allocations that streams make and free
 */
#include "core/heap/heap.h"
#include "core/site.h"
#include "core/stream/stream.h"
#include "cudart/graphs/capture.h"
#include "cudart/graphs/graph_memory.h"
#include "cudart/memory/memory.h"
#include "cudart/memory/pool_state.h"

static cudaError_t allocate(struct CUmemPoolHandle_st *pool, struct stream *s,
                            size_t nbytes, const char *call, uint32_t site,
                            void **out)
{
    if (!out)
        return cudaErrorInvalidValue;
    if (simgpu_stream_capture(s)) {
        struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeMemAlloc};
        struct CUgraphNode_st *node;
        if (pool && pool->device == HEAP_PINNED)
            return cudaErrorNotSupported;
        p.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
        p.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
        p.alloc.poolProps.location.id = simgpu_stream_device(s);
        p.alloc.bytesize = nbytes;
        const cudaError_t err = capture_params(s, &p, call, site, &node);
        if (err == cudaSuccess)
            *out = node->params.alloc.dptr;
        return err;
    }
    const int device = pool ? pool->device : simgpu_stream_device(s);
    const cudaError_t err =
        device == HEAP_PINNED
            ? memory_alloc_numa_on(s, pool->place, nbytes, call, site, out)
            : memory_alloc_on(s, device, nbytes, call, site, out);
    if (err == cudaSuccess && *out)
        pool_note(pool, device, *out, nbytes);
    return err;
}

cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t stream)
{
    API_ENTER();
    struct stream *s;
    if (devPtr)
        *devPtr = NULL;
    const cudaError_t err = api_stream(stream, &s);
    if (err != cudaSuccess)
        return api_return(err);
    return api_return(
        allocate(NULL, s, size, "cudaMallocAsync", CALLER_SITE(), devPtr));
}

cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size,
                                    cudaMemPool_t memPool, cudaStream_t stream)
{
    API_ENTER();
    struct stream *s;
    struct CUmemPoolHandle_st *const pool = pool_find(memPool);
    if (ptr)
        *ptr = NULL;
    const cudaError_t err = api_stream(stream, &s);
    if (err != cudaSuccess)
        return api_return(err);
    if (!pool || pool->imported)
        return api_return(cudaErrorInvalidValue);
    return api_return(
        allocate(pool, s, size, "cudaMallocFromPoolAsync", CALLER_SITE(), ptr));
}

/* Memory that a graph allocates is freed by a graph. */
static cudaError_t capture_free(struct stream *s, void *p, uint32_t site)
{
    struct cudaGraphNodeParams node = {.type = cudaGraphNodeTypeMemFree};
    node.free.dptr = p;
    return graph_memory_has(p)
               ? capture_params(s, &node, "cudaFreeAsync", site, NULL)
               : cudaErrorInvalidValue;
}

cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t stream)
{
    API_ENTER();
    struct stream *s;
    cudaError_t err = api_stream(stream, &s);
    if (err == cudaSuccess && !simgpu_stream_capture(s))
        err = capture_allows_unsafe();
    if (err != cudaSuccess || !devPtr)
        return api_return(err);
    return api_return(
        simgpu_stream_capture(s)
            ? capture_free(s, devPtr, CALLER_SITE())
            : memory_free_on(s, devPtr, "cudaFreeAsync", CALLER_SITE()));
}
