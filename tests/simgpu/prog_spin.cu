// Threads that wait in a loop for another thread of their kernel.
//
//     prog_spin           each loop ends, as on a GPU
//     prog_spin WAIT      a wait that never ends: hang_ below
#include <cstring>
#include <cuda/atomic>
#include <cuda_runtime.h>

#include "rule.h"

enum { THREADS = 64, BLOCKS = 8, TURNS = 20, DRAWS = 200000 };

__device__ int device_flag, device_lock, ticket, serving;
__device__ volatile int volatile_flag;
__device__ cuda::atomic<int, cuda::thread_scope_device> atomic_flag;

// The first thread waits until `look` is true, the last one makes it so.
template <class LOOK, class SET>
__device__ void flag(int *out, LOOK look, SET set)
{
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        while (!look())
            ;
        out[0] = 1;
    } else if (threadIdx.x == blockDim.x - 1 && blockIdx.x == gridDim.x - 1) {
        set();
    }
}

// Each thread adds 1 to out[1] under a lock. The last one finds all.
template <class LOCK, class UNLOCK>
__device__ void count(int *out, LOCK lock, UNLOCK unlock)
{
    volatile int *const n = out + 1;
    lock();
    *n = *n + 1;
    __threadfence();
    if (*n == int(gridDim.x * blockDim.x))
        out[0] = 1;
    unlock();
}

#define FLAG(name, look, set)                                                  \
    __global__ void name(int *out)                                             \
    {                                                                          \
        int *const global = out + 2;                                           \
        (void)global;                                                          \
        flag(                                                                  \
            out, [&] { return look; }, [&] { set; });                          \
    }
#define SHARED_FLAG(type, name, look, set)                                     \
    __global__ void name(int *out)                                             \
    {                                                                          \
        __shared__ type shared;                                                \
        int *const global = out + 2;                                           \
        (void)global;                                                          \
        if (threadIdx.x == 0)                                                  \
            shared = 0;                                                        \
        __syncthreads();                                                       \
        flag(                                                                  \
            out, [&] { return look; }, [&] { set; });                          \
    }
SHARED_FLAG(int, shared_add, atomicAdd(&shared, 0) != 0, atomicExch(&shared, 1))
SHARED_FLAG(unsigned short, shared_cas,
            atomicCAS(&shared, (unsigned short)1, (unsigned short)2) == 1,
            atomicCAS(&shared, (unsigned short)0, (unsigned short)1))
SHARED_FLAG(int, shared_volatile, *(volatile int *)&shared,
            *(volatile int *)&shared = 1)
SHARED_FLAG(int, shared_atomic, (cuda::atomic_ref<int>(shared).load() != 0),
            cuda::atomic_ref<int>(shared).store(1))
SHARED_FLAG(int, two_words, atomicAdd(&shared, 0) && atomicAdd(global, 0),
            (atomicAdd(&shared, 1), atomicAdd(global, 1)))
FLAG(device_add, atomicAdd(&device_flag, 0) != 0, atomicExch(&device_flag, 1))
FLAG(device_volatile, volatile_flag, volatile_flag = 1)
FLAG(device_load, __ldcg(&device_flag), __stcg(&device_flag, 1))
FLAG(device_atomic, (atomic_flag.wait(0), true), atomic_flag.store(1))
FLAG(global_byte, *(volatile char *)global, *(volatile char *)global = 1)
FLAG(global_load, __ldcv(global), __stcg(global, 1))
FLAG(global_fence, (__threadfence(), *global), (*global = 1, __threadfence()))
FLAG(global_sleep, (__nanosleep(100), __ldcv(global)), __stwt(global, 1))

#define COUNT(name, lock, unlock)                                              \
    __global__ void name(int *out)                                             \
    {                                                                          \
        count(                                                                 \
            out, [&] { lock; }, [&] { unlock; });                              \
    }
COUNT(device_locks, while (atomicCAS(&device_lock, 0, 1));
      , atomicExch(&device_lock, 0))
COUNT(tickets, const int mine = atomicAdd(&ticket, 1);
      while (atomicAdd(&serving, 0) != mine);, atomicAdd(&serving, 1))

