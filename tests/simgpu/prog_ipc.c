/*
 * Events and memory shared by two processes, recorded and used by either.
 *
 *     mpirun -n 2 prog_ipc
 */
#include <cuda_runtime_api.h>
#include <mpi.h>

#include "rule.h"

static void pass(void *data, int nbytes, int from)
{
    MPI_Bcast(data, nbytes, MPI_BYTE, from, MPI_COMM_WORLD);
}

static void check_events(int rank)
{
    enum { N = 1 << 20 };
    cudaIpcEventHandle_t handle;
    cudaIpcMemHandle_t memory;
    cudaEvent_t event;
    cudaStream_t s;
    char *d, h = 0;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    if (rank == 0) {
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming |
                                             cudaEventInterprocess);
        cudaIpcGetEventHandle(&handle, event);
        cudaMalloc((void **)&d, N);
        cudaMemset(d, 0, N);
        cudaDeviceSynchronize();
        cudaIpcGetMemHandle(&memory, d);
    }
    pass(&handle, sizeof handle, 0);
    pass(&memory, sizeof memory, 0);
    if (rank == 1) {
        RULE(cudaIpcOpenEventHandle(&event, handle) == cudaSuccess &&
                 cudaIpcOpenMemHandle((void **)&d, memory,
                                      cudaIpcMemLazyEnablePeerAccess) ==
                     cudaSuccess,
             "a peer's event and memory open");
        cudaMemsetAsync(d, 9, N, s);
        cudaEventRecord(event, s); // by the process that opened it
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        cudaStreamWaitEvent(s, event, 0);
        cudaMemcpyAsync(&h, d + N - 1, 1, cudaMemcpyDeviceToHost, s);
        cudaStreamSynchronize(s);
        RULE(h == 9, "the owner waits for what the other recorded");
        RULE(cudaEventSynchronize(event) == cudaSuccess &&
                 cudaEventQuery(event) == cudaSuccess,
             "its host does, too");
        cudaMemsetAsync(d, 4, N, s);
        cudaEventRecord(event, s);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        cudaStreamWaitEvent(s, event, 0);
        cudaMemcpyAsync(&h, d + N - 1, 1, cudaMemcpyDeviceToHost, s);
        cudaStreamSynchronize(s);
        RULE(h == 4, "and the other way round");
        cudaIpcCloseMemHandle(d);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    cudaEventDestroy(event);
    if (rank == 0)
        cudaFree(d);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cudaSetDevice(rank);
    check_events(rank);
    MPI_Finalize();
    return rule_status();
}
