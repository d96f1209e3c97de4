// NCCL in kernels: each function below is a probe that checks its own results.
//
//     mpirun -n N prog_nccl_device [NAME...]
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <stdint.h>
#include <stdlib.h>

#include "devcomm.h"
#include "rule.h"

enum { COUNT = 1000, BYTES = 4096, THREADS = 64, BLOCKS = 2, MAX = 16 };

static int rank, nranks;
static ncclComm_t comm;
static cudaStream_t stream;
static float *data, *sum; // windows of BYTES floats, and
static ncclWindow_t data_win, sum_win;
static float host[BYTES];

static ncclDevComm make(const ncclDevCommRequirements &reqs)
{
    ncclDevComm c;
    const int made = ncclDevCommCreate(comm, &reqs, &c) == ncclSuccess;
    RULE(made, "a device communicator is created");
    if (!made) { // nor on the other ranks
        MPI_Finalize();
        exit(rule_status());
    }
    return c;
}

static void drop(const ncclDevComm &c)
{
    MPI_Barrier(MPI_COMM_WORLD); // no rank's kernel uses it
    RULE(ncclDevCommDestroy(comm, &c) == ncclSuccess, "and destroyed");
}

// value(r, i) is rank r's element i; the ranks' sum of all elements
static float value(int r, int i)
{
    return (float)(r + 1 + i % 7);
}

static float total(int i)
{
    float s = 0;
    for (int r = 0; r < nranks; r++)
        s += value(r, i);
    return s;
}

static void fill(void)
{
    for (int i = 0; i < COUNT; i++)
        host[i] = value(rank, i);
    cudaMemcpy(data, host, COUNT * sizeof *host, cudaMemcpyHostToDevice);
    cudaMemset(sum, 0, BYTES * sizeof *sum);
    cudaDeviceSynchronize();
    MPI_Barrier(MPI_COMM_WORLD);
}

// True if element i of sum is want(i).
static int holds(float (*want)(int i))
{
    int right = 1;
    const cudaError_t err = cudaStreamSynchronize(stream);
    cudaMemcpy(host, sum, COUNT * sizeof *host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < COUNT; i++)
        right &= host[i] == want(i);
    return right && err == cudaSuccess;
}

// ---- loads, stores and barriers ---------------------------------------------

__global__ void lsa_all_reduce(ncclWindow_t in, ncclWindow_t out,
                               ncclDevComm comm)
{
    ncclLsaBarrierSession<ncclCoopCta> bar(ncclCoopCta(), comm,
                                           ncclTeamTagLsa(), blockIdx.x);
    bar.sync(ncclCoopCta(), cuda::memory_order_acquire);
    const ncclTeam lsa = ncclTeamLsa(comm);
    const int me = lsa.rank + lsa.nRanks * (int)blockIdx.x;
    const int step = (int)(blockDim.x * gridDim.x) * lsa.nRanks;
    for (int i = me * (int)blockDim.x + (int)threadIdx.x; i < COUNT;
         i += step) {
        float s = 0;
        for (int r = 0; r < lsa.nRanks; r++)
            s += ((float *)ncclGetLsaPointer(in, 0, r))[i];
        for (int r = 0; r < lsa.nRanks; r++)
            ((float *)ncclGetLsaPointer(out, 0, r))[i] = s;
    }
    bar.sync(ncclCoopCta(), cuda::memory_order_release);
}

static void reduces_by_loads()
{
    ncclDevCommRequirements reqs = no_requirements();
    reqs.lsaBarrierCount = BLOCKS;
    const ncclDevComm c = make(reqs);
    fill();
    for (int round = 0; round < 3; round++)
        lsa_all_reduce<<<BLOCKS, THREADS, 0, stream>>>(data_win, sum_win, c);
    RULE(holds(total), "kernels reduce by loads and stores between barriers");
    drop(c);
}

