/*
 * 16 MiB all-reduced in float: ncclAllReduce on simgpu, and MPICH's
 * MPI_Allreduce, in one run on one machine. Prints both rates and their ratio.
 * The clock is the machine's own, whatever MPI_Wtime says.
 */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COUNT = 4 << 20, RUNS = 5 };

static double now_sec(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    int rank, nranks;
    ncclUniqueId id;
    ncclComm_t comm;
    float *d;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaSetDevice(rank);
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRank(&comm, nranks, id, rank);
    cudaMalloc((void **)&d, COUNT * sizeof *d);
    cudaMemset(d, 0, COUNT * sizeof *d);
    float *const in = calloc(COUNT, sizeof *in);
    float *const out = calloc(COUNT, sizeof *out);

    double nccl = 1e9, mpi = 1e9; // the best of all runs
    for (int i = 0; i < RUNS; i++) {
        cudaDeviceSynchronize();
        double begin = now_sec();
        ncclAllReduce(d, d, COUNT, ncclFloat, ncclSum, comm, 0);
        cudaDeviceSynchronize();
        const double a = now_sec() - begin;
        MPI_Barrier(MPI_COMM_WORLD);
        begin = now_sec();
        MPI_Allreduce(in, out, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        const double b = now_sec() - begin;
        nccl = a < nccl ? a : nccl;
        mpi = b < mpi ? b : mpi;
    }
    const double bytes = COUNT * sizeof *d;
    if (rank == 0)
        printf("all-reduce of 16 MiB, %d ranks: simgpu %.2f GB/s, MPICH %.2f "
               "GB/s, ratio %.1f\n",
               nranks, bytes / nccl / 1e9, bytes / mpi / 1e9, mpi / nccl);
    free(in);
    free(out);
    cudaFree(d);
    ncclCommDestroy(comm);
    MPI_Finalize();
    return 0;
}
