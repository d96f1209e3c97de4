// Shared memory: bounds, races between threads of a block, and initialisation.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include "case.h"

namespace cg = cooperative_groups;

enum { THREADS = 128, HALF = THREADS / 2 };

// Each kernel has its number of threads, and its result in out. With `fixed`,
// it has what is missing otherwise.
#define RUN(kernel, nbytes)                                                    \
    int *out;                                                                  \
    cudaMalloc(&out, THREADS * sizeof *out);                                   \
    cudaMemset(out, 0, THREADS * sizeof *out);                                 \
    kernel<<<1, THREADS, nbytes>>>(out, fixed);                                \
    cudaDeviceSynchronize();                                                   \
    cudaFree(out)

// A case whose kernel begins `from` this line, and has its two lines there.
#define CASE(name, kernel, line, first, second)                                \
    static void name(int fixed)                                                \
    {                                                                          \
        first_line = (first) ? (line) + (first) : 0;                           \
        second_line = (second) ? (line) + (second) : 0;                        \
        RUN(kernel, 0);                                                        \
    }

// ---- bounds -----------------------------------------------------------------

enum { BEYOND = __LINE__ };
static __global__ void beyond(int *out, int fixed)
{
    __shared__ int ring[THREADS], others[THREADS];
    const int t = threadIdx.x;
    ring[t] = others[t] = t;
    __syncthreads();
    out[t] = ring[fixed ? (t + 1) % THREADS : t + 1] + others[t];
}
CASE(past_the_end, beyond, BEYOND, 7, 0)

enum { BELOW = __LINE__ };
static __global__ void below(int *out, int fixed)
{
    __shared__ int row[THREADS];
    const int t = threadIdx.x;
    row[t] = t;
    __syncthreads();
    out[t] = row[fixed && t == 0 ? 0 : t - 1];
}
CASE(before_the_start, below, BELOW, 7, 0)

static __global__ void dynamic(int *out, int)
{
    extern __shared__ int slot[];
    slot[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = slot[THREADS - 1 - threadIdx.x];
}
static void too_little_dynamic(int fixed)
{
    RUN(dynamic, (fixed ? THREADS : HALF) * sizeof(int));
}

// ---- races between warps ----------------------------------------------------

enum { REVERSES = __LINE__ };
static __global__ void reverse(int *out, int fixed)
{
    __shared__ int slot[THREADS];
    const int t = threadIdx.x;
    slot[t] = t;
    if (fixed)
        __syncthreads();
    out[t] = slot[THREADS - 1 - t];
}
CASE(no_barrier, reverse, REVERSES, 5, 8)

enum { ROTATES = __LINE__ };
static __global__ void rotate(int *out, int fixed)
{
    __shared__ int slot[THREADS];
    const int t = threadIdx.x;
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        slot[t] = t + i;
        __syncthreads();
        sum += slot[(t + HALF) % THREADS];
        if (fixed)
            __syncthreads();
    }
    out[t] = sum;
}
CASE(next_iteration, rotate, ROTATES, 7, 9)

static __global__ void count(int *out, int fixed)
{
    __shared__ int bin[THREADS];
    const int t = threadIdx.x;
    bin[t] = 0;
    if (fixed)
        __syncthreads();
    atomicAdd(&bin[t * 5 % THREADS], 1);
    __syncthreads();
    out[t] = bin[t];
}
CASE(zeroed_while_counting, count, 0, 0, 0)

static __global__ void count_and_read(int *out, int fixed)
{
    __shared__ int bin[THREADS];
    const int t = threadIdx.x;
    bin[t] = 0;
    __syncthreads();
    atomicAdd(&bin[t * 5 % THREADS], 1);
    if (fixed)
        __syncthreads();
    out[t] = bin[t];
}
CASE(read_while_counting, count_and_read, 0, 0, 0)

// All write the same value, which is no race, or not.
static __global__ void choose(int *out, int fixed)
{
    __shared__ int chosen;
    const int t = threadIdx.x;
    if (t == 0)
        chosen = -1;
    __syncthreads();
    if (t % 3 == 0)
        chosen = fixed ? 3 : t;
    __syncthreads();
    out[t] = chosen;
}
CASE(two_values, choose, 0, 0, 0)

