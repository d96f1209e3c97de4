/*
 * Ranks that poll with a time limit. Rank 0 comes late, by this machine's
 * clock, which is no reason to give up; then it doesn't come at all.
 */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <unistd.h>

#include "rule.h"

static int rank;
static float *data;
static cudaStream_t stream;

/* Poll for at most `limit` seconds. Returns the time it took, negative if the
 * communicator reports an error. */
static double watch(ncclComm_t comm, double limit)
{
    const double begin = MPI_Wtime();
    double now = begin;
    while (cudaStreamQuery(stream) == cudaErrorNotReady) {
        ncclResult_t state;
        ncclCommGetAsyncError(comm, &state);
        now = MPI_Wtime();
        if (state != ncclSuccess)
            return begin - now;
        if (now - begin > limit)
            break;
    }
    return now - begin;
}

static void check_late(ncclComm_t comm)
{
    if (rank == 0)
        usleep(1500000);
    ncclAllReduce(data, data, 1, ncclFloat, ncclSum, comm, stream);
    const double waited = watch(comm, 1e-3);
    RULE(waited >= 0 && waited < 1e-3,
         "no rank gives up because another one has no core");
    cudaStreamSynchronize(stream);
}

/* An all-reduce that was aborted takes no time, and what follows it does. */
static void check_time_after(void)
{
    enum { NBYTES = 64 << 20 };
    cudaEvent_t begin, end;
    void *p;
    float ms = 0;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaMalloc(&p, NBYTES);
    cudaEventRecord(begin, stream);
    cudaMemsetAsync(p, 0, NBYTES, stream);
    cudaEventRecord(end, stream);
    cudaStreamSynchronize(stream);
    RULE(cudaEventElapsedTime(&ms, begin, end) == cudaSuccess && ms > 0.01f &&
             ms < 0.1f,
         "work after an abort takes its usual time");
    cudaFree(p);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
}

/* Rank 1's limit is over first, and it aborts. Rank 2's is longer. */
static void check_absent(ncclComm_t comm)
{
    if (rank > 0) {
        ncclAllReduce(data, data, 1, ncclFloat, ncclSum, comm, stream);
        const double waited = watch(comm, rank * rank * 1e-3);
        if (rank == 1)
            RULE(waited > 1e-3 && waited < 1.02e-3,
                 "a limit is over when it is, by modelled time");
        else
            RULE(waited < 0 && waited > -1.04e-3,
                 "the limit that is shorter is over first");
        ncclCommAbort(comm);
        check_time_after();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        ncclCommAbort(comm);
}

int main(int argc, char *argv[])
{
    int nranks;
    ncclUniqueId id;
    ncclComm_t comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaSetDevice(rank);
    cudaStreamCreate(&stream);
    cudaMalloc((void **)&data, sizeof *data);
    cudaMemset(data, 0, sizeof *data);
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRank(&comm, nranks, id, rank);
    check_late(comm);
    check_absent(comm);
    cudaStreamDestroy(stream);
    cudaFree(data);
    MPI_Finalize();
    return rule_status();
}
