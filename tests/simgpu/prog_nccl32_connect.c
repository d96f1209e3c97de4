/*
 * Which calls of NCCL wait on the host for a peer that has not made its own, of
 * 3 processes, in the way that the argument says: "count" is for how many there
 * are. Rank 0 calls it, the others only MPI. test_nccl_connect.c has the waits.
 */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1 << 20 };

static int rank, nranks;
static ncclComm_t comm;
static cudaStream_t stream;
static float *in, *out;

static void make(int blocking)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclResult_t state = ncclInProgress;
    ncclUniqueId id;
    config.blocking = blocking;
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRankConfig(&comm, nranks, id, rank, &config);
    while (state == ncclInProgress)
        ncclCommGetAsyncError(comm, &state);
}

static void reduce(size_t count)
{
    ncclAllReduce(in, out, count, ncclFloat, ncclSum, comm, stream);
}

static void collective(void)
{
    if (rank == 0)
        reduce(1);
}

/* All have connected, for all sizes between. */
static void again(void)
{
    reduce(1);
    reduce(3);
    cudaStreamSynchronize(stream);
    if (rank == 0)
        reduce(1);
}

/* Another algorithm, which connects other ranks. */
static void larger(void)
{
    reduce(1);
    cudaStreamSynchronize(stream);
    if (rank == 0)
        reduce(COUNT);
}

static void messages(void)
{
    if (rank == 0)
        ncclSend(in, 1, ncclFloat, 2, comm, stream);
    if (rank == 1)
        ncclRecv(out, 1, ncclFloat, 2, comm, stream);
}

static void answered(void)
{
    messages();
    if (rank != 2)
        return;
    ncclGroupStart();
    ncclRecv(out, 1, ncclFloat, 0, comm, stream);
    ncclSend(in, 1, ncclFloat, 1, comm, stream);
    ncclGroupEnd();
}

static void to_itself(void)
{
    ncclGroupStart();
    ncclSend(in, 1, ncclFloat, rank, comm, stream);
    ncclRecv(out, 1, ncclFloat, rank, comm, stream);
    ncclGroupEnd();
}

static void all_to_all(void)
{
    if (rank == 0)
        ncclAlltoAll(in, out, 1, ncclFloat, comm, stream);
}

static void gather(void)
{
    if (rank == 0)
        ncclGather(in, out, 1, ncclFloat, 1, comm, stream);
}

static void scatter(void)
{
    if (rank == 0)
        ncclScatter(in, out, 1, ncclFloat, 0, comm, stream);
}

static void all_but_last(void)
{
    if (rank < nranks - 1)
        reduce(1);
}

static void all_but_first(void)
{
    if (rank > 0)
        reduce(1);
}

static const struct {
    void (*call)(void);
    int blocking;
} ways[] = {{collective, 1}, {collective, 0},   {again, 1},
            {larger, 1},     {messages, 1},     {answered, 1},
            {to_itself, 1},  {all_to_all, 1},   {gather, 1},
            {scatter, 1},    {all_but_last, 1}, {all_but_first, 1}};

int main(int argc, char **argv)
{
    const int way = argc > 1 ? atoi(argv[1]) : 0;
    int ndevices;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaGetDeviceCount(&ndevices);
    cudaSetDevice(rank % ndevices);
    cudaStreamCreate(&stream);
    cudaMalloc((void **)&in, 4 * (size_t)nranks * COUNT);
    cudaMalloc((void **)&out, 4 * (size_t)nranks * COUNT);
    make(ways[way].blocking);
    ways[way].call();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("no wait\n");
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    ncclCommAbort(comm);
    MPI_Finalize();
    return 0;
}
