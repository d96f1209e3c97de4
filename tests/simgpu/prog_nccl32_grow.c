/* Communicators of fewer and more ranks, revoked and suspended ones. */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <string.h>

#include "rule.h"

enum { COUNT = 1000 };

static int rank, nranks;
static ncclComm_t comm;
static cudaStream_t stream;
static float *d;

/* Sum 1 of each rank: the number of ranks that took part. */
static int sum_of(ncclComm_t c)
{
    float h[COUNT];
    for (int i = 0; i < COUNT; i++)
        h[i] = 1;
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    if (ncclAllReduce(d, d, COUNT, ncclFloat, ncclSum, c, stream) !=
        ncclSuccess)
        return -1;
    cudaStreamSynchronize(stream);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    return (int)h[COUNT - 1];
}

static int is_rank(ncclComm_t c, int expected, int expected_ranks)
{
    int r = -1, n = -1;
    ncclCommUserRank(c, &r);
    ncclCommCount(c, &n);
    return r == expected && n == expected_ranks && sum_of(c) == n;
}

static void check_many_ids(void)
{
    ncclUniqueId id[2];
    ncclComm_t many = NULL;
    // ranks 0 and 1 make an id each
    if (rank < 2)
        ncclGetUniqueId(&id[rank]);
    for (int r = 0; r < 2; r++)
        MPI_Bcast(&id[r], sizeof id[r], MPI_BYTE, r, MPI_COMM_WORLD);
    RULE(ncclCommInitRankScalable(&many, nranks, rank, 2, id, NULL) ==
                 ncclSuccess &&
             is_rank(many, rank, nranks),
         "several ids make one communicator");
    ncclCommDestroy(many);
    RULE(ncclCommInitRankScalable(&many, nranks, rank, 0, id, NULL) ==
             ncclInvalidArgument,
         "no id makes none");
    RULE(ncclCommInitRankScalable(&many, 1, 0, 2, id, NULL) ==
             ncclInvalidArgument,
         "nor do more ids than ranks");
    if (rank < 2)
        ncclGetUniqueId(&id[rank]);
    for (int r = 0; r < 2; r++)
        MPI_Bcast(&id[r], sizeof id[r], MPI_BYTE, r, MPI_COMM_WORLD);
    if (rank == nranks - 1)
        id[1] = id[0];
    RULE(ncclCommInitRankScalable(&many, nranks, rank, 2, id, NULL) ==
             ncclInvalidUsage,
         "all ranks pass the same ids");
}

static void check_shrink(void)
{
    int out[1] = {1};
    ncclComm_t fewer = NULL;
    if (rank != 1) {
        const int mine = rank > 1 ? rank - 1 : rank;
        RULE(ncclCommShrink(comm, out, 1, &fewer, NULL, NCCL_SHRINK_DEFAULT) ==
                     ncclSuccess &&
                 is_rank(fewer, mine, nranks - 1),
             "a communicator shrinks by a rank");
        RULE(ncclCommDestroy(fewer) == ncclSuccess, "and is destroyed");
        RULE(ncclCommShrink(comm, out, 1, &fewer, NULL, NCCL_SHRINK_DEFAULT) ==
                     ncclSuccess &&
                 is_rank(fewer, mine, nranks - 1),
             "again");
        ncclCommDestroy(fewer);
    }
    RULE(is_rank(comm, rank, nranks), "its parent goes on");
    RULE(ncclCommShrink(comm, out, 0, &fewer, NULL, 0) == ncclInvalidArgument,
         "it leaves ranks out");
    RULE(ncclCommShrink(comm, NULL, 1, &fewer, NULL, 0) == ncclInvalidArgument,
         "that are listed");
    RULE(ncclCommShrink(comm, &rank, 1, &fewer, NULL, 0) == ncclInvalidArgument,
         "and don't call it");
}

