/* Thread block clusters: their barrier, and each other's shared memory. */
#include <cooperative_groups.h>

#include "probe.h"

namespace cg = cooperative_groups;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define CLUSTER(...)
#define HAS_CLUSTERS 0
#else
#define CLUSTER(...) __cluster_dims__(__VA_ARGS__)
#define HAS_CLUSTERS 1
#endif

__global__ void CLUSTER(2, 2) places(int *out)
{
#if HAS_CLUSTERS
    const cg::cluster_group c = cg::this_cluster();
    const dim3 b = c.block_index(), d = c.dim_blocks(), t = c.thread_index();
    const int block = (int)(blockIdx.x + gridDim.x * blockIdx.y);
    if (threadIdx.x == 5) {
        int *const o = out + block * 8;
        o[0] = (int)(b.x + 10 * b.y + 100 * b.z);
        o[1] = (int)c.block_rank();
        o[2] = (int)c.num_blocks();
        o[3] = (int)(d.x + 10 * d.y + 100 * d.z);
        o[4] = (int)c.thread_rank();
        o[5] = (int)c.num_threads();
        o[6] = (int)(t.x + 100 * t.y);
        o[7] = (int)(__clusterIdx().x + 10 * __clusterIdx().y);
    }
#else
    (void)out;
#endif
}

PROBE(coordinates_in_a_cluster)
{
    array<int> a(6 * 4 * 8);
    places<<<dim3(6, 4), 32>>>(a.d);
    OK(cudaGetLastError());
    a.get();
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 6; x++) {
            const int *const o = a.h + (x + 6 * y) * 8;
            const int rank = x % 2 + y % 2 * 2;
            CHECK(o[0] == x % 2 + y % 2 * 10 && o[1] == rank);
            CHECK(o[2] == 4 && o[3] == 122 && o[5] == 128);
            CHECK(o[4] == rank * 32 + 5);
            CHECK(o[6] == x % 2 * 32 + 5 + y % 2 * 100);
            CHECK(o[7] == x / 2 + y / 2 * 10);
        }
}

/* Bins in the shared memory of all blocks of a cluster. */
__global__ void histogram(const int *in, int n, int *bins, int bins_of_block)
{
#if HAS_CLUSTERS
    extern __shared__ int mine[];
    cg::cluster_group c = cg::this_cluster();
    for (int i = (int)threadIdx.x; i < bins_of_block; i += blockDim.x)
        mine[i] = 0;
    c.sync();
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n;
         i += (int)(gridDim.x * blockDim.x)) {
        int *const theirs = c.map_shared_rank(mine, in[i] / bins_of_block);
        atomicAdd(theirs + in[i] % bins_of_block, 1);
    }
    c.sync();
    for (int i = (int)threadIdx.x; i < bins_of_block; i += blockDim.x)
        atomicAdd(&bins[c.block_rank() * bins_of_block + i], mine[i]);
#else
    (void)in, (void)n, (void)bins, (void)bins_of_block;
#endif
}

PROBE(distributed_shared_memory)
{
    enum { N = 4096, BINS = 64, SIZE = 4 };
    array<int> in(N), bins(BINS);
    for (int i = 0; i < N; i++)
        in.h[i] = i * i % BINS;
    in.put();
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute a[1];
    config.gridDim = dim3(8);
    config.blockDim = dim3(64);
    config.dynamicSmemBytes = BINS / SIZE * sizeof(int);
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = SIZE;
    a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
    config.attrs = a;
    config.numAttrs = 1;
    OK(cudaLaunchKernelEx(&config, histogram, (const int *)in.d, (int)N, bins.d,
                          (int)(BINS / SIZE)));
    bins.get();
    int want[BINS] = {};
    for (int i = 0; i < N; i++)
        want[in.h[i]]++;
    CHECK(memcmp(want, bins.h, sizeof want) == 0);
    config.gridDim = dim3(6); // not a multiple of 4
    CHECK(cudaLaunchKernelEx(&config, histogram, (const int *)in.d, (int)N,
                             bins.d, (int)(BINS / SIZE)) != cudaSuccess);
    (void)cudaGetLastError();
}

