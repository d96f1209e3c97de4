// The host dereferences device memory that a kernel has opened. With "no-keys"
// the program takes all memory protection keys first, so that simgpu has to do
// without, as on a processor that has none.
#include <cuda_runtime.h>
#include <sys/mman.h>

#include <stdio.h>
#include <string.h>

__global__ void fill(float *p, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = (float)i;
}

int main(int argc, char **argv)
{
    float *d, h[1000];
    if (argc > 1 && strcmp(argv[1], "no-keys") == 0)
        while (pkey_alloc(0, 0) >= 0)
            ;
    cudaMalloc(&d, sizeof h);
    for (int i = 0; i < 2; i++) { // the second finds it as the first left it
        fill<<<4, 256>>>(d, 1000);
        cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
        printf("%g\n", h[999]);
    }
    fflush(stdout);
    printf("%g\n", d[999]); // line 30
    return 0;
}
