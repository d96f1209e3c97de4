// Barriers that the threads of a block, or the lanes of a warp, do not call
// alike. They pair up here; a GPU promises nothing.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "case.h"

namespace cg = cooperative_groups;

enum { THREADS = 128 };

#define RUN(kernel)                                                            \
    int *out;                                                                  \
    cudaMalloc(&out, THREADS * sizeof *out);                                   \
    cudaMemset(out, 0, THREADS * sizeof *out);                                 \
    kernel<<<1, THREADS>>>(out, fixed);                                        \
    cudaDeviceSynchronize();                                                   \
    cudaFree(out)

// A case whose kernel begins `from` this line, and has its two lines there.
#define CASE(name, kernel, line, first, second)                                \
    static void name(int fixed)                                                \
    {                                                                          \
        first_line = (line) + (first);                                         \
        second_line = (line) + (second);                                       \
        RUN(kernel);                                                           \
    }

// ---- the block's barrier ----------------------------------------------------

enum { BRANCHES = __LINE__ };
static __global__ void branches(int *out, int fixed)
{
    const int t = threadIdx.x;
    if (fixed) {
        __syncthreads();
        out[t] = t;
    } else if (t < 64) {
        __syncthreads();
        out[t] = t;
    } else {
        out[t] = -t;
        __syncthreads();
    }
}
CASE(by_warps, branches, BRANCHES, 8, 12)

enum { LANES = __LINE__ };
static __global__ void lanes(int *out, int fixed)
{
    const int t = threadIdx.x;
    if (t % 2 && !fixed)
        out[t] = __syncthreads_count(t > 3);
    else
        __syncthreads();
    if (fixed)
        __syncthreads();
}
CASE(by_lanes, lanes, LANES, 7, 5)

// The one that is reported is in a loop that the compiler unrolls.
enum { LOOPS = __LINE__ };
static __global__ void loops(int *out, int fixed)
{
    const cg::thread_block block = cg::this_thread_block();
    const int t = threadIdx.x;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        out[(t + i) % THREADS] = i;
        block.sync();
    }
    if (!fixed && t == 0)
        return block.sync();
    block.sync();
    out[t]++;
}
CASE(by_a_group, loops, LOOPS, 11, 12)

// One function, inlined several times, and threads that return early.
static __device__ void step(int *out, int t)
{
    out[t]++;
    __syncthreads();
}
enum { STEPS = __LINE__ };
static __global__ void steps(int *out, int fixed)
{
    const int t = threadIdx.x;
    step(out, t);
    step(out, t);
    if (t >= 96)
        return;
    step(out, t);
    if (!fixed && t < 32)
        __syncthreads();
    else
        step(out, t);
}
CASE(by_a_function, steps, STEPS, 10, -2)

// ---- masks ------------------------------------------------------------------

enum { LEAVES = __LINE__ };
static __global__ void leaves(int *out, int fixed)
{
    const int t = threadIdx.x, lane = t % 32;
    const unsigned upper = fixed ? 0xffffffff : 0xffff0000;
    const unsigned mask = lane < 16 ? 0xffffffff : upper;
    out[t] = __shfl_xor_sync(mask, t, 1);
}
CASE(of_the_others, leaves, LEAVES, 6, 6)

enum { NAMES = __LINE__ };
static __global__ void names(int *out, int fixed)
{
    const int t = threadIdx.x, lane = t % 32;
    const unsigned lower = fixed ? 0xffffffff : 0x0001ffff;
    out[t] = __ballot_sync(lane < 16 ? lower : 0xffffffff, t % 3 == 0);
}
CASE(of_some, names, NAMES, 5, 5)

enum { CYCLE = __LINE__ };
static __global__ void cycle(int *out, int fixed)
{
    const int t = threadIdx.x, lane = t % 32;
    const unsigned two = 1u << lane | 1u << (lane + 1) % 32;
    out[t] = t;
    __syncwarp(fixed ? 0xffffffff : two);
}
CASE(of_a_cycle, cycle, CYCLE, 6, 6)

enum { SIDES = __LINE__ };
static __global__ void sides(int *out, int fixed)
{
    const int t = threadIdx.x, lane = t % 32;
    if (fixed)
        out[t] = __any_sync(0xffffffff, t == 7);
    else if (lane < 8)
        out[t] = __any_sync(0x000000ff | 0x100, t == 7);
    else
        out[t] = __any_sync(0xffffff00 | 0x80, t == 7);
}
CASE(of_two_calls, sides, SIDES, 7, 9)

// What is right: groups that grow, lanes that return early or part for a
// while, masks that a vote computes.
enum { GROWS = __LINE__ };
static __global__ void grows(int *out, int fixed)
{
    const int t = threadIdx.x, lane = t % 32;
    for (int n = 2; n <= 32; n *= 2) {
        const unsigned mask = n == 32 ? ~0u : ((1u << n) - 1) << lane / n * n;
        out[t] += n;
        __syncwarp(mask);
    }
    if (lane >= 16)
        __syncwarp(0xffff0000);
    __syncwarp();
    unsigned left = 0xffffffff;
    for (int i = 0; i < 32; i++) {
        left = __ballot_sync(left, i < lane);
        if (i >= lane)
            break;
        out[t] += __shfl_sync(left, i, 31);
    }
    __syncwarp();
    if (t >= 120)
        return;
    out[t] += __shfl_down_sync(0xffffffff, t, 1);
    if (lane == 0 && !fixed)
        __syncwarp(0x3);
    else if (lane <= 1)
        __syncwarp(fixed ? 0x3 : 0x7);
    else if (lane == 2)
        __syncwarp(fixed ? 0x4 : 0x6);
}
CASE(of_groups, grows, GROWS, 24, 26)

static const struct hazard_case cases[] = {
    {"by-warps", 0, "divergent~barrier~in~kernel~branches", by_warps},
    {"by-lanes", 0, "divergent~barrier~in~kernel~lanes", by_lanes},
    {"by-a-group", 0, "divergent~barrier~in~kernel~loops", by_a_group},
    {"by-a-function", 0, "divergent~barrier~in~kernel~steps", by_a_function},
    {"of-the-others", 0, "masks~differ~in~kernel~leaves", of_the_others},
    {"of-some", 0, "masks~differ~in~kernel~names", of_some},
    {"of-a-cycle", 0, "masks~differ~in~kernel~cycle", of_a_cycle},
    {"of-two-calls", 0, "masks~differ~in~kernel~sides", of_two_calls},
    {"of-groups", 0, "masks~differ~in~kernel~grows", of_groups},
};

int main(int argc, char **argv)
{
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
