/* links: base
 * Accesses of many kinds, for test_accesses.c: what each kernel touches is in
 * the graph, and a sum of what it computed is printed.
 */
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <stdio.h>

#include "base/must.h"

enum { N = 4096, SIDE = 96, BLOCK = 64 };

struct mixed { /* an access of each size */
    char a;
    short b;
    int c;
    double d;
    float4 e;
};

struct __attribute__((packed)) odd { /* not where its size demands */
    char a;
    int b;
    double c;
};

__device__ unsigned scrambled(unsigned i)
{
    i = (i ^ i >> 7) * 2654435761u;
    return (i ^ i >> 13) % N;
}

__global__ void gather(const float *from, float *to)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[scrambled(i)] + from[scrambled(i + 1)] + from[i];
}

__global__ void columns(const float *from, float *to)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int y = 0; x < SIDE / 2 && y < N / SIDE; y++)
        sum += from[y * SIDE + x];
    to[x] = sum;
}

__global__ void stencil(const float *from, float *to)
{
    const int x = blockIdx.x * 32 + threadIdx.x;
    const int y = blockIdx.y * 2 + threadIdx.y;
    if (x > 0 && y > 0 && x < SIDE - 1 && y < N / SIDE - 1)
        to[y * SIDE + x] = from[y * SIDE + x - 1] + from[y * SIDE + x + 1] +
                           from[(y - 1) * SIDE + x] + from[(y + 1) * SIDE + x];
}

__global__ void sizes(const mixed *from, mixed *to, const odd *more)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const double sum = more[i].b + more[i].c;
    to[i].a = (char)(from[i].a + 1);
    to[i].b = (short)(from[i].b + 2);
    to[i].c = from[i].c + from[i].a;
    to[i].d = from[i].d + sum;
    to[i].e = from[i].e;
}

/* Many values in registers while bytes are touched for the first time. */
__global__ void registers(const double *from, double *to)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const double a = from[i], b = from[i + 64], c = from[i + 192];
    const double d = from[i + 320], e = from[i + 448], f = from[i + 640];
    const int k = (int)scrambled(i) / 8, m = (int)scrambled(i + 5) / 8;
    const int n = (int)scrambled(i + 9) / 8, o = (int)scrambled(i + 77) / 8;
    const double g = from[k], h = from[m], p = from[n], q = from[o];
    to[i] = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * p +
            10 * q + k + 3 * m + 5 * n + 7 * o + from[k] * from[m] +
            from[n] * from[o];
}

__device__ __noinline__ float at(const float *p, int i)
{
    return p[i];
}

/* One instruction at shared and at global memory. */
__global__ void spaces(const float *from, float *to)
{
    __shared__ float tile[BLOCK];
    const int first = blockIdx.x * BLOCK, t = threadIdx.x;
    tile[t] = from[first + t];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < BLOCK; i++)
        sum += at(i % 3 ? tile : from + first, (i + t) % BLOCK);
    to[first + t] = sum;
}

__global__ void updates(float *x, unsigned *count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] += 1;
    x[(i * 7) % N] *= 1.5f;
    atomicAdd(&count[i % 3], 1u);
    *(volatile unsigned *)&count[4 + i % 5] = i;
}

/* Blocks on threads of their own, in turn. */
__global__ void grid(float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int n = gridDim.x * blockDim.x;
    for (int round = 0; round < 3; round++) {
        y[i] = x[(i + round) % n] + x[(i + 37 * round) % n];
        cooperative_groups::this_grid().sync();
        x[i] = y[(i + 64) % n];
        cooperative_groups::this_grid().sync();
    }
}

/* Threads that walk side by side, far apart from step to step: all the same
 * way, some fewer steps, with gaps between them, or some elsewhere. */
enum walk { ALIKE, SHORTER, GAPS, ELSEWHERE, WALKS };
__global__ void strides(const float *from, float *to, int how)
{
    const int n = gridDim.x * blockDim.x;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int nsteps = how == SHORTER ? 32 - i % 3 - (i > 700 ? 10 : 0) : 32;
    float sum = 0;
    if (how == GAPS && i % 5 == 3)
        return;
    for (int k = 0; k < nsteps; k++) {
        const int at = how == ELSEWHERE && i % 100 == 7
                           ? (int)scrambled(i * 32 + k)
                           : k * n + i;
        sum += from[at];
        to[at] += sum;
    }
}

