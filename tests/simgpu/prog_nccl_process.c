/* One device per process, with MPI: the first program of every NCCL course. */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdlib.h>

#include "rule.h"

enum { COUNT = 1 << 20 };

int main(int argc, char *argv[])
{
    int rank, nranks, local_rank, right = 1;
    ncclUniqueId id;
    ncclComm_t comm;
    cudaStream_t stream;
    float *sendbuff, *recvbuff;
    float *const host = malloc(COUNT * sizeof *host);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    MPI_Comm local;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank,
                        MPI_INFO_NULL, &local);
    MPI_Comm_rank(local, &local_rank);
    MPI_Comm_free(&local);

    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    cudaSetDevice(local_rank);
    cudaMalloc((void **)&sendbuff, COUNT * sizeof *sendbuff);
    cudaMalloc((void **)&recvbuff, COUNT * sizeof *recvbuff);
    cudaStreamCreate(&stream);
    RULE(ncclCommInitRank(&comm, nranks, id, rank) == ncclSuccess,
         "every process joins with its device");

    for (int i = 0; i < COUNT; i++)
        host[i] = (float)(rank + i % 3);
    cudaMemcpyAsync(sendbuff, host, COUNT * sizeof *host,
                    cudaMemcpyHostToDevice, stream);
    RULE(ncclAllReduce(sendbuff, recvbuff, COUNT, ncclFloat, ncclSum, comm,
                       stream) == ncclSuccess,
         "an all-reduce is enqueued");
    cudaMemcpyAsync(host, recvbuff, COUNT * sizeof *host,
                    cudaMemcpyDeviceToHost, stream);
    RULE(cudaStreamSynchronize(stream) == cudaSuccess, "and completes");
    for (int i = 0; i < COUNT; i++)
        right &=
            host[i] == (float)(nranks * (nranks - 1) / 2 + nranks * (i % 3));
    RULE(right, "with the sum of all ranks");

    cudaFree(sendbuff);
    cudaFree(recvbuff);
    cudaStreamDestroy(stream);
    RULE(ncclCommFinalize(comm) == ncclSuccess, "it is finalized");
    RULE(ncclCommDestroy(comm) == ncclSuccess, "and destroyed");
    free(host);
    MPI_Finalize();
    return rule_status();
}