static __global__ void add_under_lock(int *out, int fixed)
{
    __shared__ int lock, sum;
    const int t = threadIdx.x;
    if (t == 0)
        lock = sum = 0;
    __syncthreads();
    while (fixed && atomicCAS(&lock, 0, 1) != 0)
        ;
    sum += t;
    __threadfence_block();
    if (fixed)
        atomicExch(&lock, 0);
    __syncthreads();
    out[t] = sum;
}
CASE(no_lock, add_under_lock, 0, 0, 0)

// Neighbouring bytes are not one word, but halves of one are.
static __global__ void bytes(int *out, int fixed)
{
    __shared__ unsigned char slot[THREADS + 1];
    const int t = threadIdx.x;
    slot[t] = (unsigned char)t;
    if (!fixed)
        slot[t + 1] = (unsigned char)t;
    __syncthreads();
    out[t] = slot[t];
}
CASE(next_byte, bytes, 0, 0, 0)

#pragma nv_diag_suppress static_var_with_dynamic_init
static __global__ void hand_over(int *out, int fixed)
{
    __shared__ int slot[THREADS];
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    const int t = threadIdx.x;
    if (t == 0)
        init(&ready, THREADS);
    __syncthreads();
    slot[t] = t;
    auto token = ready.arrive();
    if (fixed)
        ready.wait(std::move(token));
    out[t] = slot[THREADS - 1 - t];
}
CASE(arrived_but_not_waited, hand_over, 0, 0, 0)

// ---- races within a warp ----------------------------------------------------

enum { SUMS = __LINE__ };
static __global__ void sum_in_step(int *out, int fixed)
{
    __shared__ int part[HALF];
    const int t = threadIdx.x;
    if (t < HALF)
        part[t] = t;
    __syncthreads();
    for (int step = 32; step > 0 && t < 32; step /= 2) {
        const int other = part[t + step];
        if (fixed)
            __syncwarp();
        part[t] += other;
        if (fixed)
            __syncwarp();
    }
    out[t] = part[0] * (t < 32);
}

static void no_syncwarp(int fixed)
{
    first_line = SUMS + 9, second_line = SUMS + 12;
    int *out;
    cudaMalloc(&out, THREADS * sizeof *out);
    sum_in_step<<<1, HALF>>>(out, fixed);
    cudaDeviceSynchronize();
    cudaFree(out);
}

// Volatile accesses are in order within a thread only.
static __global__ void sum_volatile(int *out, int fixed)
{
    __shared__ volatile int part[THREADS];
    const int t = threadIdx.x;
    part[t] = t;
    __syncthreads();
    for (int step = 16; step > 0; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        if (fixed)
            __syncthreads();
    }
    if (t == 0)
        out[0] = part[0];
}
CASE(only_volatile, sum_volatile, 0, 0, 0)

static __global__ void half_a_warp(int *out, int fixed)
{
    __shared__ int slot[THREADS];
    const int t = threadIdx.x;
    slot[t] = t;
    __syncwarp(fixed ? 0xffffffff : t % 32 < 16 ? 0xffff : 0xffff0000);
    out[t] = slot[t ^ 31];
}
CASE(mask_of_half, half_a_warp, 0, 0, 0)

static __global__ void tiles(int *out, int fixed)
{
    __shared__ int slot[THREADS];
    const int t = threadIdx.x;
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    slot[t] = t;
    tile.sync();
    out[t] = slot[t ^ (fixed ? 7 : 8)];
}
CASE(another_tile, tiles, 0, 0, 0)

// A named barrier of the block's first half.
static __global__ void some_meet(int *out, int fixed)
{
    __shared__ int slot[THREADS];
    const int t = threadIdx.x;
    slot[t] = t;
    if (t < HALF) {
        cg::tiled_partition<HALF>(cg::this_thread_block()).sync();
        out[t] = slot[fixed ? HALF - 1 - t : THREADS - 1 - t];
    }
}
CASE(beyond_the_tile, some_meet, 0, 0, 0)

// ---- initialisation ---------------------------------------------------------

enum { HALO = __LINE__ };
static __global__ void smooth(int *out, int fixed)
{
    __shared__ int row[THREADS + 2];
    const int t = threadIdx.x;
    row[t + 1] = t;
    if (t == 0 && fixed)
        row[0] = row[THREADS + 1] = 0;
    __syncthreads();
    out[t] = row[t] + row[t + 2];
}
CASE(no_halo, smooth, HALO, 9, 0)

