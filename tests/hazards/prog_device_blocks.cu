// Kernels of several blocks that wait for other ranks, on two or more of them:
// what one block has waited for orders no other block.
#include <cooperative_groups.h>

#include "device_api.cuh"

enum { BLOCKS = 3 };

static ncclDevComm many; // a barrier for each block
static unsigned *word;   // [0]: set by block 0, [1]: a ticket

__device__ void meet(const ncclDevComm &comm, unsigned index)
{
    ncclLsaBarrierSession<ncclCoopCta> bar(
        ncclCoopCta(), comm, ncclTeamLsa(comm), comm.lsaBarrier, index);
    bar.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

__device__ const float *of_next(ncclWindow_t win, const ncclDevComm &comm)
{
    const ncclTeam lsa = ncclTeamLsa(comm);
    return (const float *)ncclGetLsaPointer(win, 0,
                                            (lsa.rank + 1) % lsa.nRanks);
}

// The block's share of N elements.
__device__ void take_share(const float *from, float *to)
{
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < N;
         i += (int)(gridDim.x * blockDim.x))
        to[i] = from[i];
}

// ---- who waits --------------------------------------------------------------

__global__ void each_meets(ncclWindow_t win, ncclDevComm comm, float *to,
                           int fixed)
{
    if (fixed || blockIdx.x == 0)
        meet(comm, blockIdx.x);
    take_share(of_next(win, comm), to);
}

static void only_block_0_meets(int fixed)
{
    FIRST make<<<1, THREADS, 0, stream>>>(mem);
    SECOND each_meets<<<BLOCKS, THREADS, 0, stream>>>(win, many, out, fixed);
}

// Block 0 waits on behalf of all, which wait for block 0. If it pushes, it
// writes to the next rank's window first, and all read their own.
__global__ void one_meets(ncclWindow_t win, ncclDevComm comm, float *to,
                          volatile unsigned *go, int pushes, int fixed)
{
    const float *const from = pushes
                                  ? (const float *)ncclGetLocalPointer(win, 0)
                                  : of_next(win, comm);
    if (blockIdx.x == 0) {
        for (int i = (int)threadIdx.x; pushes && i < N; i += (int)blockDim.x)
            ((float *)of_next(win, comm))[i] = (float)i;
        meet(comm, 0);
        __threadfence();
        if (threadIdx.x == 0)
            *go = 1;
    } else if (fixed) {
        while (threadIdx.x == 0 && *go == 0)
            ;
        __threadfence();
    }
    __syncthreads();
    take_share(from, to);
}

static void nobody_waits_for_block_0(int fixed)
{
    FIRST make<<<1, THREADS, 0, stream>>>(mem);
    SECOND one_meets<<<BLOCKS, THREADS, 0, stream>>>(win, many, out, word, 0,
                                                     fixed);
}

static void own_memory_is_read(int fixed)
{
    FIRST SECOND one_meets<<<BLOCKS, THREADS, 0, stream>>>(win, many, out, word,
                                                           1, fixed);
}

__global__ void grid_meets(ncclWindow_t win, ncclDevComm comm, float *to,
                           int fixed)
{
    const auto grid = cooperative_groups::this_grid();
    grid.sync();
    if (blockIdx.x == 0)
        meet(comm, 0);
    if (fixed)
        grid.sync();
    take_share(of_next(win, comm), to);
}

static void grid_goes_on(int fixed)
{
    void *args[] = {&win, &many, &out, &fixed};
    FIRST make<<<1, THREADS, 0, stream>>>(mem);
    SECOND cudaLaunchCooperativeKernel((const void *)grid_meets, BLOCKS,
                                       THREADS, args, 0, stream);
}

// The block that ends last reads what block 0 has waited for.
__global__ void last_takes(ncclWindow_t win, ncclDevComm comm, float *to,
                           unsigned *ticket, int fixed)
{
    __shared__ unsigned number;
    if (blockIdx.x == 0)
        meet(comm, 0);
    number = blockIdx.x;
    if (fixed) {
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            number = atomicAdd(ticket, 1);
        __threadfence();
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; number == gridDim.x - 1 && i < N;
         i += (int)blockDim.x)
        to[i] = of_next(win, comm)[i];
}

