/*
 * meter_memory.c: counting the device memory that a program holds
 *
 * Allocations are remembered by address, in a table with open addressing that
 * grows; a freed entry stays as a gap, so that what lies behind it is found.
 */
#include <cuda_runtime_api.h>
#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* calloc */

#include "lab/meter.h"

struct entry {
    void *at;      /* NULL: never used */
    size_t nbytes; /* 0: freed */
};

static struct {
    pthread_mutex_t lock;
    struct entry *entry;
    size_t room, used; /* used: gaps included */
    uint64_t live, peak;
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Where `at` is, or belongs. */
static struct entry *find(struct entry *table, size_t room, const void *at)
{
    size_t i = (size_t)(((uintptr_t)at >> 8) * UINT64_C(0x9e3779b97f4a7c15)) &
               (room - 1);
    while (table[i].at && table[i].at != at)
        i = (i + 1) & (room - 1);
    return &table[i];
}

/* Twice the room, without the gaps. Without memory the old table stays. */
static void grow(void)
{
    const size_t room = memory.room ? 2 * memory.room : 1024;
    struct entry *const table = calloc(room, sizeof *table);
    if (!table)
        return;
    size_t used = 0;
    for (size_t i = 0; i < memory.room; i++)
        if (memory.entry[i].nbytes) {
            *find(table, room, memory.entry[i].at) = memory.entry[i];
            used++;
        }
    free(memory.entry);
    memory.entry = table;
    memory.room = room;
    memory.used = used;
}

static void took(void *at, size_t nbytes)
{
    pthread_mutex_lock(&memory.lock);
    if (2 * memory.used >= memory.room)
        grow();
    if (memory.used + 1 < memory.room) {
        struct entry *const e = find(memory.entry, memory.room, at);
        memory.used += !e->at;
        *e = (struct entry){at, nbytes};
        memory.live += nbytes;
        if (memory.live > memory.peak)
            memory.peak = memory.live;
    }
    pthread_mutex_unlock(&memory.lock);
}

static void gave(const void *at)
{
    pthread_mutex_lock(&memory.lock);
    struct entry *const e =
        memory.room ? find(memory.entry, memory.room, at) : NULL;
    if (e && e->at) {
        memory.live -= e->nbytes;
        e->nbytes = 0;
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

/* ---- what the linker puts in the runtime's place (meter.wrap) ----------------- */

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

/* Forgotten before it is freed: another thread may get the same address. */
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
