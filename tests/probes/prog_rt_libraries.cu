/* NCCL in graphs, and the driver's functions. */
#include <cuda.h>
#include <nccl.h>

#include "probe.h"

__global__ void add(int *p, int n, int v)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += v;
}

PROBE(collectives_in_a_graph)
{
    enum { N = 2, COUNT = 64, LAUNCHES = 3 };
    ncclComm_t comm[N];
    cudaStream_t s[N];
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *d[N], h[COUNT];
    NEEDS_GPUS(N);
    CHECK(ncclCommInitAll(comm, N, NULL) == ncclSuccess);
    for (int i = 0; i < N; i++) {
        OK(cudaSetDevice(i));
        OK(cudaStreamCreate(&s[i]));
        OK(cudaMalloc(&d[i], sizeof h));
        OK(cudaMemset(d[i], 0, sizeof h));
        OK(cudaDeviceSynchronize());
    }
    OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    OK(cudaSetDevice(0));
    OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    OK(cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal));
    add<<<1, COUNT, 0, s[0]>>>(d[0], COUNT, 1);
    OK(cudaEventRecord(fork, s[0]));
    OK(cudaStreamWaitEvent(s[1], fork, 0));
    ncclGroupStart();
    for (int i = 0; i < N; i++)
        CHECK(ncclAllReduce(d[i], d[i], COUNT, ncclInt, ncclSum, comm[i],
                            s[i]) == ncclSuccess);
    CHECK(ncclGroupEnd() == ncclSuccess);
    OK(cudaSetDevice(1));
    OK(cudaEventRecord(join, s[1]));
    OK(cudaSetDevice(0));
    OK(cudaStreamWaitEvent(s[0], join, 0));
    OK(cudaStreamEndCapture(s[0], &graph));
    OK(cudaMemcpy(h, d[1], sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 0); // nothing has run
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < LAUNCHES; i++)
        OK(cudaGraphLaunch(exec, s[0]));
    OK(cudaStreamSynchronize(s[0]));
    // x, y -> x + 1 + y in both: 1, 3, 7
    for (int i = 0; i < N; i++) {
        OK(cudaMemcpy(h, d[i], sizeof h, cudaMemcpyDeviceToHost));
        CHECK(h[0] == 7 && h[COUNT - 1] == 7);
    }
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    for (int i = 0; i < N; i++) {
        ncclCommDestroy(comm[i]);
        OK(cudaFree(d[i]));
        OK(cudaStreamDestroy(s[i]));
    }
    OK(cudaEventDestroy(fork));
    OK(cudaEventDestroy(join));
}

#define CU(call) CHECK((call) == CUDA_SUCCESS)

PROBE(memory_by_the_driver)
{
    CUdeviceptr d, base;
    CUstream s;
    CUevent begin, end;
    size_t free, total, nbytes;
    unsigned char h[64], back[64] = {0};
    float ms = -1;
    CUuuid uuid;
    int value = 0;
    CU(cuInit(0));
    CU(cuDeviceTotalMem(&total, 0));
    CU(cuDeviceGetUuid(&uuid, 0));
    CU(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    CHECK(value == 32 && total > (size_t)1 << 30);
    CU(cuMemGetInfo(&free, &total));
    CU(cuMemAlloc(&d, 64));
    memset(h, 3, sizeof h);
    CU(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    CU(cuEventCreate(&begin, CU_EVENT_DEFAULT));
    CU(cuEventCreate(&end, CU_EVENT_DEFAULT));
    CU(cuEventRecord(begin, s));
    CU(cuMemcpyHtoDAsync(d, h, 64, s));
    CU(cuMemsetD8Async(d + 32, 9, 32, s));
    CU(cuEventRecord(end, s));
    CU(cuStreamSynchronize(s));
    CU(cuEventElapsedTime(&ms, begin, end));
    CU(cuMemcpyDtoH(back, d, 64));
    CHECK(ms > 0 && back[31] == 3 && back[63] == 9);
    CU(cuMemGetAddressRange(&base, &nbytes, d + 40));
    CHECK(base == d && nbytes == 64);
    CHECK(cuMemFree(d + 1) == CUDA_ERROR_INVALID_VALUE);
    CU(cuMemFree(d));
    CU(cuEventDestroy(begin));
    CU(cuEventDestroy(end));
    CU(cuStreamDestroy(s));
    CU(cuCtxSynchronize());
    cudaGetLastError();
}

PROBE(kernels_by_the_driver)
{
    array<int> a(64);
    cudaFunction_t f;
    CUmodule module;
    int *p = a.d, n = 64, v = 5;
    void *args[] = {&p, &n, &v};
    CU(cuInit(0));
    OK(cudaGetFuncBySymbol(&f, (const void *)add));
    CU(cuLaunchKernel((CUfunction)f, 1, 1, 1, 64, 1, 1, 0, NULL, args, NULL));
    CU(cuCtxSynchronize());
    CHECK(a.get()[63] == 5);
    CHECK(cuModuleLoad(&module, "a.cubin") == CUDA_ERROR_FILE_NOT_FOUND);
}

#ifdef __SIMNVCC__ // not in each CUDA that the tests build with
struct nine {
    char c[9];
};

__global__ void takes(char, double, short, int, nine, char) {}

PROBE(parameters_are_where_they_are_aligned)
{
    static const size_t at[] = {0, 8, 16, 20, 24, 33},
                        is[] = {1, 8, 2, 4, 9, 1};
    size_t offset, nbytes;
    for (size_t i = 0; i < 6; i++) {
        OK(cudaFuncGetParamInfo((const void *)takes, i, &offset, &nbytes));
        CHECK(offset == at[i] && nbytes == is[i]);
    }
    CHECK(cudaFuncGetParamInfo((const void *)takes, 6, &offset, &nbytes) ==
          cudaErrorInvalidValue);
    CHECK(cudaFuncGetParamInfo((const void *)takes, 0, NULL, &nbytes) ==
          cudaErrorInvalidValue);
}
#endif
