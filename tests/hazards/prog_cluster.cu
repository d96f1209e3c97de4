// Races between the blocks of a cluster, in their shared memories.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "case.h"

namespace cg = cooperative_groups;

enum { THREADS = 32, BLOCKS = 4 };

#define RUN(kernel)                                                            \
    int *out;                                                                  \
    cudaMalloc(&out, BLOCKS *(THREADS + 1) * sizeof *out);                     \
    cudaMemset(out, 0, BLOCKS *(THREADS + 1) * sizeof *out);                   \
    kernel<<<BLOCKS, THREADS>>>(out, fixed);                                   \
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

enum { READS = __LINE__ };
static __global__ __cluster_dims__(2) void reads(int *out, int fixed)
{
    __shared__ int own[THREADS];
    const cg::cluster_group c = cg::this_cluster();
    const int t = threadIdx.x;
    own[t] = blockIdx.x * THREADS + t;
    if (fixed)
        c.sync();
    else
        __syncthreads();
    out[blockIdx.x * THREADS + t] =
        c.map_shared_rank(own, c.block_rank() ^ 1)[t];
    c.sync();
}
CASE(read_too_early, reads, READS, 6, 12)

enum { WRITES = __LINE__ };
static __global__ __cluster_dims__(4) void writes(int *out, int fixed)
{
    __shared__ int inbox[BLOCKS];
    const cg::cluster_group c = cg::this_cluster();
    const int t = threadIdx.x, me = c.block_rank();
    c.sync();
    if (t < BLOCKS)
        c.map_shared_rank(inbox, t)[me] = me;
    if (fixed)
        c.sync();
    __syncthreads();
    if (t < BLOCKS)
        out[me * THREADS + t] = inbox[t];
    c.sync();
}
CASE(written_without_a_barrier, writes, WRITES, 8, 13)

// The next step writes what others still read.
enum { STEPS = __LINE__ };
static __global__ __cluster_dims__(2) void steps(int *out, int fixed)
{
    __shared__ int own[THREADS];
    const cg::cluster_group c = cg::this_cluster();
    const int t = threadIdx.x;
    const int *const other = c.map_shared_rank(own, c.block_rank() ^ 1);
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        own[t] = i;
        c.sync();
        sum += other[t];
        if (fixed)
            c.sync();
    }
    out[blockIdx.x * THREADS + t] = sum;
    c.sync();
}
CASE(next_step, steps, STEPS, 11, 9)

// The two halves of a barrier order, and so do flags.
enum { FLAGS = __LINE__ };
static __global__ __cluster_dims__(2) void flags(int *out, int fixed)
{
    __shared__ int own[THREADS];
    const cg::cluster_group c = cg::this_cluster();
    const int t = threadIdx.x, b = blockIdx.x, *at;
    int *const up = out + BLOCKS * THREADS;
    own[t] = b;
    c.barrier_arrive();
    c.barrier_wait();
    at = c.map_shared_rank(own, c.block_rank() ^ 1) + t;
    out[b * THREADS + t] = *at;
    if (!fixed)
        own[t] = 3;
    c.sync();
    own[t] = 7;
    __threadfence();
    __syncwarp();
    if (t == 0)
        atomicExch(&up[b ^ 1], 1);
    while (atomicAdd(&up[b], 0) == 0)
        ;
    out[b * THREADS + t] += *at;
    c.sync();
}
CASE(before_the_flags, flags, FLAGS, 11, 13)

static const struct hazard_case cases[] = {
    {"read-too-early", 0, "race~in~distributed~shared~memory~in~kernel~reads",
     read_too_early},
    {"written-without-a-barrier", 0, "Call~cluster.sync().",
     written_without_a_barrier},
    {"next-step", 0, "of~the~__shared__~array~own~of~block", next_step},
    {"before-the-flags", 0, "in~kernel~flags", before_the_flags},
};

int main(int argc, char **argv)
{
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