static __global__ void total(int *out, int fixed)
{
    __shared__ int sum;
    const int t = threadIdx.x;
    if (t == 0 && fixed)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, t);
    __syncthreads();
    out[t] = sum;
}
CASE(sum_never_zeroed, total, 0, 0, 0)

// Asynchronous copies: the barrier of those who read does not wait for them.
enum { STAGED = __LINE__ };
static __global__ void staged(int *out, int fixed)
{
    __shared__ int slot[THREADS];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&slot[t], &out[t], sizeof *out);
    __pipeline_commit();
    if (fixed)
        __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = slot[THREADS - 1 - t];
}
CASE(copy_not_waited_for, staged, STAGED, 10, 0)

enum { TOGETHER = __LINE__ };
static __global__ void staged_together(int *out, int fixed)
{
    __shared__ int slot[THREADS];
    const cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, slot, out, sizeof slot);
    if (fixed)
        cg::wait(block);
    else
        block.sync();
    out[threadIdx.x] = slot[THREADS - 1 - threadIdx.x];
}
CASE(group_copy_not_waited_for, staged_together, TOGETHER, 10, 0)

// Without the barrier each thread has waited for its own copy only.
enum { UNMET = __LINE__ };
static __global__ void unmet(int *out, int fixed)
{
    __shared__ int slot[THREADS];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&slot[t], &out[t], sizeof *out);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (fixed)
        __syncthreads();
    out[t] = slot[THREADS - 1 - t];
}
CASE(copy_of_another_thread, unmet, UNMET, 5, 10)

static __global__ void partly(int *out, int fixed)
{
    extern __shared__ int slot[];
    const int t = threadIdx.x;
    if (t < (fixed ? THREADS : THREADS - 1))
        slot[t] = t;
    __syncthreads();
    out[t] = slot[t];
}
static void dynamic_partly_written(int fixed)
{
    RUN(partly, THREADS * sizeof(int));
}

static const struct hazard_case cases[] = {
    {"past-the-end", 0, "reads~4~bytes~outside~shared~memory's~arrays",
     past_the_end},
    {"before-the-start", 0, "4~bytes~before~the~__shared__~array~row",
     before_the_start},
    {"too-little-dynamic", 0,
     "at~offset~256~of~the~block's~dynamic~shared~memory,~of~which",
     too_little_dynamic},
    {"no-barrier", 0, "race~in~shared~memory~in~kernel~reverse", no_barrier},
    {"next-iteration", 0, "race~in~shared~memory~in~kernel~rotate",
     next_iteration},
    {"zeroed-while-counting", 0, "updates~at", zeroed_while_counting},
    {"read-while-counting", 0, "updates~at", read_while_counting},
    {"two-values", 0, "bytes~0~to~3~of~the~__shared__~array~chosen",
     two_values},
    {"no-lock", 0, "of~the~__shared__~array~sum", no_lock},
    {"next-byte", 0, "byte~1~of~the~__shared__~array~slot", next_byte},
    {"arrived-but-not-waited", 0, "in~kernel~hand_over",
     arrived_but_not_waited},
    {"no-syncwarp", 0, "A~warp's~threads~don't~run~in~lockstep", no_syncwarp},
    {"only-volatile", 0, "in~kernel~sum_volatile", only_volatile},
    {"mask-of-half", 0, "in~kernel~half_a_warp", mask_of_half},
    {"another-tile", 0, "in~kernel~tiles", another_tile},
    {"beyond-the-tile", 0, "Call~__syncthreads()", beyond_the_tile},
    {"no-halo", 0, "uninitialised~read~of~shared~memory~in~kernel~smooth",
     no_halo},
    {"sum-never-zeroed", 0, "uninitialised~read~of~shared~memory",
     sum_never_zeroed},
    {"copy-not-waited-for", 0, "uninitialised~read~of~shared~memory",
     copy_not_waited_for},
    {"group-copy-not-waited-for", 0, "uninitialised~read~of~shared~memory",
     group_copy_not_waited_for},
    {"copy-of-another-thread", 0, "race~in~shared~memory~in~kernel~unmet",
     copy_of_another_thread},
    {"dynamic-partly-written", 0, "bytes~508~to~511~of~the~dynamic~shared",
     dynamic_partly_written},
};

int main(int argc, char **argv)
{
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