// The barrier's halves, a handle of one's own, and a buffer of one's own.
__global__ void ring_by_symptr(ncclSymPtr<float> in, ncclSymPtr<float> out,
                               ncclDevComm comm, ncclLsaBarrierHandle handle,
                               ncclDevResourceHandle buffer)
{
    const ncclTeam world = ncclTeamWorld(comm);
    ncclLsaBarrierSession<ncclCoopCta> bar(ncclCoopCta(), comm, world, handle,
                                           0);
    const int next = (world.rank + 1) % world.nRanks;
    float *const mine =
        (float *)ncclGetResourceBufferLocalPointer(comm, buffer);
    float *const theirs =
        (float *)ncclGetResourceBufferPeerPointer(comm, buffer, world, next);
    if (threadIdx.x == 0)
        theirs[0] = (float)(world.rank + 1);
    bar.arrive(ncclCoopCta(), cuda::memory_order_acq_rel);
    bar.wait(ncclCoopCta(), cuda::memory_order_acq_rel);
    for (int i = (int)threadIdx.x; i < COUNT; i += (int)blockDim.x)
        (out + i).localPtr()[0] =
            (in + i).peerPtr(next)[0] + (in + i).lsaPtr(next)[0] * 0 + mine[0];
}

static float ring_wants(int i)
{
    const int next = (rank + 1) % nranks;
    return value(next, i) + (float)((rank + nranks - 1) % nranks + 1);
}

static void has_buffers_and_barriers_of_its_own()
{
    ncclDevCommRequirements reqs = no_requirements();
    ncclDevResourceRequirements buffer, barrier;
    ncclLsaBarrierHandle handle;
    ncclDevResourceHandle at;
    memset(&buffer, 0, sizeof buffer);
    ncclTeam world = {nranks, rank, 1};
    RULE(ncclLsaBarrierCreateRequirement(world, 1, &handle, &barrier) ==
             ncclSuccess,
         "a barrier is required");
    buffer.bufferSize = 1000;
    buffer.bufferAlign = 256;
    buffer.outBufferHandle = &at;
    buffer.next = &barrier;
    barrier.next = NULL;
    reqs.resourceRequirementsList = &buffer;
    const ncclDevComm c = make(reqs);
    RULE(ncclGetResourceBufferOffset(at) % 256 == 0, "a buffer is aligned");
    fill();
    ring_by_symptr<<<1, THREADS, 0, stream>>>(
        ncclSymPtr<float>(data_win), ncclSymPtr<float>(sum_win), c, handle, at);
    RULE(holds(ring_wants), "symmetric pointers reach the next rank");
    drop(c);
}

// ---- multimem ---------------------------------------------------------------

__device__ float4 load_sum(const float *p)
{
    float4 v = {0, 0, 0, 0};
#if __CUDA_ARCH__ >= 900
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.v4.f32 "
                 "{%0,%1,%2,%3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(p)
                 : "memory");
#else
    (void)p;
#endif
    return v;
}

__device__ void store_all(float *p, float4 v)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("multimem.st.global.v4.f32 [%0], {%1,%2,%3,%4};" ::"l"(p),
                 "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
                 : "memory");
#else
    (void)p, (void)v;
#endif
}

__device__ void add_all(unsigned *p, unsigned n)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("multimem.red.release.sys.global.add.u32 [%0], %1;" ::"l"(p),
                 "r"(n)
                 : "memory");
#else
    (void)p, (void)n;
#endif
}

__global__ void multimem_all_reduce(ncclWindow_t in, ncclWindow_t out,
                                    ncclDevComm comm)
{
    ncclLsaBarrierSession<ncclCoopCta> bar(ncclCoopCta(), comm,
                                           ncclTeamTagLsa(), blockIdx.x, true);
    bar.sync(ncclCoopCta(), cuda::memory_order_acquire);
    const float *const from =
        (const float *)ncclGetLsaMultimemPointer(in, 0, comm);
    float *const to = (float *)ncclGetLsaMultimemPointer(out, 0, comm);
    const int me = comm.lsaRank + comm.lsaSize * (int)blockIdx.x;
    const int step = (int)(blockDim.x * gridDim.x) * comm.lsaSize;
    for (int i = me * (int)blockDim.x + (int)threadIdx.x; i < COUNT / 4;
         i += step)
        store_all(to + 4 * i, load_sum(from + 4 * i));
    if (blockIdx.x == 0 && threadIdx.x == 0)
        add_all((unsigned *)to + COUNT, (unsigned)comm.rank + 1);
    bar.sync(ncclCoopCta(), cuda::memory_order_release);
}

