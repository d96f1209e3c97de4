/*
 * Several devices in each of several processes, one thread each: with two
 * devices per process, ranks 2p and 2p + 1 of the communicator are those of
 * process p.
 */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdlib.h>

#include "rule.h"

enum { DEVICES = 2, COUNT = 100003 };

static int process, nprocesses;
static ncclComm_t comm[DEVICES];
static cudaStream_t stream[DEVICES];
static float *sendbuff[DEVICES], *recvbuff[DEVICES];

static void join(void)
{
    ncclUniqueId id;
    if (process == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclGroupStart();
    for (int i = 0; i < DEVICES; i++) {
        cudaSetDevice(process * DEVICES + i);
        ncclCommInitRank(&comm[i], nprocesses * DEVICES, id,
                         process * DEVICES + i);
    }
    RULE(ncclGroupEnd() == ncclSuccess, "a group makes all communicators");
}

static void fill(int i)
{
    float *const h = malloc(COUNT * sizeof *h);
    for (int k = 0; k < COUNT; k++)
        h[k] = (float)(process * DEVICES + i);
    cudaSetDevice(process * DEVICES + i);
    cudaMemcpy(sendbuff[i], h, COUNT * sizeof *h, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    free(h);
}

/* True if every element of the device's result has this value. */
static int holds(int i, float want)
{
    float *const h = malloc(COUNT * sizeof *h);
    int right = 1;
    cudaSetDevice(process * DEVICES + i);
    cudaStreamSynchronize(stream[i]);
    cudaMemcpy(h, recvbuff[i], COUNT * sizeof *h, cudaMemcpyDeviceToHost);
    for (int k = 0; k < COUNT; k++)
        right &= h[k] == want;
    free(h);
    return right;
}

/* Split even from odd ranks, with both devices in one group. */
static void check_split(void)
{
    ncclComm_t half[DEVICES];
    int rank, nranks, right = 1;
    ncclGroupStart();
    for (int i = 0; i < DEVICES; i++)
        ncclCommSplit(comm[i], i, process, &half[i], NULL);
    RULE(ncclGroupEnd() == ncclSuccess, "several devices split in one group");
    for (int i = 0; i < DEVICES; i++) {
        ncclCommCount(half[i], &nranks);
        ncclCommUserRank(half[i], &rank);
        right &= nranks == nprocesses && rank == process;
    }
    RULE(right, "into communicators of one device a process");
    ncclGroupStart();
    for (int i = 0; i < DEVICES; i++)
        ncclAllReduce(sendbuff[i], recvbuff[i], COUNT, ncclFloat, ncclMax,
                      half[i], stream[i]);
    ncclGroupEnd();
    for (int i = 0; i < DEVICES; i++)
        right &= holds(i, (float)((nprocesses - 1) * DEVICES + i));
    RULE(right, "which reduce among themselves");
    for (int i = 0; i < DEVICES; i++)
        ncclCommDestroy(half[i]);
}

int main(int argc, char *argv[])
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &process);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocesses);
    const int nranks = nprocesses * DEVICES;
    for (int i = 0; i < DEVICES; i++) {
        cudaSetDevice(process * DEVICES + i);
        cudaMalloc((void **)&sendbuff[i], COUNT * sizeof(float));
        cudaMalloc((void **)&recvbuff[i], COUNT * sizeof(float));
        cudaStreamCreate(&stream[i]);
        fill(i);
    }
    join();
    cudaSetDevice(0); // NCCL launches on the communicator's device anyway
    ncclGroupStart();
    for (int i = 0; i < DEVICES; i++)
        ncclAllReduce(sendbuff[i], recvbuff[i], COUNT, ncclFloat, ncclSum,
                      comm[i], stream[i]);
    RULE(ncclGroupEnd() == ncclSuccess, "a group holds a call for each device");
    int right = 1;
    for (int i = 0; i < DEVICES; i++)
        right &= holds(i, (float)(nranks * (nranks - 1) / 2));
    RULE(right, "all devices of all processes are summed");
    check_split();
    for (int i = 0; i < DEVICES; i++) {
        cudaSetDevice(process * DEVICES + i);
        cudaFree(sendbuff[i]);
        cudaFree(recvbuff[i]);
        cudaStreamDestroy(stream[i]);
        RULE(ncclCommDestroy(comm[i]) == ncclSuccess, "each is destroyed");
    }
    MPI_Finalize();
    return rule_status();
}
