/*
 * What rank 0 of 2 is told of communicators in every state after every failure:
 *
 *     prog_comm_failures none | abort | revoke | shrink | killed | lost
 *
 * For each state and call there is a communicator of its own, which rank 0 has
 * brought into the state before rank 1 fails; a loss is that of rank 0's GPU.
 * Prints a row for each state: the answers, without ncclSuccess's name.
 */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <nvtx3/nvToolsExt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum state { JOINING, READY, BUSY, FINALIZED, REVOKED, STATES };
enum call {
    ASYNC,
    COUNT,
    REDUCE,
    SPLIT,
    FINALIZE,
    REVOKE,
    SHRINK,
    ABORT,
    CALLS
};

static const char *const states[] = {"joining", "ready", "busy", "finalized",
                                     "revoked"};
static const char *const calls[] = {"GetAsyncError", "Count",    "AllReduce",
                                    "Split",         "Finalize", "Revoke",
                                    "Shrink",        "Abort"};

static int rank, *data;
static cudaStream_t stream; /* the current communicator's */
static cudaStream_t streams[STATES][CALLS];
static ncclComm_t comms[STATES][CALLS];

/* Make a communicator, and bring rank 0's into the state. */
static ncclComm_t make(enum state state)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId id;
    ncclComm_t comm = NULL;
    config.blocking = state != JOINING && state != FINALIZED;
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 0 || state != JOINING)
        ncclCommInitRankConfig(&comm, 2, id, rank, &config);
    ncclResult_t result = ncclInProgress;
    while (state != JOINING && result == ncclInProgress)
        ncclCommGetAsyncError(comm, &result);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && (state == BUSY || state == FINALIZED))
        ncclAllReduce(data, data, 1, ncclInt, ncclSum, comm, stream);
    result = ncclInProgress;
    while (state == FINALIZED && result == ncclInProgress)
        ncclCommGetAsyncError(comm, &result); // until it is launched
    if (rank == 0 && state == FINALIZED)
        ncclCommFinalize(comm);
    if (rank == 0 && state == REVOKED)
        ncclCommRevoke(comm, NCCL_REVOKE_DEFAULT);
    MPI_Barrier(MPI_COMM_WORLD);
    return comm;
}

/* Fail, on rank 1; rank 0 waits until that is done. */
static void fail(const char *how)
{
    int other = 0, done = 0;
    ncclComm_t alone;
    if (rank == 0 && strcmp(how, "lost") == 0) {
        nvtxRangePushA("lost"); // SIMGPU_FAULT=lost:rank=0,span=lost
        cudaMemsetAsync(data, 0, sizeof *data, stream);
        nvtxRangePop();
    }
    for (int s = JOINING + 1; rank == 1 && s < STATES; s++)
        for (int c = 0; c < CALLS; c++)
            if (strcmp(how, "abort") == 0)
                ncclCommAbort(comms[s][c]);
            else if (strcmp(how, "revoke") == 0)
                ncclCommRevoke(comms[s][c], NCCL_REVOKE_DEFAULT);
            else if (strcmp(how, "shrink") == 0)
                ncclCommShrink(comms[s][c], &other, 1, &alone, NULL,
                               NCCL_SHRINK_ABORT);
    if (strcmp(how, "killed") == 0 && rank == 1)
        raise(SIGKILL);
    if (rank == 0)
        MPI_Recv(&done, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(&done, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

static ncclResult_t answer(ncclComm_t comm, enum call call)
{
    ncclResult_t result = ncclSuccess;
    ncclComm_t made;
    int other = 1, n;
    switch (call) {
    case ASYNC: ncclCommGetAsyncError(comm, &result); return result;
    case COUNT: return ncclCommCount(comm, &n);
    case REDUCE:
        return ncclAllReduce(data, data, 1, ncclInt, ncclSum, comm, stream);
    case SPLIT: return ncclCommSplit(comm, -1, 0, &made, NULL);
    case FINALIZE: return ncclCommFinalize(comm);
    case REVOKE: return ncclCommRevoke(comm, NCCL_REVOKE_DEFAULT);
    case SHRINK:
        return ncclCommShrink(comm, &other, 1, &made, NULL, NCCL_SHRINK_ABORT);
    default: return ncclCommAbort(comm);
    }
}

/* True for a call that waits for rank 1, which makes none. */
static int would_wait(const char *how, enum state state, enum call call)
{
    const int is_lost = strcmp(how, "none") != 0 && strcmp(how, "lost") != 0;
    return (call == SPLIT && (!is_lost || state == REVOKED)) ||
           (call == FINALIZE && state == BUSY && !is_lost);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    cudaSetDevice(rank);
    cudaMalloc((void **)&data, sizeof *data);
    for (int s = 0; s < STATES; s++)
        for (int c = 0; c < CALLS; c++) {
            cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
            streams[s][c] = stream;
            comms[s][c] = make((enum state)s);
        }
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    fail(argv[1]);
    for (int s = 0; rank == 0 && s < STATES; s++) {
        printf("%s %s:", argv[1], states[s]);
        for (int c = 0; c < CALLS; c++) {
            stream = streams[s][c];
            if (would_wait(argv[1], (enum state)s, (enum call)c))
                printf(" %s waits", calls[c]);
            else
                printf(" %s %d", calls[c],
                       (int)answer(comms[s][c], (enum call)c));
        }
        printf("\n");
    }
    fflush(stdout);
    if (rank == 1) // until rank 0 has ended
        MPI_Recv(data, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    _exit(0); // what is under way will not end
}
