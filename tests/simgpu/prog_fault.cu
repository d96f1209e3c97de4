// Programs with one mistake each, named on the command line; test_simgpu checks
// what simgpu reports.
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <stdio.h>
#include <string.h>

__global__ void fill(float *p, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = 1;
}

int main(int argc, char **argv)
{
    const char *const fault = argc > 1 ? argv[1] : "";
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
    cudaMalloc(&d, 1000 * sizeof *d);
    if (strcmp(fault, "host-read") == 0)
        printf("%f\n", d[3]);
    if (strcmp(fault, "out-of-bounds") == 0)
        fill<<<5, 256>>>(d, 1001);
    if (strcmp(fault, "use-after-free") == 0) {
        cudaFree(d);
        fill<<<1, 256>>>(d, 10);
    }
    if (strcmp(fault, "count") == 0)
        ncclAllReduce(d, d, 100 + rank, ncclFloat, ncclSum, comm, 0);
    if (strcmp(fault, "missing") == 0 && rank != 0)
        ncclAllReduce(d, d, 100, ncclFloat, ncclSum, comm, 0);
    if (strcmp(fault, "no-group") == 0) {
        ncclSend(d, 100, ncclFloat, 1 - rank, comm, 0);
        ncclRecv(d, 100, ncclFloat, 1 - rank, comm, 0);
    }
    if (strcmp(fault, "pageable") == 0) {
        float h[4] = {0};
        ncclAllReduce(h, h, 4, ncclFloat, ncclSum, comm, 0);
    }
    if (strcmp(fault, "freed-to-nccl") == 0) {
        cudaFree(d);
        ncclAllReduce(d, d, 100, ncclFloat, ncclSum, comm, 0);
    }
    if (strcmp(fault, "own-ids") == 0) {
        ncclGetUniqueId(&id);
        ncclCommInitRank(&comm, nranks, id, rank);
    }
    if (strcmp(fault, "closed-pool") == 0) {
        cudaMemPool_t pool;
        struct cudaMemPoolProps props = {};
        props.allocType = cudaMemAllocationTypePinned;
        props.location.type = cudaMemLocationTypeHostNuma;
        cudaMemPoolCreate(&pool, &props);
        cudaMallocFromPoolAsync(&d, 4000, pool, 0);
        fill<<<1, 256>>>(d, 10);
    }
    if (strcmp(fault, "between-elements") == 0) {
        char *const between = (char *)d + 6;
        ncclBroadcast(between, between, 10, ncclFloat, 0, comm, 0); // bytes
        ncclAllReduce(between, d + 100, 10, ncclFloat, ncclSum, comm, 0);
    }
    if (strncmp(fault, "other-device", 12) == 0) {
        cudaSetDevice(rank == 0 || !fault[12]); // "-open": rank 1, too
        cudaMalloc(&d, 4000);
        cudaMemset(d, 0, 4000);
        cudaDeviceSynchronize();
        cudaSetDevice(rank);
        if (strcmp(fault, "other-device-open") == 0)
            cudaDeviceEnablePeerAccess(1 - rank, 0);
        ncclAllReduce(d, d, 100, ncclFloat, ncclSum, comm, 0);
    }
    if (strcmp(fault, "printed") == 0) {
        printf("rank %d came here\n", rank);
        printf("%f\n", d[3]);
    }
    cudaDeviceSynchronize();
    ncclCommDestroy(comm);
    MPI_Finalize();
    return 0;
}
