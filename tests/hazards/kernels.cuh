// Kernels of the programs in this folder; each buffer has N floats.
#ifndef TESTS_HAZARDS_KERNELS_CUH
#define TESTS_HAZARDS_KERNELS_CUH

enum { N = 1000, BYTES = N * (int)sizeof(float) };

__global__ void fill(float *x, int n, float value)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = value;
}

__global__ void scale(float *y, const float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2 * x[i];
}

#define FILL(x, stream)     fill<<<4, 256, 0, stream>>>(x, N, 1)
#define SCALE(y, x, stream) scale<<<4, 256, 0, stream>>>(y, x, N)

#endif
