/* One-sided messages: puts into windows, signals, waits for them. */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdlib.h>

#include "rule.h"

enum { COUNT = 1 << 16, STEPS = 5, MANY = 200 };

static int rank, nranks, next, before;
static ncclComm_t comm;
static cudaStream_t stream, other;
static int *mine, *in; /* a window each, COUNT for each rank */
static ncclWindow_t mine_win, in_win;

static void fill(int value)
{
    int *const h = malloc(COUNT * sizeof *h);
    for (int i = 0; i < COUNT; i++)
        h[i] = value + i;
    cudaMemcpy(mine, h, COUNT * sizeof *h, cudaMemcpyHostToDevice);
    free(h);
}

static int holds(int block, int value)
{
    int *const h = malloc(COUNT * sizeof *h);
    int right = 1;
    cudaMemcpy(h, in + (size_t)block * COUNT, COUNT * sizeof *h,
               cudaMemcpyDeviceToHost);
    for (int i = 0; i < COUNT; i++)
        right &= h[i] == value + i;
    free(h);
    return right;
}

static ncclResult_t put(int peer, int block, int signal, int ctx)
{
    return ncclPutSignal(mine, COUNT, ncclInt, peer, in_win,
                         (size_t)block * COUNT * sizeof(int), signal, ctx, 0,
                         comm, stream);
}

static ncclResult_t await(int peer, int n, int signal, int ctx)
{
    ncclWaitSignalDesc_t desc = {n, peer, signal, ctx};
    return ncclWaitSignal(1, &desc, comm, stream);
}

/* Around the ring, as often as asked. */
static void check_ring(void)
{
    int right = 1;
    for (int step = 0; step < STEPS; step++) {
        fill(1000 * rank + step);
        right &= put(next, 0, 0, 0) == ncclSuccess &&
                 await(before, 1, 0, 0) == ncclSuccess &&
                 cudaStreamSynchronize(stream) == cudaSuccess &&
                 holds(0, 1000 * before + step);
        // the next rank has read it
        ncclSignal(before, 1, 0, 0, comm, stream);
        await(next, 1, 1, 0);
        cudaStreamSynchronize(stream);
    }
    RULE(right, "a put arrives before its signal, in every step");
}

