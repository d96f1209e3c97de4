/*
 * Ranks without MPI, which find each other by a file. Rank 1 makes its first
 * call late, or ends without one.
 *
 *     mpirun -n 2 prog_nccl_late FILE MILLISECONDS [ends]
 */
#include <cuda_runtime_api.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { RANKS = 2 };

static void publish(const char *path, const ncclUniqueId *id)
{
    char part[4096];
    snprintf(part, sizeof part, "%s.part", path);
    FILE *const f = fopen(part, "w");
    if (!f || fwrite(id, sizeof *id, 1, f) != 1 || fclose(f) != 0 ||
        rename(part, path) != 0)
        exit(2);
}

static void await(const char *path, ncclUniqueId *id)
{
    FILE *f;
    while (!(f = fopen(path, "r")))
        usleep(1000);
    if (fread(id, sizeof *id, 1, f) != 1)
        exit(2);
    fclose(f);
}

int main(int argc, char **argv)
{
    const char *const text = getenv("PMI_RANK");
    const int rank = text ? atoi(text) : 0;
    ncclUniqueId id;
    ncclComm_t comm;
    float *x;
    if (argc < 3)
        return 2;
    if (rank == 0) {
        ncclGetUniqueId(&id);
        publish(argv[1], &id);
    } else {
        await(argv[1], &id);
        usleep((useconds_t)atoi(argv[2]) * 1000);
        if (argc > 3)
            return 0;
    }
    cudaSetDevice(rank);
    if (ncclCommInitRank(&comm, RANKS, id, rank) != ncclSuccess)
        return 3;
    cudaMalloc((void **)&x, sizeof *x);
    cudaMemset(x, 0, sizeof *x);
    ncclAllReduce(x, x, 1, ncclFloat, ncclSum, comm, 0);
    const int failed = cudaDeviceSynchronize() != cudaSuccess;
    cudaFree(x);
    ncclCommDestroy(comm);
    return failed;
}
