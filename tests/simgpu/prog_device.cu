// What CUDA offers inside kernels: shuffles of all kinds and widths, votes,
// atomics that convert, vector loads, clocks.
#include <cuda_runtime.h>

#include "rule.h"

enum { LANES = 32, KINDS = 4, WIDTHS = 6 };

// Each kind of shuffle, of the lane's own number, in parts of each width.
__global__ void shuffles(int *out)
{
    const int lane = threadIdx.x;
    for (int w = 0; w < WIDTHS; w++) {
        const int width = 1 << w;
        int *const at = out + (w * KINDS) * LANES + lane;
        at[0 * LANES] = __shfl_sync(0xffffffffu, lane, lane / 3 + 1, width);
        at[1 * LANES] = __shfl_up_sync(0xffffffffu, lane, 2u, width);
        at[2 * LANES] = __shfl_down_sync(0xffffffffu, lane, 3u, width);
        at[3 * LANES] = __shfl_xor_sync(0xffffffffu, lane, 5, width);
    }
}

// As the PTX manual defines them.
static int shuffled(int kind, int lane, int width)
{
    const int first = lane / width * width, last = first + width - 1;
    switch (kind) {
    case 0: return first + (lane / 3 + 1) % width;
    case 1: return lane - 2 >= first ? lane - 2 : lane;
    case 2: return lane + 3 <= last ? lane + 3 : lane;
    default: return (lane ^ 5) <= last ? lane ^ 5 : lane;
    }
}

static void check_shuffles()
{
    static int h[WIDTHS * KINDS * LANES];
    int *d, right = 1;
    cudaMalloc(&d, sizeof h);
    shuffles<<<1, LANES>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < WIDTHS * KINDS * LANES; i++)
        right &= h[i] ==
                 shuffled(i / LANES % KINDS, i % LANES, 1 << i / LANES / KINDS);
    RULE(right, "shuffles of all kinds and widths");
    cudaFree(d);
}

// Two halves of a warp vote apart, and one warp of a block alone.
__global__ void votes(unsigned *out)
{
    const int t = threadIdx.x;
    const unsigned half = t % 32 < 16 ? 0xffffu : 0xffff0000u;
    if (t < 32) {
        if (t < 16)
            out[t] = __ballot_sync(half, t % 2);
        else
            out[t] = __ballot_sync(half, t % 4 == 0);
        out[32 + t] = __all_sync(0xffffffffu, t < 32) +
                      2 * __any_sync(0xffffffffu, t == 40);
    }
    __syncthreads();
}

static void check_votes()
{
    unsigned *d, h[64];
    cudaMalloc(&d, sizeof h);
    votes<<<1, 96>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    RULE(h[3] == 0xaaaau && h[20] == 0x11110000u,
         "parts of a warp vote by themselves");
    RULE(h[40] == 1, "a warp votes without the rest of its block");
    cudaFree(d);
}

// Nobody waits for threads that have returned, and none of them votes.
__global__ void leavers(unsigned *out)
{
    const int t = threadIdx.x;
    out[t] = (unsigned)__syncthreads_count(1);
    if (t % 3 == 1)
        return;
    out[t] = __ballot_sync(0xffffffffu, 1);
    __syncwarp();
    out[64 + t] = (unsigned)__syncthreads_count(1);
}

static void check_leavers()
{
    unsigned *d, h[128], stay[2] = {0, 0};
    int right = 1;
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    leavers<<<1, 64>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 64; t++)
        if (t % 3 != 1)
            stay[t / 32] |= 1u << t % 32;
    for (int t = 0; t < 64; t++)
        right &= t % 3 == 1 ? h[t] == 64 && h[64 + t] == 0
                            : h[t] == stay[t / 32] && h[64 + t] == 43;
    RULE(right, "threads that have returned are missing from votes and counts");
    cudaFree(d);
}

// The block that comes last adds up what all blocks have written.
__global__ void last_block(int *parts, int *done, int *sum)
{
    parts[blockIdx.x] = (int)blockIdx.x + 1;
    __threadfence();
    if (atomicAdd(done, 1) != (int)gridDim.x - 1)
        return;
    __threadfence();
    for (unsigned b = 0; b < gridDim.x; b++)
        *sum += parts[b];
}

static void check_fence()
{
    int *d, sum = 0;
    cudaMalloc(&d, 12 * sizeof *d);
    cudaMemset(d, 0, 12 * sizeof *d);
    last_block<<<10, 1>>>(d, d + 10, d + 11);
    cudaMemcpy(&sum, d + 11, sizeof sum, cudaMemcpyDeviceToHost);
    RULE(sum == 55, "blocks pass on what they have written, behind a fence");
    cudaFree(d);
}

__global__ void counters(float *f, unsigned long long *n, int *m, float4 *v,
                         const float4 *in)
{
    atomicAdd(f, 1);
    atomicAdd_system(n, 2);
    atomicMax(m, (int)threadIdx.x);
    atomicAdd_block(m + 1, 1);
    const long long begin = clock64();
    __nanosleep(100);
    if (threadIdx.x == 0) {
        *v = __ldg(in);
        v->w = clock64() > begin;
    }
}

static void check_counters()
{
    struct {
        float4 in, out;
        unsigned long long n;
        int m[2];
        float f;
    } * d, h = {};
    h.in = make_float4(1, 2, 3, 4);
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, &h, sizeof h, cudaMemcpyHostToDevice);
    counters<<<2, 100>>>(&d->f, &d->n, d->m, &d->out, &d->in);
    cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
    RULE(h.f == 200 && h.n == 400 && h.m[0] == 99 && h.m[1] == 200,
         "atomics of all types, whose operands convert");
    RULE(h.out.x == 1 && h.out.z == 3 && h.out.w == 1,
         "vector loads through the read-only cache; the clock advances");
    cudaFree(d);
}

int main()
{
    check_shuffles();
    check_votes();
    check_leavers();
    check_fence();
    check_counters();
    return rule_status();
}
