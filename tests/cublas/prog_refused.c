/* prog_refused.c: which argument of a call of cuBLAS is wrong. golden.txt has
 * what is right. */
#include "refused.h"

enum { M = 3, N = 2, K = 4 };
#define NO    CUBLAS_OP_N
#define YES   CUBLAS_OP_T
#define CONJ  CUBLAS_OP_C
#define ODD   ((cublasOperation_t)3)
#define LEFT  CUBLAS_SIDE_LEFT
#define RIGHT CUBLAS_SIDE_RIGHT
#define SIDE  ((cublasSideMode_t)2)
#define LOWER CUBLAS_FILL_MODE_LOWER
#define UPPER CUBLAS_FILL_MODE_UPPER
#define FULL  CUBLAS_FILL_MODE_FULL
#define WHOLE CUBLAS_DIAG_NON_UNIT
#define UNIT  CUBLAS_DIAG_UNIT
#define DIAG  ((cublasDiagType_t)2)

static const float one = 1, zero = 0;

/* ---- sizes, pitches and modes -------------------------------------------- */

static void products(void)
{
    SHOW(cublasSgemm(h, ODD, NO, M, N, K, &one, a, 3, b, 4, &zero, c, 3));
    SHOW(cublasSgemm(h, NO, ODD, M, N, K, &one, a, 3, b, 4, &zero, c, 3));
    SHOW(cublasSgemm(h, NO, NO, -1, N, K, &one, a, 3, b, 4, &zero, c, 3));
    SHOW(cublasSgemm(h, NO, NO, M, -1, K, &one, a, 3, b, 4, &zero, c, 3));
    SHOW(cublasSgemm(h, NO, NO, M, N, -1, &one, a, 3, b, 4, &zero, c, 3));
    SHOW(cublasSgemm(h, NO, NO, M, N, K, &one, a, 2, b, 4, &zero, c, 3));
    SHOW(cublasSgemm(h, NO, NO, M, N, K, &one, a, 3, b, 3, &zero, c, 3));
    SHOW(cublasSgemm(h, NO, NO, M, N, K, &one, a, 3, b, 4, &zero, c, 2));
    SHOW(cublasSgemm(h, NO, NO, M, N, K, &one, a, 3, b, 4, &zero, c, 3));
    SHOW(cublasSgemm(h, YES, CONJ, M, N, K, &one, a, 3, b, 2, &zero, c, 3));
    SHOW(cublasSgemm(h, YES, CONJ, M, N, K, &one, a, 4, b, 1, &zero, c, 3));
    SHOW(cublasSgemm(h, YES, CONJ, M, N, K, &one, a, 4, b, 2, &zero, c, 3));
    SHOW(cublasSgemm(h, NO, NO, M, N, K, NULL, a, 3, b, 4, &zero, c, 3));
    SHOW(cublasSgemm(h, NO, NO, M, N, K, &one, a, 3, b, 4, NULL, c, 3));
    SHOW(cublasSgemm(h, NO, NO, M, 0, K, NULL, a, 3, b, 4, NULL, c, 3));
    SHOW(cublasSgemm(h, NO, NO, 0, 0, 0, &one, a, 0, b, 1, &zero, c, 1));
    SHOW(cublasSgemm(h, NO, NO, 0, 0, 0, &one, a, 1, b, 1, &zero, c, 1));
    SHOW(cublasSgemmStridedBatched(h, NO, NO, M, N, K, &one, a, 3, 0, b, 4, 0,
                                   &zero, c, 3, 6, -1));
    SHOW(cublasSgemmStridedBatched(h, NO, NO, M, N, K, NULL, a, 3, 0, b, 4, 0,
                                   NULL, c, 3, 6, 0));
    SHOW(cublasSgemmBatched(h, NO, NO, M, N, K, &one, NULL, 3, NULL, 3, &zero,
                            NULL, 3, 1));
}

