/* Non-blocking communicators: nothing is done until NCCL says so. */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdlib.h>

#include "rule.h"

enum { COUNT = 30000 };

static int rank, nranks;
static float *data, host[COUNT];
static cudaStream_t stream;

/* Wait as the documentation shows. */
static ncclResult_t finish(ncclComm_t comm)
{
    ncclResult_t state;
    do {
        if (ncclCommGetAsyncError(comm, &state) != ncclSuccess)
            return ncclInternalError;
    } while (state == ncclInProgress);
    return state;
}

static void fill(void)
{
    for (int i = 0; i < COUNT; i++)
        host[i] = (float)rank;
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
}

static int holds(float want)
{
    cudaStreamSynchronize(stream);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < COUNT; i++)
        if (host[i] != want)
            return 0;
    return 1;
}

static ncclComm_t join(void)
{
    ncclUniqueId id;
    ncclComm_t comm = NULL;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == nranks - 1) // the others find that it has not joined yet
        MPI_Barrier(MPI_COMM_WORLD);
    const ncclResult_t begun =
        ncclCommInitRankConfig(&comm, nranks, id, rank, &config);
    RULE(begun == ncclInProgress, "init returns before the others have joined");
    RULE(comm != NULL, "with a communicator to ask");
    if (rank != nranks - 1) {
        ncclResult_t state;
        ncclCommGetAsyncError(comm, &state);
        RULE(state == ncclInProgress, "which isn't ready without all ranks");
        RULE(ncclAllReduce(data, data, COUNT, ncclFloat, ncclSum, comm,
                           stream) == ncclInvalidArgument,
             "nor of any use");
        MPI_Barrier(MPI_COMM_WORLD);
    }
    RULE(finish(comm) == ncclSuccess, "it is ready when all have joined");
    return comm;
}

static void check_split(ncclComm_t comm)
{
    ncclComm_t half = NULL;
    int n = 0;
    const ncclResult_t begun = ncclCommSplit(comm, rank % 2, rank, &half, NULL);
    RULE(begun == ncclInProgress, "a split returns at once");
    RULE(finish(comm) == ncclSuccess && half,
         "its parent knows when it is over");
    RULE(finish(half) == ncclSuccess, "then it is ready");
    RULE(ncclCommCount(half, &n) == ncclSuccess &&
             n == (nranks + 1 - rank % 2) / 2,
         "and has those of one color");
    RULE(ncclCommDestroy(half) == ncclSuccess, "it is destroyed");
    const int color = rank ? 0 : NCCL_SPLIT_NOCOLOR;
    RULE(ncclCommSplit(comm, color, 0, &half, NULL) == ncclInProgress &&
             finish(comm) == ncclSuccess && (half != NULL) == (rank != 0),
         "a rank without a color gets nothing");
    RULE(!half || (finish(half) == ncclSuccess &&
                   ncclCommDestroy(half) == ncclSuccess),
         "the others do");
}

static void check_shrink(ncclComm_t comm)
{
    ncclComm_t fewer = NULL;
    int out[1] = {0}, n = 0;
    if (rank == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        return;
    }
    RULE(ncclCommShrink(comm, out, 1, &fewer, NULL, 0) == ncclInProgress,
         "a shrink returns at once");
    RULE(finish(comm) == ncclSuccess && fewer && finish(fewer) == ncclSuccess,
         "its parent knows when it is over");
    RULE(ncclCommCount(fewer, &n) == ncclSuccess && n == nranks - 1,
         "and it has the other ranks");
    MPI_Barrier(MPI_COMM_WORLD); // the first to revoke it stops all
    RULE(ncclCommRevoke(fewer, 0) == ncclInProgress,
         "a revocation returns at once");
    RULE(finish(fewer) == ncclSuccess && ncclCommDestroy(fewer) == ncclSuccess,
         "and ends");
}

int main(int argc, char *argv[])
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaSetDevice(rank);
    cudaStreamCreate(&stream);
    cudaMalloc((void **)&data, sizeof host);
    ncclComm_t comm = join();

    fill();
    const ncclResult_t begun =
        ncclAllReduce(data, data, COUNT, ncclFloat, ncclSum, comm, stream);
    RULE(begun == ncclInProgress, "a collective returns at once");
    RULE(finish(comm) == ncclSuccess, "it is enqueued when NCCL says so");
    RULE(holds((float)(nranks * (nranks - 1) / 2)), "and then computed");

    fill();
    ncclGroupStart();
    ncclAllReduce(data, data, COUNT, ncclFloat, ncclMax, comm, stream);
    ncclAllReduce(data, data, COUNT, ncclFloat, ncclSum, comm, stream);
    RULE(ncclGroupEnd() == ncclInProgress, "so does a group");
    RULE(ncclBroadcast(data, data, COUNT, ncclFloat, 0, comm, stream) ==
             ncclInvalidArgument,
         "nothing else is called before it is enqueued");
    RULE(finish(comm) == ncclSuccess && holds((float)((nranks - 1) * nranks)),
         "it is computed in order");
    check_split(comm);
    check_shrink(comm);
    RULE(ncclCommFinalize(comm) == ncclInProgress, "it ends at once too");
    RULE(finish(comm) == ncclSuccess, "when all is done");
    RULE(ncclCommDestroy(comm) == ncclSuccess, "and is destroyed");
    cudaFree(data);
    MPI_Finalize();
    return rule_status();
}