struct wide {
    float sum, last, rest[4];
};

__device__ __noinline__ wide window(const float *in, int i, int n)
{
    wide w = {0, 0, {0}};
    for (int k = 0; k < n; k++) {
        w.last = in[(i + k) % N];
        w.sum += w.last;
        w.rest[k % 4] += w.sum > 2 ? w.last : 1;
    }
    return w;
}

[[gnu::noinline]] static __device__ float2 both(float x, float y)
{
    return make_float2(x, y);
}

static __device__ __attribute__((noinline)) float2 ends(const float *in, int i)
{
    const wide w = window(in, i, 5);
    return both(w.sum, w.last);
}

// What functions return goes where the caller says.
__global__ void returned(const float *in, wide *out, float2 *pair)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N / 8) {
        out[i] = window(in, i, 7);
        pair[i] = ends(in, i);
    }
}

// More ranges than a launch keeps: one word, and every other word of many.
__global__ void sparse(int *one, int *many)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0)
        *one = 1;
    many[2 * i] = i;
}

static int run_sparse(void)
{
    enum { THREADS = 300 * 256 };
    int *one, *many;
    CUDA_MUST(cudaMalloc(&one, sizeof *one));
    CUDA_MUST(cudaMalloc(&many, 2 * THREADS * sizeof *many));
    sparse<<<THREADS / 256, 256>>>(one, many);
    CUDA_MUST(cudaDeviceSynchronize());
    CUDA_MUST(cudaFree(one));
    CUDA_MUST(cudaFree(many));
    return 0;
}

static char *a, *b, *c;
enum { NBYTES = N * sizeof(mixed) };

/* A sum of the bytes at b and c. */
static void report(const char *kernel)
{
    static unsigned char host[2 * NBYTES];
    unsigned sum = 0;
    CUDA_MUST(cudaMemcpy(host, b, NBYTES, cudaMemcpyDeviceToHost));
    CUDA_MUST(cudaMemcpy(host + NBYTES, c, NBYTES, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < sizeof host; i++)
        sum = sum * 31 + host[i];
    printf("%s %08x\n", kernel, sum);
}

static void fill(void)
{
    static unsigned char host[NBYTES];
    for (size_t i = 0; i < sizeof host; i++) // no number is infinite
        host[i] = (unsigned char)(i * 11 % 59);
    CUDA_MUST(cudaMemcpy(a, host, NBYTES, cudaMemcpyHostToDevice));
    CUDA_MUST(cudaMemset(b, 0, NBYTES));
    CUDA_MUST(cudaMemset(c, 0, NBYTES));
}

int main(int argc, char **)
{
    if (argc > 1)
        return run_sparse();
    CUDA_MUST(cudaMalloc(&a, NBYTES));
    CUDA_MUST(cudaMalloc(&b, NBYTES));
    CUDA_MUST(cudaMalloc(&c, NBYTES));
    fill();
    gather<<<N / BLOCK, BLOCK>>>((float *)a, (float *)b);
    report("gather");
    columns<<<N / BLOCK, BLOCK>>>((float *)a, (float *)b);
    report("columns");
    stencil<<<dim3(SIDE / 32, 21), dim3(32, 2)>>>((float *)a, (float *)b);
    report("stencil");
    sizes<<<N / BLOCK / 2, BLOCK>>>((mixed *)a, (mixed *)b, (odd *)a);
    report("sizes");
    registers<<<N / BLOCK, BLOCK>>>((double *)a, (double *)b);
    report("registers");
    spaces<<<N / BLOCK, BLOCK>>>((float *)a, (float *)b);
    report("spaces");
    updates<<<N / BLOCK, BLOCK>>>((float *)b, (unsigned *)c);
    report("updates");
    returned<<<N / BLOCK, BLOCK>>>((float *)a, (wide *)b, (float2 *)c);
    report("returned");
    for (int how = 0; how < WALKS; how++) {
        strides<<<1024 / BLOCK, BLOCK>>>((float *)a, (float *)b, how);
        report("strides");
    }
    void *args[] = {&b, &c};
    CUDA_MUST(cudaLaunchCooperativeKernel((void *)grid, dim3(8), dim3(BLOCK),
                                          args, 0, 0));
    report("grid");
    CUDA_MUST(cudaFree(a));
    CUDA_MUST(cudaFree(b));
    CUDA_MUST(cudaFree(c));
    return 0;
}
