/*
 * Memory that its owner frees while another process has it, or is about to open
 * it. CUDA leaves this undefined: on a GPU, the other process keeps its access.
 *
 *     mpirun -n 2 prog_ipc_freed
 */
#include <cuda_runtime_api.h>
#include <mpi.h>

#include "rule.h"

static void pass(cudaIpcMemHandle_t *handle)
{
    MPI_Bcast(handle, sizeof *handle, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void check_freed(int rank)
{
    cudaIpcMemHandle_t early, late;
    char *d[2], *p, h;
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            cudaMalloc((void **)&d[i], 4096);
        cudaIpcGetMemHandle(&early, d[0]);
        cudaIpcGetMemHandle(&late, d[1]);
        cudaFree(d[1]);
    }
    pass(&early);
    pass(&late);
    if (rank == 1) {
        RULE(cudaIpcOpenMemHandle((void **)&p, late,
                                  cudaIpcMemLazyEnablePeerAccess) ==
                 cudaErrorMapBufferObjectFailed,
             "what its owner has freed doesn't open");
        RULE(cudaIpcOpenMemHandle((void **)&p, early,
                                  cudaIpcMemLazyEnablePeerAccess) ==
                 cudaSuccess,
             "what it hasn't does");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        cudaFree(d[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        RULE(cudaMemcpy(&h, p, 1, cudaMemcpyDefault) == cudaErrorInvalidValue,
             "and when its owner frees it, it is gone here");
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cudaSetDevice(rank);
    check_freed(rank);
    MPI_Finalize();
    return rule_status();
}
