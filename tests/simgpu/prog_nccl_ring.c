/*
 * An all-reduce written with sends and receives: a ring, reduce-scatter then
 * all-gather. Step s passes block (rank - s) to the next rank.
 */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdlib.h>

#include "rule.h"

enum { BLOCK = 12345 }; /* elements */

static int rank, nranks;
static ncclComm_t comm;
static cudaStream_t stream;
static float *data, *incoming; /* nranks blocks; one block */

static int block_of(int step)
{
    return (rank - step + 2 * nranks) % nranks;
}

/* Send block `out` to the next rank, receive from the previous one into
 * `into`. */
static void pass(int out, float *into)
{
    const int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks;
    ncclGroupStart();
    ncclSend(data + out * BLOCK, BLOCK, ncclFloat, right, comm, stream);
    ncclRecv(into, BLOCK, ncclFloat, left, comm, stream);
    ncclGroupEnd();
}

/* data[block] += incoming; there is no kernel in a host-only program. */
static void add(int block)
{
    static float a[BLOCK], b[BLOCK];
    cudaMemcpyAsync(a, data + block * BLOCK, sizeof a, cudaMemcpyDeviceToHost,
                    stream);
    cudaMemcpyAsync(b, incoming, sizeof b, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int i = 0; i < BLOCK; i++)
        a[i] += b[i];
    cudaMemcpyAsync(data + block * BLOCK, a, sizeof a, cudaMemcpyHostToDevice,
                    stream);
    cudaStreamSynchronize(stream); // a is used again
}

int main(int argc, char *argv[])
{
    ncclUniqueId id;
    int right = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaSetDevice(rank);
    cudaStreamCreate(&stream);
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRank(&comm, nranks, id, rank);
    const size_t nbytes = (size_t)nranks * BLOCK * sizeof(float);
    float *const host = malloc(nbytes);
    cudaMalloc((void **)&data, nbytes);
    cudaMalloc((void **)&incoming, BLOCK * sizeof(float));
    for (int i = 0; i < nranks * BLOCK; i++)
        host[i] = (float)(rank + 1 + i % 7);
    cudaMemcpy(data, host, nbytes, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();

    for (int step = 0; step < nranks - 1; step++) {
        pass(block_of(step), incoming);
        add(block_of(step + 1));
    }
    for (int step = 0; step < nranks - 1; step++)
        pass(block_of(step - 1), data + block_of(step) * BLOCK);

    cudaStreamSynchronize(stream);
    cudaMemcpy(host, data, nbytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < nranks * BLOCK; i++)
        right &=
            host[i] == (float)(nranks * (nranks + 1) / 2 + nranks * (i % 7));
    RULE(right, "a ring of sends and receives reduces to all");
    free(host);
    cudaFree(data);
    cudaFree(incoming);
    ncclCommDestroy(comm);
    cudaStreamDestroy(stream);
    MPI_Finalize();
    return rule_status();
}
