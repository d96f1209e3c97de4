/* Calls on a non-blocking communicator, for 2 ranks: what the argument says.
 * test_unpolled checks what is reported. */
#include <cuda_runtime_api.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 64 };
static int rank;
static ncclComm_t comm;
static cudaStream_t stream;
static float *buf, host[COUNT];

static void join(void)
{
    ncclUniqueId id;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRankConfig(&comm, 2, id, rank, &config);
}

static void poll(void)
{
    ncclResult_t state;
    do {
        ncclCommGetAsyncError(comm, &state);
    } while (state == ncclInProgress);
}

static void reduce(void)
{
    ncclAllReduce(buf, buf, COUNT, ncclFloat, ncclSum, comm, stream);
}

static void copy(const float *from)
{
    cudaMemcpyAsync(host, from, sizeof host, cudaMemcpyDeviceToHost, stream);
}

/* ---- wrong --------------------------------------------------------------- */

static void never(void)
{
    reduce();
    cudaStreamSynchronize(stream);
}

static void group(void)
{
    ncclGroupStart();
    reduce();
    reduce();
    ncclGroupEnd();
    cudaStreamSynchronize(stream);
}

static void late(void)
{
    reduce();
    copy(buf);
    poll();
    cudaStreamSynchronize(stream);
}

static void hangs(void)
{
    reduce();
    if (rank == 0)
        poll();
    cudaStreamSynchronize(stream);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- right --------------------------------------------------------------- */

static void in_time(void)
{
    for (int i = 0; i < 2; i++) {
        reduce();
        poll();
        copy(buf);
        cudaStreamSynchronize(stream);
    }
    ncclCommFinalize(comm);
    poll();
    ncclCommDestroy(comm);
    cudaFree(buf);
}

/* Other work may come before it. */
static void meanwhile(void)
{
    reduce();
    copy(buf + COUNT);
    poll();
    cudaStreamSynchronize(stream);
    cudaFree(buf);
}

/* A program that gives up need not ask. */
static void aborts(void)
{
    reduce();
    ncclCommAbort(comm);
    cudaFree(buf);
}

static const struct {
    const char *name;
    void (*f)(void);
} ways[] = {
    {"never", never},   {"group", group},     {"late", late},
    {"hangs", hangs},   {"in-time", in_time}, {"meanwhile", meanwhile},
    {"aborts", aborts},
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cudaSetDevice(rank);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc((void **)&buf, 2 * COUNT * sizeof *buf);
    cudaMemset(buf, 0, 2 * COUNT * sizeof *buf);
    cudaDeviceSynchronize();
    join();
    if (argc > 1 && strcmp(argv[1], "init") != 0)
        poll();
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (argc > 1 && strcmp(argv[1], ways[i].name) == 0)
            ways[i].f();
    MPI_Barrier(MPI_COMM_WORLD);
    printf("done\n");
    MPI_Finalize();
    return 0;
}
