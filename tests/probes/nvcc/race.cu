// A rank sends what a kernel may still be writing.
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

__global__ void fill(float *x, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        x[i] = 1;
}

int main(int argc, char **argv)
{
    enum { N = 1000 };
    int rank, nranks;
    float *x;
    cudaStream_t s;
    ncclUniqueId id;
    ncclComm_t comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaSetDevice(rank);
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRank(&comm, nranks, id, rank);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMallocHost(&x, N * sizeof *x);
    if (rank == 0) {
        fill<<<1, 32, 0, s>>>(x, N);
        MPI_Send(x, N, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(x, N, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    cudaStreamSynchronize(s);
    ncclCommDestroy(comm);
    cudaFreeHost(x);
    cudaStreamDestroy(s);
    MPI_Finalize();
}
