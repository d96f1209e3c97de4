/*
 * A group joins all streams that it uses, before and after; and registered or
 * pinned host memory works like a device's.
 */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdlib.h>

#include "rule.h"

enum { COUNT = 1 << 18 };

static int rank, nranks;
static ncclComm_t comm;
static cudaStream_t stream[3];
static float *host;

static void fill(float value)
{
    for (int i = 0; i < COUNT; i++)
        host[i] = value;
}

static int all_equal(const float *h, float want)
{
    for (int i = 0; i < COUNT; i++)
        if (h[i] != want)
            return 0;
    return 1;
}

/*
 * Stream 0 fills `a`, stream 1 fills `b`; only the group uses stream 2. The
 * group reduces both into `sum`, in streams 1 and 2; streams 0 and 2 then read
 * what the other's call has written.
 */
static void check_join(void)
{
    const size_t nbytes = COUNT * sizeof(float);
    float *a, *b, *out, *h[2];
    cudaMalloc((void **)&a, nbytes);
    cudaMalloc((void **)&b, nbytes);
    cudaMalloc((void **)&out, nbytes);
    cudaMallocHost((void **)&h[0], nbytes);
    cudaMallocHost((void **)&h[1], nbytes);
    for (int round = 0; round < 5; round++) {
        fill((float)(rank + round));
        cudaMemcpyAsync(a, host, nbytes, cudaMemcpyHostToDevice, stream[0]);
        cudaMemcpyAsync(b, host, nbytes, cudaMemcpyHostToDevice, stream[1]);
        ncclGroupStart();
        ncclAllReduce(a, out, COUNT, ncclFloat, ncclSum, comm, stream[1]);
        ncclAllReduce(b, b, COUNT, ncclFloat, ncclMax, comm, stream[0]);
        ncclBroadcast(NULL, NULL, 0, ncclFloat, 0, comm, stream[2]);
        ncclGroupEnd();
        cudaMemcpyAsync(h[0], out, nbytes, cudaMemcpyDeviceToHost, stream[0]);
        cudaMemcpyAsync(h[1], b, nbytes, cudaMemcpyDeviceToHost, stream[1]);
        cudaStreamSynchronize(stream[0]);
        cudaStreamSynchronize(stream[1]);
        const int sum = nranks * (nranks - 1) / 2 + nranks * round;
        RULE(all_equal(h[0], (float)sum), "the group follows both streams");
        RULE(all_equal(h[1], (float)(nranks - 1 + round)),
             "and they follow it");
    }
    cudaFree(a);
    cudaFree(b);
    cudaFree(out);
    cudaFreeHost(h[0]);
    cudaFreeHost(h[1]);
}

/* Both directions at once, on streams that also synchronise with each other. */
static void check_legacy(void)
{
    float *out, *in;
    const int peer = rank ^ 1;
    cudaMalloc((void **)&out, COUNT * sizeof *out);
    cudaMalloc((void **)&in, COUNT * sizeof *in);
    if (peer < nranks) {
        fill((float)rank);
        cudaMemcpy(out, host, COUNT * sizeof *out, cudaMemcpyHostToDevice);
        ncclGroupStart();
        ncclSend(out, COUNT, ncclFloat, peer, comm, stream[0]);
        ncclRecv(in, COUNT, ncclFloat, peer, comm, cudaStreamLegacy);
        RULE(ncclGroupEnd() == ncclSuccess, "the legacy stream is in a group");
        cudaMemcpy(host, in, COUNT * sizeof *in, cudaMemcpyDeviceToHost);
        RULE(all_equal(host, (float)peer), "that doesn't wait for itself");
    }
    cudaFree(out);
    cudaFree(in);
}

static void check_registered(void)
{
    float *const mine = malloc(COUNT * sizeof *mine);
    float *pinned;
    cudaMallocHost((void **)&pinned, COUNT * sizeof *pinned);
    cudaHostRegister(mine, COUNT * sizeof *mine, cudaHostRegisterDefault);
    for (int i = 0; i < COUNT; i++)
        mine[i] = pinned[i] = (float)rank;
    ncclAllReduce(mine, mine, COUNT, ncclFloat, ncclSum, comm, stream[0]);
    ncclAllReduce(pinned, pinned, COUNT, ncclFloat, ncclSum, comm, stream[0]);
    if (rank == 0 && nranks > 1)
        ncclSend(mine, COUNT, ncclFloat, 1, comm, stream[0]);
    if (rank == 1)
        ncclRecv(mine, COUNT, ncclFloat, 0, comm, stream[0]);
    cudaStreamSynchronize(stream[0]);
    const float want = (float)(nranks * (nranks - 1) / 2);
    RULE(all_equal(mine, want), "registered memory is reduced and sent");
    RULE(all_equal(pinned, want), "and so is pinned memory");
    cudaHostUnregister(mine);
    cudaFreeHost(pinned);
    free(mine);
}

/* Messages on several streams arrive in the order of the calls. */
static void check_order(void)
{
    enum { MESSAGES = 60, SIZE = 100 };
    float *out, *in;
    int right = 1;
    cudaMalloc((void **)&out, MESSAGES * SIZE * sizeof *out);
    cudaMalloc((void **)&in, MESSAGES * SIZE * sizeof *in);
    for (int i = 0; i < MESSAGES * SIZE; i++)
        host[i] = (float)i;
    cudaMemcpy(out, host, MESSAGES * SIZE * sizeof *out,
               cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    for (int m = 0; m < MESSAGES; m++) {
        if (rank == 0 && nranks > 1)
            ncclSend(out + m * SIZE, SIZE, ncclFloat, 1, comm, stream[m % 3]);
        if (rank == 1)
            ncclRecv(in + m * SIZE, SIZE, ncclFloat, 0, comm, stream[m % 3]);
    }
    cudaDeviceSynchronize();
    cudaMemcpy(host, in, MESSAGES * SIZE * sizeof *in, cudaMemcpyDeviceToHost);
    for (int i = 0; i < MESSAGES * SIZE && rank == 1; i++)
        right &= host[i] == (float)i;
    RULE(right, "messages keep the order of their calls, on any stream");
    cudaFree(out);
    cudaFree(in);
}

int main(int argc, char *argv[])
{
    ncclUniqueId id;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaSetDevice(rank);
    for (int i = 0; i < 3; i++)
        cudaStreamCreate(&stream[i]);
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRank(&comm, nranks, id, rank);
    host = malloc(COUNT * sizeof *host);
    check_join();
    check_legacy();
    check_registered();
    check_order();
    free(host);
    ncclCommDestroy(comm);
    MPI_Finalize();
    return rule_status();
}
