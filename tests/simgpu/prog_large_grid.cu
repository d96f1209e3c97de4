/* A cooperative grid as large as a device, all of whose threads wait for each
 * other; with an argument, a thread whose stack does not end. */
#include <cooperative_groups.h>
#include <stdio.h>
#include <stdlib.h>

static void must(cudaError_t err)
{
    if (err == cudaSuccess)
        return;
    printf("FAILED %s\n", cudaGetErrorString(err));
    exit(1);
}

enum { BLOCKS = 66, THREADS = 1024 };

/* Each thread adds what its neighbour has written before the grid met. */
__global__ void meet(int *in, int *out)
{
    const int n = gridDim.x * blockDim.x;
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    in[me] = me;
    cooperative_groups::this_grid().sync();
    out[me] = in[(me + blockDim.x) % n];
}

/* To a depth that it never reaches. */
__device__ __noinline__ int deeper(int depth, int deepest)
{
    int here[64];
    for (int i = 0; i < 64; i++)
        here[i] = i * depth;
    return depth == deepest ? 0 : deeper(depth + 1, deepest) + here[depth & 63];
}

__global__ void without_end(int *out)
{
    *out = deeper(0, -1);
}

int main(int argc, char **argv)
{
    const int n = BLOCKS * THREADS;
    int *in, *out, *host = (int *)malloc(n * sizeof *host), wrong = 0;
    must(cudaMalloc(&in, n * sizeof *in));
    must(cudaMalloc(&out, n * sizeof *out));
    (void)argv;
    if (argc > 1) {
        without_end<<<1, 1>>>(in);
        must(cudaDeviceSynchronize());
    }
    void *args[] = {&in, &out};
    must(cudaLaunchCooperativeKernel((const void *)meet, BLOCKS, THREADS, args,
                                     0, 0));
    must(cudaMemcpy(host, out, n * sizeof *host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        wrong += host[i] != (i + THREADS) % n;
    printf("%s a grid of %d threads meets\n", wrong ? "FAILED" : "ok    ", n);
    cudaFree(in);
    cudaFree(out);
    free(host);
    return wrong != 0;
}
