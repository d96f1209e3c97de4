/*
 * Every rank opens two allocations of every rank, the second far behind the
 * first: it reads a word of the first, and signals its right neighbour in the
 * second.
 *
 *     mpirun -n 64 prog_many_imports
 */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <mpi.h>

#include "rule.h"

enum { MAX_RANKS = 256, FAR = 1 << 30 };

struct memory {
    uint32_t *near, *far;
};
struct handles {
    cudaIpcMemHandle_t near, far;
};

static struct memory make(int rank, struct handles *h)
{
    struct memory m;
    char *between;
    const uint32_t word[2] = {(uint32_t)rank, 0};
    cudaMalloc((void **)&m.near, sizeof word);
    cudaMalloc((void **)&between, FAR);
    cudaMalloc((void **)&m.far, sizeof word);
    cudaMemcpy(m.near, &word[0], sizeof word[0], cudaMemcpyHostToDevice);
    cudaMemcpy(m.far, &word[1], sizeof word[1], cudaMemcpyHostToDevice);
    RULE(cudaIpcGetMemHandle(&h->near, m.near) == cudaSuccess &&
             cudaIpcGetMemHandle(&h->far, m.far) == cudaSuccess,
         "memory has handles");
    return m;
}

static int nclosed; /* handles that did not open */

static void *open_one(cudaIpcMemHandle_t h)
{
    void *p = NULL;
    nclosed += cudaIpcOpenMemHandle(&p, h, cudaIpcMemLazyEnablePeerAccess) !=
               cudaSuccess;
    return p;
}

int main(int argc, char **argv)
{
    static struct handles mine, all[MAX_RANKS];
    struct memory peer[MAX_RANKS];
    int rank, n, ndevices;
    uint32_t sum = 0, word;
    cudaStream_t s;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    cudaGetDeviceCount(&ndevices);
    cudaSetDevice(rank % ndevices);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    const struct memory own = make(rank, &mine);
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE,
                  MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) {
        peer[i] = own;
        if (i == rank) // a process does not open its own memory
            continue;
        peer[i].near = open_one(all[i].near);
        peer[i].far = open_one(all[i].far);
    }
    RULE(nclosed == 0, "the memory of every rank opens");
    for (int i = 0; i < n; i++) {
        cudaMemcpy(&word, peer[i].near, sizeof word, cudaMemcpyDeviceToHost);
        sum += word;
    }
    cuStreamWriteValue32(s, (CUdeviceptr)peer[(rank + 1) % n].far, 1, 0);
    cuStreamWaitValue32(s, (CUdeviceptr)own.far, 1, CU_STREAM_WAIT_VALUE_GEQ);
    RULE(cudaStreamSynchronize(s) == cudaSuccess,
         "the left neighbour's signal arrives");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks, sum %u\n", n, sum);
    MPI_Finalize();
    return rule_status();
}
