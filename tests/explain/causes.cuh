// A rank of a planted run: its devices, streams and buffers, and the macros
// that the causes are written with.
#ifndef TESTS_EXPLAIN_CAUSES_CUH
#define TESTS_EXPLAIN_CAUSES_CUH

#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(call)                                                             \
    do {                                                                       \
        if ((call) != 0) {                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #call);         \
            MPI_Abort(MPI_COMM_WORLD, 1);                                      \
        }                                                                      \
    } while (0)

/* The statement after it is the cause: explain has to name its line. */
#define CAUSE if (is_cause(__LINE__))

/* A kernel that computes for `us` microseconds on an H100. */
#define COMPUTE(us, stream)                                                    \
    do {                                                                       \
        char cost[64];                                                         \
        snprintf(cost, sizeof cost, "cost: %g flops, 1e3 bytes", (us)*5.36e7); \
        nvtxRangePushA(cost);                                                  \
        work<<<64, 256, 0, stream>>>(x);                                       \
        nvtxRangePop();                                                        \
    } while (0)

/* A kernel that moves this number of bytes in the GPU's memory. */
#define MOVE(nbytes, stream)                                                   \
    do {                                                                       \
        char cost[64];                                                         \
        snprintf(cost, sizeof cost, "cost: 1e6 flops, %g bytes",               \
                 (double)(nbytes));                                            \
        nvtxRangePushA(cost);                                                  \
        work<<<64, 256, 0, stream>>>(x);                                       \
        nvtxRangePop();                                                        \
    } while (0)

enum { STEPS = 4, LAYERS = 8, MAX_COUNT = 64 << 20 };
enum { K = 1 << 10, M = 1 << 20 };

/* n repetitions, or the part of them that was asked for. */
#define TIMES(n) ((n) > part ? (n) / part : 1)
static int part = 1;

static int rank, nranks, next, before;
static ncclComm_t comm;
static cudaStream_t compute, transfer;
static cudaEvent_t ready[LAYERS], done;
static float *x, *grad, *peer, *pinned;

__global__ void work(float *p)
{
    *p += 1;
}

static void connect(ncclComm_t *c)
{
    ncclUniqueId id;
    if (rank == 0)
        MUST(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    MUST(ncclCommInitRank(c, nranks, id, rank));
}

/* A rank's device is its number on its node. */
static void begin(void)
{
    int ngpus;
    MUST(cudaGetDeviceCount(&ngpus));
    next = (rank + 1) % nranks;
    before = (rank + nranks - 1) % nranks;
    MUST(cudaSetDevice(rank % ngpus));
    connect(&comm);
    MUST(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&transfer, cudaStreamNonBlocking));
    for (int i = 0; i < LAYERS; i++)
        MUST(cudaEventCreateWithFlags(&ready[i], cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    MUST(cudaMalloc(&x, K));
    MUST(cudaMalloc(&grad, (size_t)MAX_COUNT * sizeof(float)));
    MUST(cudaMalloc(&peer, (size_t)MAX_COUNT * sizeof(float)));
    MUST(cudaMallocHost(&pinned, 64 * K));
}

/* Stream `after` continues when what is now in `stream` has ended. */
static void follow(cudaStream_t after, cudaStream_t stream, cudaEvent_t event)
{
    MUST(cudaEventRecord(event, stream));
    MUST(cudaStreamWaitEvent(after, event, 0));
}

/* Note a line, once. Returns 1. */
static int cause_lines[8];
static int is_cause(int line)
{
    int i = 0;
    while (cause_lines[i] && cause_lines[i] != line)
        i++;
    cause_lines[i] = line;
    return 1;
}

struct planted {
    const char *name;
    const char *kind; /* the first answer of commgraph explain */
    int nranks;
    const char *machine; /* SIMGPU_TOPO */
    void (*run)(void);
};

#endif
