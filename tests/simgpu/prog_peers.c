/* links: base
 * prog_peers FROM TO: the bandwidth of a copy between two devices, in GB/s,
 * before peer access is enabled, while it is, in either direction, and after.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"

static const size_t NBYTES = 1 << 24;

static double copy_GBps(char *dst, int to, const char *src, int from)
{
    cudaStream_t stream;
    cudaEvent_t begin, end;
    float ms;
    CUDA_MUST(cudaSetDevice(from));
    CUDA_MUST(cudaStreamCreate(&stream));
    CUDA_MUST(cudaEventCreate(&begin));
    CUDA_MUST(cudaEventCreate(&end));
    CUDA_MUST(cudaEventRecord(begin, stream));
    CUDA_MUST(cudaMemcpyPeerAsync(dst, to, src, from, NBYTES, stream));
    CUDA_MUST(cudaEventRecord(end, stream));
    CUDA_MUST(cudaEventSynchronize(end));
    CUDA_MUST(cudaEventElapsedTime(&ms, begin, end));
    CUDA_MUST(cudaEventDestroy(begin));
    CUDA_MUST(cudaEventDestroy(end));
    CUDA_MUST(cudaStreamDestroy(stream));
    return (double)NBYTES / ms * 1e-6;
}

static char *buffer_on(int device)
{
    char *p;
    CUDA_MUST(cudaSetDevice(device));
    CUDA_MUST(cudaMalloc((void **)&p, NBYTES));
    return p;
}

int main(int argc, char **argv)
{
    const int from = argc > 2 ? atoi(argv[1]) : 0;
    const int to = argc > 2 ? atoi(argv[2]) : 1;
    char *const src = buffer_on(from), *const dst = buffer_on(to);
    printf("before %.2f\n", copy_GBps(dst, to, src, from));
    CUDA_MUST(cudaSetDevice(from));
    CUDA_MUST(cudaDeviceEnablePeerAccess(to, 0));
    printf("enabled %.2f\n", copy_GBps(dst, to, src, from));
    printf("back %.2f\n", copy_GBps(src, from, dst, to));
    CUDA_MUST(cudaSetDevice(from));
    CUDA_MUST(cudaDeviceDisablePeerAccess(to));
    printf("after %.2f\n", copy_GBps(dst, to, src, from));
    return 0;
}
