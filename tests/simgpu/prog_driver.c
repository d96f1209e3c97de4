/*
 * The driver API next to the runtime: contexts, pointers, and streams that
 * write and wait for values, in one process and, with a second rank, between
 * two.
 *
 *     mpirun -n 2 prog_driver             all rules
 *     mpirun -n 2 prog_driver never       a wait that is never fulfilled
 */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "rule.h"

enum { ROUNDS = 200 };

static CUdeviceptr address(const void *p)
{
    return (CUdeviceptr)(uintptr_t)p;
}

static void check_contexts(void)
{
    int n = 0;
    CUdevice device = -1;
    CUcontext none = (CUcontext)1, primary = NULL, current = NULL;
    const char *text = NULL;
    RULE(cuDeviceGetCount(&n) == CUDA_ERROR_NOT_INITIALIZED,
         "nothing works before cuInit");
    RULE(cuInit(1) == CUDA_ERROR_INVALID_VALUE, "cuInit takes no flags");
    RULE(cuInit(0) == CUDA_SUCCESS && cuDeviceGetCount(&n) == CUDA_SUCCESS &&
             n > 0,
         "after it there are devices");
    RULE(cuCtxGetCurrent(&none) == CUDA_SUCCESS && !none,
         "a thread begins without a context");
    RULE(cuStreamWriteValue32(NULL, 0, 0, 0) == CUDA_ERROR_INVALID_CONTEXT,
         "and streams need one");
    RULE(cuDeviceGet(&device, n) == CUDA_ERROR_INVALID_DEVICE &&
             cuDeviceGet(&device, 0) == CUDA_SUCCESS,
         "devices count from 0");
    RULE(cuDevicePrimaryCtxRetain(&primary, device) == CUDA_SUCCESS && primary,
         "a device has a primary context");
    RULE(cuCtxSetCurrent(primary) == CUDA_SUCCESS &&
             cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == primary,
         "which may be made current");
    RULE(cuDevicePrimaryCtxRelease(device) == CUDA_SUCCESS, "and released");
    RULE(cuGetErrorName(CUDA_ERROR_INVALID_CONTEXT, &text) == CUDA_SUCCESS &&
             strcmp(text, "CUDA_ERROR_INVALID_CONTEXT") == 0,
         "a result has a name");
    RULE(cuGetErrorString((CUresult)12345, &text) == CUDA_ERROR_INVALID_VALUE &&
             !text,
         "an unknown one has none");
    if (n > 1) {
        cudaSetDevice(1);
        cuDevicePrimaryCtxRetain(&primary, 1);
        RULE(cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == primary,
             "the runtime's device and the driver's context are one thing");
        cuDevicePrimaryCtxRelease(1);
        cudaSetDevice(0);
    }
}

static void check_pointers(void)
{
    char *d, *h, stack[8];
    CUmemorytype type;
    CUdeviceptr base;
    size_t nbytes;
    int device = -1;
    cudaMalloc((void **)&d, 1000);
    cudaMallocHost((void **)&h, 1000);
    RULE(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                               address(d + 9)) == CUDA_SUCCESS &&
             type == CU_MEMORYTYPE_DEVICE,
         "device memory is known");
    RULE(cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                               address(d + 9)) == CUDA_SUCCESS &&
             base == address(d) &&
             cuPointerGetAttribute(&nbytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                   address(d + 9)) == CUDA_SUCCESS &&
             nbytes >= 1000,
         "with the allocation it lies in");
    RULE(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                               address(d)) == CUDA_SUCCESS &&
             device == 0,
         "and its device");
    RULE(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                               address(h)) == CUDA_SUCCESS &&
             type == CU_MEMORYTYPE_HOST,
         "pinned memory is the host's");
    RULE(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                               address(stack)) == CUDA_ERROR_INVALID_VALUE,
         "other memory is unknown");
    cudaFree(d);
    cudaFreeHost(h);
}

