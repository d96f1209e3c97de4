/*
 * Rank 0 never makes the call that the others wait for: it aborts. They notice,
 * abort too, and all continue with a new communicator.
 */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdlib.h>
#include <string.h>

#include "rule.h"

enum { COUNT = 30000 };

static int rank, nranks;
static float *data;
static cudaStream_t stream;

/* Connect all that is called below: on GPUs the first call waits, on the host,
 * for a peer that will never come. */
static void connect(ncclComm_t comm)
{
    ncclAllReduce(data, data, COUNT, ncclFloat, ncclSum, comm, stream);
    ncclGroupStart();
    for (int r = 0; r < nranks; r++)
        if (r != rank && (r == 0 || rank == 0)) {
            ncclSend(data, 1, ncclFloat, r, comm, stream);
            ncclRecv(data + COUNT - 1, 1, ncclFloat, r, comm, stream);
        }
    ncclGroupEnd();
    cudaStreamSynchronize(stream);
}

static ncclComm_t join(void)
{
    ncclUniqueId id;
    ncclComm_t comm = NULL;
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    RULE(ncclCommInitRank(&comm, nranks, id, rank) == ncclSuccess,
         "all ranks join");
    connect(comm);
    return comm;
}

static void call(const char *what, ncclComm_t comm)
{
    if (strcmp(what, "recv") == 0)
        ncclRecv(data, COUNT, ncclFloat, 0, comm, stream);
    else if (strcmp(what, "send") == 0)
        ncclSend(data, COUNT, ncclFloat, 0, comm, stream);
    else
        ncclAllReduce(data, data, COUNT, ncclFloat, ncclSum, comm, stream);
}

/* Poll until the operation completes, or the communicator reports that it
 * won't. */
static ncclResult_t watch(ncclComm_t comm)
{
    ncclResult_t state = ncclSuccess;
    while (cudaStreamQuery(stream) == cudaErrorNotReady && state == ncclSuccess)
        ncclCommGetAsyncError(comm, &state);
    if (state == ncclSuccess)
        ncclCommGetAsyncError(comm, &state);
    return state;
}

static void check_abort(const char *what)
{
    ncclComm_t comm = join();
    if (rank == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        RULE(ncclCommAbort(comm) == ncclSuccess, "a rank aborts");
    } else {
        call(what, comm);
        MPI_Barrier(MPI_COMM_WORLD);
        const ncclResult_t state = watch(comm);
        RULE(state == ncclRemoteError || state == ncclSystemError,
             "its peers learn of it");
        RULE(ncclAllReduce(data, data, COUNT, ncclFloat, ncclSum, comm,
                           stream) == state,
             "and so does who calls on");
        RULE(ncclCommAbort(comm) == ncclSuccess, "they abort too");
        RULE(cudaStreamSynchronize(stream) == cudaSuccess,
             "and no rank waits any more");
    }
    RULE(ncclCommAbort(comm) == ncclInvalidArgument, "once");
}

int main(int argc, char *argv[])
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaSetDevice(rank);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc((void **)&data, COUNT * sizeof *data);
    check_abort("collective");
    check_abort("recv");
    check_abort("send");
    RULE(ncclCommAbort(NULL) == ncclSuccess, "NULL is aborted");

    float *const h = malloc(COUNT * sizeof *h);
    int right = 1;
    ncclComm_t comm = join();
    for (int i = 0; i < COUNT; i++)
        h[i] = 1;
    cudaMemcpy(data, h, COUNT * sizeof *h, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    call("collective", comm);
    cudaStreamSynchronize(stream);
    cudaMemcpy(h, data, COUNT * sizeof *h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < COUNT; i++)
        right &= h[i] == (float)nranks;
    RULE(right, "a new communicator works as ever");
    free(h);
    const double begin = MPI_Wtime();
    int calls = 0;
    while (MPI_Wtime() < begin + 1e-4 && calls < 1000000)
        calls++;
    RULE(calls < 1000000, "and a deadline still comes");
    ncclCommDestroy(comm);
    cudaFree(data);
    MPI_Finalize();
    return rule_status();
}
