// cuBLAS: products whose output overlaps an input or another output, ignored
// failures, destroyed handles.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "case.h"

enum { N = 4, SIZE = N * N, BATCH = 3, ROOM = 4 * BATCH * SIZE };
#define NONE CUBLAS_OP_N

static cublasHandle_t h;
static float *a, *b, *c;
static const float one = 1, zero = 0;

static void begin()
{
    float **const all[] = {&a, &b, &c};
    cublasCreate(&h);
    for (float **const m : all) {
        cudaMalloc(m, ROOM * sizeof **m);
        cudaMemset(*m, 0, ROOM * sizeof **m);
    }
}

static void end()
{
    cudaDeviceSynchronize();
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cublasDestroy(h);
}

// C = A C; with `fixed`, C lies behind A in one allocation.
static void in_place(int fixed)
{
    begin();
    FIRST cublasSgemm(h, NONE, NONE, N, N, N, &one, a, N, b, N, &zero,
                      fixed ? a + SIZE : a, N);
    end();
}

// Rows of one matrix of 2 N rows: the upper half times B is the lower half, or
// one that begins a row too early.
static void rows_of_one_matrix(int fixed)
{
    begin();
    FIRST cublasSgemm(h, NONE, NONE, N, N, N, &one, a, 2 * N, b, N, &one,
                      a + (fixed ? N : N - 1), 2 * N);
    end();
}

// A triangle times B is B itself, or begins in B's second column.
static void triangle_in_place(int fixed)
{
    begin();
    FIRST cublasStrmm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, NONE,
                      CUBLAS_DIAG_UNIT, N, N, &one, a, N, b, N,
                      fixed ? b : b + N, N);
    end();
}

// The rows of A times numbers, in place, but with other columns.
static void diagonal_in_place(int fixed)
{
    begin();
    FIRST cublasSdgmm(h, CUBLAS_SIDE_LEFT, N, N, a, N, b, 1, a,
                      fixed ? N : N + 1);
    end();
}

static void strided(int fixed)
{
    begin();
    FIRST cublasSgemmStridedBatched(h, NONE, NONE, N, N, N, &one, a, N, 0, b, N,
                                    SIZE, &one, c, N, fixed ? SIZE : SIZE / 2,
                                    BATCH);
    end();
}

static void by_pointers(int fixed)
{
    float *host[3][BATCH], **device;
    begin();
    for (int i = 0; i < BATCH; i++) {
        host[0][i] = a, host[1][i] = b + i * SIZE;
        host[2][i] = c + (fixed ? i : i % 2) * SIZE;
    }
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    FIRST cublasSgemmBatched(h, NONE, NONE, N, N, N, &one, device, N,
                             device + BATCH, N, &zero, device + 2 * BATCH, N,
                             BATCH);
    cudaDeviceSynchronize();
    cudaFree(device);
    end();
}

// A leading dimension that is too short for A.
static void ignored(int fixed)
{
    begin();
    FIRST cublasSgemm(h, NONE, NONE, N, N, N, &one, a, fixed ? N : N - 1, b, N,
                      &zero, c, N);
    end();
}

// The program checks the status of its first call, and ignores a later one.
static void ignored_by_a_vector(int fixed)
{
    begin();
    if (cublasSscal(h, N, nullptr, a, 1) == CUBLAS_STATUS_SUCCESS)
        return;
    FIRST cublasSscal(h, N, fixed ? &one : nullptr, a, 1);
    end();
}

static void ignored_copy(int fixed)
{
    float host[N] = {1, 2, 3, 4};
    begin();
    FIRST cublasSetVector(N, sizeof *host, host, fixed ? 1 : 0, a, 1);
    end();
}

static void destroyed(int fixed)
{
    begin();
    cublasHandle_t other;
    cublasCreate(&other);
    if (fixed)
        cublasSscal(other, N, &one, a, 1);
    SECOND cublasDestroy(other);
    if (!fixed) {
        FIRST const cublasStatus_t status = cublasSscal(other, N, &one, a, 1);
        printf("%s\n", cublasGetStatusName(status));
    }
    end();
}

static void destroyed_twice(int fixed)
{
    begin();
    cublasHandle_t other, same;
    cublasCreate(&other);
    cublasCreate(&same);
    if (!fixed)
        same = other;
    FIRST cublasDestroy(other);
    SECOND cublasDestroy(same);
    end();
}

static const struct hazard_case cases[] = {
    {"gemm-in-place", 0, "writes~C~over~an~input", in_place},
    {"gemm-of-rows", 0, "writes~C~over~an~input", rows_of_one_matrix},
    {"trmm-in-place", 0, "In~place,~C~begins~where~the~input~does",
     triangle_in_place},
    {"dgmm-in-place", 0, "writes~C~over~an~input", diagonal_in_place},
    {"batch-stride-too-small", 0, "matrices~of~a~batch~that~overlap", strided},
    {"batch-pointer-twice", 0, "matrices~of~a~batch~that~overlap", by_pointers},
    {"gemm-status-ignored", 0, "returned~CUBLAS_STATUS_INVALID_VALUE", ignored},
    {"vector-status-ignored", 0, "cublasSscal~at", ignored_by_a_vector},
    {"copy-status-ignored", 0, "ignored~failure:~cublasSetVector",
     ignored_copy},
    {"handle-destroyed", 0, "use~after~destroy:~cublasSscal", destroyed},
    {"handle-destroyed-twice", 0, "use~after~destroy:~cublasDestroy",
     destroyed_twice},
};

int main(int argc, char **argv)
{
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
