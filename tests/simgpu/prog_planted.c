/*
 * What a rank sees of faults that SIMGPU_FAULT plants: errors, bytes, times,
 * and to which operation it has come. Operations 1 to 10 fill memory.
 */
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>

enum { FILLS = 10, NBYTES = 1 << 20, SHOWN = 16 };

int main(void)
{
    unsigned char *data, host[SHOWN] = {0};
    cudaEvent_t begin, end;
    cudaStream_t stream;
    float ms = 0;
    cudaMalloc((void **)&data, NBYTES);
    cudaStreamCreate(&stream);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (int i = 1; i <= FILLS; i++) {
        if (i == 5)
            nvtxRangePushA("backward");
        const cudaError_t err = cudaMemsetAsync(data, i, NBYTES, stream);
        if (err != cudaSuccess)
            printf("fill %d: %s\n", i, cudaGetErrorName(err));
        if (i == 5)
            nvtxRangePop();
        if (i == 1)
            cudaEventRecord(begin, stream); // operation 2
    }
    cudaEventRecord(end, stream);
    printf("wait: %s\n", cudaGetErrorName(cudaEventSynchronize(end)));
    if (cudaEventElapsedTime(&ms, begin, end) == cudaSuccess)
        printf("%.3f us\n", ms * 1e3);
    cudaMemcpy(host, data, SHOWN, cudaMemcpyDeviceToHost);
    for (int i = 0; i < SHOWN; i++)
        printf("%02x", host[i]);
    printf("\n");
    return 0;
}
