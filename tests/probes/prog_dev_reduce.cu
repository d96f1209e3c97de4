// All-reduces by kernels that load and store over NVLink, as inference engines
// have them: how long they take.
//
//     mpirun -n N prog_dev_reduce BYTES...     a line "BYTES TIME us" for each
//
// The sum of all ranks' inputs is exact, and every rank checks it.
#include <cooperative_groups.h>

#include "ranks.cuh"

// The published kernels have 36 blocks of 512 threads. A thread adds up 16
// bytes of every rank at a time, so it has a load of each peer under way; in
// the second shot it copies 16 bytes, and has one. simgpu assumes 128 bytes of
// loads under way for every thread, that is 8 of 16 bytes: an eighth of the
// threads here has the same bytes under way for each load of a published one.
// More than 3 peers' loads don't count, since fewer fill the links. Here the
// second shot is a kernel of its own, because a kernel can't change its number
// of threads.
enum {
    BLOCKS = 36,
    COPIERS = 512 / 8, // threads of a block for one load under way
    MOST_LOADS = 3
};

__device__ void meet_others(const ncclDevComm &comm)
{
    if (blockIdx.x > 0)
        return;
    ncclLsaBarrierSession<ncclCoopCta> bar(ncclCoopCta(), comm,
                                           ncclTeamTagLsa(), 0);
    bar.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

// Wait until the grids of all ranks have begun.
__device__ void all_begin(const ncclDevComm &comm)
{
    meet_others(comm);
    cooperative_groups::this_grid().sync();
}

// Wait until all ranks have read what they need.
__device__ void all_end(const ncclDevComm &comm)
{
    cooperative_groups::this_grid().sync();
    meet_others(comm);
}

__device__ void add(float4 *sum, float4 x)
{
    sum->x += x.x;
    sum->y += x.y;
    sum->z += x.z;
    sum->w += x.w;
}

__device__ const float4 *at(ncclWindow_t win, int r)
{
    return (const float4 *)ncclGetLsaPointer(win, 0, r);
}

// to[i] = the sum over all ranks of in[i + first], for i < n.
__device__ void reduce(ncclWindow_t in, int first, int n, float4 *to,
                       int nranks)
{
    const int step = (int)(gridDim.x * blockDim.x);
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n;
         i += step) {
        float4 sum = at(in, 0)[first + i];
        for (int r = 1; r < nranks; r++)
            add(&sum, at(in, r)[first + i]);
        to[i] = sum;
    }
}

__global__ void one_shot(ncclWindow_t in, float4 *out, int n, ncclDevComm comm)
{
    all_begin(comm);
    reduce(in, 0, n, out, comm.lsaSize);
    all_end(comm);
}

// The first shot: this rank's part.
__global__ void scatter(ncclWindow_t in, float4 *part, int n, ncclDevComm comm)
{
    all_begin(comm);
    reduce(in, comm.lsaRank * n, n, part, comm.lsaSize);
}

// The second shot: all ranks' parts.
__global__ void gather(ncclWindow_t parts, float4 *out, int n, ncclDevComm comm)
{
    const int step = (int)(gridDim.x * blockDim.x);
    all_begin(comm);
    for (int k = 0; k < comm.lsaSize; k++) {
        const int r = (comm.lsaRank + k) % comm.lsaSize;
        for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n;
             i += step)
            out[r * n + i] = at(parts, r)[i];
    }
}

static shared in, part;
static float4 *out;
static ncclDevComm dev;

// vLLM's rule, where all GPUs are joined by NVLink; SGLang has it, too.
static bool is_one_shot(size_t nbytes)
{
    return nranks == 2 || nbytes < (size_t)(nranks <= 4 ? 512 : 256) * 1024;
}

static void launch(const void *kernel, int blocks, int threads, void **args)
{
    MUST(cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(threads), args,
                                     0, stream));
}

static void all_reduce(size_t nbytes)
{
    int n = (int)(nbytes / sizeof(float4)), each = n / nranks;
    const int loads = nranks - 1 < MOST_LOADS ? nranks - 1 : MOST_LOADS;
    const int most = (n + COPIERS * loads - 1) / (COPIERS * loads);
    const int blocks = most < BLOCKS ? most : BLOCKS;
    if (is_one_shot(nbytes)) {
        void *args[] = {&in.win, &out, &n, &dev};
        launch((const void *)one_shot, blocks, COPIERS * loads, args);
        return;
    }
    void *first[] = {&in.win, &part.p, &each, &dev};
    void *second[] = {&part.win, &out, &each, &dev};
    launch((const void *)scatter, blocks, COPIERS * loads, first);
    launch((const void *)gather, blocks, COPIERS, second);
}

static float value(int r, size_t i)
{
    return (float)(r + 1 + (int)(i % 7));
}

static void check(size_t nbytes)
{
    const size_t n = nbytes / sizeof(float);
    float *const got = (float *)malloc(nbytes);
    MUST(cudaMemcpy(got, out, nbytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) {
        float sum = 0;
        for (int r = 0; r < nranks; r++)
            sum += value(r, i);
        if (got[i] != sum) {
            fprintf(stderr, "rank %d: %zu bytes: word %zu is %g, not %g\n",
                    rank, nbytes, i, got[i], sum);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    free(got);
}

static void make(size_t most)
{
    float *const host = (float *)malloc(most);
    for (size_t i = 0; i < most / sizeof(float); i++)
        host[i] = value(rank, i);
    in = shared_make(most);
    part = shared_make(most / nranks);
    MUST(cudaMalloc((void **)&out, most));
    MUST(cudaMemcpy(in.p, host, most, cudaMemcpyHostToDevice));
    free(host);
    ncclDevCommRequirements reqs = no_requirements();
    reqs.lsaBarrierCount = 1;
    MUST(ncclDevCommCreate(comm, &reqs, &dev));
}

int main(int argc, char **argv)
{
    size_t most = 0;
    ranks_begin(&argc, &argv);
    for (int i = 1; i < argc; i++)
        most = strtoull(argv[i], NULL, 10) > most ? strtoull(argv[i], NULL, 10)
                                                  : most;
    make(most);
    for (int i = 1; i < argc; i++) {
        const size_t nbytes = strtoull(argv[i], NULL, 10);
        const double us = ranks_time_us([nbytes] { all_reduce(nbytes); });
        check(nbytes);
        if (rank == 0)
            printf("%zu %.3f us\n", nbytes, us);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MUST(ncclDevCommDestroy(comm, &dev));
    shared_free(&in);
    shared_free(&part);
    MUST(cudaFree(out));
    ranks_end();
    return 0;
}
