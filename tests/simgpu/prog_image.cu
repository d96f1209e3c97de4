// A kernel that may lack code for the device: the error of its launch.
//
//     prog_image [ERROR]       0 by default: simnvcc compiled this file
#include <stdlib.h>

#include "rule.h"

__device__ int offset = 1;

__global__ void store(int *p)
{
    *p = (int)threadIdx.x + offset;
}

int main(int argc, char **argv)
{
    const cudaError_t want = (cudaError_t)(argc > 1 ? atoi(argv[1]) : 0);
    int *p;
    RULE(cudaMalloc(&p, sizeof *p) == cudaSuccess, "host code runs");
    store<<<1, 1>>>(p);
    RULE(cudaGetLastError() == want, "a launch gives the expected error");
    RULE(cudaDeviceSynchronize() == cudaSuccess, "which is not sticky");
    cudaFuncAttributes attributes;
    RULE(cudaFuncGetAttributes(&attributes, (const void *)store) == want,
         "and so does a question about the kernel");
    cudaGetLastError();
    RULE(cudaFree(p) == cudaSuccess, "memory is freed");
    return rule_status();
}
