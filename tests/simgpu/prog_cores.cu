// Kernels of enough threads for several cores. Argument: "marks" says what each
// promises (simgpu/kernel.h); "wrong" has blocks of all slices read out of
// bounds; otherwise all kernels run, a checksum of each result is printed, and
// how many threads the process then has.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef __SIMNVCC__
#include "simgpu/kernel.h" // SIMGPU_MARK
#endif

enum { THREADS = 256, BLOCKS = 192, N = THREADS * BLOCKS, ROW = 1024 };

__device__ int global()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void copies(const float *a, float *b)
{
    b[global()] = a[global()];
}

__global__ void increments(const float *, float *b)
{
    b[global()] += 1;
}

// Bytes apart, so that each read is the first of its own.
__global__ void gathers(const float *a, float *b)
{
    b[global()] = a[(size_t)global() * 7 % N] + a[2 * (global() % 512)];
}

// The first half reads in order, which is few reads; the second apart.
__global__ void gathers_late(const float *a, float *b)
{
    const int i = global(), half = N / 2;
    b[i] = i < half ? a[i] : a[N - 1 - (i - half) / 2 * 2];
}

// The second half reads another allocation than the first.
__global__ void updates_a_half(const float *a, float *b)
{
    const int i = global();
    b[i] = i < N / 2 ? a[i] : b[i / 2 * 2] + 1;
}

// Each block after the first reads its own part and, last, the first's.
__global__ void shares_a_table(const float *a, float *b)
{
    b[global()] = a[global()] * a[threadIdx.x];
}

__device__ int sum_to(int n)
{
    return n <= 0 ? 0 : n + sum_to(n - 1);
}

__global__ void recurses(const float *, float *b)
{
    b[global()] = sum_to(threadIdx.x % 20);
}

__global__ void copies_rows(const float *a, float *b)
{
    if (threadIdx.x == 0)
        memcpy(b + global(), a + global(), THREADS * sizeof *a);
}

// Of blocks with three dimensions
__global__ void places(const float *, float *b)
{
    const int thread =
        threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    b[blockIdx.x * THREADS + thread] =
        threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z;
}

// What follows waits for the block's threads.
__global__ void transposes(const float *a, float *b)
{
    __shared__ float tile[16][17];
    const int x = blockIdx.x * 16, y = blockIdx.y * 16;
    tile[threadIdx.y][threadIdx.x] =
        a[(y + threadIdx.y) * ROW + x + threadIdx.x];
    __syncthreads();
    b[(x + threadIdx.y) * (N / ROW) + y + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y];
}

template <class T> __global__ void fills(const T *, T *b)
{
    if (__syncthreads_count(threadIdx.x & 1) == THREADS / 2)
        b[global()] = sinf((T)global());
}

__device__ int waits(int n)
{
    __syncthreads();
    return n <= 0 ? 0 : n + waits(n - 1);
}

__global__ void waits_in_turn(const float *, float *b)
{
    b[global()] = waits(20);
}

// What follows is not independent.
__global__ void adds(const float *a, float *b)
{
    atomicAdd(&b[global() % 3], a[global()]);
}

__global__ void polls(const float *a, float *b)
{
    b[global()] = *(const volatile float *)(a + global());
}

__global__ void fences(const float *a, float *b)
{
    b[global()] = a[global()];
    __threadfence();
}

__global__ void prints(const float *a, float *b)
{
    b[global()] = a[global()];
    if (global() % (N / 4) == 0)
        printf("thread %d\n", global());
}

__global__ void shuffles(const float *a, float *b)
{
    b[global()] = __shfl_xor_sync(~0u, a[global()], 1);
}

__global__ void asks_the_clock(const float *, float *b)
{
    b[global()] = (float)(clock64() & 1);
}

__device__ float twice(float x)
{
    return 2 * x;
}

__global__ void calls_a_pointer(const float *a, float *b)
{
    float (*volatile f)(float) = twice;
    b[global()] = f(a[global()]);
}

// The last third of the grid is wrong, at once; the others take their time.
__global__ void overruns(const float *a, float *b)
{
    const int last = 2 * BLOCKS / 3;
    float sum = 0;
    for (int i = 0; (int)blockIdx.x < last && i < 5000; i++)
        sum += a[i];
    b[global()] = sum + a[(int)blockIdx.x < last ? 0 : N << 8];
}

static const struct {
    const char *name;
    void (*kernel)(const float *, float *);
} kernels[] = {
#define KERNEL(k)                                                              \
    {                                                                          \
#k, k                                                                  \
    }
    KERNEL(copies),         KERNEL(increments),     KERNEL(gathers),
    KERNEL(gathers_late),   KERNEL(updates_a_half), KERNEL(shares_a_table),
    KERNEL(recurses),       KERNEL(copies_rows),    KERNEL(places),
    KERNEL(transposes),     KERNEL(fills<float>),   KERNEL(waits_in_turn),
    KERNEL(adds),           KERNEL(polls),          KERNEL(fences),
    KERNEL(prints),         KERNEL(shuffles),       KERNEL(asks_the_clock),
    KERNEL(calls_a_pointer)};

static const char *promised(const void *kernel)
{
#ifndef __SIMNVCC__
    (void)kernel;
    return "";
#else
    static const char *const texts[] = {"", " independent", " unwaiting",
                                        " independent unwaiting"};
    uint64_t before[2];
    memcpy(before, (const char *)kernel - sizeof before, sizeof before);
    return before[1] == SIMGPU_MARK ? texts[before[0]] : "";
#endif
}

static int nthreads()
{
    int n = 0;
    char line[128];
    FILE *const f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f) &&
           sscanf(line, "Threads: %d", &n) != 1)
        ;
    if (f)
        fclose(f);
    return n;
}

int main(int, char **argv)
{
    static float host[N];
    float *a, *b;
    for (const auto &k : kernels)
        if (argv[1] && !strcmp(argv[1], "marks"))
            printf("%s:%s\n", k.name, promised((const void *)k.kernel));
    if (argv[1] && !strcmp(argv[1], "marks"))
        return 0;
    for (int i = 0; i < N; i++)
        host[i] = (float)(i * 31 % 257);
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    if (argv[1]) {
        overruns<<<BLOCKS, THREADS>>>(a, b);
        return cudaDeviceSynchronize() != cudaSuccess;
    }
    const int before = nthreads();
    for (const auto &k : kernels) {
        cudaMemset(b, 0, sizeof host);
        if (k.kernel == transposes)
            k.kernel<<<dim3(ROW / 16, N / ROW / 16), dim3(16, 16)>>>(a, b);
        else if (k.kernel == places)
            k.kernel<<<BLOCKS, dim3(8, 4, THREADS / 32)>>>(a, b);
        else
            k.kernel<<<BLOCKS, THREADS>>>(a, b);
        cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost);
        for (int i = 0; k.kernel == places && i < N; i++)
            if (host[i] != i % 8 + 10 * (i / 8 % 4) + 100 * (i / 32 % 8))
                return 1;
        double sum = 0;
        for (int i = 0; i < N; i++)
            sum += host[i] * (i % 101);
        printf("%s: %.17g\n", k.name, sum);
    }
    printf("%d threads more\n", nthreads() - before);
    return 0;
}
