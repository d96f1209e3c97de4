/*
 * Training steps of a model of six layers, without data: gradients are reduced
 * while the layers before them are still being computed. For pictures and
 * figures; run it with SIMGPU_DATALESS=on.
 *
 *   prog_ddp [STEPS]
 */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(call)                                                             \
    do {                                                                       \
        if ((call) != 0) {                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #call);         \
            MPI_Abort(MPI_COMM_WORLD, 1);                                      \
        }                                                                      \
    } while (0)

enum { LAYERS = 6, COUNT = 16 << 20 };

__global__ void forward(float *x, const float *w)
{
    *x += *w;
}
__global__ void backward(float *grad, const float *x)
{
    *grad = *x;
}
__global__ void update(float *w, const float *grad)
{
    *w -= *grad;
}

struct model {
    int rank, nranks;
    ncclComm_t comm;
    cudaStream_t compute, transfer;
    cudaEvent_t ready[LAYERS], reduced;
    float *x, *w[LAYERS], *grad[LAYERS];
};

static void init(struct model *m)
{
    ncclUniqueId id;
    MPI_Comm_rank(MPI_COMM_WORLD, &m->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m->nranks);
    MUST(cudaSetDevice(m->rank));
    if (m->rank == 0)
        MUST(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    MUST(ncclCommInitRank(&m->comm, m->nranks, id, m->rank));
    MUST(cudaStreamCreateWithFlags(&m->compute, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&m->transfer, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&m->reduced, cudaEventDisableTiming));
    MUST(cudaMalloc(&m->x, COUNT * sizeof(float)));
    for (int i = 0; i < LAYERS; i++) {
        MUST(cudaEventCreateWithFlags(&m->ready[i], cudaEventDisableTiming));
        MUST(cudaMalloc(&m->w[i], COUNT * sizeof(float)));
        MUST(cudaMalloc(&m->grad[i], COUNT * sizeof(float)));
    }
}

/* Rank 1's backward kernels take a little longer than the others'. */
static void step(struct model *m)
{
    nvtxRangePushA("cost: 2e10 flops, 2e8 bytes");
    for (int i = 0; i < LAYERS; i++)
        forward<<<1, 1, 0, m->compute>>>(m->x, m->w[i]);
    nvtxRangePop();
    nvtxRangePushA(m->rank == 1 ? "cost: 5e10 flops, 4e8 bytes"
                                : "cost: 4e10 flops, 4e8 bytes");
    for (int i = LAYERS - 1; i >= 0; i--) {
        backward<<<1, 1, 0, m->compute>>>(m->grad[i], m->x);
        MUST(cudaEventRecord(m->ready[i], m->compute));
        MUST(cudaStreamWaitEvent(m->transfer, m->ready[i], 0));
        MUST(ncclAllReduce(m->grad[i], m->grad[i], COUNT, ncclFloat, ncclSum,
                           m->comm, m->transfer));
    }
    nvtxRangePop();
    MUST(cudaEventRecord(m->reduced, m->transfer));
    MUST(cudaStreamWaitEvent(m->compute, m->reduced, 0));
    nvtxRangePushA("cost: 1e8 flops, 2e8 bytes");
    for (int i = 0; i < LAYERS; i++)
        update<<<1, 1, 0, m->compute>>>(m->w[i], m->grad[i]);
    nvtxRangePop();
    MUST(cudaStreamSynchronize(m->compute));
}

int main(int argc, char **argv)
{
    struct model m = {};
    MPI_Init(&argc, &argv);
    init(&m);
    for (int i = argc > 1 ? atoi(argv[1]) : 1; i > 0; i--)
        step(&m);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
