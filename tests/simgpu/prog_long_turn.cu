// A kernel waits for a word that the host writes, and then computes for longer
// than a hang takes to be reported.
//
//     prog_long_turn NBLOCKS    1: the block that waits computes itself
//                               2: the first waits for what the second computes
#include <cstdlib>
#include <cuda_runtime.h>
#include <unistd.h>

enum { STEPS = 1000000000, PAUSE_US = 100000 };

__global__ void computes(volatile int *begin, volatile double *sum)
{
    if (blockIdx.x < gridDim.x - 1) {
        while (*sum == 0)
            ;
        return;
    }
    while (*begin == 0)
        ;
    double x = *begin + 1;
    for (int i = 0; i < STEPS; i++)
        x = x * 0.999 + 0.001;
    *sum = x;
}

int main(int argc, char **argv)
{
    int *begin, *mapped;
    double *sum, found = 0;
    const int nblocks = argc == 2 ? atoi(argv[1]) : 1;
    cudaHostAlloc(&begin, sizeof *begin, cudaHostAllocMapped);
    *begin = 0;
    cudaHostGetDevicePointer(&mapped, begin, 0);
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    computes<<<nblocks, 1>>>(mapped, sum);
    usleep(PAUSE_US); // so that the kernel has begun to wait
    *(volatile int *)begin = 1;
    if (cudaMemcpy(&found, sum, sizeof found, cudaMemcpyDeviceToHost) !=
        cudaSuccess)
        return 1;
    return !(found > 0);
}
