/* Two pools of rank 0 in rank 1: each takes its own allocations only. */
#include <cuda_runtime.h>
#include <fcntl.h> /* open */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h> /* getpid */

#include "rule.h"

enum { POOLS = 2 };
static const enum cudaMemAllocationHandleType file =
    cudaMemHandleTypePosixFileDescriptor;

struct shared {
    int pid, fd[POOLS];
    struct cudaMemPoolPtrExportData data[POOLS];
};

static void export_pools(struct shared *out, int **at)
{
    struct cudaMemPoolProps props;
    int *plain;
    memset(&props, 0, sizeof props);
    props.allocType = cudaMemAllocationTypePinned;
    props.handleTypes = file;
    props.location.type = cudaMemLocationTypeDevice;
    out->pid = getpid();
    for (int i = 0; i < POOLS; i++) {
        cudaMemPool_t pool;
        const int value = 100 + i;
        cudaMemPoolCreate(&pool, &props);
        cudaMallocFromPoolAsync((void **)&at[i], sizeof value, pool, 0);
        cudaMemcpy(at[i], &value, sizeof value, cudaMemcpyHostToDevice);
        RULE(cudaMemPoolExportToShareableHandle(&out->fd[i], pool, file, 0) ==
                 cudaSuccess,
             "export a pool");
        RULE(cudaMemPoolExportPointer(&out->data[i], at[i]) == cudaSuccess,
             "export an allocation");
    }
    cudaMalloc((void **)&plain, 4);
    struct cudaMemPoolPtrExportData none;
    RULE(cudaMemPoolExportPointer(&none, plain) == cudaErrorInvalidValue,
         "memory of no pool");
    cudaFree(plain);
}

static void import_pools(const struct shared *in)
{
    for (int i = 0; i < POOLS; i++) {
        char path[64];
        cudaMemPool_t pool;
        void *p = NULL;
        int value = 0;
        struct cudaMemPoolPtrExportData data[POOLS];
        memcpy(data, in->data, sizeof data);
        snprintf(path, sizeof path, "/proc/%d/fd/%d", in->pid, in->fd[i]);
        const int fd = open(path, O_RDONLY);
        RULE(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)fd,
                                                  file, 0) == cudaSuccess,
             "import a pool");
        RULE(cudaMemPoolImportPointer(&p, pool, &data[1 - i]) ==
                 cudaErrorInvalidValue,
             "the other pool's allocation");
        RULE(cudaMemPoolImportPointer(&p, pool, &data[i]) == cudaSuccess,
             "its own allocation");
        cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost);
        RULE(value == 100 + i, "what the owner wrote");
        cudaFree(p);
        close(fd);
    }
}

int main(int argc, char *argv[])
{
    struct shared s;
    int rank, *at[POOLS];
    memset(&s, 0, sizeof s);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        export_pools(&s, at);
    MPI_Bcast(&s, sizeof s, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 1)
        import_pools(&s);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < POOLS; i++)
        cudaFree(at[i]);
    MPI_Finalize();
    return rule_status();
}
