/*
 * Groups of many messages: more each way than a channel holds, in groups that
 * the ranks cut differently, and polled.
 */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdlib.h>

#include "rule.h"

enum { MOST = 1000 }; /* messages from one rank to another */

static int rank, nranks;
static ncclComm_t comm;
static cudaStream_t stream;
static int *sent, *received; /* (nranks, MOST), on the device */

/* Message i from one rank to another. */
static int content(int from, int to, int i)
{
    return from * 1000000 + to * 10000 + i;
}

/* Messages `begin` to `end` from this rank to the n first of the others, or to
 * it. */
static void add_sends(int begin, int end, int n)
{
    for (int i = begin; i < end; i++)
        for (int to = 0; to < n; to++)
            if (to != rank)
                ncclSend(sent + to * MOST + i, 1, ncclInt, to, comm, stream);
}

static void add_receives(int begin, int end, int n)
{
    for (int from = 0; from < n; from++)
        for (int i = begin; from != rank && i < end; i++)
            ncclRecv(received + from * MOST + i, 1, ncclInt, from, comm,
                     stream);
}

/* Have k messages come from each of n ranks? */
static int all_came(int k, int n)
{
    const size_t nbytes = sizeof(int) * (size_t)nranks * MOST;
    int *const h = malloc(nbytes), right = 1;
    cudaMemcpyAsync(h, received, nbytes, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int from = 0; from < n; from++)
        for (int i = 0; from != rank && i < k; i++)
            right &= h[from * MOST + i] == content(from, rank, i);
    free(h);
    cudaMemsetAsync(received, 0, nbytes, stream);
    return right;
}

static void fill(void)
{
    const size_t n = (size_t)nranks * MOST;
    int *const h = malloc(n * sizeof *h);
    cudaMalloc((void **)&sent, n * sizeof *h);
    cudaMalloc((void **)&received, n * sizeof *h);
    for (int to = 0; to < nranks; to++)
        for (int i = 0; i < MOST; i++)
            h[to * MOST + i] = content(rank, to, i);
    cudaMemcpy(sent, h, n * sizeof *h, cudaMemcpyHostToDevice);
    cudaMemset(received, 0, n * sizeof *h);
    cudaDeviceSynchronize();
    free(h);
}

static void check_groups(void)
{
    static const int many[] = {32, 33, 100, MOST};
    for (int k = 0; k < 4; k++) {
        ncclGroupStart();
        add_sends(0, many[k], nranks);
        add_receives(0, many[k], nranks);
        ncclGroupEnd();
        RULE(all_came(many[k], nranks),
             "a group passes any number of messages");
    }
}

/* Of two ranks, one has one group, the other one for each 40 messages. */
static void check_cuts(void)
{
    enum { N = 120 };
    const int step = rank == 0 ? N : 40;
    for (int i = 0; i < N && rank < 2; i += step) {
        ncclGroupStart();
        add_receives(i, i + step, 2);
        add_sends(i, i + step, 2);
        ncclGroupEnd();
    }
    RULE(rank >= 2 || all_came(N, 2),
         "a peer may cut the same messages into several groups");
}

static void check_polled(void)
{
    ncclGroupStart();
    add_sends(0, 64, nranks);
    add_receives(0, 64, nranks);
    ncclGroupEnd();
    cudaError_t err;
    while ((err = cudaStreamQuery(stream)) == cudaErrorNotReady)
        ;
    RULE(err == cudaSuccess && all_came(64, nranks),
         "64 in flight can be polled");
}

int main(int argc, char *argv[])
{
    ncclUniqueId id;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaSetDevice(rank);
    cudaStreamCreate(&stream);
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRank(&comm, nranks, id, rank);
    fill();
    check_groups();
    check_cuts();
    check_polled();
    cudaFree(sent);
    cudaFree(received);
    ncclCommDestroy(comm);
    cudaStreamDestroy(stream);
    MPI_Finalize();
    return rule_status();
}
