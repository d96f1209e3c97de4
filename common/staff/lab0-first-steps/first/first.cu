// first.cu: each rank fills a vector on its GPU; NCCL sums them over all ranks.
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>

__global__ void fill(float *x, float value)
{
    x[threadIdx.x] = value;
}

int main(int argc, char **argv)
{
    int rank, nranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);   // which one am I?
    MPI_Comm_size(MPI_COMM_WORLD, &nranks); // how many are we?

    cudaSetDevice(rank); // a GPU for each rank

    ncclUniqueId id; // rank 0 makes it, all share it
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclComm_t comm;
    ncclCommInitRank(&comm, nranks, id, rank);

    float *x, result;
    cudaMalloc((void **)&x, 256 * sizeof *x);              // memory of that GPU
    fill<<<1, 256>>>(x, rank + 1);                         // ordered, not done
    ncclAllReduce(x, x, 256, ncclFloat, ncclSum, comm, 0); // after fill
    cudaMemcpy(&result, x, sizeof result, cudaMemcpyDeviceToHost); // waits
    printf("rank %d of %d: the sum is %g\n", rank, nranks, result);

    ncclCommDestroy(comm);
    cudaFree(x);
    MPI_Finalize();
}
