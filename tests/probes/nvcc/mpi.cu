// No call of MPI that simgpu does not have itself.
#include <cuda_runtime.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int failed = cudaFree(0) != cudaSuccess;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return failed;
}
