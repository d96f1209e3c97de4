/*
 * meter_memory.c: counting the device memory that a program holds
 */
#include <cuda_runtime_api.h>
#include <pthread.h> /* pthread_mutex_t */

#include "base/map.h"
#include "lab/meter.h"

static struct {
    pthread_mutex_t lock;
    struct map nbytes; /* of the allocation at this address */
    uint64_t live, peak;
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void took(void *at, size_t nbytes)
{
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

static void gave(const void *at)
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

/* ---- what the linker puts in the runtime's place (meter.wrap) ------------ */

#define WRAP(name, params)                                                     \
    cudaError_t __real_##name params __attribute__((weak));                    \
    cudaError_t __wrap_##name params;                                          \
    cudaError_t __wrap_##name params

WRAP(cudaMalloc, (void **at, size_t nbytes))
{
    const cudaError_t err = __real_cudaMalloc(at, nbytes);
    if (err == cudaSuccess && nbytes)
        took(*at, nbytes);
    return err;
}

WRAP(cudaMallocAsync, (void **at, size_t nbytes, cudaStream_t stream))
{
    const cudaError_t err = __real_cudaMallocAsync(at, nbytes, stream);
    if (err == cudaSuccess && nbytes)
        took(*at, nbytes);
    return err;
}

/* Forget an address before it is freed: another thread may get the same one. */
WRAP(cudaFree, (void *at))
{
    gave(at);
    return __real_cudaFree(at);
}

WRAP(cudaFreeAsync, (void *at, cudaStream_t stream))
{
    gave(at);
    return __real_cudaFreeAsync(at, stream);
}
