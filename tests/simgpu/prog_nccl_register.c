/* The rules of user buffer registration and of symmetric windows. */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdlib.h>

#include "rule.h"

enum { COUNT = 1 << 18 };

static int rank, nranks;
static ncclComm_t comm;
static cudaStream_t stream;

static int all_reduce(float *d)
{
    float *const h = malloc(COUNT * sizeof *h);
    int right = 1;
    for (int i = 0; i < COUNT; i++)
        h[i] = (float)(rank + 1);
    cudaMemcpy(d, h, COUNT * sizeof *h, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    ncclAllReduce(d, d, COUNT, ncclFloat, ncclSum, comm, stream);
    cudaStreamSynchronize(stream);
    cudaMemcpy(h, d, COUNT * sizeof *h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < COUNT; i++)
        right &= h[i] == (float)(nranks * (nranks + 1) / 2);
    free(h);
    return right;
}

static void check_registering(float *d)
{
    void *handle = NULL;
    RULE(ncclCommRegister(comm, d, COUNT * sizeof *d, &handle) == ncclSuccess &&
             handle,
         "memory of ncclMemAlloc is registered");
    RULE(all_reduce(d), "and used as before");
    RULE(ncclCommDeregister(comm, handle) == ncclSuccess,
         "its handle deregisters it");
    RULE(ncclCommDeregister(comm, handle) == ncclInvalidArgument, "once");
    RULE(ncclCommRegister(comm, NULL, 16, &handle) == ncclInvalidArgument,
         "NULL is no buffer");
    RULE(ncclCommRegister(comm, d, 0, &handle) == ncclInvalidArgument,
         "nor are no bytes");
    RULE(ncclCommRegister(NULL, d, 16, &handle) == ncclInvalidArgument,
         "and NULL no communicator");
}

static void check_windows(float *d)
{
    ncclWindow_t win = NULL;
    RULE(ncclCommWindowRegister(comm, d, COUNT * sizeof *d, &win,
                                NCCL_WIN_COLL_SYMMETRIC) == ncclSuccess,
         "all ranks make a symmetric window");
    RULE(all_reduce(d), "and reduce in it");
    RULE(ncclCommWindowDeregister(comm, win) == ncclSuccess,
         "and take it back");
    RULE(ncclCommWindowDeregister(comm, NULL) == ncclSuccess,
         "no window is nothing to take back");
    RULE(ncclCommWindowRegister(comm, d, 64, NULL, NCCL_WIN_DEFAULT) ==
             ncclInvalidArgument,
         "a window is returned somewhere");
}

int main(int argc, char *argv[])
{
    ncclUniqueId id;
    float *d = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaSetDevice(rank);
    cudaStreamCreate(&stream);
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRank(&comm, nranks, id, rank);
    RULE(ncclMemAlloc((void **)&d, COUNT * sizeof *d) == ncclSuccess,
         "NCCL allocates device memory");
    check_registering(d);
    check_windows(d);
    RULE(ncclMemFree(d) == ncclSuccess, "and frees it");
    ncclCommDestroy(comm);
    cudaStreamDestroy(stream);
    MPI_Finalize();
    return rule_status();
}
