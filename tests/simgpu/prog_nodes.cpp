/*
 * Eight ranks on two nodes of four GPUs, whose PCI bus ids are the same on both
 * nodes: a rank reaches memory of the other node over the network only.
 *
 *     SIMGPU_TOPO=2x:gh200@ndr mpirun -n 8 prog_nodes
 */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <mpi.h>
#include <nccl.h>
#include <nccl_device.h>
#include <string.h>

#include "rule.h"

enum { COUNT = 1000, BUS_ID = 32, PER_NODE = 4, RANKS = 8 };
static int rank;

static void pass(void *data, int nbytes)
{
    MPI_Bcast(data, nbytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void check_places(void)
{
    char id[RANKS][BUS_ID];
    int ndevices, near;
    MPI_Comm node;
    cudaDeviceGetPCIBusId(id[rank], BUS_ID, rank % PER_NODE);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, id, BUS_ID, MPI_BYTE,
                  MPI_COMM_WORLD);
    RULE(strcmp(id[0], id[PER_NODE]) == 0 && strcmp(id[0], id[1]) != 0,
         "the nodes' bus ids are equal");
    RULE(cudaGetDeviceCount(&ndevices) == cudaSuccess && ndevices == PER_NODE,
         "a rank sees the GPUs of its node");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &node);
    MPI_Comm_size(node, &near);
    MPI_Comm_free(&node);
    RULE(near == PER_NODE, "and shares memory with its ranks");
}

static void check_handles(float *d)
{
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t event;
    cudaEvent_t e;
    float *theirs = NULL;
    cudaEventCreateWithFlags(&e,
                             cudaEventDisableTiming | cudaEventInterprocess);
    cudaIpcGetMemHandle(&memory, d);
    cudaIpcGetEventHandle(&event, e);
    pass(&memory, sizeof memory);
    pass(&event, sizeof event);
    cudaEventDestroy(e);
    if (rank == 0)
        return;
    const cudaError_t err = cudaIpcOpenMemHandle(
        (void **)&theirs, memory, cudaIpcMemLazyEnablePeerAccess);
    if (rank < PER_NODE) {
        RULE(err == cudaSuccess, "memory of another rank of the node opens");
        cudaIpcCloseMemHandle(theirs);
        return;
    }
    RULE(err == cudaErrorInvalidValue && !theirs,
         "memory of another node doesn't open");
    RULE(cudaIpcOpenEventHandle(&e, event) == cudaErrorInvalidValue,
         "nor does an event");
    cudaGetLastError();
}

static void check_driver(void)
{
    CUmemAllocationProp p;
    CUmemGenericAllocationHandle memory = 0;
    size_t nbytes = 0;
    memset(&p, 0, sizeof p);
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
    cuMemGetAllocationGranularity(&nbytes, &p,
                                  CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    RULE(cuMemCreate(&memory, nbytes ? nbytes : 2 << 20, &p, 0) ==
             CUDA_ERROR_NOT_SUPPORTED,
         "no fabric joins the nodes");
}

static void check_nccl(float *d)
{
    ncclUniqueId id;
    ncclComm_t comm;
    float sum = 0;
    if (rank == 0)
        ncclGetUniqueId(&id);
    pass(&id, sizeof id);
    RULE(ncclCommInitRank(&comm, RANKS, id, rank) == ncclSuccess,
         "NCCL takes equal bus ids for different GPUs");
    RULE(ncclTeamLsa(comm).nRanks == PER_NODE,
         "but only those of a node for peers");
    ncclAllReduce(d, d, COUNT, ncclFloat, ncclSum, comm, 0);
    cudaMemcpy(&sum, d + COUNT - 1, sizeof sum, cudaMemcpyDeviceToHost);
    RULE(sum == RANKS, "it sums over the network");
    ncclCommDestroy(comm);
}

int main(int argc, char **argv)
{
    static float one[COUNT];
    float *d;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cudaSetDevice(rank % PER_NODE);
    for (int i = 0; i < COUNT; i++)
        one[i] = 1;
    cudaMalloc((void **)&d, sizeof one);
    cudaMemcpy(d, one, sizeof one, cudaMemcpyHostToDevice);
    check_places();
    check_handles(d);
    check_driver();
    check_nccl(d);
    MPI_Barrier(MPI_COMM_WORLD);
    cudaFree(d);
    MPI_Finalize();
    return rule_status();
}
