// Ranks that disagree about a collective's arguments, the order of calls, or
// the sender. Rank 0 has the bug.
#include <cuda_runtime.h>

#include <stdlib.h>

#include "case.h"
#include "ranks.cuh"

enum { N = 1000 };

static int odd; // rank 0 does it differently
static cudaStream_t stream;
static float *a, *b; // nranks * N elements

static void setup(int *argc, char ***argv)
{
    join(argc, argv);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc(&a, nranks * N * sizeof *a);
    cudaMalloc(&b, nranks * N * sizeof *b);
    cudaMemset(a, 0, nranks * N * sizeof *a);
    cudaMemset(b, 0, nranks * N * sizeof *b);
    cudaDeviceSynchronize();
}

static void teardown(void)
{
    cudaStreamSynchronize(stream);
    MPI_Barrier(MPI_COMM_WORLD);
    ncclCommDestroy(comm);
    cudaFree(a);
    cudaFree(b);
    MPI_Finalize();
}

static void all_reduce(ncclComm_t c)
{
    ncclAllReduce(a, a, N, ncclFloat, ncclSum, c, stream);
}

// ---- what a collective is ---------------------------------------------------

static void kind(int fixed)
{
    odd = rank == 0 && !fixed;
    if (odd)
        ncclBroadcast(a, a, N, ncclFloat, 0, comm, stream);
    else
        all_reduce(comm);
}

static void count(int fixed)
{
    odd = rank == 0 && !fixed;
    ncclAllReduce(a, a, N - odd, ncclFloat, ncclSum, comm, stream);
}

static void type(int fixed)
{
    odd = rank == 0 && !fixed;
    ncclAllReduce(a, a, N, odd ? ncclInt32 : ncclFloat, ncclSum, comm, stream);
}

static void operation(int fixed)
{
    odd = rank == 0 && !fixed;
    ncclAllReduce(a, a, N, ncclFloat, odd ? ncclMax : ncclSum, comm, stream);
}

static void root(int fixed)
{
    odd = rank == 0 && !fixed;
    ncclBroadcast(a, a, N, ncclFloat, odd ? 0 : 1, comm, stream);
}

static void order(int fixed)
{
    odd = rank == 0 && !fixed;
    if (odd)
        all_reduce(comm);
    ncclAllGather(a, b, N, ncclFloat, comm, stream);
    if (!odd)
        all_reduce(comm);
}

static void split_order(int fixed)
{
    ncclComm_t half;
    odd = rank == 0 && !fixed;
    if (odd)
        all_reduce(comm), cudaStreamSynchronize(stream);
    ncclCommSplit(comm, 0, rank, &half, NULL);
    if (!odd)
        all_reduce(comm);
    cudaStreamSynchronize(stream);
    ncclCommDestroy(half);
}

// ---- calls that are missing -------------------------------------------------

static void missing_call(int fixed)
{
    if (rank != 0 || fixed)
        all_reduce(comm);
}

static void one_round_less(int fixed)
{
    const int rounds = rank == 0 && !fixed ? 9 : 10;
    for (int i = 0; i < rounds; i++) {
        all_reduce(comm);
        cudaStreamSynchronize(stream);
    }
}

static void missing_group_end(int fixed)
{
    ncclGroupStart();
    all_reduce(comm);
    if (rank != 0 || fixed)
        ncclGroupEnd();
}

static void missing_receive(int fixed)
{
    ncclGroupStart();
    ncclSend(a, N, ncclFloat, next, comm, stream);
    if (rank != 0 || fixed)
        ncclRecv(b, N, ncclFloat, before, comm, stream);
    ncclGroupEnd();
}