static void check_abort_by_shrinking(void)
{
    int out[1] = {0};
    ncclComm_t parent = NULL, fewer = NULL;
    ncclCommSplit(comm, 0, rank, &parent, NULL);
    if (rank != 0) {
        float left[COUNT];
        int nnumbers = 0;
        // waits for rank 0, which never comes; fails if the shrink is faster
        const int begins = ncclAllReduce(d, d, COUNT, ncclFloat, ncclSum,
                                         parent, stream) == ncclSuccess;
        RULE(ncclCommShrink(parent, out, 1, &fewer, NULL, NCCL_SHRINK_ABORT) ==
                 ncclSuccess,
             "a shrink stops what is under way");
        cudaMemcpy(left, d, sizeof left, cudaMemcpyDeviceToHost);
        for (int i = 0; i < COUNT; i++)
            nnumbers += left[i] == left[i];
        RULE(!begins || nnumbers == 0,
             "and leaves neither a sum nor its input");
        RULE(is_rank(fewer, rank - 1, nranks - 1), "the others go on");
        ncclCommDestroy(fewer);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    ncclCommAbort(parent);
}

/* The last rank comes later. */
static void check_grow(void)
{
    ncclUniqueId id;
    ncclComm_t few = NULL, all = NULL;
    const int late = rank == nranks - 1, root = nranks > 2 ? 1 : 0;
    ncclCommSplit(comm, late ? NCCL_SPLIT_NOCOLOR : 0, rank, &few, NULL);
    if (rank == root) {
        RULE(ncclCommGetUniqueId(few, &id) == ncclSuccess,
             "a rank makes an id for new ranks");
        ncclUniqueId second;
        RULE(ncclCommGetUniqueId(few, &second) == ncclInvalidUsage,
             "one at a time");
    }
    MPI_Bcast(&id, sizeof id, MPI_BYTE, root, MPI_COMM_WORLD);
    if (few)
        RULE(ncclCommGrow(few, nranks - 1, NULL, -1, &all, NULL) ==
                 ncclInvalidArgument,
             "a communicator grows to more ranks than it has");
    const ncclResult_t err =
        late ? ncclCommGrow(NULL, nranks, &id, rank, &all, NULL)
             : ncclCommGrow(few, nranks, rank == root ? &id : NULL, -1, &all,
                            NULL);
    RULE(err == ncclSuccess && is_rank(all, rank, nranks),
         "a communicator grows by a rank");
    if (rank == root) {
        ncclComm_t third = NULL;
        RULE(ncclCommGrow(few, nranks, &id, -1, &third, NULL) ==
                 ncclInvalidArgument,
             "its id is used up");
        RULE(ncclCommGetUniqueId(few, &id) == ncclSuccess, "and another made");
    }
    ncclCommDestroy(all);
    ncclCommDestroy(few);
}

static void check_revoke(void)
{
    ncclComm_t child = NULL, parent = NULL;
    ncclResult_t async = ncclInternalError;
    ncclCommSplit(comm, 0, rank, &parent, NULL);
    if (rank == 0) // waits for the others, which never come
        ncclAllReduce(d, d, COUNT, ncclFloat, ncclSum, parent, stream);
    RULE(ncclCommRevoke(parent, 1) == ncclInvalidArgument,
         "a revocation has no flags");
    RULE(ncclCommRevoke(parent, NCCL_REVOKE_DEFAULT) == ncclSuccess,
         "a communicator is revoked");
    RULE(ncclCommGetAsyncError(parent, &async) == ncclSuccess &&
             async == ncclSuccess,
         "which is no error");
    RULE(ncclAllReduce(d, d, COUNT, ncclFloat, ncclSum, parent, stream) ==
             ncclInvalidUsage,
         "nothing is called on it any more");
    RULE(ncclCommFinalize(parent) == ncclInvalidUsage, "nor is it finalized");
    RULE(ncclCommSplit(parent, 0, -rank, &child, NULL) == ncclSuccess &&
             is_rank(child, nranks - 1 - rank, nranks),
         "but split");
    ncclCommDestroy(child);
    RULE(ncclCommSplit(parent, 0, rank, &child, NULL) == ncclSuccess &&
             is_rank(child, rank, nranks),
         "twice");
    ncclCommDestroy(child);
    if (rank > 0) {
        int out[1] = {0};
        RULE(ncclCommShrink(parent, out, 1, &child, NULL, 0) == ncclSuccess &&
                 is_rank(child, rank - 1, nranks - 1),
             "or shrunk");
        ncclCommDestroy(child);
    }
    RULE(ncclCommDestroy(parent) == ncclSuccess, "and destroyed");
}

static void check_suspend(void)
{
    uint64_t memory = 0, total = 0, suspended = 2;
    RULE(ncclCommMemStats(comm, ncclStatGpuMemSuspend, &memory) ==
                 ncclSuccess &&
             ncclCommMemStats(comm, ncclStatGpuMemTotal, &total) ==
                 ncclSuccess &&
             memory > 0 && total >= memory,
         "a communicator has memory");
    RULE(ncclCommSuspend(comm, 0) == ncclInvalidArgument,
         "something is suspended");
    RULE(ncclCommSuspend(comm, NCCL_SUSPEND_MEM) == ncclSuccess &&
             ncclCommMemStats(comm, ncclStatGpuMemSuspended, &suspended) ==
                 ncclSuccess &&
             suspended == 1,
         "its memory");
    RULE(sum_of(comm) == -1, "a suspended communicator is not used");
    RULE(ncclCommSuspend(comm, NCCL_SUSPEND_MEM) == ncclInvalidUsage,
         "nor suspended again");
    RULE(ncclCommResume(comm) == ncclSuccess && is_rank(comm, rank, nranks),
         "before it is resumed");
    RULE(ncclCommResume(comm) == ncclInvalidUsage, "once");
    RULE(ncclCommMemStats(comm, ncclStatGpuMemTotal, NULL) ==
             ncclInvalidArgument,
         "statistics are stored somewhere");
}

int main(int argc, char *argv[])
{
    ncclUniqueId id;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaSetDevice(rank);
    cudaStreamCreate(&stream);
    cudaMalloc((void **)&d, COUNT * sizeof *d);
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRank(&comm, nranks, id, rank);
    check_many_ids();
    check_shrink();
    check_grow();
    check_suspend();
    check_revoke();
    check_abort_by_shrinking();
    RULE(is_rank(comm, rank, nranks), "the first communicator still works");
    ncclCommDestroy(comm);
    cudaFree(d);
    cudaStreamDestroy(stream);
    MPI_Finalize();
    return rule_status();
}