/* One stream waits for what another writes. */
static void check_streams(void)
{
    cudaStream_t a, b;
    unsigned *d, *h, seen = 0;
    cudaMalloc((void **)&d, 2 * sizeof *d);
    cudaMallocHost((void **)&h, sizeof *h);
    cudaMemset(d, 0, 2 * sizeof *d);
    cudaDeviceSynchronize(); // non-blocking streams don't wait for it
    *h = 0;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    RULE(cuStreamWaitValue32(b, address(d), 5, CU_STREAM_WAIT_VALUE_EQ) ==
             CUDA_SUCCESS,
         "a stream waits for a value");
    cudaMemcpyAsync(h, d + 1, sizeof *h, cudaMemcpyDeviceToHost, b);
    RULE(cudaStreamQuery(b) == cudaErrorNotReady, "and until it comes");
    cudaMemsetAsync(d + 1, 0x11, sizeof *d, a);
    RULE(cuStreamWriteValue32(a, address(d), 5, 0) == CUDA_SUCCESS,
         "another stream writes it");
    cudaStreamSynchronize(b);
    RULE(*h == 0x11111111, "what was before the write is seen after the wait");
    cuStreamWriteValue32(a, address(d), 0xfffffff0u, 0);
    cuStreamWriteValue32(a, address(d), 3, 0);
    RULE(cuStreamWaitValue32(b, address(d), 0xfffffff8u,
                             CU_STREAM_WAIT_VALUE_GEQ) == CUDA_SUCCESS &&
             cudaStreamSynchronize(b) == cudaSuccess,
         "greater or equal goes round");
    cuStreamWriteValue32(a, address(d), 6, 0);
    RULE(cuStreamWaitValue32(b, address(d), 4, CU_STREAM_WAIT_VALUE_AND) ==
                 CUDA_SUCCESS &&
             cuStreamWaitValue32(b, address(d), 9, CU_STREAM_WAIT_VALUE_NOR) ==
                 CUDA_SUCCESS &&
             cudaStreamSynchronize(b) == cudaSuccess,
         "and by bits");
    *(volatile unsigned *)h = 7;
    RULE(cuStreamWaitValue32(b, address(h), 7, CU_STREAM_WAIT_VALUE_EQ) ==
                 CUDA_SUCCESS &&
             cudaStreamSynchronize(b) == cudaSuccess,
         "the host may fulfil a wait in pinned memory");
    RULE(cuStreamWriteValue32(a, address(d) + 2, 0, 0) ==
             CUDA_ERROR_INVALID_VALUE,
         "words are aligned");
    RULE(cuStreamWriteValue32(a, address(&seen), 0, 0) ==
             CUDA_ERROR_INVALID_VALUE,
         "and in memory that devices reach");
    cudaStreamSynchronize(a);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaFree(d);
    cudaFreeHost(h);
}

/* Two ranks answer each other through words in each other's memory. */
static void check_ranks(int rank, int never)
{
    cudaIpcMemHandle_t handle[2];
    unsigned *own, *peer, sum = 0;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMalloc((void **)&own, 2 * sizeof *own);
    cudaMemset(own, 0, 2 * sizeof *own);
    cudaDeviceSynchronize();
    cudaIpcGetMemHandle(&handle[rank], own);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, handle, sizeof *handle, MPI_BYTE,
                  MPI_COMM_WORLD);
    RULE(cudaIpcOpenMemHandle((void **)&peer, handle[1 - rank],
                              cudaIpcMemLazyEnablePeerAccess) == cudaSuccess,
         "a peer's memory opens");
    for (unsigned i = 1; i <= ROUNDS; i++) {
        if (rank == 0) {
            cudaMemsetAsync(peer + 1, (int)i % 100, sizeof *peer, s);
            cuStreamWriteValue32(s, address(peer), i, 0);
        }
        cuStreamWaitValue32(s, address(own), never ? ROUNDS + 1 : i, 0);
        if (rank == 1) {
            cudaMemcpyAsync(peer + 1, own + 1, sizeof *peer, cudaMemcpyDefault,
                            s);
            cuStreamWriteValue32(s, address(peer), i, 0);
        }
    }
    cudaStreamSynchronize(s);
    cudaMemcpy(&sum, own + 1, sizeof sum, cudaMemcpyDeviceToHost);
    RULE(sum == ROUNDS % 100 * 0x01010101u, "two ranks signal each other");
    MPI_Barrier(MPI_COMM_WORLD);
    cudaIpcCloseMemHandle(peer);
    cudaFree(own);
    cudaStreamDestroy(s);
}

int main(int argc, char **argv)
{
    int rank, nranks;
    check_contexts(); // before MPI, which may query a buffer's place
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaSetDevice(rank);
    if (rank == 0)
        check_pointers();
    check_streams();
    if (nranks == 2)
        check_ranks(rank, argc > 1 && strcmp(argv[1], "never") == 0);
    MPI_Finalize();
    return rule_status();
}