static void barrier_on_one_side(int fixed)
{
    odd = rank == 0 && !fixed;
    if (odd)
        MPI_Barrier(MPI_COMM_WORLD);
    all_reduce(comm);
    cudaStreamSynchronize(stream);
    if (!odd)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void finished_early(int fixed)
{
    if (rank == 0 && !fixed) {
        MPI_Finalize();
        exit(0);
    }
    all_reduce(comm);
}

// ---- order that can't work --------------------------------------------------

static void all_send_first(int fixed)
{
    if (fixed)
        ncclGroupStart();
    ncclSend(a, N, ncclFloat, next, comm, stream);
    ncclRecv(b, N, ncclFloat, before, comm, stream);
    if (fixed)
        ncclGroupEnd();
}

static void sent_to_the_wrong_side(int fixed)
{
    const int to = rank == 0 && !fixed ? rank : next;
    ncclGroupStart();
    ncclSend(a, N, ncclFloat, to, comm, stream);
    if (to == rank)
        ncclRecv(a + N, N, ncclFloat, to, comm, stream);
    ncclRecv(b, N, ncclFloat, before, comm, stream);
    ncclGroupEnd();
}

static void message_too_short(int fixed)
{
    odd = rank == 0 && !fixed;
    ncclGroupStart();
    ncclSend(a, N - odd, ncclFloat, next, comm, stream);
    ncclRecv(b, N, ncclFloat, before, comm, stream);
    ncclGroupEnd();
}

static void communicators_crossed(int fixed)
{
    ncclComm_t other;
    ncclCommSplit(comm, 0, rank, &other, NULL);
    odd = rank == 0 && !fixed;
    all_reduce(odd ? other : comm);
    all_reduce(odd ? comm : other);
    cudaStreamSynchronize(stream);
    ncclCommDestroy(other);
}

static void all_receive_first(int fixed)
{
    int in = 0;
    if (fixed || rank == 0)
        MPI_Send(&rank, fixed, MPI_INT, next, 0, MPI_COMM_WORLD);
    if (!fixed && rank == 0)
        MPI_Recv(&in, 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&in, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!fixed)
        MPI_Send(&rank, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
}

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 32, 0)
static void signal_missing(int fixed)
{
    ncclWaitSignalDesc_t desc = {1, before, 0, 0};
    if (fixed || rank != 0)
        ncclSignal(next, 0, 0, 0, comm, stream);
    ncclWaitSignal(1, &desc, comm, stream);
}
#endif

// ---- connections at first use -----------------------------------------------

/* On one rank MPI comes first, on the others NCCL; a host that is not blocked
 * in NCCL gets through. */
static void cross(ncclComm_t c)
{
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    all_reduce(c);
    if (rank != 0)
        MPI_Barrier(MPI_COMM_WORLD);
    cudaStreamSynchronize(stream);
}

static void first_collective_crossed(int fixed)
{
    if (fixed)
        all_reduce(comm);
    cross(comm);
}

static void connected_at_runtime(int fixed)
{
    setenv("NCCL_RUNTIME_CONNECT", fixed ? "0" : "1", 1);
    cross(comm);
}

static void new_communicator_crossed(int fixed)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclComm_t other;
    all_reduce(comm);
    config.splitShare = fixed;
    ncclCommSplit(comm, 0, rank, &other, &config);
    cross(other);
    ncclCommDestroy(other);
}

static void wait_for(ncclComm_t c)
{
    ncclResult_t state = ncclInProgress;
    while (state == ncclInProgress)
        ncclCommGetAsyncError(c, &state);
}

static void blocking_crossed(int fixed)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclComm_t other;
    config.blocking = !fixed;
    ncclCommSplit(comm, 0, rank, &other, &config);
    wait_for(comm);
    wait_for(other);
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    all_reduce(other);
    if (rank != 0)
        MPI_Barrier(MPI_COMM_WORLD);
    wait_for(other);
    cudaStreamSynchronize(stream);
    ncclCommFinalize(other);
    wait_for(other);
    ncclCommDestroy(other);
}

