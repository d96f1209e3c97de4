/*
 * meter_memory.c: counting the device memory that a program holds
 */
#include <cuda_runtime_api.h>
#include <nccl.h>    /* ncclMemAlloc */
#include <pthread.h> /* pthread_mutex_t */

#include "base/map.h"
#include "lab/meter.h"

static struct {
    pthread_mutex_t lock;
    struct map nbytes; /* by address of an allocation */
    uint64_t live, peak;
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

void meter_took(void *at, size_t nbytes)
{
    if (nbytes == 0) // at is NULL
        return;
    pthread_mutex_lock(&memory.lock);
    uint64_t *const held = map_at(&memory.nbytes, (uintptr_t)at);
    if (held) {
        *held = nbytes;
        memory.live += nbytes;
        if (memory.live > memory.peak)
            memory.peak = memory.live;
    }
    pthread_mutex_unlock(&memory.lock);
}

void meter_gave(const void *at)
{
    pthread_mutex_lock(&memory.lock);
    const uint64_t nbytes = map_get(&memory.nbytes, (uintptr_t)at);
    if (nbytes) {
        memory.live -= nbytes;
        *map_at(&memory.nbytes, (uintptr_t)at) = 0;
    }
    pthread_mutex_unlock(&memory.lock);
}

void meter_memory_begin(void)
{
    pthread_mutex_lock(&memory.lock);
    memory.peak = memory.live;
    pthread_mutex_unlock(&memory.lock);
}

struct meter_memory meter_memory(void)
{
    pthread_mutex_lock(&memory.lock);
    const struct meter_memory m = {memory.live, memory.peak};
    pthread_mutex_unlock(&memory.lock);
    return m;
}

/* ---- replacements for the runtime's allocators (meter.wrap) -------------- */

#define WRAP(type, name, params)                                               \
    type __real_##name params __attribute__((weak));                           \
    type __wrap_##name params;                                                 \
    type __wrap_##name params

/* All functions that allocate device memory, except those for arrays. */
WRAP(cudaError_t, cudaMalloc, (void **at, size_t nbytes))
{
    const cudaError_t err = __real_cudaMalloc(at, nbytes);
    if (err == cudaSuccess)
        meter_took(*at, nbytes);
    return err;
}

WRAP(cudaError_t, cudaMallocManaged,
     (void **at, size_t nbytes, unsigned int flags))
{
    const cudaError_t err = __real_cudaMallocManaged(at, nbytes, flags);
    if (err == cudaSuccess)
        meter_took(*at, nbytes);
    return err;
}

WRAP(cudaError_t, cudaMallocPitch,
     (void **at, size_t *pitch, size_t width, size_t height))
{
    const cudaError_t err = __real_cudaMallocPitch(at, pitch, width, height);
    if (err == cudaSuccess)
        meter_took(*at, *pitch * height);
    return err;
}

WRAP(cudaError_t, cudaMalloc3D,
     (struct cudaPitchedPtr * at, struct cudaExtent extent))
{
    const cudaError_t err = __real_cudaMalloc3D(at, extent);
    const size_t rows = extent.height * extent.depth;
    if (err == cudaSuccess)
        meter_took(at->ptr, at->pitch * rows);
    return err;
}

WRAP(cudaError_t, cudaMallocAsync,
     (void **at, size_t nbytes, cudaStream_t stream))
{
    const cudaError_t err = __real_cudaMallocAsync(at, nbytes, stream);
    if (err == cudaSuccess)
        meter_took(*at, nbytes);
    return err;
}

WRAP(cudaError_t, cudaMallocFromPoolAsync,
     (void **at, size_t nbytes, cudaMemPool_t pool, cudaStream_t stream))
{
    const cudaError_t err =
        __real_cudaMallocFromPoolAsync(at, nbytes, pool, stream);
    if (err == cudaSuccess)
        meter_took(*at, nbytes);
    return err;
}

WRAP(ncclResult_t, ncclMemAlloc, (void **at, size_t nbytes))
{
    const ncclResult_t err = __real_ncclMemAlloc(at, nbytes);
    if (err == ncclSuccess)
        meter_took(*at, nbytes);
    return err;
}

/* Forget an address before freeing it: another thread may be given
 * the same address. */
WRAP(cudaError_t, cudaFree, (void *at))
{
    meter_gave(at);
    return __real_cudaFree(at);
}

WRAP(cudaError_t, cudaFreeAsync, (void *at, cudaStream_t stream))
{
    meter_gave(at);
    return __real_cudaFreeAsync(at, stream);
}

WRAP(ncclResult_t, ncclMemFree, (void *at))
{
    meter_gave(at);
    return __real_ncclMemFree(at);
}
