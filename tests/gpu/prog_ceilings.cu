/* links: nn nnref judge graph topo base
 * links: common/staff/lab1-collectives/reduce.cu
 *
 * What the kit's kernels reach of what the device can do.
 *
 *     prog_ceilings                  on device 0
 *
 * Two ceilings are measured first: moving bytes, by a copy of CUDA's and by a
 * kernel that copies 16 bytes at a time (the faster one counts), and
 * multiplying matrices, by cuBLAS. Then elementwise kernels as a part of the
 * first, products as a part of the second; GOAL of a ceiling is what they
 * should reach.
 *
 * A time is that of one launch: the median of ROUNDS rounds of LAUNCHES, each
 * between two events, after WARM_UP that don't count; the spread is what lies
 * between the 10th and the 90th of 100 rounds, as a part of the median. On
 * simgpu times are modelled, and memory of this size has no contents.
 */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <mpi.h>
#include <nvtx3/nvToolsExt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "lab1.h" /* coll_combine */
#include "nn/ops.h"

enum { WARM_UP = 3, ROUNDS = 21, LAUNCHES = 10 };
static const double GOAL = 0.85;
static const size_t COUNT = 64 << 20;     /* elements: 256 MiB, above any L2 */
enum { SIZE = 4096, NARROW_SIZE = 8192 }; /* matrices of fp32, and of bf16 */

static float *a, *b, *c, *d; /* COUNT each */
static cublasHandle_t blas;
static const struct nn_hyper hyper = {0.001f, 0.9f, 0.999f, 1e-8f, 0.01f};

/* ---- what is measured ---------------------------------------------------- */

__global__ void copy16(float4 *to, const float4 *from, size_t count)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += step)
        to[i] = from[i];
}

/* The cost of a launch whose function does not say it itself
 * (nn/kernels.cu). */
static void declare(double nbytes)
{
    char text[64];
    snprintf(text, sizeof text, "cost: 0 flops, %.0f bytes", nbytes);
    nvtxRangePushA(text);
}

static void copy_by_kernel(float *to, const float *from, size_t count)
{
    declare(8.0 * (double)count);
    copy16<<<4096, 256>>>((float4 *)to, (const float4 *)from, count / 4);
    nvtxRangePop();
    CUDA_MUST(cudaGetLastError());
}