/* From rank 0 to rank 1, which hears of it first by MPI. */
static void message(int crossed)
{
    if (rank == 1 && crossed)
        MPI_Recv(&odd, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        ncclSend(a, N, ncclFloat, 1, comm, stream);
    if (rank == 1)
        ncclRecv(b, N, ncclFloat, 0, comm, stream);
    if (rank == 0 && crossed)
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    cudaStreamSynchronize(stream);
}

static void first_message_crossed(int fixed)
{
    all_reduce(comm); // connects other ends
    if (fixed)
        message(0);
    message(1);
}

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
/* A collective of messages connects what they need. */
static void first_all_to_all_crossed(int fixed)
{
    if (fixed)
        ncclAlltoAll(a, b, N, ncclFloat, comm, stream);
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    ncclAlltoAll(a, b, N, ncclFloat, comm, stream);
    if (rank != 0)
        MPI_Barrier(MPI_COMM_WORLD);
    cudaStreamSynchronize(stream);
}
#endif

/* Types of one size are told apart. */
static void mpi_type(int fixed)
{
    static int sums[N];
    MPI_Allreduce(MPI_IN_PLACE, sums, N,
                  rank == 0 && !fixed ? MPI_FLOAT : MPI_INT, MPI_SUM,
                  MPI_COMM_WORLD);
}

static void named(int fixed)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclComm_t other;
    config.commName = "tensor";
    ncclCommSplit(comm, 0, rank, &other, &config);
    odd = rank == 0 && !fixed;
    ncclAllReduce(a, a, N - odd, ncclFloat, ncclSum, other, stream);
    cudaStreamSynchronize(stream);
    ncclCommDestroy(other);
}

static const struct hazard_case cases[] = {
    {"kind", 2, "differently", kind},
    {"count", 2, "differently", count},
    {"type", 2, "differently", type},
    {"operation", 2, "float32,~max,~root~0)~at", operation},
    {"root", 2, "(count~1000,~float32,~root~1)~at", root},
    {"order", 2, "differently", order},
    {"split-order", 2, "ncclCommSplit", split_order},
    {"missing-call", 2, "which~rank~0~has~not~called", missing_call},
    {"one-round-less", 2, "which~rank~0~has~not~called", one_round_less},
    {"missing-group-end", 2, "which~rank~0~has~not~called", missing_group_end},
    {"missing-receive", 2, "the~run~hangs", missing_receive},
    {"barrier-on-one-side", 2, "again:~a~cycle", barrier_on_one_side},
    {"finished-early", 2, "main~is~in~MPI_Finalize", finished_early},
    {"all-send-first", 2, "ncclSend~at~prog_mismatch.cu", all_send_first},
    {"sent-to-the-wrong-side", 2, "the~run~hangs", sent_to_the_wrong_side},
    {"message-too-short", 2, "Both~sides~of~a~message", message_too_short},
    {"communicators-crossed", 2, "is~still~queued", communicators_crossed},
    {"all-receive-first", 2, "again:~a~cycle", all_receive_first},
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 32, 0)
    {"signal-missing", 2, "waits~for~1~more~signals", signal_missing},
#endif
    {"first-collective-crossed", 2, "connects~on~the~host~at~the~first",
     first_collective_crossed},
    {"connected-at-runtime", 2, "which~rank~0~has~not~called~(NCCL_RUNTIME",
     connected_at_runtime},
    {"new-communicator-crossed", 2, "connects~on~the~host~at~the~first",
     new_communicator_crossed},
    {"blocking-crossed", 2, "connects~on~the~host~at~the~first",
     blocking_crossed},
    {"first-message-crossed", 2, "has~not~called~ncclRecv~from~rank~0",
     first_message_crossed},
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
    {"first-all-to-all-crossed", 2,
     "connects~on~the~host~at~the~first~message~to~rank~0",
     first_all_to_all_crossed},
#endif
    {"mpi-type", 2, "MPI_Allreduce(4000~bytes,~MPI_FLOAT,~MPI_SUM)~at",
     mpi_type},
    {"named", 2, "of~communicator~tensor~differently", named},
};

int main(int argc, char **argv)
{
    if (argc > 2)
        setup(&argc, &argv);
    const int status =
        run_case(cases, sizeof cases / sizeof *cases, argc, argv);
    if (argc > 2)
        teardown();
    return status;
}