// Lanes of one warp take turns, which needs independent thread scheduling.
__global__ void turns(int *out)
{
    __shared__ int turn;
    if (threadIdx.x == 0)
        turn = 0;
    __syncthreads();
    for (int i = 0; i < TURNS; i++) {
        while (atomicAdd(&turn, 0) % blockDim.x != threadIdx.x)
            ;
        atomicAdd(&turn, 1);
    }
    __syncthreads();
    out[0] = turn == int(TURNS * blockDim.x);
}

// Not waits, although their atomics and loads find words unchanged.
__global__ void largest(int *out)
{
    unsigned x = threadIdx.x;
    for (int i = 0; i < DRAWS; i++) {
        x = x * 1664525u + 1013904223u;
        atomicMax(out + 1, int(x >> 20));
    }
    out[0] = 1;
}
__global__ void adds_up(int *out)
{
    int sum = 0;
    for (int i = 0; i < DRAWS; i++)
        sum += *(volatile int *)(out + 1) + 1;
    out[0] = sum == DRAWS;
}

// Nothing ends these.
__global__ void hang_shared(int *)
{
    __shared__ int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    while (atomicAdd(&flag, 0) == 0)
        ;
}
__global__ void hang_device(int *)
{
    while (volatile_flag == 0)
        ;
}
__global__ void hang_fence(int *out)
{
    while (out[2] == 0)
        __threadfence();
}
__global__ void hang_barrier(int *) // the others never come to the barrier
{
    while (atomicCAS(&device_lock, 0, 1))
        ;
    __syncthreads();
    atomicExch(&device_lock, 0);
}
__global__ void hang_resident(int *) // the last block can't start
{
    if (blockIdx.x == gridDim.x - 1)
        atomicExch(&device_flag, 1);
    while (atomicAdd(&device_flag, 0) == 0)
        ;
}

typedef void kernel(int *); // not a name of simgpu's
#define CASE(name, nblocks, nthreads)                                          \
    {                                                                          \
#name, name, nblocks, nthreads                                         \
    }
static const struct {
    const char *name;
    kernel *run;
    int nblocks, nthreads;
} waits[] = {CASE(shared_add, 1, THREADS),
             CASE(shared_cas, 1, THREADS),
             CASE(shared_volatile, 1, THREADS),
             CASE(shared_atomic, 1, THREADS),
             CASE(two_words, 1, THREADS),
             CASE(device_add, BLOCKS, THREADS),
             CASE(device_volatile, BLOCKS, THREADS),
             CASE(device_load, BLOCKS, THREADS),
             CASE(device_atomic, BLOCKS, THREADS),
             CASE(global_byte, BLOCKS, THREADS),
             CASE(global_load, BLOCKS, THREADS),
             CASE(global_fence, BLOCKS, THREADS),
             CASE(global_sleep, BLOCKS, THREADS),
             CASE(device_locks, BLOCKS, THREADS),
             CASE(tickets, BLOCKS, THREADS),
             CASE(turns, 1, THREADS),
             CASE(largest, 1, 32),
             CASE(adds_up, 1, 32)},
  hangs[] = {CASE(hang_shared, 1, THREADS), CASE(hang_device, 2, THREADS),
             CASE(hang_fence, 1, 1), CASE(hang_barrier, 1, THREADS),
             CASE(hang_resident, 1000, 1024)};

int main(int argc, char **argv)
{
    int *d, zero = 0;
    cudaMalloc(&d, 4 * sizeof *d);
    for (const auto &w : waits) {
        int done = 0;
        if (argc > 1)
            break;
        cudaMemset(d, 0, 4 * sizeof *d);
        cudaMemcpyToSymbol(device_flag, &zero, sizeof zero);
        w.run<<<w.nblocks, w.nthreads>>>(d);
        cudaMemcpy(&done, d, sizeof done, cudaMemcpyDeviceToHost);
        RULE(done == 1, w.name);
    }
    cudaMemset(d, 0, 4 * sizeof *d);
    for (const auto &h : hangs)
        if (argc > 1 && strcmp(argv[1], h.name) == 0)
            h.run<<<h.nblocks, h.nthreads>>>(d);
    cudaDeviceSynchronize();
    cudaFree(d);
    return rule_status();
}
