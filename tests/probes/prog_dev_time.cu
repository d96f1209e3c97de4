// How long all-reduces take that kernels do by NCCL's device API: in the
// switch, by loads and stores, and by puts of a ring; in GB/s of the size.
//
//     mpirun -n N prog_dev_time [MiB]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "devcomm.h"

enum { BLOCKS = 64, THREADS = 512 };

static int rank, nranks;
static ncclComm_t comm;
static cudaStream_t stream;
static ncclWindow_t win;
static size_t count; // floats

__global__ void meet(ncclDevComm comm)
{
    ncclLsaBarrierSession<ncclCoopCta> bar(ncclCoopCta(), comm,
                                           ncclTeamTagLsa(), 0);
    bar.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

// All threads of the grid, as a group.
struct whole_grid {
    __device__ int thread_rank() const
    {
        return (int)(threadIdx.x + blockIdx.x * blockDim.x);
    }
    __device__ int size() const
    {
        return (int)(gridDim.x * blockDim.x);
    }
    __device__ void sync() {}
};

__global__ void by_switch(ncclSymPtr<float> data, ncclDevComm comm, size_t n)
{
    const ncclSymPtr<float> part = data + n * (size_t)comm.lsaRank;
    ncclMultimemReduceSumCopy(whole_grid(), part, comm.lsaMultimem, part,
                              comm.lsaMultimem, n);
}

__global__ void by_loads(ncclSymPtr<float> data, ncclDevComm comm, size_t n)
{
    const ncclSymPtr<float> part = data + n * (size_t)comm.lsaRank;
    ncclLsaReduceSumCopy(whole_grid(), part, part, n, comm);
}

// Each rank puts its data to the next one's second half.
__global__ void by_put(ncclWindow_t data, ncclDevComm comm, size_t nbytes)
{
    ncclGin gin(comm, 0);
    const ncclTeam world = ncclTeamWorld(comm);
    if (threadIdx.x == 0)
        gin.put(world, (world.rank + 1) % world.nRanks, data, nbytes, data, 0,
                nbytes, ncclGin_SignalInc{0});
    gin.waitSignal(ncclCoopCta(), 0, 1);
    gin.flush(ncclCoopCta());
}

static cudaEvent_t first, last;

static void begin(const ncclDevComm &c)
{
    meet<<<1, 32, 0, stream>>>(c);
    cudaEventRecord(first, stream);
}

static void end(const ncclDevComm &c, const char *name)
{
    float ms = 0;
    meet<<<1, 32, 0, stream>>>(c);
    cudaEventRecord(last, stream);
    if (cudaStreamSynchronize(stream) != cudaSuccess)
        exit(1);
    cudaEventElapsedTime(&ms, first, last);
    if (rank == 0)
        printf("%s %.3f us %.2f GB/s\n", name, ms * 1000,
               (double)count * sizeof(float) / ms / 1e6);
}

int main(int argc, char **argv)
{
    ncclUniqueId id;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    count = (size_t)(argc > 1 ? atoi(argv[1]) : 4) << 18;
    int here = 1;
    cudaGetDeviceCount(&here);
    cudaSetDevice(rank % here);
    cudaStreamCreate(&stream);
    cudaEventCreate(&first);
    cudaEventCreate(&last);
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRank(&comm, nranks, id, rank);
    float *data;
    ncclMemAlloc((void **)&data, 2 * count * sizeof *data);
    cudaMemset(data, 0, 2 * count * sizeof *data);
    cudaDeviceSynchronize();
    ncclCommWindowRegister(comm, data, 2 * count * sizeof *data, &win,
                           NCCL_WIN_COLL_SYMMETRIC);
    ncclDevCommRequirements reqs = no_requirements();
    reqs.lsaBarrierCount = 1;
    reqs.ginSignalCount = 1;
    reqs.ginConnectionType = NCCL_GIN_CONNECTION_FULL;
    void *all = NULL;
    ncclGetLsaMultimemDevicePointer(win, 0, &all);
    reqs.lsaMultimem = all != NULL;
    ncclDevComm c;
    if (ncclDevCommCreate(comm, &reqs, &c) != ncclSuccess)
        return 1;
    const ncclSymPtr<float> p(win);
    const size_t part = count / (size_t)nranks;
    if (all) {
        begin(c);
        by_switch<<<BLOCKS, THREADS, 0, stream>>>(p, c, part);
        end(c, "switch");
    }
    begin(c);
    by_loads<<<BLOCKS, THREADS, 0, stream>>>(p, c, part);
    end(c, "loads");
    begin(c);
    by_put<<<1, THREADS, 0, stream>>>(win, c, count * sizeof *data);
    end(c, "put");
    MPI_Barrier(MPI_COMM_WORLD);
    ncclDevCommDestroy(comm, &c);
    ncclCommWindowDeregister(comm, win);
    MPI_Barrier(MPI_COMM_WORLD);
    ncclMemFree(data);
    ncclCommDestroy(comm);
    MPI_Finalize();
    return 0;
}