/* Each block adds what the next one has; some threads end before. */
__global__ void CLUSTER(8) around(int *out, int nthreads)
{
#if HAS_CLUSTERS
    __shared__ int value[32];
    cg::cluster_group c = cg::this_cluster();
    int *const next =
        c.map_shared_rank(value, (c.block_rank() + 1) % c.num_blocks());
    if ((int)threadIdx.x >= nthreads)
        return;
    value[threadIdx.x] = (int)blockIdx.x;
    cg::cluster_group::arrival_token token = c.barrier_arrive();
    const int mine = value[threadIdx.x];
    c.barrier_wait(static_cast<cg::cluster_group::arrival_token &&>(token));
    out[blockIdx.x * 32 + threadIdx.x] = mine + next[threadIdx.x];
    c.sync();
#else
    (void)out, (void)nthreads;
#endif
}

PROBE(many_clusters_and_a_split_barrier)
{
    enum { BLOCKS = 512 };
    array<int> a(BLOCKS * 32);
    around<<<BLOCKS, 32>>>(a.d, 30);
    a.get();
    for (int b = 0; b < BLOCKS; b++) {
        const int next = b / 8 * 8 + (b + 1) % 8;
        CHECK(a.h[b * 32] == b + next && a.h[b * 32 + 29] == b + next);
        CHECK(a.h[b * 32 + 31] == 0);
    }
}

/* Clusters of a grid that synchronises as a whole. */
__global__ void CLUSTER(2) whole(int *sums, int *out)
{
#if HAS_CLUSTERS
    __shared__ int value;
    cg::cluster_group c = cg::this_cluster();
    cg::grid_group g = cg::this_grid();
    if (threadIdx.x == 0)
        value = (int)blockIdx.x;
    c.sync();
    if (threadIdx.x == 0 && c.block_rank() == 0)
        sums[blockIdx.x / 2] = value + *c.map_shared_rank(&value, 1);
    c.sync();
    g.sync();
    if (threadIdx.x == 0) {
        int all = 0;
        for (unsigned i = 0; i < gridDim.x / 2; i++)
            all += sums[i];
        out[blockIdx.x] = all;
    }
#else
    (void)sums, (void)out;
#endif
}

PROBE(clusters_of_a_cooperative_grid)
{
    array<int> sums(8), out(16);
    void *args[] = {&sums.d, &out.d};
    OK(cudaLaunchCooperativeKernel((const void *)whole, 16, 32, args, 0, 0));
    out.get();
    CHECK(out.h[0] == 120 && out.h[15] == 120);
}

__global__ void CLUSTER(4) owners(int *out)
{
#if HAS_CLUSTERS
    __shared__ int value;
    cg::cluster_group c = cg::this_cluster();
    asm volatile("barrier.cluster.arrive.aligned;\n"
                 "barrier.cluster.wait.aligned;" ::
                     : "memory");
    const int *const other =
        c.map_shared_rank(&value, (int)(c.block_rank() ^ 3));
    if (threadIdx.x == 0)
        out[blockIdx.x] = (int)(c.query_shared_rank(&value) +
                                10 * c.query_shared_rank(other));
    c.sync();
#else
    (void)out;
#endif
}

PROBE(whose_shared_memory)
{
    array<int> a(4);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    owners<<<4, 32, 0, s>>>(a.d);
    OK(cudaStreamEndCapture(s, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    a.get();
    for (int i = 0; i < 4; i++)
        CHECK(a.h[i] == i + 10 * (i ^ 3));
}

PROBE(how_many_clusters_fit)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute a[1];
    int n = 0;
    config.gridDim = dim3(8);
    config.blockDim = dim3(64);
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = 4;
    a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
    config.attrs = a;
    config.numAttrs = 1;
    OK(cudaOccupancyMaxActiveClusters(&n, histogram, &config));
    CHECK(n > 0);
    OK(cudaOccupancyMaxPotentialClusterSize(&n, histogram, &config));
    CHECK(n == 8);
}
