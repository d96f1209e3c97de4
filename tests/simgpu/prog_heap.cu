// malloc() in device code, and how much of it there is.
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20, THREADS = 32 };

__device__ int nfailed;
__device__ char *kept[THREADS];

__global__ void allocate(int frees)
{
    char *const p = (char *)malloc(PIECE);
    kept[threadIdx.x] = NULL;
    if (!p) {
        atomicAdd(&nfailed, 1);
        return;
    }
    p[0] = p[PIECE - 1] = 1;
    if (frees)
        free(p);
    else
        kept[threadIdx.x] = p;
}

__global__ void release(void)
{
    free(kept[threadIdx.x]);
}

static int failures(int frees)
{
    int n = 0;
    allocate<<<1, THREADS>>>(frees);
    cudaMemcpyFromSymbol(&n, nfailed, sizeof n);
    return n;
}

int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "";
    char *const mine = (char *)malloc(64 * PIECE); // not of that heap
    size_t limit = 0;
    memset(mine, 0, 64 * PIECE);
    if (strcmp(what, "more") == 0)
        cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 * PIECE);
    cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
    printf("%zu MiB: ", limit >> 20);
    if (strcmp(what, "frees") == 0) {
        printf("%d fail\n", failures(1));
    } else {
        const int first = failures(0);
        release<<<1, THREADS>>>();
        printf("%d fail, then %d\n", first, failures(0) - first);
    }
    free(mine);
    return cudaDeviceSynchronize();
}