static void reduces_in_the_switch()
{
    ncclDevCommRequirements reqs = no_requirements();
    reqs.lsaBarrierCount = BLOCKS;
    reqs.lsaMultimem = true;
    const ncclDevComm c = make(reqs);
    fill();
    multimem_all_reduce<<<BLOCKS, THREADS, 0, stream>>>(data_win, sum_win, c);
    RULE(holds(total), "multimem loads reduce, its stores reach all");
    unsigned n;
    cudaMemcpy(&n, sum + COUNT, sizeof n, cudaMemcpyDeviceToHost);
    RULE(n == (unsigned)(nranks * (nranks + 1) / 2), "its reductions too");
    drop(c);
}

// ---- one-sided operations ---------------------------------------------------

__global__ void gin_ring(ncclWindow_t in, ncclWindow_t out, ncclDevComm comm,
                         int rounds)
{
    ncclGin gin(comm, 0);
    const ncclTeam world = ncclTeamWorld(comm);
    const int next = (world.rank + 1) % world.nRanks;
    ncclBarrierSession<ncclCoopCta> bar(ncclCoopCta(), ncclTeamTagWorld(), gin,
                                        0);
    const uint64_t before = gin.readSignal(0), used = gin.readCounter(0);
    bar.sync(ncclCoopCta(), cuda::memory_order_acq_rel,
             ncclGinFenceLevel::Relaxed); // all have read it
    for (int k = 1; k <= rounds; k++) {
        if (threadIdx.x == 0)
            gin.put(world, next, out, 0, in, 0, COUNT * sizeof(float),
                    ncclGin_SignalInc{0}, ncclGin_CounterInc{0});
        gin.waitSignal(ncclCoopCta(), 0, before + (uint64_t)k);
        gin.waitCounter(ncclCoopCta(), 0, used + (uint64_t)k);
        bar.sync(ncclCoopCta(), cuda::memory_order_acq_rel,
                 ncclGinFenceLevel::Relaxed);
    }
    gin.flush(ncclCoopCta());
}

static float before_wants(int i)
{
    return value((rank + nranks - 1) % nranks, i);
}

static void puts_with_signals()
{
    ncclDevCommRequirements reqs = no_requirements();
    reqs.barrierCount = 1;
    reqs.ginSignalCount = 1;
    reqs.ginCounterCount = 1;
    const ncclDevComm c = make(reqs);
    fill();
    gin_ring<<<1, THREADS, 0, stream>>>(data_win, sum_win, c, 3);
    RULE(holds(before_wants), "a put is there when its signal is");
    gin_ring<<<1, THREADS, 0, stream>>>(data_win, sum_win, c, 1);
    RULE(holds(before_wants), "signals go on in the next kernel");
    drop(c);
}

// Every rank sends each of the others a value; all signal the same word.
__global__ void gin_values(ncclWindow_t out, ncclDevComm comm, float *result)
{
    ncclGin gin(comm, 1);
    const ncclTeam world = ncclTeamWorld(comm);
    for (int r = (int)threadIdx.x; r < world.nRanks; r += (int)blockDim.x)
        gin.putValue(world, r, out, (size_t)world.rank * sizeof(float),
                     (float)(world.rank + 1), ncclGin_SignalAdd{1, 2});
    uint64_t before, delta;
    gin.waitSignalFollowShadow(ncclCoopCta(), 1, (uint64_t)(2 * world.nRanks),
                               &before, &delta);
    const float *const got = (const float *)ncclGetLocalPointer(out, 0);
    if (threadIdx.x == 0) {
        float s = 0;
        for (int r = 0; r < world.nRanks; r++)
            s += got[r];
        result[0] = s;
        result[1] = (float)(before + delta);
        gin.resetSignal(1);
    }
}

