// What it costs that the accesses of kernels are recorded, in processor time:
// reads of many rows in turn against reads of one, and three usual kernels, by
// access, against a kernel that reads the same bytes again and again. With an
// argument: milliseconds of wall time of the three, for cores.sh.
#include <cuda_runtime.h>

#include <stdio.h>
#include <time.h>

#include "product.cuh"

enum { N = 256, SIDE = 512, TILE = 16, READS = 1 << 22, ROW = 4096 };

/* READS reads that take turns between rows. */
__global__ void rows(const float *a, float *out, int nrows)
{
    float sum = 0;
    for (int i = 0; i < READS / nrows; i++)
        for (int r = 0; r < nrows; r++)
            sum += a[r * ROW + i % ROW];
    *out = sum;
}

__global__ void jacobi(const float *a, float *b)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < SIDE - 1 && y < SIDE - 1)
        b[y * SIDE + x] = (a[y * SIDE + x - 1] + a[y * SIDE + x + 1] +
                           a[(y - 1) * SIDE + x] + a[(y + 1) * SIDE + x]) /
                          4;
}

static float *a, *b, *c;

static clockid_t clock_id = CLOCK_PROCESS_CPUTIME_ID;

static double now_sec()
{
    struct timespec t;
    clock_gettime(clock_id, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void run_rows(int nrows)
{
    rows<<<1, 1>>>(a, c, nrows);
}
static void run_untiled(int)
{
    untiled<N><<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(a, b, c);
}
static void run_tiled(int)
{
    tiled<N, TILE><<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(a, b, c);
}
static void run_jacobi(int)
{
    for (int i = 0; i < 16; i++)
        jacobi<<<dim3(SIDE / 32, SIDE / 8), dim3(32, 8)>>>(a, b);
}

/* Nanoseconds of an access, of five runs the least. */
static double ns(void (*run)(int), int argument, double accesses)
{
    double best = 1e9;
    for (int i = 0; i < 5; i++) {
        const double begin = now_sec();
        run(argument);
        cudaDeviceSynchronize();
        const double sec = now_sec() - begin;
        best = sec < best ? sec : best;
    }
    return best / accesses * 1e9;
}

int main(int argc, char **)
{
    const size_t nbytes = sizeof(float) * 1024 * ROW;
    cudaMalloc(&a, nbytes);
    cudaMalloc(&b, nbytes);
    cudaMalloc(&c, nbytes);
    cudaMemset(a, 0, nbytes);
    cudaMemset(b, 0, nbytes);
    if (argc > 1) {
        clock_id = CLOCK_MONOTONIC;
        printf("%.3f %.3f %.3f\n", ns(run_untiled, 0, 1e6),
               ns(run_tiled, 0, 1e6), ns(run_jacobi, 0, 1e6));
        return 0;
    }
    const double one = ns(run_rows, 1, READS);
    printf("reads of many rows in turn, against one:");
    for (int n : {8, 9, 64, 1024})
        printf(" %d: %.1f times%s", n, ns(run_rows, n, READS) / one,
               n < 1024 ? "," : "\n");
    const double product = 2.0 * N * N * N;
    const double plain = ns(run_untiled, 0, product);
    const double shared = ns(run_tiled, 0, product);
    const double stencil = ns(run_jacobi, 0, 16.0 * 5 * SIDE * SIDE);
    printf("by access, against that: untiled product %.1f times, tiled product "
           "%.1f, Jacobi %.1f\n",
           plain / one, shared / one, stencil / one);
    // scaled by their accesses, in billions
    printf(
        "processor time: 512^3 product untiled %.2f s, tiled %.2f s; 1000 "
        "steps of a 1024^2 Jacobi %.1f s; a read of one of 64 rows %.1f ns\n",
        plain * 0.268, shared * 0.268, stencil * 5.243,
        ns(run_rows, 64, READS));
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return 0;
}
