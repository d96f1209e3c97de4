#include <cstdio>

#include "k.h"

int main()
{
    int *d, a = 0, b = 0;
    cudaMalloc(&d, sizeof *d);
    k<<<1, 1>>>(d, add(1, c_value())); // a kernel of another file
    cudaMemcpy(&a, d, sizeof a, cudaMemcpyDeviceToHost);
    launch(d, 7);
    cudaMemcpy(&b, d, sizeof b, cudaMemcpyDeviceToHost);
    return !(a == 43 && b == 7);
}
