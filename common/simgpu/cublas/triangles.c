/*
 * triangles.c: products with triangular and diagonal matrices, and updates of
 * symmetric ones, in single and double precision
 */
#include "cublas/call.h"
#include "cublas/overlap.h"
#include "cublas/parameter.h"

/* ---- on the host --------------------------------------------------------- */

/* A is read, if alpha isn't 0, and written. */
static void update(struct call *c, const void *A, cublasFillMode_t fill, int n,
                   int lda)
{
    struct matrix_op *const g = c->op;
    g->fill = blas_fill(fill);
    g->n = n, g->lda = lda;
    call_triangle(c, "A", A, fill, n, lda, call_by_alpha(c));
    g->a = call_triangle(c, "A", A, fill, n, lda, TOUCH_WRITE);
}

static cublasStatus_t syr(struct call *c, cudaDataType type,
                          cublasFillMode_t fill, int n, const void *alpha,
                          const void *x, int incx, const void *A, int lda)
{
    const struct call_verdict v = {
        .wrong = PARAMETER_WRONG(parameter_is_fill(fill), n >= 0, 1, 1, incx, 1,
                                 parameter_fits(lda, n)),
        .any = n > 0,
        .scalars = alpha != NULL};
    const cublasStatus_t status = call_begin(c, matrix_syr, type, v);
    if (!c->op)
        return status;
    call_scalars(c, alpha, NULL);
    c->op->ldb = incx;
    c->op->b = call_line(c, "x", x, n, incx, call_by_alpha(c));
    update(c, A, fill, n, lda);
    return call_end(c, 1.0 * n * n);
}

static cublasStatus_t syr2(struct call *c, cudaDataType type,
                           cublasFillMode_t fill, int n, const void *alpha,
                           const void *x, int incx, const void *y, int incy,
                           const void *A, int lda)
{
    const struct call_verdict v = {
        .wrong = PARAMETER_WRONG(parameter_is_fill(fill), n >= 0, 1, 1, incx, 1,
                                 incy, 1, parameter_fits(lda, n)),
        .any = n > 0,
        .scalars = alpha != NULL};
    const cublasStatus_t status = call_begin(c, matrix_syr2, type, v);
    if (!c->op)
        return status;
    call_scalars(c, alpha, NULL);
    c->op->ldb = incx, c->op->ldc = incy;
    c->op->b = call_line(c, "x", x, n, incx, call_by_alpha(c));
    c->op->c = call_line(c, "y", y, n, incy, call_by_alpha(c));
    update(c, A, fill, n, lda);
    return call_end(c, 2.0 * n * n);
}

static cublasStatus_t syr2k(struct call *c, cudaDataType type,
                            cublasFillMode_t fill, cublasOperation_t trans,
                            int n, int k, const void *alpha, const void *A,
                            int lda, const void *B, int ldb, const void *beta,
                            const void *C, int ldc)
{
    const int rows = trans == CUBLAS_OP_N ? n : k;
    const struct call_verdict v = {
        .wrong = PARAMETER_WRONG(
            parameter_is_fill(fill), parameter_is_op(trans), n >= 0, k >= 0, 1,
            1, parameter_fits(lda, rows), 1, parameter_fits(ldb, rows), 1, 1,
            parameter_fits(ldc, n)),
        .any = n > 0,
        .scalars = alpha && beta};
    const cublasStatus_t status = call_begin(c, matrix_syr2k, type, v);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    call_scalars(c, alpha, beta);
    g->fill = blas_fill(fill);
    g->transa = blas_trans(trans);
    g->n = n, g->k = k, g->lda = lda, g->ldb = ldb, g->ldc = ldc;
    g->a = call_whole(c, "A", A, rows, n + k - rows, lda, call_by_alpha(c));
    g->b = call_whole(c, "B", B, rows, n + k - rows, ldb, call_by_alpha(c));
    call_triangle(c, "C", C, fill, n, ldc, call_by_beta(c));
    g->c = call_triangle(c, "C", C, fill, n, ldc, TOUCH_WRITE);
    return call_end(c, 2.0 * n * n * k);
}

/* Touch the result C, which must not overlap the operands touched so far,
 * except for the one that is it (`in_place`). */
static void set_result(struct call *c, const void *C, int m, int n, int ldc,
                       int in_place)
{
    const size_t ninputs = c->t.n;
    c->op->m = m, c->op->n = n, c->op->ldc = ldc;
    c->op->c = call_whole(c, "C", C, m, n, ldc, TOUCH_WRITE);
    if (!in_place)
        overlap_check(&c->t, ninputs, 1);
}