static void values_of_many()
{
    ncclDevCommRequirements reqs = no_requirements();
    reqs.ginSignalCount = 2;
    reqs.ginContextCount = 4;
    const ncclDevComm c = make(reqs);
    float *result, h[2] = {0, 0};
    cudaMalloc(&result, sizeof h);
    fill();
    gin_values<<<1, THREADS, 0, stream>>>(sum_win, c, result);
    RULE(cudaStreamSynchronize(stream) == cudaSuccess, "a kernel ends");
    cudaMemcpy(h, result, sizeof h, cudaMemcpyDeviceToHost);
    RULE(h[0] == (float)(nranks * (nranks + 1) / 2),
         "values of all ranks are there when their signals are");
    RULE(h[1] == (float)(2 * nranks), "which add up");
    cudaFree(result);
    drop(c);
}

// ---- groups of threads ------------------------------------------------------

template <class Coop>
__device__ int bcast_of(Coop coop, int *wrong, bool member)
{
    if (!member)
        return 0;
    for (int root = 0; root < coop.size(); root += 5) {
        const double got = ncclCoopBcast(coop, 0.5 + coop.thread_rank(), root);
        if (got != 0.5 + root)
            atomicAdd(wrong, 1);
    }
    coop.sync();
    return coop.num_threads();
}

__global__ void groups(int *wrong)
{
    const int t = (int)threadIdx.x;
    int n = bcast_of(ncclCoopCta(), wrong, true);
    n += bcast_of(ncclCoopWarp(), wrong, true);
    n += bcast_of(ncclCoopTile<8>(), wrong, true);
    n += bcast_of(ncclCoopThread(), wrong, true);
    n += bcast_of(ncclCoopLanes(0x0ff0f00fu), wrong, 0x0ff0f00fu >> t % 32 & 1);
    n += bcast_of(ncclCoopWarpSpan(1, 2, 3), wrong, t >= 32 && t < 96);
    const int lanes = 0x0ff0f00fu >> t % 32 & 1 ? 16 : 0;
    const int span = t >= 32 && t < 96 ? 64 : 0;
    if (n != (int)blockDim.x + 32 + 8 + 1 + lanes + span)
        atomicAdd(wrong, 1);
}

static void groups_agree()
{
    int *wrong, n = -1;
    cudaMalloc(&wrong, sizeof *wrong);
    cudaMemset(wrong, 0, sizeof *wrong);
    groups<<<2, 128, 0, stream>>>(wrong);
    cudaStreamSynchronize(stream);
    cudaMemcpy(&n, wrong, sizeof n, cudaMemcpyDeviceToHost);
    RULE(n == 0, "NCCL's groups of threads broadcast and synchronise");
    cudaFree(wrong);
}

// As nccl-tests has its multimem operations: specialized for some GPUs only.
template <class T> __device__ T scaled(T x)
{
    return x;
}
#if __CUDA_ARCH__ >= 700
template <> __device__ int scaled<int>(int x)
{
    return 2 * x;
}
#endif

__global__ void scale(int *p)
{
    p[0] = scaled<int>(21);
}

static void code_for_some_gpus_only()
{
    int *p, h = 0;
    cudaMalloc(&p, sizeof h);
    scale<<<1, 1, 0, stream>>>(p);
    cudaStreamSynchronize(stream);
    cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost);
    RULE(h == 42, "a specialization that only GPUs see is called");
    cudaFree(p);
}

// ---- host -------------------------------------------------------------------

