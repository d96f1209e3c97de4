/*
 * What a profiler plugin hears of: a collective, messages, a group of both, a
 * graph that is launched twice, an empty group, a failing call; each kind of
 * call, on another stream and communicator. With an argument, of a collective
 * alone, and of a communicator without a name.
 */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include "rule.h"

enum { COUNT = 1 << 18 };

static int rank, nranks;
static ncclComm_t comm;
static cudaStream_t stream;
static float *buffer;

static void make(const char *name)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId id;
    config.commName = name;
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    cudaSetDevice(rank);
    cudaStreamCreate(&stream);
    cudaMalloc((void **)&buffer, 2 * (size_t)nranks * COUNT * sizeof *buffer);
    RULE(ncclCommInitRankConfig(&comm, nranks, id, rank, &config) ==
             ncclSuccess,
         "a communicator is made, whatever the plugin does");
}

static void reduce(void)
{
    cudaEvent_t begin, end;
    float ms = 0;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin, stream);
    RULE(ncclAllReduce(buffer, buffer, COUNT, ncclFloat, ncclMax, comm,
                       stream) == ncclSuccess,
         "a collective");
    cudaEventRecord(end, stream);
    cudaStreamSynchronize(stream);
    cudaEventElapsedTime(&ms, begin, end);
    RULE(ms > 0, "which takes time");
}

static void exchange(void)
{
    const int peer = (rank + 1) % nranks;
    ncclGroupStart();
    ncclSend(buffer, COUNT, ncclFloat, peer, comm, stream);
    ncclRecv(buffer + COUNT, COUNT, ncclFloat, peer, comm, stream);
    ncclBroadcast(buffer, buffer, COUNT, ncclHalf, 1, comm, stream);
    RULE(ncclGroupEnd() == ncclSuccess, "a group of messages and a collective");
    RULE(ncclAlltoAll(buffer, buffer + (size_t)nranks * COUNT, COUNT, ncclInt,
                      comm, stream) == ncclSuccess,
         "messages to all");
    cudaStreamSynchronize(stream);
}

static void capture(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    ncclReduce(buffer, buffer, COUNT, ncclFloat, ncclSum, 0, comm, stream);
    cudaStreamEndCapture(stream, &graph);
    RULE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess, "a graph");
    for (int i = 0; i < 2; i++)
        cudaGraphLaunch(exec, stream);
    RULE(cudaStreamSynchronize(stream) == cudaSuccess, "that runs twice");
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

/* Both streams, and a communicator that begins to count again. */
static void each_kind(void)
{
    ncclComm_t part;
    cudaStream_t other;
    float *const to = buffer + (size_t)nranks * COUNT;
    cudaStreamCreate(&other);
    RULE(ncclCommSplit(comm, 0, rank, &part, NULL) == ncclSuccess, "a split");
    ncclAllGather(buffer, to, 16, ncclDouble, part, other);
    ncclReduceScatter(buffer, to, 17, ncclInt64, ncclMin, part, stream);
    ncclGather(buffer, to, 18, ncclHalf, 1, part, other);
    ncclScatter(buffer, to, 19, ncclUint8, 1, part, stream);
    ncclGroupStart();
    if (rank == 0)
        ncclSend(buffer + 1, 20, ncclBfloat16, 1, part, other);
    else
        ncclRecv(buffer + 2, 20, ncclBfloat16, 0, part, stream);
    ncclAllReduce(buffer, to, 21, ncclUint32, ncclProd, part, other);
    RULE(ncclGroupEnd() == ncclSuccess, "a group of one communicator");
    RULE(cudaDeviceSynchronize() == cudaSuccess, "calls of each kind");
    ncclCommDestroy(part);
    cudaStreamDestroy(other);
}

static void puts_and_waits(void)
{
    ncclWindow_t window;
    ncclWaitSignalDesc_t one = {1, !rank, 0, 0}, two = {2, !rank, 0, 0};
    void *memory;
    ncclMemAlloc(&memory, 4096);
    ncclCommWindowRegister(comm, memory, 4096, &window,
                           NCCL_WIN_COLL_SYMMETRIC);
    ncclPutSignal(memory, 22, ncclInt, !rank, window, 0, 0, 0, 0, comm, stream);
    ncclWaitSignal(1, &one, comm, stream);
    ncclSignal(!rank, 0, 0, 0, comm, stream);
    ncclSignal(!rank, 0, 0, 0, comm, stream);
    ncclWaitSignal(1, &two, comm, stream);
    RULE(cudaStreamSynchronize(stream) == cudaSuccess, "one-sided messages");
    ncclCommWindowDeregister(comm, window);
    ncclMemFree(memory);
}

static void all(void)
{
    exchange();
    capture();
    ncclGroupStart();
    RULE(ncclGroupEnd() == ncclSuccess, "an empty group");
    RULE(ncclBroadcast(buffer, buffer, 4, ncclFloat, 9, comm, stream) ==
             ncclInvalidArgument,
         "a wrong root");
    each_kind();
    puts_and_waits();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    make(argc > 1 ? NULL : "profiled");
    reduce();
    if (argc == 1)
        all();
    RULE(ncclCommDestroy(comm) == ncclSuccess, "the end");
    MPI_Finalize();
    return rule_status();
}