static cublasStatus_t trmm(struct call *c, cudaDataType type,
                           cublasSideMode_t side, cublasFillMode_t fill,
                           cublasOperation_t trans, cublasDiagType_t diag,
                           int m, int n, const void *alpha, const void *A,
                           int lda, const void *B, int ldb, const void *C,
                           int ldc)
{
    const int k = side == CUBLAS_SIDE_LEFT ? m : n;
    const struct call_verdict v = {
        .wrong =
            PARAMETER_WRONG(parameter_is_side(side), parameter_is_fill(fill),
                            parameter_is_op(trans), parameter_is_diag(diag),
                            m >= 0, n >= 0, 1, 1, parameter_fits(lda, k), 1,
                            parameter_fits(ldb, m), 1, parameter_fits(ldc, m)),
        .any = m > 0 && n > 0,
        .scalars = alpha != NULL};
    const cublasStatus_t status = call_begin(c, matrix_trmm, type, v);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    call_scalars(c, alpha, NULL);
    g->side = blas_side(side);
    g->fill = blas_fill(fill);
    g->transa = blas_trans(trans);
    g->diag = blas_diag(diag);
    g->lda = lda, g->ldb = ldb;
    g->a = call_factor(c, A, fill, diag, k, lda, call_by_alpha(c));
    g->b = call_whole(c, "B", B, m, n, ldb, call_by_alpha(c));
    set_result(c, C, m, n, ldc, B == C && ldb == ldc);
    return call_end(c, 1.0 * m * n * k);
}

static cublasStatus_t dgmm(struct call *c, cudaDataType type,
                           cublasSideMode_t mode, int m, int n, const void *A,
                           int lda, const void *x, int incx, const void *C,
                           int ldc)
{
    const int k = mode == CUBLAS_SIDE_LEFT ? m : n;
    const struct call_verdict v = {
        .wrong = PARAMETER_WRONG(parameter_is_side(mode), m >= 0, n >= 0, 1,
                                 parameter_fits(lda, m), 1, 1, 1,
                                 parameter_fits(ldc, m)),
        .any = m > 0 && n > 0,
        .scalars = 1};
    const cublasStatus_t status = call_begin(c, matrix_dgmm, type, v);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    g->side = blas_side(mode);
    g->lda = lda, g->ldb = incx;
    g->a = call_whole(c, "A", A, m, n, lda, TOUCH_READ);
    // with incx = 0, one number is the whole diagonal
    g->b = call_line(c, "x", x, incx ? k : 1, incx, TOUCH_READ);
    set_result(c, C, m, n, ldc, A == C && lda == ldc);
    return call_end(c, 1.0 * m * n);
}

/* ---- the functions ------------------------------------------------------- */

#define TRIANGLES(S, T, TYPE)                                                  \
    cublasStatus_t cublas##S##trmm_v2(                                         \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,   \
        cublasOperation_t trans, cublasDiagType_t diag, int m, int n,          \
        const T *alpha, const T *A, int lda, const T *B, int ldb, T *C,        \
        int ldc)                                                               \
    {                                                                          \
        CALL(#S "trmm");                                                       \
        return trmm(&c, TYPE, side, uplo, trans, diag, m, n, alpha, A, lda, B, \
                    ldb, C, ldc);                                              \
    }                                                                          \
    cublasStatus_t cublas##S##dgmm(                                            \
        cublasHandle_t handle, cublasSideMode_t mode, int m, int n,            \
        const T *A, int lda, const T *x, int incx, T *C, int ldc)              \
    {                                                                          \
        CALL(#S "dgmm");                                                       \
        return dgmm(&c, TYPE, mode, m, n, A, lda, x, incx, C, ldc);            \
    }

#define SYMMETRIC(S, T, TYPE)                                                  \
    cublasStatus_t cublas##S##syr_v2(                                          \
        cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *alpha,   \
        const T *x, int incx, T *A, int lda)                                   \
    {                                                                          \
        CALL(#S "syr");                                                        \
        return syr(&c, TYPE, uplo, n, alpha, x, incx, A, lda);                 \
    }                                                                          \
    cublasStatus_t cublas##S##syr2_v2(                                         \
        cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *alpha,   \
        const T *x, int incx, const T *y, int incy, T *A, int lda)             \
    {                                                                          \
        CALL(#S "syr2");                                                       \
        return syr2(&c, TYPE, uplo, n, alpha, x, incx, y, incy, A, lda);       \
    }                                                                          \
    cublasStatus_t cublas##S##syr2k_v2(                                        \
        cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, \
        int n, int k, const T *alpha, const T *A, int lda, const T *B,         \
        int ldb, const T *beta, T *C, int ldc)                                 \
    {                                                                          \
        CALL(#S "syr2k");                                                      \
        return syr2k(&c, TYPE, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, \
                     C, ldc);                                                  \
    }

TRIANGLES(S, float, CUDA_R_32F)
TRIANGLES(D, double, CUDA_R_64F)
SYMMETRIC(S, float, CUDA_R_32F)
SYMMETRIC(D, double, CUDA_R_64F)
