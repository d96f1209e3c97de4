/* Fabric handles, for 2 ranks: one maps memory of the other's, by 64 bytes that
 * MPI carries. Where no fabric joins GPUs, they are refused. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "rule.h"

enum { N = 1000 };
static const CUmemAllocationHandleType fabric = CU_MEM_HANDLE_TYPE_FABRIC;
static int rank;
static size_t nbytes = 1;

static CUmemAllocationProp asked(void)
{
    CUmemAllocationProp p;
    memset(&p, 0, sizeof p);
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.location.id = rank;
    p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
    return p;
}

static int *mapped(CUmemGenericAllocationHandle memory)
{
    CUdeviceptr at = 0;
    CUmemAccessDesc open;
    memset(&open, 0, sizeof open);
    open.location = asked().location;
    open.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    cuMemAddressReserve(&at, nbytes, 0, 0, 0);
    RULE(cuMemMap(at, nbytes, 0, memory, 0) == CUDA_SUCCESS, "map");
    cuMemSetAccess(at, nbytes, &open, 1);
    return (int *)at;
}

static void check_refused(CUresult made)
{
    CUmemGenericAllocationHandle memory;
    CUmemFabricHandle handle;
    memset(&handle, 0, sizeof handle);
    RULE(made == CUDA_ERROR_NOT_SUPPORTED, "no fabric: refused");
    RULE(cuMemImportFromShareableHandle(&memory, &handle, fabric) ==
             CUDA_ERROR_NOT_SUPPORTED,
         "no fabric: nothing to import");
}

/* Rank 0 copies numbers to rank 1's memory, which reads them in its own. */
static void check_exchange(CUmemGenericAllocationHandle memory)
{
    CUmemGenericAllocationHandle theirs = 0;
    CUmemFabricHandle mine, other;
    CUmemAllocationProp prop;
    int in[N], out[N] = {0};
    for (int i = 0; i < N; i++)
        in[i] = 3 * i;
    RULE(cuMemExportToShareableHandle(&mine, memory, fabric, 0) == CUDA_SUCCESS,
         "export");
    RULE(cuMemExportToShareableHandle(&mine, memory,
                                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                      0) == CUDA_ERROR_INVALID_VALUE,
         "a kind of handle that was not asked for");
    MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, 1 - rank, 0, &other,
                 sizeof other, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    RULE(cuMemImportFromShareableHandle(&theirs, &other, fabric) ==
             CUDA_SUCCESS,
         "import");
    cuMemGetAllocationPropertiesFromHandle(&prop, theirs);
    RULE(prop.location.id == 1 - rank && prop.requestedHandleTypes == fabric,
         "the importer sees the owner's properties");
    int *const own = mapped(memory), *const far = mapped(theirs);
    if (rank == 0)
        cudaMemcpy(far, in, sizeof in, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    MPI_Barrier(MPI_COMM_WORLD);
    cudaMemcpy(out, rank ? own : far, sizeof out, cudaMemcpyDeviceToHost);
    RULE(memcmp(in, out, sizeof in) == 0, "both see what one wrote");
    memset(&other, 0, sizeof other);
    RULE(cuMemImportFromShareableHandle(&theirs, &other, fabric) ==
             CUDA_ERROR_INVALID_VALUE,
         "zeros are no handle");
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char *argv[])
{
    CUmemGenericAllocationHandle memory = 0;
    int has = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cudaSetDevice(rank);
    cudaFree(NULL);
    cuDeviceGetAttribute(&has, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED,
                         rank);
    RULE(has == (argc > 1 && atoi(argv[1])), "the device attribute");
    const CUmemAllocationProp prop = asked();
    cuMemGetAllocationGranularity(&nbytes, &prop,
                                  CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    if (!has)
        nbytes = (size_t)2 << 20;
    const CUresult made = cuMemCreate(&memory, nbytes, &prop, 0);
    if (has)
        check_exchange(memory);
    else
        check_refused(made);
    MPI_Finalize();
    return rule_status();
}
