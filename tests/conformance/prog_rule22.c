/* Rule 22. IPC: identity is (owner, allocation, offset). Opened events share
 * the record. (Two ranks, each with a device of its own where there are
 * two.) */
#include <mpi.h>
#include <string.h>

#include "slow.h"

int main(int argc, char **argv)
{
    cudaIpcMemHandle_t memory, again;
    cudaIpcEventHandle_t handle;
    cudaEvent_t e;
    char *d, *twice;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MUST(cudaSetDevice(rank && has_two_devices()));
    const cudaStream_t s = new_stream(cudaStreamNonBlocking);
    if (rank == 0) {
        d = device_bytes(1000, 1);
        MUST(cudaIpcGetMemHandle(&memory, d));
        MUST(cudaIpcGetMemHandle(&again, d));
        printf("the same allocation's handles are %s\n",
               memcmp(&memory, &again, sizeof memory) ? "different" : "equal");
        MUST(cudaEventCreateWithFlags(&e, cudaEventDisableTiming |
                                              cudaEventInterprocess));
        MUST(cudaIpcGetEventHandle(&handle, e));
    }
    MPI_Bcast(&memory, sizeof memory, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&handle, sizeof handle, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        MUST(cudaIpcOpenMemHandle((void **)&d, memory,
                                  cudaIpcMemLazyEnablePeerAccess));
        MUST(cudaIpcOpenEventHandle(&e, handle));
        MUST(cudaMemsetAsync(d + 500, 9, 500, s));
        MUST(cudaEventRecord(e, s));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MUST(cudaStreamWaitEvent(s, e, 0));
        MUST(cudaMemcpyAsync(d, d + 500, 1, cudaMemcpyDeviceToDevice, s));
        MUST(cudaStreamSynchronize(s));
        printf("behind a record of the other process: %d\n", byte_at(d));
    } else {
        MUST(cudaStreamSynchronize(s));
        MUST(cudaIpcOpenMemHandle((void **)&twice, memory,
                                  cudaIpcMemLazyEnablePeerAccess));
        MUST(cudaIpcCloseMemHandle(twice));
        MUST(cudaIpcCloseMemHandle(d));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MUST(cudaFree(d));
    MPI_Finalize();
    return 0;
}