/* Everyone to everyone, in a group, waiting for all at once. */
static void check_all_to_all(void)
{
    ncclWaitSignalDesc_t desc[16];
    int right = 1;
    fill(77 * rank);
    MPI_Barrier(MPI_COMM_WORLD); // all have read what came around the ring
    ncclGroupStart();
    for (int r = 0; r < nranks; r++) {
        put(r, rank, 0, 1);
        desc[r] = (ncclWaitSignalDesc_t){1, r, 0, 1};
    }
    RULE(ncclGroupEnd() == ncclSuccess &&
             ncclWaitSignal(nranks, desc, comm, stream) == ncclSuccess,
         "a group puts, and several descriptors wait");
    cudaStreamSynchronize(stream);
    for (int r = 0; r < nranks; r++)
        right &= holds(r, 77 * r);
    RULE(right, "each rank has what each rank put");
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Around the ring in one group: its waits do not hold up its puts. */
static void check_group(void)
{
    fill(9 * rank);
    ncclGroupStart();
    put(next, 0, 0, 0);
    await(before, 1, 0, 0);
    RULE(ncclGroupEnd() == ncclSuccess &&
             cudaStreamSynchronize(stream) == cudaSuccess &&
             holds(0, 9 * before),
         "a group puts, then waits");
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_counting(void)
{
    for (int i = 0; i < MANY; i++)
        ncclSignal(next, 2, 0, 0, comm, stream);
    RULE(await(before, MANY, 2, 0) == ncclSuccess &&
             cudaStreamSynchronize(stream) == cudaSuccess,
         "many signals are counted");
    ncclSignal(next, 3, 0, 0, comm, other);
    ncclSignal(next, 3, 1, 0, comm, stream);
    RULE(await(before, 1, 3, 1) == ncclSuccess &&
             await(before, 1, 3, 0) == ncclSuccess &&
             cudaDeviceSynchronize() == cudaSuccess,
         "each context has its own");
}

static void check_graph(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int right = 1;
    fill(5 * rank);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
    put(next, 1, 0, 0);
    await(before, 1, 0, 0);
    ncclSignal(before, 1, 0, 0, comm, stream);
    await(next, 1, 1, 0);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < STEPS; i++)
        cudaGraphLaunch(exec, stream);
    right &= cudaStreamSynchronize(stream) == cudaSuccess;
    RULE(right && holds(1, 5 * before), "a graph puts and waits");
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

static void check_errors(void)
{
    const size_t end = (size_t)nranks * COUNT * sizeof(int);
    int *outside;
    cudaMalloc((void **)&outside, 4);
    RULE(ncclPutSignal(mine, 1, ncclInt, nranks, in_win, 0, 0, 0, 0, comm,
                       stream) == ncclInvalidArgument,
         "a peer is a rank");
    RULE(ncclPutSignal(mine, 1, ncclInt, next, in_win, end - 2, 0, 0, 0, comm,
                       stream) == ncclInvalidArgument,
         "a put stays in the window");
    RULE(ncclPutSignal(mine, 1, ncclInt, next, NULL, 0, 0, 0, 0, comm,
                       stream) == ncclInvalidArgument,
         "which exists");
    RULE(ncclPutSignal(outside, 1, ncclInt, next, in_win, 0, 0, 0, 0, comm,
                       stream) == ncclInvalidArgument,
         "and comes from a window");
    RULE(ncclSignal(next, 4, 0, 0, comm, stream) == ncclInvalidArgument &&
             ncclSignal(next, 0, 2, 0, comm, stream) == ncclInvalidArgument &&
             ncclSignal(next, 0, 0, 1, comm, stream) == ncclInvalidArgument,
         "signal, context and flags are checked");
    RULE(await(before, 0, 0, 0) == ncclInvalidArgument &&
             ncclWaitSignal(0, NULL, comm, stream) == ncclInvalidArgument,
         "a wait waits for something");
    cudaFree(outside);
}

static void check_windows(void)
{
    void *p = NULL;
    RULE(ncclWinGetUserPtr(comm, in_win, &p) == ncclSuccess && p == in,
         "a window knows its memory");
    RULE(ncclWinGetUserPtr(comm, NULL, &p) == ncclInvalidArgument &&
             ncclWinGetUserPtr(comm, in_win, NULL) == ncclInvalidArgument,
         "if it is one");
}

static void make_windows(void)
{
    const size_t nbytes = (size_t)nranks * COUNT * sizeof(int);
    ncclMemAlloc((void **)&mine, nbytes);
    ncclMemAlloc((void **)&in, nbytes);
    cudaMemset(in, 0, nbytes);
    ncclGroupStart();
    ncclCommWindowRegister(comm, mine, nbytes, &mine_win,
                           NCCL_WIN_COLL_SYMMETRIC);
    ncclCommWindowRegister(comm, in, nbytes, &in_win, NCCL_WIN_COLL_SYMMETRIC);
    ncclGroupEnd();
    cudaDeviceSynchronize();
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char *argv[])
{
    int ndevices;
    ncclUniqueId id;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.numRmaSig = 4;
    config.numRmaCtx = 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    next = (rank + 1) % nranks;
    before = (rank + nranks - 1) % nranks;
    cudaGetDeviceCount(&ndevices);
    cudaSetDevice(rank % ndevices);
    cudaStreamCreate(&stream);
    cudaStreamCreate(&other);
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRankConfig(&comm, nranks, id, rank, &config);
    make_windows();
    check_windows();
    check_ring();
    check_all_to_all();
    check_group();
    check_counting();
    check_graph();
    check_errors();
    cudaDeviceSynchronize();
    MPI_Barrier(MPI_COMM_WORLD);
    ncclCommWindowDeregister(comm, in_win);
    ncclCommWindowDeregister(comm, mine_win);
    ncclMemFree(in);
    ncclMemFree(mine);
    ncclCommDestroy(comm);
    MPI_Finalize();
    return rule_status();
}
