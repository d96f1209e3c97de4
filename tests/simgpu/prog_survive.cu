/*
 * Four ranks train by gradient descent, until SIMGPU_FAULT kills one. The
 * others notice by ncclCommGetAsyncError before a deadline, shrink the
 * communicator and continue: to the bit as if they had been three from the step
 * that the death broke off.
 */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include "rule.h"

enum { COUNT = 1000, STEPS = 12, DEADLINE_SEC = 20 };

static int world, nworld;
static float *weights, *grads;
static cudaStream_t stream;

/* Rank r's gradient of weight i: it pulls towards its own value. */
static __host__ __device__ float gradient(float w, int r, int i)
{
    return w - (float)(r + 1) / (float)(i % 7 + 1);
}

__global__ void backward(float *g, const float *w, int r)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < COUNT)
        g[i] = gradient(w[i], r, i);
}

__global__ void step(float *w, const float *g, float rate)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < COUNT)
        w[i] -= rate * g[i];
}

/* Wait for the stream. Returns the communicator's error, if it comes first. */
static ncclResult_t await(ncclComm_t comm)
{
    const double until = MPI_Wtime() + DEADLINE_SEC;
    ncclResult_t error = ncclSuccess;
    while (cudaStreamQuery(stream) == cudaErrorNotReady &&
           error == ncclSuccess) {
        ncclCommGetAsyncError(comm, &error);
        if (MPI_Wtime() > until)
            error = ncclSystemError;
    }
    return error;
}

static ncclResult_t train(ncclComm_t comm, int nranks)
{
    const int blocks = (COUNT + 255) / 256;
    ncclResult_t err;
    backward<<<blocks, 256, 0, stream>>>(grads, weights, world);
    err = ncclAllReduce(grads, grads, COUNT, ncclFloat, ncclSum, comm, stream);
    if (err == ncclSuccess)
        err = await(comm);
    if (err == ncclSuccess)
        step<<<blocks, 256, 0, stream>>>(weights, grads, 0.1f / nranks);
    return err;
}

/* What the run computes, in the order of the all-reduce: by rank. */
static float expected(int i, int broken, int dead)
{
    float w = 0;
    for (int s = 0; s < STEPS; s++) {
        float sum = 0;
        int n = 0;
        for (int r = 0; r < nworld; r++)
            if (s < broken || r != dead) {
                const float g = gradient(w, r, i);
                sum = n++ ? sum + g : g;
            }
        w -= 0.1f / n * sum;
    }
    return w;
}

int main(int argc, char **argv)
{
    ncclUniqueId id;
    ncclComm_t comm, smaller;
    int dead = -1, broken = STEPS, nranks, wrong = 0;
    static float host[COUNT];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_size(MPI_COMM_WORLD, &nworld);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    cudaSetDevice(world);
    cudaMalloc(&weights, sizeof host);
    cudaMalloc(&grads, sizeof host);
    cudaMemset(weights, 0, sizeof host);
    cudaStreamCreate(&stream);
    if (world == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRank(&comm, nworld, id, world);
    nranks = nworld;
    for (int s = 0; s < STEPS; s++) {
        ncclResult_t err = train(comm, nranks);
        if (err == ncclSuccess)
            continue;
        if (dead >= 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
        RULE(err == ncclRemoteError, "one rank is gone");
        RULE(MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS,
             "MPI knows of it, too");
        dead = nworld - 2;
        broken = s--;
        RULE(ncclCommShrink(comm, &dead, 1, &smaller, NULL,
                            NCCL_SHRINK_ABORT) == ncclSuccess,
             "the others shrink");
        RULE(ncclCommAbort(comm) == ncclSuccess, "the old one is given up");
        comm = smaller;
        ncclCommCount(comm, &nranks);
        RULE(nranks == nworld - 1, "all others are left");
    }
    cudaMemcpy(host, weights, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < COUNT; i++)
        wrong += host[i] != expected(i, broken, dead);
    RULE(wrong == 0, "the weights are right, to the bit");
    RULE(ncclCommDestroy(comm) == ncclSuccess, "the new one ends");
    printf("rank %d: broken %d, %d ranks, weight %.8g\n", world, broken, nranks,
           host[1]);
    MPI_Finalize();
    return rule_status();
}
