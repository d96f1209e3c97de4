/*
 * Groups that are not ended, for 2 ranks: what the argument says.
 */
#include <cuda_runtime_api.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 64 };
static int rank;
static ncclComm_t comm;
static cudaStream_t stream;
static float *buf;

static void begin(void)
{
    ncclUniqueId id;
    int nranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaSetDevice(rank);
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRank(&comm, nranks, id, rank);
    cudaStreamCreate(&stream);
    cudaMalloc((void **)&buf, COUNT * sizeof *buf);
    cudaMemset(buf, 0, COUNT * sizeof *buf);
}

static void reduce(void)
{
    ncclAllReduce(buf, buf, COUNT, ncclFloat, ncclSum, comm, stream);
}

static void ends(void)
{
    ncclGroupStart();
    reduce();
    reduce();
    cudaStreamSynchronize(stream);
}

static void fails(void)
{
    ends();
    MPI_Finalize();
    exit(3); // as a program whose results are wrong
}

static void nests(void)
{
    ncclGroupStart();
    ncclGroupStart();
    reduce();
    ncclGroupEnd();
}

static void destroys(void)
{
    ncclGroupStart();
    reduce();
    ncclCommDestroy(comm);
    cudaDeviceSynchronize(); // a last call would be made from main()
}

static void hangs(void)
{
    if (rank == 0)
        ncclGroupStart();
    reduce();
    cudaStreamSynchronize(stream);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* These are no mistakes, or have been reported. */
static void closes(void)
{
    ends();
    ncclGroupEnd();
    cudaStreamSynchronize(stream);
}

static void leaves_it_empty(void)
{
    ncclGroupStart();
}

static void has_an_error(void)
{
    ncclGroupStart();
    reduce();
    ncclAllReduce(buf, buf, COUNT, ncclFloat, ncclSum, NULL, stream);
}

static void aborts(void)
{
    ncclGroupStart();
    reduce();
    ncclCommAbort(comm);
}

static const struct {
    const char *name;
    void (*f)(void);
} ways[] = {
    {"ends", ends},
    {"fails", fails},
    {"nests", nests},
    {"destroys", destroys},
    {"hangs", hangs},
    {"closes", closes},
    {"empty", leaves_it_empty},
    {"error", has_an_error},
    {"aborts", aborts},
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    begin();
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (argc > 1 && strcmp(argv[1], ways[i].name) == 0)
            ways[i].f();
    printf("done\n");
    MPI_Finalize();
    return 0;
}