static void last_by_its_index(int fixed)
{
    FIRST make<<<1, THREADS, 0, stream>>>(mem);
    SECOND last_takes<<<BLOCKS, THREADS, 0, stream>>>(win, many, out, word + 1,
                                                      fixed);
}

// ---- what they wait for -----------------------------------------------------

// A slot is overwritten once its reader has met this rank.
__global__ void refill(ncclWindow_t win, ncclDevComm comm, int fixed)
{
    float *const there = (float *)of_next(win, comm);
    if (fixed || blockIdx.x == 0)
        meet(comm, blockIdx.x);
    take_share(there + N, there);
}

static void slot_is_refilled(int fixed)
{
    FIRST use<<<1, THREADS, 0, stream>>>(mem, out);
    SECOND refill<<<BLOCKS, THREADS, 0, stream>>>(win, many, fixed);
}

// Each rank puts N elements into the next one's window, and signals.
__global__ void put(ncclWindow_t win, ncclDevComm comm, float *to, int fixed)
{
    ncclGin gin(comm, 0);
    const ncclTeam world = ncclTeamWorld(comm);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        gin.put(world, (world.rank + 1) % world.nRanks, win, N * sizeof(float),
                win, 0, N * sizeof(float), ncclGin_SignalInc{0});
    if (fixed || blockIdx.x == 0)
        gin.waitSignal(ncclCoopCta(), 0, 1);
    take_share((const float *)ncclGetLocalPointer(win, 0) + N, to);
}

static void only_block_0_waits_for_a_signal(int fixed)
{
    FIRST SECOND put<<<BLOCKS, THREADS, 0, stream>>>(win, dev, out, fixed);
}

// The data are their own flags: each thread waits for its element.
__global__ void poll_data(ncclWindow_t win, ncclDevComm comm, float *to,
                          int fixed)
{
    float *const there = (float *)of_next(win, comm);
    const volatile float *const here =
        (const volatile float *)ncclGetLocalPointer(win, 0);
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (fixed || blockIdx.x == 0) {
        ((volatile float *)there)[i] = 1.0f;
        while (here[i] == 0.0f)
            ;
        to[i] = here[i];
    } else {
        there[i] = 1.0f;
        to[i] = ((const float *)here)[i];
    }
}

static void only_block_0_polls(int fixed)
{
    FIRST SECOND poll_data<<<BLOCKS, THREADS, 0, stream>>>(win, many, out,
                                                           fixed);
}

static const struct hazard_case cases[] = {
    {"block-0-meets", 2, "but~in~another", only_block_0_meets},
    {"block-0-unawaited", 2, "but~in~another", nobody_waits_for_block_0},
    {"grid-unawaited", 2, "race~on~bytes", grid_goes_on},
    {"last-by-index", 2, "but~in~another", last_by_its_index},
    {"own-memory", 2, "but~in~another", own_memory_is_read},
    {"refilled", 2, "but~in~another", slot_is_refilled},
    {"signal-of-block-0", 2, "but~in~another", only_block_0_waits_for_a_signal},
    {"data-unpolled", 2, "race~on~bytes", only_block_0_polls},
};

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--list") == 0)
        return run_cases(cases, sizeof cases / sizeof *cases, argc, argv);
    setup(&argc, &argv);
    ncclDevCommRequirements reqs = no_requirements();
    reqs.lsaBarrierCount = BLOCKS;
    ncclDevCommCreate(comm, &reqs, &many);
    cudaMalloc(&word, 2 * sizeof *word);
    cudaMemset(word, 0, 2 * sizeof *word);
    cudaDeviceSynchronize();
    MPI_Barrier(MPI_COMM_WORLD);
    const int status =
        run_case(cases, sizeof cases / sizeof *cases, argc, argv);
    cudaDeviceSynchronize();
    MPI_Barrier(MPI_COMM_WORLD);
    ncclDevCommDestroy(comm, &many);
    cudaFree(word);
    teardown();
    return status;
}
