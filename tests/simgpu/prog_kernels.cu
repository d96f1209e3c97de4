// Kernels as students write them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>

#include "rule.h"

__global__ void add(const float *a, const float *b, float *c, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        c[i] = a[i] + b[i];
}

template <class T>
__global__ void block_sum(const T *__restrict__ in, T *__restrict__ out,
                          const int n)
{
    __shared__ T part[128];
    const int t = threadIdx.x;
    part[t] = 0;
    for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128)
        part[t] += in[i];
    __syncthreads();
    for (int k = 64; k > 0; k /= 2) {
        if (t < k)
            part[t] += part[t + k];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, part[0]);
}

__global__ void reverse(int *data, int n)
{
    extern __shared__ int tile[];
    const int t = threadIdx.x;
    tile[t] = data[t];
    __syncthreads();
    data[t] = tile[n - 1 - t];
}

__global__ void warp_sum(const int *in, int *out)
{
    int v = in[threadIdx.x];
    for (int k = 16; k > 0; k /= 2)
        v += __shfl_down_sync(0xffffffffu, v, k);
    if (threadIdx.x % 32 == 0)
        out[threadIdx.x / 32] = v;
}

__global__ void where(uint3 *out)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * (gridDim.x * blockDim.x) + x] =
        make_uint3(x, y, threadIdx.z + blockDim.z);
}

struct scale_by {
    float factor;
};

__global__ void scale(float *x, int n, struct scale_by s)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= s.factor;
}

__global__ void small_floats(const __half2 *x, __half *sum, __nv_bfloat16 *y,
                             __nv_fp8_e4m3 *z)
{
    const int i = threadIdx.x;
    const __half2 v = __hfma2(x[i], x[i], __float2half2_rn(1.0f));
    atomicAdd(sum, __hadd(__low2half(v), __high2half(v)));
    y[i] = __float2bfloat16(__half2float(__low2half(v)));
    z[i] = __nv_fp8_e4m3(y[i]);
}

/* Each thread squares the pair (1, 2) and adds 1: 2 and 5. */
static void check_small_floats()
{
    enum { THREADS = 64 };
    __half2 *x, in[THREADS];
    __half *sum, s = 0;
    __nv_bfloat16 *y, out[THREADS];
    __nv_fp8_e4m3 *z, last;
    for (int i = 0; i < THREADS; i++)
        in[i] = __floats2half2_rn(1, 2);
    cudaMalloc(&x, sizeof in);
    cudaMalloc(&y, sizeof out);
    cudaMalloc(&z, THREADS);
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    cudaMemcpy(x, in, sizeof in, cudaMemcpyHostToDevice);
    small_floats<<<1, THREADS>>>(x, sum, y, z);
    cudaMemcpy(&s, sum, sizeof s, cudaMemcpyDeviceToHost);
    cudaMemcpy(out, y, sizeof out, cudaMemcpyDeviceToHost);
    cudaMemcpy(&last, z + THREADS - 1, 1, cudaMemcpyDeviceToHost);
    RULE(__half2float(s) == 7 * THREADS && __bfloat162float(out[9]) == 2 &&
             (float)last == 2,
         "kernels compute with halves, bfloat16 and fp8");
}

int main()
{
    check_small_floats();
    enum { N = 10000 };
    float *a, *b, *c, h[N], sum = 0;
    cudaMalloc(&a, N * sizeof *a);
    cudaMalloc(&b, N * sizeof *b);
    cudaMalloc(&c, N * sizeof *c);
    for (int i = 0; i < N; i++)
        h[i] = (float)(i % 7);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(b, h, sizeof h, cudaMemcpyHostToDevice);
    add<<<8, 256>>>(a, b, c, N);
    cudaMemcpy(h, c, sizeof h, cudaMemcpyDeviceToHost);
    int right = 1;
    for (int i = 0; i < N; i++)
        right &= h[i] == 2.0f * (i % 7);
    RULE(right, "a grid-stride loop covers all elements");

    cudaMemset(c, 0, sizeof *c);
    block_sum<float><<<4, 128>>>(a, c, N);
    cudaMemcpy(&sum, c, sizeof sum, cudaMemcpyDeviceToHost);
    float want = 0;
    for (int i = 0; i < N; i++)
        want += (float)(i % 7);
    RULE(sum == want, "a block reduction with shared memory and atomics");

    int *d, k[128];
    cudaMalloc(&d, sizeof k);
    for (int i = 0; i < 128; i++)
        k[i] = i;
    cudaMemcpy(d, k, sizeof k, cudaMemcpyHostToDevice);
    reverse<<<1, 128, sizeof k>>>(d, 128);
    cudaMemcpy(k, d, sizeof k, cudaMemcpyDeviceToHost);
    RULE(k[0] == 127 && k[127] == 0 && k[5] == 122, "dynamic shared memory");

    int *out, w[4];
    cudaMalloc(&out, sizeof w);
    warp_sum<<<1, 128>>>(d, out);
    cudaMemcpy(w, out, sizeof w, cudaMemcpyDeviceToHost);
    RULE(w[0] + w[1] + w[2] + w[3] == 127 * 64 && w[3] == 31 * 16,
         "a warp adds up by shuffles");

    uint3 *grid, g[16 * 8];
    cudaMalloc(&grid, sizeof g);
    where<<<dim3(2, 4), dim3(8, 2)>>>(grid);
    cudaMemcpy(g, grid, sizeof g, cudaMemcpyDeviceToHost);
    RULE(g[16 * 5 + 9].x == 9 && g[16 * 5 + 9].y == 5 && g[0].z == 1,
         "threads know where they are");

    int n = N;
    struct scale_by s = {3};
    void *args[] = {&a, &n, &s};
    RULE(cudaLaunchKernel((const void *)scale, dim3(40), dim3(256), args, 0,
                          0) == cudaSuccess,
         "a kernel is launched by its address");
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    RULE(h[6] == 18.0f, "with its parameters");
    add<<<1, 2000>>>(a, b, c, N);
    const cudaError_t err = cudaGetLastError();
    RULE(err == cudaErrorInvalidValue || // as from CUDA 13 on
             err == cudaErrorInvalidConfiguration,
         "a block has at most 1024 threads");
    return rule_status();
}