static void teams_are_numbered()
{
    const ncclTeam world = ncclTeamWorld(comm), lsa = ncclTeamLsa(comm);
    const ncclTeam rail = ncclTeamRail(comm);
    RULE(world.nRanks == nranks && world.rank == rank && world.stride == 1,
         "the world has all ranks");
    RULE(lsa.nRanks * rail.nRanks == nranks &&
             rail.rank * lsa.nRanks + lsa.rank == rank,
         "nodes and rails make up the world");
    RULE(ncclTeamRankToWorld(comm, rail, rail.rank) == rank &&
             ncclTeamRankToLsa(comm, lsa, 0) == 0,
         "a team's rank has a number in the world");
    const ncclTeam even = {4, 1, 2}; // of 8: ranks 0, 2, 4, 6; this is 2
    const ncclTeam all = {8, 2, 1};
    RULE(ncclTeamRankIsMember(even, all, 6) &&
             !ncclTeamRankIsMember(even, all, 5) &&
             ncclTeamRankToTeam(even, all, 6) == 3,
         "membership");
    RULE(ncclTeamRankInDifference(all, even, 2) == 5,
         "the third of the odd ranks is 5");
}

static void many_windows_in_a_group()
{
    enum { N = 21 };
    ncclWindow_t win[N];
    char *mem;
    ncclMemAlloc((void **)&mem, N * BYTES);
    ncclGroupStart();
    for (int i = 0; i < N; i++)
        ncclCommWindowRegister(comm, mem + i * BYTES, BYTES, &win[i],
                               NCCL_WIN_COLL_SYMMETRIC);
    RULE(ncclGroupEnd() == ncclSuccess, "a group registers many windows");
    int all = 1;
    for (int i = 0; i < N; i++)
        all &= ncclCommWindowDeregister(comm, win[i]) == ncclSuccess;
    RULE(all, "which are deregistered");
    MPI_Barrier(MPI_COMM_WORLD);
    ncclMemFree(mem);
}

static const struct {
    const char *name;
    void (*run)();
    int one_node; // loads and stores have to reach all ranks
} probes[] = {
    {"reduces_by_loads", reduces_by_loads, 1},
    {"has_buffers_and_barriers_of_its_own", has_buffers_and_barriers_of_its_own,
     1},
    {"reduces_in_the_switch", reduces_in_the_switch, 1},
    {"puts_with_signals", puts_with_signals, 0},
    {"values_of_many", values_of_many, 0},
    {"groups_agree", groups_agree, 0},
    {"code_for_some_gpus_only", code_for_some_gpus_only, 0},
    {"teams_are_numbered", teams_are_numbered, 0},
    {"many_windows_in_a_group", many_windows_in_a_group, 0},
};

static float *window_of(ncclWindow_t *win)
{
    float *p = NULL;
    RULE(ncclMemAlloc((void **)&p, BYTES * sizeof *p) == ncclSuccess &&
             ncclCommWindowRegister(comm, p, BYTES * sizeof *p, win,
                                    NCCL_WIN_COLL_SYMMETRIC) == ncclSuccess,
         "a window is registered");
    return p;
}

// True if the window has an address for all ranks.
static int has_switch()
{
    void *all = NULL;
    ncclGetLsaMultimemDevicePointer(data_win, 0, &all);
    return all != NULL;
}

static int chosen(int argc, char **argv, const char *name)
{
    int is = argc == 1;
    for (int i = 1; i < argc; i++)
        is |= strcmp(argv[i], name) == 0;
    return is;
}

int main(int argc, char **argv)
{
    ncclUniqueId id;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    int ndevices = 1;
    cudaGetDeviceCount(&ndevices);
    cudaSetDevice(rank % ndevices);
    cudaStreamCreate(&stream);
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    RULE(ncclCommInitRank(&comm, nranks, id, rank) == ncclSuccess, "init");
    data = window_of(&data_win);
    sum = window_of(&sum_win);
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++)
        if (chosen(argc, argv, probes[i].name) &&
            (!probes[i].one_node || ncclTeamLsa(comm).nRanks == nranks) &&
            (argc > 1 || probes[i].run != reduces_in_the_switch ||
             has_switch()))
            probes[i].run();
    MPI_Barrier(MPI_COMM_WORLD);
    ncclCommWindowDeregister(comm, data_win);
    ncclCommWindowDeregister(comm, sum_win);
    MPI_Barrier(MPI_COMM_WORLD);
    ncclMemFree(data);
    ncclMemFree(sum);
    ncclCommDestroy(comm);
    MPI_Finalize();
    return rule_status();
}
