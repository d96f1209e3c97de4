// What usual kernels cost, in processor time: a tiled matrix product against
// one without tiles, by the size of the tiles and so of the blocks whose
// threads wait at barriers; reductions and histograms against plain C, by
// threads that take many elements each, and by threads with one. With an
// argument: milliseconds of four of them, for checking.sh.
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "product.cuh"

enum { N = 512, COUNT = 1 << 24, BINS = 256, BLOCK = 256, GRID = 1024 };

/* The sum of a block's numbers, one from each thread, in its first thread. */
__device__ float block_sum(float mine)
{
    __shared__ float s[BLOCK];
    s[threadIdx.x] = mine;
    __syncthreads();
    for (int k = BLOCK / 2; k > 0; k /= 2) {
        if ((int)threadIdx.x < k)
            s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    return s[0];
}

__global__ void reduce(const float *in, float *out)
{
    float sum = 0;
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < COUNT; i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

/* The same by shuffles: of each warp, then of the warps' sums. */
__global__ void shuffle_reduce(const float *in, float *out)
{
    __shared__ float s[32];
    float sum = 0;
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < COUNT; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    sum = threadIdx.x < BLOCK / 32 ? s[threadIdx.x] : 0;
    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

__global__ void histogram(const unsigned char *in, unsigned *bins)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[in[i]], 1);
}

__global__ void shared_histogram(const unsigned char *in, unsigned *bins)
{
    __shared__ unsigned mine[BINS];
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = first; i < COUNT; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

__global__ void reduce_one(const float *in, float *out)
{
    const float sum = block_sum(in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}

__global__ void shared_histogram_one(const unsigned char *in, unsigned *bins)
{
    __shared__ unsigned mine[BINS];
    mine[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&mine[in[blockIdx.x * blockDim.x + threadIdx.x]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

/* Plain C: simgpu inserts nothing into these. */
#define PLAIN __attribute__((noinline, no_sanitize("thread")))

PLAIN static float plain_sum(const float *in)
{
    float sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += in[i];
    return sum;
}

PLAIN static void plain_histogram(const unsigned char *in, unsigned *bins)
{
    for (int i = 0; i < COUNT; i++)
        bins[in[i]]++;
}

static double now_sec()
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The least processor time of three runs. */
template <class F> static double time_sec(F run)
{
    double best = 1e9;
    for (int i = 0; i < 3; i++) {
        const double begin = now_sec();
        run();
        cudaDeviceSynchronize();
        const double sec = now_sec() - begin;
        best = sec < best ? sec : best;
    }
    return best;
}

static void compare_products()
{
    const size_t nbytes = sizeof(float) * N * N;
    float *a, *b, *c;
    cudaMalloc(&a, nbytes);
    cudaMalloc(&b, nbytes);
    cudaMalloc(&c, nbytes);
    cudaMemset(a, 0, nbytes);
    cudaMemset(b, 0, nbytes);
    const dim3 b16(16, 16), g16(N / 16, N / 16);
    const dim3 b32(32, 32), g32(N / 32, N / 32);
    const double u16 = time_sec([&] { untiled<N><<<g16, b16>>>(a, b, c); });
    const double u32 = time_sec([&] { untiled<N><<<g32, b32>>>(a, b, c); });
    const double t16 = time_sec([&] { tiled<N, 16><<<g16, b16>>>(a, b, c); });
    const double t32 = time_sec([&] { tiled<N, 32><<<g32, b32>>>(a, b, c); });
    printf("product of tiles, against one without: tiles of 16 %.2f times, of "
           "32 %.2f\n",
           t16 / u16, t32 / u32);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}

/* The elements, on the host and the device. */
static float *h, *in, *out;
static unsigned char *h_bytes, *bytes;
static unsigned *bins, h_bins[BINS];

static void make_elements()
{
    h = (float *)malloc(sizeof(float) * COUNT);
    h_bytes = (unsigned char *)malloc(COUNT);
    for (int i = 0; i < COUNT; i++) {
        h[i] = (float)(i % 7);
        h_bytes[i] = (unsigned char)(i * 2654435761u >> 13);
    }
    cudaMalloc(&in, sizeof(float) * COUNT);
    cudaMalloc(&out, sizeof(float) * GRID);
    cudaMalloc(&bytes, COUNT);
    cudaMalloc(&bins, sizeof h_bins);
    cudaMemcpy(in, h, sizeof(float) * COUNT, cudaMemcpyHostToDevice);
    cudaMemcpy(bytes, h_bytes, COUNT, cudaMemcpyHostToDevice);
    cudaMemset(bins, 0, sizeof h_bins);
    cudaMemset(out, 0, sizeof(float) * GRID);
}

static void free_elements()
{
    cudaFree(in);
    cudaFree(out);
    cudaFree(bytes);
    cudaFree(bins);
    free(h);
    free(h_bytes);
}

static void run_reduce()
{
    reduce<<<GRID, BLOCK>>>(in, out);
}
static void run_shuffle_reduce()
{
    shuffle_reduce<<<GRID, BLOCK>>>(in, out);
}
static void run_histogram()
{
    histogram<<<COUNT / BLOCK, BLOCK>>>(bytes, bins);
}
static void run_shared_histogram()
{
    shared_histogram<<<GRID, BLOCK>>>(bytes, bins);
}

static void compare_with_c()
{
    volatile float total;
    const double sum = time_sec([&] { total = plain_sum(h); });
    const double count = time_sec([&] { plain_histogram(h_bytes, h_bins); });
    printf("16M elements, against plain C: reduction by a tree %.1f times, by "
           "shuffles %.1f, histogram in global memory %.1f, in shared memory "
           "%.1f\n",
           time_sec(run_reduce) / sum, time_sec(run_shuffle_reduce) / sum,
           time_sec(run_histogram) / count,
           time_sec(run_shared_histogram) / count);
    const double one =
        time_sec([&] { reduce_one<<<COUNT / BLOCK, BLOCK>>>(in, out); });
    const double shared = time_sec(
        [&] { shared_histogram_one<<<COUNT / BLOCK, BLOCK>>>(bytes, bins); });
    printf("by threads with one element: reduction by a tree %.1f times, "
           "histogram in shared memory %.1f\n",
           one / sum, shared / count);
    (void)total;
}

int main(int argc, char **)
{
    make_elements();
    if (argc > 1) {
        for (void (*run)() : {run_reduce, run_shuffle_reduce, run_histogram,
                              run_shared_histogram})
            printf("%.3f%s", time_sec(run) * 1e3,
                   run == run_shared_histogram ? "\n" : " ");
    } else {
        compare_products();
        compare_with_c();
    }
    free_elements();
    return 0;
}