/* A product of 1 x 1, whose types are arguments. */
#define BY_TYPE(in, other, out, how, algo)                                     \
    SHOW(cublasGemmEx(h, NO, NO, 1, 1, 1, &one, a, CUDA_##in, 1, b,            \
                      CUDA_##other, 1, &zero, c, CUDA_##out, 1,                \
                      CUBLAS_COMPUTE_##how, (cublasGemmAlgo_t)(algo)))

static void types(void)
{
    BY_TYPE(R_32F, R_32F, R_32F, 32F, -2);
    BY_TYPE(R_32F, R_32F, R_32F, 32F, -1);
    BY_TYPE(R_32F, R_32F, R_32F, 32F, 23);
    BY_TYPE(R_32F, R_32F, R_32F, 32F, 24);
    BY_TYPE(R_32F, R_32F, R_32F, 32F, 98);
    BY_TYPE(R_32F, R_32F, R_32F, 32F, 99);
    BY_TYPE(R_32F, R_32F, R_32F, 32F, 115);
    BY_TYPE(R_32F, R_32F, R_32F, 32F, 116);
    BY_TYPE(R_32F, R_16F, R_32F, 32F, -1);
    BY_TYPE(R_32F, R_32F, R_16F, 32F, -1);
    BY_TYPE(R_32F, R_32F, R_32F, 16F, -1);
    BY_TYPE(R_32F, R_32F, R_32F, 64F, -1);
    BY_TYPE(R_16F, R_16F, R_32F, 32F, -1);
    BY_TYPE(R_16F, R_16F, R_32F, 16F, -1);
    BY_TYPE(R_16F, R_16F, R_16F, 32F, -1);
    BY_TYPE(R_16BF, R_16BF, R_32F, 32F, -1);
    BY_TYPE(R_16BF, R_16BF, R_16BF, 32F, -1);
    BY_TYPE(R_16BF, R_16BF, R_16F, 32F, -1);
    BY_TYPE(R_8I, R_8I, R_32F, 32F, -1);
    BY_TYPE(R_8I, R_8I, R_32I, 32F, -1);
    BY_TYPE(R_8I, R_8I, R_32F, 32I, -1);
    BY_TYPE(R_32F, R_32F, R_32F, 32F_PEDANTIC, -1);
    BY_TYPE(R_32F, R_32F, R_32F, 32F_FAST_16F, -1);
    BY_TYPE(R_32F, R_32F, R_32F, 32F_FAST_16BF, -1);
    BY_TYPE(R_32F, R_32F, R_32F, 32F_FAST_TF32, -1);
}

static void with_vectors(void)
{
    SHOW(cublasSgemv(h, ODD, M, N, &one, a, 3, b, 1, &one, c, 1));
    SHOW(cublasSgemv(h, NO, M, N, &one, a, 2, b, 1, &one, c, 1));
    SHOW(cublasSgemv(h, NO, M, N, &one, a, 3, b, 0, &one, c, 1));
    SHOW(cublasSgemv(h, NO, M, N, &one, a, 3, b, 1, &one, c, 0));
    SHOW(cublasSgemv(h, NO, M, N, NULL, a, 3, b, 1, &one, c, 1));
    SHOW(cublasSgemv(h, NO, M, N, &one, a, 3, b, 1, NULL, c, 1));
    SHOW(cublasSgemv(h, NO, 1, 1, &one, a, 1, b, -1, &one, c, -1));
    SHOW(cublasSger(h, -1, N, &one, a, 1, b, 1, c, 3));
    SHOW(cublasSger(h, M, -1, &one, a, 1, b, 1, c, 3));
    SHOW(cublasSger(h, M, N, &one, a, 0, b, 1, c, 3));
    SHOW(cublasSger(h, M, N, &one, a, 1, b, 0, c, 3));
    SHOW(cublasSger(h, M, N, &one, a, 1, b, 1, c, 2));
    SHOW(cublasSger(h, M, N, NULL, a, 1, b, 1, c, 3));
    SHOW(cublasSger(h, 1, 1, &one, a, 1, b, 1, c, 1));
    SHOW(cublasSsymv(h, FULL, M, &one, a, 3, b, 1, &one, c, 1));
    SHOW(cublasSsymv(h, LOWER, -1, &one, a, 3, b, 1, &one, c, 1));
    SHOW(cublasSsymv(h, LOWER, M, &one, a, 2, b, 1, &one, c, 1));
    SHOW(cublasSsymv(h, LOWER, M, &one, a, 3, b, 0, &one, c, 1));
    SHOW(cublasSsymv(h, LOWER, M, &one, a, 3, b, 1, &one, c, 0));
    SHOW(cublasSsymv(h, LOWER, M, NULL, a, 3, b, 1, &one, c, 1));
    SHOW(cublasSsymv(h, LOWER, M, &one, a, 3, b, 1, NULL, c, 1));
    SHOW(cublasSsymv(h, UPPER, 1, &one, a, 1, b, 1, &one, c, 1));
    SHOW(cublasStrsv(h, FULL, NO, WHOLE, M, a, 3, b, 1));
    SHOW(cublasStrsv(h, LOWER, ODD, WHOLE, M, a, 3, b, 1));
    SHOW(cublasStrsv(h, LOWER, NO, DIAG, M, a, 3, b, 1));
    SHOW(cublasStrsv(h, LOWER, NO, WHOLE, -1, a, 3, b, 1));
    SHOW(cublasStrsv(h, LOWER, NO, WHOLE, M, a, 2, b, 1));
    SHOW(cublasStrsv(h, LOWER, NO, WHOLE, M, a, 3, b, 0));
    SHOW(cublasStrsv(h, UPPER, CONJ, UNIT, 1, a, 1, b, 1));
}

static void with_triangles(void)
{
    SHOW(cublasSsymm(h, SIDE, LOWER, M, N, &one, a, 3, b, 3, &one, c, 3));
    SHOW(cublasSsymm(h, LEFT, FULL, M, N, &one, a, 3, b, 3, &one, c, 3));
    SHOW(cublasSsymm(h, LEFT, LOWER, -1, N, &one, a, 3, b, 3, &one, c, 3));
    SHOW(cublasSsymm(h, LEFT, LOWER, M, -1, &one, a, 3, b, 3, &one, c, 3));
    SHOW(cublasSsymm(h, LEFT, LOWER, M, N, &one, a, 2, b, 3, &one, c, 3));
    SHOW(cublasSsymm(h, LEFT, LOWER, M, N, &one, a, 3, b, 2, &one, c, 3));
    SHOW(cublasSsymm(h, LEFT, LOWER, M, N, &one, a, 3, b, 3, &one, c, 2));
    SHOW(cublasSsymm(h, LEFT, LOWER, M, N, NULL, a, 3, b, 3, &one, c, 3));
    SHOW(cublasSsymm(h, LEFT, LOWER, M, N, &one, a, 3, b, 3, NULL, c, 3));
    SHOW(cublasSsymm(h, RIGHT, LOWER, M, N, &one, a, 1, b, 3, &one, c, 3));
    SHOW(cublasSsymm(h, RIGHT, UPPER, M, N, &one, a, 2, b, 3, &one, c, 3));
    SHOW(cublasSsyrk(h, FULL, NO, M, K, &one, a, 3, &one, c, 3));
    SHOW(cublasSsyrk(h, LOWER, ODD, M, K, &one, a, 3, &one, c, 3));
    SHOW(cublasSsyrk(h, LOWER, NO, -1, K, &one, a, 3, &one, c, 3));
    SHOW(cublasSsyrk(h, LOWER, NO, M, -1, &one, a, 3, &one, c, 3));
    SHOW(cublasSsyrk(h, LOWER, NO, M, K, &one, a, 2, &one, c, 3));
    SHOW(cublasSsyrk(h, LOWER, NO, M, K, &one, a, 3, &one, c, 2));
    SHOW(cublasSsyrk(h, LOWER, NO, M, K, NULL, a, 3, &one, c, 3));
    SHOW(cublasSsyrk(h, LOWER, NO, M, K, &one, a, 3, NULL, c, 3));
    SHOW(cublasSsyrk(h, LOWER, YES, M, K, &one, a, 3, &one, c, 3));
    SHOW(cublasSsyrk(h, UPPER, YES, M, K, &one, a, 4, &one, c, 3));
    SHOW(cublasStrsm(h, SIDE, LOWER, NO, UNIT, M, N, &one, a, 3, b, 3));
    SHOW(cublasStrsm(h, LEFT, FULL, NO, UNIT, M, N, &one, a, 3, b, 3));
    SHOW(cublasStrsm(h, LEFT, LOWER, ODD, UNIT, M, N, &one, a, 3, b, 3));
    SHOW(cublasStrsm(h, LEFT, LOWER, NO, DIAG, M, N, &one, a, 3, b, 3));
    SHOW(cublasStrsm(h, LEFT, LOWER, NO, UNIT, -1, N, &one, a, 3, b, 3));
    SHOW(cublasStrsm(h, LEFT, LOWER, NO, UNIT, M, -1, &one, a, 3, b, 3));
    SHOW(cublasStrsm(h, LEFT, LOWER, NO, UNIT, M, N, &one, a, 2, b, 3));
    SHOW(cublasStrsm(h, LEFT, LOWER, NO, UNIT, M, N, &one, a, 3, b, 2));
    SHOW(cublasStrsm(h, LEFT, LOWER, NO, UNIT, M, N, NULL, a, 3, b, 3));
    SHOW(cublasStrsm(h, RIGHT, LOWER, NO, UNIT, M, N, &one, a, 1, b, 3));
    SHOW(cublasStrsm(h, RIGHT, UPPER, NO, UNIT, M, N, &one, a, 2, b, 3));
}

static void updates(void)
{
    SHOW(cublasStrmv(h, FULL, NO, WHOLE, M, a, 3, b, 1));
    SHOW(cublasStrmv(h, LOWER, ODD, WHOLE, M, a, 3, b, 1));
    SHOW(cublasStrmv(h, LOWER, NO, DIAG, M, a, 3, b, 1));
    SHOW(cublasStrmv(h, LOWER, NO, WHOLE, -1, a, 3, b, 1));
    SHOW(cublasStrmv(h, LOWER, NO, WHOLE, M, a, 2, b, 1));
    SHOW(cublasStrmv(h, LOWER, NO, WHOLE, M, a, 3, b, 0));
    SHOW(cublasStrmv(h, UPPER, CONJ, UNIT, 1, a, 1, b, 1));
    SHOW(cublasStrmv(h, UPPER, CONJ, UNIT, 0, NULL, 1, NULL, 1));
    SHOW(cublasSsyr(h, FULL, M, &one, b, 1, a, 3));
    SHOW(cublasSsyr(h, LOWER, -1, &one, b, 1, a, 3));
    SHOW(cublasSsyr(h, LOWER, M, &one, b, 0, a, 3));
    SHOW(cublasSsyr(h, LOWER, M, &one, b, 1, a, 2));
    SHOW(cublasSsyr(h, LOWER, M, NULL, b, 1, a, 3));
    SHOW(cublasSsyr(h, UPPER, 1, &one, b, 1, a, 1));
    SHOW(cublasSsyr(h, UPPER, 0, NULL, NULL, 1, NULL, 1));
    SHOW(cublasSsyr2(h, FULL, M, &one, b, 1, c, 1, a, 3));
    SHOW(cublasSsyr2(h, LOWER, -1, &one, b, 1, c, 1, a, 3));
    SHOW(cublasSsyr2(h, LOWER, M, &one, b, 0, c, 1, a, 3));
    SHOW(cublasSsyr2(h, LOWER, M, &one, b, 1, c, 0, a, 3));
    SHOW(cublasSsyr2(h, LOWER, M, &one, b, 1, c, 1, a, 2));
    SHOW(cublasSsyr2(h, LOWER, M, NULL, b, 1, c, 1, a, 3));
    SHOW(cublasSsyr2(h, UPPER, 1, &one, b, 1, c, 1, a, 1));
    SHOW(cublasSsyr2(h, UPPER, 0, NULL, NULL, 1, NULL, 1, NULL, 1));
    SHOW(cublasSsyr2k(h, FULL, NO, M, K, &one, a, 3, b, 3, &one, c, 3));
    SHOW(cublasSsyr2k(h, LOWER, ODD, M, K, &one, a, 3, b, 3, &one, c, 3));
    SHOW(cublasSsyr2k(h, LOWER, NO, -1, K, &one, a, 3, b, 3, &one, c, 3));
    SHOW(cublasSsyr2k(h, LOWER, NO, M, -1, &one, a, 3, b, 3, &one, c, 3));
    SHOW(cublasSsyr2k(h, LOWER, NO, M, K, &one, a, 2, b, 3, &one, c, 3));
    SHOW(cublasSsyr2k(h, LOWER, NO, M, K, &one, a, 3, b, 2, &one, c, 3));
    SHOW(cublasSsyr2k(h, LOWER, NO, M, K, &one, a, 3, b, 3, &one, c, 2));
    SHOW(cublasSsyr2k(h, LOWER, NO, M, K, NULL, a, 3, b, 3, &one, c, 3));
    SHOW(cublasSsyr2k(h, LOWER, NO, M, K, &one, a, 3, b, 3, NULL, c, 3));
    SHOW(cublasSsyr2k(h, LOWER, YES, M, K, &one, a, 3, b, 4, &one, c, 3));
    SHOW(cublasSsyr2k(h, LOWER, YES, M, K, &one, a, 4, b, 3, &one, c, 3));
    SHOW(cublasSsyr2k(h, UPPER, YES, M, K, &one, a, 4, b, 4, &one, c, 3));
}

static void triangles(void)
{
    SHOW(cublasStrmm(h, SIDE, LOWER, NO, UNIT, M, N, &one, a, 3, b, 3, c, 3));
    SHOW(cublasStrmm(h, LEFT, FULL, NO, UNIT, M, N, &one, a, 3, b, 3, c, 3));
    SHOW(cublasStrmm(h, LEFT, LOWER, ODD, UNIT, M, N, &one, a, 3, b, 3, c, 3));
    SHOW(cublasStrmm(h, LEFT, LOWER, NO, DIAG, M, N, &one, a, 3, b, 3, c, 3));
    SHOW(cublasStrmm(h, LEFT, LOWER, NO, UNIT, -1, N, &one, a, 3, b, 3, c, 3));
    SHOW(cublasStrmm(h, LEFT, LOWER, NO, UNIT, M, -1, &one, a, 3, b, 3, c, 3));
    SHOW(cublasStrmm(h, LEFT, LOWER, NO, UNIT, M, N, &one, a, 2, b, 3, c, 3));
    SHOW(cublasStrmm(h, LEFT, LOWER, NO, UNIT, M, N, &one, a, 3, b, 2, c, 3));
    SHOW(cublasStrmm(h, LEFT, LOWER, NO, UNIT, M, N, &one, a, 3, b, 3, c, 2));
    SHOW(cublasStrmm(h, LEFT, LOWER, NO, UNIT, M, N, NULL, a, 3, b, 3, c, 3));
    SHOW(cublasStrmm(h, RIGHT, LOWER, NO, UNIT, M, N, &one, a, 1, b, 3, c, 3));
    SHOW(cublasStrmm(h, RIGHT, UPPER, NO, UNIT, M, N, &one, a, 2, b, 3, c, 3));
    SHOW(cublasStrmm(h, LEFT, LOWER, NO, UNIT, 0, N, NULL, a, 3, b, 3, c, 3));
    SHOW(cublasStrmm(h, LEFT, LOWER, NO, UNIT, M, 0, NULL, a, 3, b, 3, c, 3));
    SHOW(cublasSdgmm(h, SIDE, M, N, a, 3, b, 1, c, 3));
    SHOW(cublasSdgmm(h, LEFT, -1, N, a, 3, b, 1, c, 3));
    SHOW(cublasSdgmm(h, LEFT, M, -1, a, 3, b, 1, c, 3));
    SHOW(cublasSdgmm(h, LEFT, M, N, a, 2, b, 1, c, 3));
    SHOW(cublasSdgmm(h, LEFT, M, N, a, 3, b, 1, c, 2));
    SHOW(cublasSdgmm(h, LEFT, 0, N, NULL, 3, NULL, 1, NULL, 3));
    SHOW(cublasSdgmm(h, RIGHT, M, 0, NULL, 3, NULL, 1, NULL, 3));
    SHOW(cublasSdgmm(h, RIGHT, M, N, a, 3, b, 0, c, 3));
}

static void sums(void)
{
    SHOW(cublasSgeam(h, ODD, NO, M, N, &one, a, 3, &one, b, 3, c, 3));
    SHOW(cublasSgeam(h, NO, ODD, M, N, &one, a, 3, &one, b, 3, c, 3));
    SHOW(cublasSgeam(h, NO, NO, -1, N, &one, a, 3, &one, b, 3, c, 3));
    SHOW(cublasSgeam(h, NO, NO, M, -1, &one, a, 3, &one, b, 3, c, 3));
    SHOW(cublasSgeam(h, NO, NO, M, N, &one, a, 2, &one, b, 3, c, 3));
    SHOW(cublasSgeam(h, NO, NO, M, N, &one, a, 3, &one, b, 2, c, 3));
    SHOW(cublasSgeam(h, NO, NO, M, N, &one, a, 3, &one, b, 3, c, 2));
    SHOW(cublasSgeam(h, NO, NO, M, N, NULL, a, 3, &one, b, 3, c, 3));
    SHOW(cublasSgeam(h, NO, NO, M, N, &one, a, 3, NULL, b, 3, c, 3));
    SHOW(cublasSgeam(h, YES, YES, M, N, &one, a, 1, &one, b, 2, c, 3));
    SHOW(cublasSgeam(h, YES, YES, M, N, &one, a, 2, &one, b, 1, c, 3));
    SHOW(cublasSgeam(h, YES, YES, M, N, &one, a, 2, &one, b, 2, c, 3));
    SHOW(cublasSgeam(h, NO, NO, M, N, &one, c, 3, &one, b, 3, c, 3));
    SHOW(cublasSgeam(h, NO, NO, M, N, &one, c, 4, &one, b, 3, c, 3));
    SHOW(cublasSgeam(h, YES, NO, M, N, &one, c, 3, &one, b, 3, c, 3));
    SHOW(cublasSgeam(h, NO, NO, M, N, &one, a, 3, &one, c, 3, c, 3));
    SHOW(cublasSgeam(h, NO, NO, M, N, &one, a, 3, &one, c, 4, c, 3));
    SHOW(cublasSgeam(h, NO, YES, M, N, &one, a, 3, &one, c, 3, c, 3));
}

/* Factors: sizes are looked at before the arrays of pointers. */
static void factors(void)
{
    float **const p = (float **)a, **const q = (float **)b;
    const float *const *const from = (const float *const *)a;
    int *const pivots = (int *)c;
    int info = 9;
    SHOW(cublasSgetrfBatched(h, -1, p, 3, pivots, NULL, 1));
    SHOW(cublasSgetrfBatched(h, M, p, 2, pivots, NULL, 1));
    SHOW(cublasSgetrfBatched(h, M, p, 3, pivots, NULL, -1));
    SHOW(cublasSgetrfBatched(h, M, NULL, 3, pivots, NULL, 1));
    SHOW(cublasSgetrfBatched(h, 0, p, 0, pivots, NULL, 1));
    SHOW(cublasSgetrfBatched(h, 0, p, 1, pivots, NULL, 1));
    SHOW(cublasSgetrfBatched(h, M, p, 3, pivots, NULL, 0));
    SHOW(cublasSgetrsBatched(h, ODD, M, N, from, 3, pivots, q, 3, &info, 1));
    printf("info %d\n", info);
    SHOW(cublasSgetrsBatched(h, NO, -1, N, from, 3, pivots, q, 3, &info, 1));
    printf("info %d\n", info);
    SHOW(cublasSgetrsBatched(h, NO, M, -1, from, 3, pivots, q, 3, &info, 1));
    printf("info %d\n", info);
    SHOW(cublasSgetrsBatched(h, NO, M, N, from, 2, pivots, q, 3, &info, 1));
    printf("info %d\n", info);
    SHOW(cublasSgetrsBatched(h, NO, M, N, from, 3, pivots, q, 2, &info, 1));
    printf("info %d\n", info);
    SHOW(cublasSgetrsBatched(h, NO, M, N, from, 3, pivots, q, 3, &info, 0));
    printf("info %d\n", info);
    SHOW(cublasSgetrsBatched(h, NO, M, N, from, 3, pivots, q, 2, NULL, 1));
    SHOW(cublasSgetriBatched(h, M, from, 3, pivots, q, 2, NULL, 1));
    SHOW(cublasSgetriBatched(h, M, from, 3, pivots, q, 3, NULL, 0));
    SHOW(cublasSmatinvBatched(h, 33, from, 33, q, 33, NULL, 0));
    SHOW(cublasSmatinvBatched(h, 32, from, 32, q, 32, NULL, 0));
    SHOW(cublasSmatinvBatched(h, 32, from, 32, q, 31, NULL, 0));
}

/* ---- memory -------------------------------------------------------------- */

SHORT(a_of_gemm,
      cublasSgemm(h, NO, NO, M, N, K, &one, end, 5, b, 6, &one, c, 7))
SHORT(b_of_gemm,
      cublasSgemm(h, NO, NO, M, N, K, &one, a, 5, end, 6, &one, c, 7))
SHORT(c_of_gemm,
      cublasSgemm(h, NO, NO, M, N, K, &one, a, 5, b, 6, &one, end, 7))
SHORT(a_of_gemmt,
      cublasSgemm(h, YES, YES, M, N, K, &one, end, 5, b, 6, &one, c, 7))
SHORT(b_of_gemmt,
      cublasSgemm(h, YES, YES, M, N, K, &one, a, 5, end, 6, &one, c, 7))
SHORT(none_of_gemm,
      cublasSgemm(h, NO, NO, M, N, K, &one, a, 5, NULL, 6, &one, c, 7))
SHORT(one_of_gemm,
      cublasSgemm(h, NO, NO, 1, 1, 1, &one, end, 5, end, 6, &one, end, 7))
SHORT(as_of_gemm, cublasSgemmBatched(h, NO, NO, M, N, K, &one, (void *)end, 5,
                                     (void *)b, 6, &one, (void *)c, 7, 2))
SHORT(bs_of_gemm, cublasSgemmBatched(h, NO, NO, M, N, K, &one, (void *)a, 5,
                                     (void *)end, 6, &one, (void *)c, 7, 2))
SHORT(cs_of_gemm, cublasSgemmBatched(h, NO, NO, M, N, K, &one, (void *)a, 5,
                                     (void *)b, 6, &one, (void *)end, 7, 2))
SHORT(a_of_gemv, cublasSgemv(h, NO, M, N, &one, end, 5, b, 3, &one, c, 2))
SHORT(x_of_gemv, cublasSgemv(h, NO, M, N, &one, a, 5, end, 3, &one, c, 2))
SHORT(y_of_gemv, cublasSgemv(h, NO, M, N, &one, a, 5, b, 3, &zero, end, -2))
SHORT(a_of_ger, cublasSger(h, M, N, &one, a, 2, b, 3, end, 5))
SHORT(x_of_ger, cublasSger(h, M, N, &one, end, 2, b, 3, c, 5))
SHORT(y_of_ger, cublasSger(h, M, N, &one, a, 2, end, 3, c, 5))
SHORT(a_of_symv, cublasSsymv(h, UPPER, M, &one, end, 5, b, 2, &zero, c, 3))
SHORT(x_of_symv, cublasSsymv(h, UPPER, M, &one, a, 5, end, 2, &zero, c, 3))
SHORT(y_of_symv, cublasSsymv(h, UPPER, M, &one, a, 5, b, 2, &zero, end, 3))
SHORT(a_of_trsv, cublasStrsv(h, LOWER, NO, UNIT, M, end, 5, b, 2))
SHORT(x_of_trsv, cublasStrsv(h, LOWER, NO, UNIT, M, a, 5, end, 2))
SHORT(a_of_symm,
      cublasSsymm(h, LEFT, UPPER, M, N, &one, end, 5, b, 6, &zero, c, 7))
SHORT(b_of_symm,
      cublasSsymm(h, LEFT, UPPER, M, N, &one, a, 5, end, 6, &zero, c, 7))
SHORT(c_of_symm,
      cublasSsymm(h, LEFT, UPPER, M, N, &one, a, 5, b, 6, &zero, end, 7))
SHORT(a_of_syrk, cublasSsyrk(h, LOWER, NO, M, K, &one, end, 5, &zero, c, 7))
SHORT(c_of_syrk, cublasSsyrk(h, LOWER, NO, M, K, &one, a, 5, &zero, end, 7))
SHORT(a_of_trsm,
      cublasStrsm(h, LEFT, LOWER, NO, UNIT, M, N, &one, end, 5, b, 6))
SHORT(b_of_trsm,
      cublasStrsm(h, LEFT, LOWER, NO, UNIT, M, N, &one, a, 5, end, 6))
SHORT(a_of_geam, cublasSgeam(h, NO, YES, M, N, &one, end, 5, &one, b, 6, c, 7))
SHORT(b_of_geam, cublasSgeam(h, NO, YES, M, N, &one, a, 5, &one, end, 6, c, 7))
SHORT(c_of_geam, cublasSgeam(h, NO, YES, M, N, &one, a, 5, &one, b, 6, end, 7))
SHORT(a_of_trmv, cublasStrmv(h, LOWER, NO, WHOLE, M, end, 5, b, 2))
SHORT(x_of_trmv, cublasStrmv(h, LOWER, NO, UNIT, M, a, 5, end, 2))
SHORT(a_of_syr, cublasSsyr(h, UPPER, M, &one, b, 2, end, 5))
SHORT(x_of_syr, cublasSsyr(h, UPPER, M, &one, end, 2, a, 5))
SHORT(a_of_syr2, cublasSsyr2(h, LOWER, M, &one, b, 2, c, 3, end, 5))
SHORT(x_of_syr2, cublasSsyr2(h, LOWER, M, &one, end, 2, c, 3, a, 5))
SHORT(y_of_syr2, cublasSsyr2(h, LOWER, M, &one, b, 2, end, 3, a, 5))
SHORT(a_of_syr2k,
      cublasSsyr2k(h, LOWER, NO, M, K, &one, end, 5, b, 6, &zero, c, 7))
SHORT(b_of_syr2k,
      cublasSsyr2k(h, LOWER, YES, M, K, &one, a, 5, end, 6, &zero, c, 7))
SHORT(c_of_syr2k,
      cublasSsyr2k(h, LOWER, NO, M, K, &one, a, 5, b, 6, &zero, end, 7))
SHORT(a_of_trmm,
      cublasStrmm(h, RIGHT, LOWER, NO, UNIT, M, N, &one, end, 5, b, 6, c, 7))
SHORT(b_of_trmm,
      cublasStrmm(h, LEFT, LOWER, NO, UNIT, M, N, &one, a, 5, end, 6, c, 7))
SHORT(c_of_trmm,
      cublasStrmm(h, LEFT, LOWER, NO, UNIT, M, N, &one, a, 5, b, 6, end, 7))
SHORT(a_of_dgmm, cublasSdgmm(h, LEFT, M, N, end, 5, b, 2, c, 7))
SHORT(x_of_dgmm, cublasSdgmm(h, LEFT, M, N, a, 5, end, 2, c, 7))
SHORT(only_x_of_dgmm, cublasSdgmm(h, RIGHT, M, N, a, 5, end, 0, c, 7))
SHORT(c_of_dgmm, cublasSdgmm(h, RIGHT, M, N, a, 5, b, -2, end, 7))
SHORT(x_of_axpy, cublasSaxpy(h, N, &one, end, 2, b, 3))
SHORT(y_of_axpy, cublasSaxpy(h, N, &one, a, 2, end, -3))
SHORT(as_of_getrf, cublasSgetrfBatched(h, M, (void *)end, 5, NULL, NULL, 2))
SHORT(pivots_of_getrf,
      cublasSgetrfBatched(h, M, (void *)a, 5, (void *)end, NULL, 2))
SHORT(info_of_getrf,
      cublasSgetrfBatched(h, M, (void *)a, 5, NULL, (void *)end, 2))
SHORT(bs_of_getri,
      cublasSgetriBatched(h, M, (void *)a, 5, NULL, (void *)end, 6, NULL, 2))

static void of_another_device(void)
{
    cudaSetDevice(1);
    float *const there = device_memory();
    cudaSetDevice(0);
    SHOW(cublasSaxpy(h, N, &one, there, 1, b, 1));
}

static void of_an_open_device(void)
{
    cudaDeviceEnablePeerAccess(1, 0);
    of_another_device();
}

static void memory(void)
{
    static void (*const calls[])(void) = {
        a_of_gemm,     b_of_gemm,    c_of_gemm,         a_of_gemmt,
        b_of_gemmt,    none_of_gemm, one_of_gemm,       as_of_gemm,
        bs_of_gemm,    cs_of_gemm,   a_of_gemv,         x_of_gemv,
        y_of_gemv,     a_of_ger,     x_of_ger,          y_of_ger,
        a_of_symv,     x_of_symv,    y_of_symv,         a_of_trsv,
        x_of_trsv,     a_of_symm,    b_of_symm,         c_of_symm,
        a_of_syrk,     c_of_syrk,    a_of_trsm,         b_of_trsm,
        a_of_geam,     b_of_geam,    c_of_geam,         a_of_trmv,
        x_of_trmv,     a_of_syr,     x_of_syr,          a_of_syr2,
        x_of_syr2,     y_of_syr2,    a_of_syr2k,        b_of_syr2k,
        c_of_syr2k,    a_of_trmm,    b_of_trmm,         c_of_trmm,
        a_of_dgmm,     x_of_dgmm,    only_x_of_dgmm,    c_of_dgmm,
        x_of_axpy,     y_of_axpy,    as_of_getrf,       pivots_of_getrf,
        info_of_getrf, bs_of_getri,  of_another_device, of_an_open_device};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        apart(calls[i]);
}

static void statuses(void)
{
    for (int i = -1; i < 20; i++)
        printf("%d %s: %s\n", i, cublasGetStatusName((cublasStatus_t)i),
               cublasGetStatusString((cublasStatus_t)i));
}

static void arguments(void)
{
    statuses();
    products();
    types();
    with_vectors();
    with_triangles();
    updates();
    triangles();
    sums();
    factors();
}

int main(void)
{
    apart(arguments);
    memory();
    return 0;
}