static void memcpy_d2d(void)
{
    CUDA_MUST(
        cudaMemcpyAsync(a, b, COUNT * sizeof *a, cudaMemcpyDeviceToDevice, 0));
}
static void copy_kernel(void)
{
    copy_by_kernel(a, b, COUNT);
}
static void gelu(void)
{
    CUDA_MUST(nn_gelu(a, b, COUNT, 0));
}
static void gelu_back(void)
{
    CUDA_MUST(nn_gelu_back(a, b, c, COUNT, 0));
}
static void add(void)
{
    CUDA_MUST(nn_add(a, b, COUNT, 0));
}
static void narrow(void)
{
    CUDA_MUST(nn_narrow((uint16_t *)a, b, COUNT, NN_BF16, 0));
}
static void sgd(void)
{
    CUDA_MUST(nn_sgd(a, b, &hyper, COUNT, 0));
}
static void adamw(void)
{
    CUDA_MUST(nn_adamw(a, b, c, d, 1, &hyper, COUNT, 0));
}
static void combine(void)
{
    declare(12.0 * (double)COUNT);
    NCCL_MUST(coll_combine(a, b, COUNT, ncclFloat, ncclSum, 0));
    nvtxRangePop();
}
static void sgemm(void)
{
    const float one = 1, zero = 0;
    CUBLAS_MUST(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, SIZE, SIZE, SIZE,
                            &one, a, SIZE, b, SIZE, &zero, c, SIZE));
}
static void gemm_bf16(void)
{
    const float one = 1, zero = 0;
    CUBLAS_MUST(cublasGemmEx(
        blas, CUBLAS_OP_N, CUBLAS_OP_N, NARROW_SIZE, NARROW_SIZE, NARROW_SIZE,
        &one, a, CUDA_R_16BF, NARROW_SIZE, b, CUDA_R_16BF, NARROW_SIZE, &zero,
        c, CUDA_R_16BF, NARROW_SIZE, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}
static void linear(void)
{
    CUDA_MUST(nn_linear(blas, a, b, c, SIZE, SIZE, SIZE));
}
static void linear_dw(void)
{
    CUDA_MUST(nn_linear_dw(blas, a, b, c, SIZE, SIZE, SIZE));
}
static void linear_dx(void)
{
    CUDA_MUST(nn_linear_dx(blas, a, b, c, SIZE, SIZE, SIZE));
}

/* The bytes and floating point operations of a launch; a ceiling is a row of
 * its own kind that those after it are compared with. */
enum kind { BYTES, FLOPS };
enum role { CEILING, SHOWN, OURS };
#define CUBED(n) (2.0 * (n) * (n) * (n))
static const struct row {
    const char *name;
    enum kind kind;
    enum role role; /* SHOWN: nothing of the kit's is compared with it */
    double per_element, flops;
    void (*launch)(void);
} rows[] = {
    {"cudaMemcpyAsync, device to device", BYTES, CEILING, 8, 0, memcpy_d2d},
    {"copy kernel, 16 bytes a thread", BYTES, CEILING, 8, 0, copy_kernel},
    {"nn_gelu", BYTES, OURS, 8, 0, gelu},
    {"nn_gelu_back", BYTES, OURS, 12, 0, gelu_back},
    {"nn_add", BYTES, OURS, 12, 0, add},
    {"nn_narrow, to bf16", BYTES, OURS, 6, 0, narrow},
    {"nn_sgd", BYTES, OURS, 12, 0, sgd},
    {"nn_adamw", BYTES, OURS, 28, 0, adamw},
    {"coll_combine, sum of float", BYTES, OURS, 12, 0, combine},
    {"cublasSgemm, 4096 cubed", FLOPS, CEILING, 0, CUBED(SIZE), sgemm},
    {"cublasGemmEx bf16, 8192 cubed", FLOPS, SHOWN, 0, CUBED(NARROW_SIZE),
     gemm_bf16},
    {"nn_linear", FLOPS, OURS, 0, CUBED(SIZE), linear},
    {"nn_linear_dw", FLOPS, OURS, 0, CUBED(SIZE), linear_dw},
    {"nn_linear_dx", FLOPS, OURS, 0, CUBED(SIZE), linear_dx},
};

/* ---- measuring ----------------------------------------------------------- */

struct timing {
    double us, spread; /* of one launch */
};

static int compare(const void *x, const void *y)
{
    const float l = *(const float *)x, r = *(const float *)y;
    return (l > r) - (l < r);
}

static struct timing measure(void (*launch)(void))
{
    cudaEvent_t begin, end;
    float ms[ROUNDS];
    CUDA_MUST(cudaEventCreate(&begin));
    CUDA_MUST(cudaEventCreate(&end));
    for (int i = -WARM_UP; i < ROUNDS; i++) {
        CUDA_MUST(cudaEventRecord(begin, 0));
        for (int k = 0; k < LAUNCHES; k++)
            launch();
        CUDA_MUST(cudaEventRecord(end, 0));
        CUDA_MUST(cudaEventSynchronize(end));
        CUDA_MUST(cudaEventElapsedTime(&ms[i < 0 ? 0 : i], begin, end));
    }
    CUDA_MUST(cudaEventDestroy(begin));
    CUDA_MUST(cudaEventDestroy(end));
    qsort(ms, ROUNDS, sizeof *ms, compare);
    const double median = ms[ROUNDS / 2];
    const double wide = ms[ROUNDS * 9 / 10] - ms[ROUNDS / 10];
    return (struct timing){1e3 * median / LAUNCHES, wide / median};
}

/* The copy that is a ceiling has to copy: on a size that has contents. */
static void check_copy(void)
{
    enum { SMALL = 1 << 16 };
    static float in[SMALL], out[SMALL];
    float *from, *to;
    for (int i = 0; i < SMALL; i++)
        in[i] = (float)i;
    CUDA_MUST(cudaMalloc((void **)&from, sizeof in));
    CUDA_MUST(cudaMalloc((void **)&to, sizeof in));
    CUDA_MUST(cudaMemcpy(from, in, sizeof in, cudaMemcpyHostToDevice));
    copy_by_kernel(to, from, SMALL);
    CUDA_MUST(cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost));
    if (memcmp(in, out, sizeof in) != 0)
        must_stop(__FILE__, __LINE__, "copy16", "the copy differs");
    CUDA_MUST(cudaFree(from));
    CUDA_MUST(cudaFree(to));
}

static void setup(void)
{
    float **const all[] = {&a, &b, &c, &d};
    check_copy();
    for (int i = 0; i < 4; i++) {
        CUDA_MUST(cudaMalloc((void **)all[i], COUNT * sizeof **all[i]));
        CUDA_MUST(cudaMemset(*all[i], 0, COUNT * sizeof **all[i]));
    }
    CUBLAS_MUST(cublasCreate(&blas));
}

static void teardown(void)
{
    CUBLAS_MUST(cublasDestroy(blas));
    float *const all[] = {a, b, c, d};
    for (int i = 0; i < 4; i++)
        CUDA_MUST(cudaFree(all[i]));
}

/* Returns the rate; a row that reaches less than GOAL is marked. */
static double print_row(const struct row *r, const double ceiling[2])
{
    const struct timing t = measure(r->launch);
    const double work =
        r->kind == BYTES ? r->per_element * (double)COUNT : r->flops;
    const double rate = work / t.us * 1e-3; // in 1e9 a second
    printf("%-34s %9.1f %7.1f %% %9.0f %-7s", r->name, t.us, 100 * t.spread,
           rate, r->kind == BYTES ? "GB/s" : "GFLOP/s");
    if (r->role == CEILING)
        printf("  ceiling\n");
    else if (r->role == SHOWN)
        printf("\n");
    else
        printf("  %5.1f %%%s\n", 100 * rate / ceiling[r->kind],
               rate < GOAL * ceiling[r->kind] ? "  below the goal" : "");
    return rate;
}

int main(void)
{
    double ceiling[2] = {0, 0};
    setenv("SIMGPU_DATALESS", "64M", 0);
    setup();
    printf(
        "# %d rounds of warm-up, then the median of %d rounds of %d launches\n"
        "# goal: %.0f %% of the ceiling\n%-34s %9s %9s %17s  of ceiling\n",
        WARM_UP, ROUNDS, LAUNCHES, 100 * GOAL, "#", "us", "spread", "rate");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double rate = print_row(&rows[i], ceiling);
        if (rows[i].role == CEILING && rate > ceiling[rows[i].kind])
            ceiling[rows[i].kind] = rate;
    }
    teardown();
    return 0;
}
