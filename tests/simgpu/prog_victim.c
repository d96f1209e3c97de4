/*
 * Ranks that are busy forever with everything that connects processes:
 * collectives, memory opened by peers, streams that wait for peers' values.
 * Each first writes its process id to FOLDER/RANK.
 *
 *     mpirun -n 3 prog_victim FOLDER
 */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT = 100000, MAX_RANKS = 16 };

static void say_where(const char *folder)
{
    char path[4096], part[4200];
    const char *const rank = getenv("PMI_RANK");
    snprintf(path, sizeof path, "%s/%s", folder, rank ? rank : "0");
    snprintf(part, sizeof part, "%s.part", path);
    FILE *const f = fopen(part, "w");
    if (!f || fprintf(f, "%d\n", (int)getpid()) < 0 || fclose(f) != 0 ||
        rename(part, path) != 0)
        exit(2);
}

int main(int argc, char **argv)
{
    int rank, nranks;
    ncclUniqueId id;
    ncclComm_t comm;
    cudaIpcMemHandle_t handle[MAX_RANKS];
    float *own, *next;
    cudaStream_t s;
    if (argc != 2)
        return 2;
    say_where(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaSetDevice(rank);
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRank(&comm, nranks, id, rank);
    cudaStreamCreate(&s);
    cudaMalloc((void **)&own, COUNT * sizeof *own);
    cudaMemset(own, 0, COUNT * sizeof *own);
    cudaIpcGetMemHandle(&handle[rank], own);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, handle, sizeof *handle, MPI_BYTE,
                  MPI_COMM_WORLD);
    cudaIpcOpenMemHandle((void **)&next, handle[(rank + 1) % nranks],
                         cudaIpcMemLazyEnablePeerAccess);
    for (unsigned i = 1;; i++) {
        ncclAllReduce(own + 1, own + 1, COUNT - 1, ncclFloat, ncclSum, comm, s);
        cuStreamWriteValue32(s, (CUdeviceptr)(uintptr_t)next, i, 0);
        cuStreamWaitValue32(s, (CUdeviceptr)(uintptr_t)own, i, 0);
        cudaStreamSynchronize(s);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}
