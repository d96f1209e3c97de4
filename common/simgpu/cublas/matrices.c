/*
 * matrices.c: functions of matrices and vectors, and of triangular and
 * symmetric matrices
 */
#include "cublas/call.h"
#include "cublas/parameter.h"

/* ---- on the host --------------------------------------------------------- */

static cublasStatus_t gemv(struct call *c, cudaDataType type,
                           cublasOperation_t trans, int m, int n,
                           const void *alpha, const void *A, int lda,
                           const void *x, int incx, const void *beta,
                           const void *y, int incy)
{
    const int nx = trans == CUBLAS_OP_N ? n : m, ny = m + n - nx;
    // without elements, cuBLAS ignores the other arguments
    const int any = m > 0 && n > 0;
    const struct call_verdict v = {
        .wrong =
            any ? PARAMETER_WRONG(parameter_is_op(trans), 1, 1, 1, 1,
                                  parameter_fits(lda, m), 1, incx, 1, 1, incy)
                : 0,
        .silent = 1,
        .any = any,
        .scalars = alpha && beta};
    const cublasStatus_t status = call_begin(c, matrix_gemv, type, v);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    call_scalars(c, alpha, beta);
    g->transa = blas_trans(trans);
    g->m = m, g->n = n, g->lda = lda, g->ldb = incx, g->ldc = incy;
    g->a = call_whole(c, "A", A, m, n, lda, call_by_alpha(c));
    g->b = call_line(c, "x", x, nx, incx, call_by_alpha(c));
    call_line(c, "y", y, ny, incy, call_by_beta(c));
    g->c = call_line(c, "y", y, ny, incy, TOUCH_WRITE);
    return call_end(c, 2.0 * m * n);
}

static cublasStatus_t ger(struct call *c, void (*run)(struct op *),
                          cudaDataType type, int m, int n, const void *alpha,
                          const void *x, int incx, const void *y, int incy,
                          const void *A, int lda)
{
    const struct call_verdict v = {
        .wrong = PARAMETER_WRONG(m >= 0, n >= 0, 1, 1, incx, 1, incy, 1,
                                 parameter_fits(lda, m)),
        .any = m > 0 && n > 0,
        .scalars = alpha != NULL};
    const cublasStatus_t status = call_begin(c, run, type, v);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    call_scalars(c, alpha, NULL);
    g->m = m, g->n = n, g->lda = lda, g->ldb = incx, g->ldc = incy;
    g->b = call_line(c, "x", x, m, incx, call_by_alpha(c));
    g->c = call_line(c, "y", y, n, incy, call_by_alpha(c));
    call_whole(c, "A", A, m, n, lda, call_by_alpha(c));
    g->a = call_whole(c, "A", A, m, n, lda, TOUCH_WRITE);
    return call_end(c, 2.0 * m * n);
}

static cublasStatus_t symv(struct call *c, cudaDataType type,
                           cublasFillMode_t fill, int n, const void *alpha,
                           const void *A, int lda, const void *x, int incx,
                           const void *beta, const void *y, int incy)
{
    const struct call_verdict v = {
        .wrong = PARAMETER_WRONG(parameter_is_fill(fill), n >= 0, 1, 1,
                                 parameter_fits(lda, n), 1, incx, 1, 1, incy),
        .silent = 1,
        .any = n > 0,
        .scalars = alpha && beta};
    const cublasStatus_t status = call_begin(c, matrix_symv, type, v);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    call_scalars(c, alpha, beta);
    g->fill = blas_fill(fill);
    g->n = n, g->lda = lda, g->ldb = incx, g->ldc = incy;
    g->a = call_triangle(c, "A", A, fill, n, lda, call_by_alpha(c));
    g->b = call_line(c, "x", x, n, incx, call_by_alpha(c));
    call_line(c, "y", y, n, incy, call_by_beta(c));
    g->c = call_line(c, "y", y, n, incy, TOUCH_WRITE);
    return call_end(c, 2.0 * n * n);
}

/* trsv and trmv: x by a triangular matrix, in place. */
static cublasStatus_t by_triangle(struct call *c, void (*run)(struct op *),
                                  cudaDataType type, cublasFillMode_t fill,
                                  cublasOperation_t trans,
                                  cublasDiagType_t diag, int n, const void *A,
                                  int lda, const void *x, int incx)
{
    const struct call_verdict v = {
        .wrong =
            PARAMETER_WRONG(parameter_is_fill(fill), parameter_is_op(trans),
                            parameter_is_diag(diag), n >= 0, 1,
                            parameter_fits(lda, n), 1, incx),
        .any = n > 0,
        .scalars = 1};
    const cublasStatus_t status = call_begin(c, run, type, v);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    g->fill = blas_fill(fill);
    g->transa = blas_trans(trans);
    g->diag = blas_diag(diag);
    g->n = n, g->lda = lda, g->ldc = incx;
    g->a = call_factor(c, A, fill, diag, n, lda, TOUCH_READ);
    call_line(c, "x", x, n, incx, TOUCH_READ);
    g->c = call_line(c, "x", x, n, incx, TOUCH_WRITE);
    return call_end(c, 1.0 * n * n);
}

static cublasStatus_t symm(struct call *c, void (*run)(struct op *),
                           cudaDataType type, cublasSideMode_t side,
                           cublasFillMode_t fill, int m, int n,
                           const void *alpha, const void *A, int lda,
                           const void *B, int ldb, const void *beta,
                           const void *C, int ldc)
{
    const int k = side == CUBLAS_SIDE_LEFT ? m : n;
    const struct call_verdict v = {
        .wrong = PARAMETER_WRONG(
            parameter_is_side(side), parameter_is_fill(fill), m >= 0, n >= 0, 1,
            1, parameter_fits(lda, k), 1, parameter_fits(ldb, m), 1, 1,
            parameter_fits(ldc, m)),
        .any = m > 0 && n > 0,
        .scalars = alpha && beta};
    const cublasStatus_t status = call_begin(c, run, type, v);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    call_scalars(c, alpha, beta);
    g->side = blas_side(side);
    g->fill = blas_fill(fill);
    g->m = m, g->n = n, g->lda = lda, g->ldb = ldb, g->ldc = ldc;
    g->a = call_triangle(c, "A", A, fill, k, lda, call_by_alpha(c));
    g->b = call_whole(c, "B", B, m, n, ldb, call_by_alpha(c));
    call_whole(c, "C", C, m, n, ldc, call_by_beta(c));
    g->c = call_whole(c, "C", C, m, n, ldc, TOUCH_WRITE);
    return call_end(c, 2.0 * m * n * k);
}

static cublasStatus_t syrk(struct call *c, void (*run)(struct op *),
                           cudaDataType type, cublasFillMode_t fill,
                           cublasOperation_t trans, int n, int k,
                           const void *alpha, const void *A, int lda,
                           const void *beta, const void *C, int ldc)
{
    const int rows = trans == CUBLAS_OP_N ? n : k;
    const struct call_verdict v = {
        .wrong = PARAMETER_WRONG(
            parameter_is_fill(fill), parameter_is_op(trans), n >= 0, k >= 0, 1,
            1, parameter_fits(lda, rows), 1, 1, parameter_fits(ldc, n)),
        .any = n > 0,
        .scalars = alpha && beta};
    const cublasStatus_t status = call_begin(c, run, type, v);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    call_scalars(c, alpha, beta);
    g->fill = blas_fill(fill);
    g->transa = blas_trans(trans);
    g->n = n, g->k = k, g->lda = lda, g->ldc = ldc;
    g->a = call_whole(c, "A", A, rows, n + k - rows, lda, call_by_alpha(c));
    call_triangle(c, "C", C, fill, n, ldc, call_by_beta(c));
    g->c = call_triangle(c, "C", C, fill, n, ldc, TOUCH_WRITE);
    return call_end(c, 1.0 * n * n * k);
}

static cublasStatus_t trsm(struct call *c, cudaDataType type,
                           cublasSideMode_t side, cublasFillMode_t fill,
                           cublasOperation_t trans, cublasDiagType_t diag,
                           int m, int n, const void *alpha, const void *A,
                           int lda, const void *B, int ldb)
{
    const int k = side == CUBLAS_SIDE_LEFT ? m : n;
    const struct call_verdict v = {
        .wrong = PARAMETER_WRONG(
            parameter_is_side(side), parameter_is_fill(fill),
            parameter_is_op(trans), parameter_is_diag(diag), m >= 0, n >= 0, 1,
            1, parameter_fits(lda, k), 1, parameter_fits(ldb, m)),
        .any = m > 0 && n > 0,
        .scalars = alpha != NULL};
    const cublasStatus_t status = call_begin(c, matrix_trsm, type, v);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    call_scalars(c, alpha, NULL);
    g->side = blas_side(side);
    g->fill = blas_fill(fill);
    g->transa = blas_trans(trans);
    g->diag = blas_diag(diag);
    g->m = m, g->n = n, g->lda = lda, g->ldc = ldb;
    g->a = call_factor(c, A, fill, diag, k, lda, call_by_alpha(c));
    call_whole(c, "B", B, m, n, ldb, call_by_alpha(c));
    g->c = call_whole(c, "B", B, m, n, ldb, TOUCH_WRITE);
    return call_end(c, 1.0 * m * n * k);
}

static cublasStatus_t geam(struct call *c, cudaDataType type,
                           cublasOperation_t transa, cublasOperation_t transb,
                           int m, int n, const void *alpha, const void *A,
                           int lda, const void *beta, const void *B, int ldb,
                           const void *C, int ldc)
{
    const int rows_a = transa == CUBLAS_OP_N ? m : n;
    const int rows_b = transb == CUBLAS_OP_N ? m : n;
    const int apart = (A != C || (transa == CUBLAS_OP_N && lda == ldc)) &&
                      (B != C || (transb == CUBLAS_OP_N && ldb == ldc));
    const struct call_verdict v = {
        .wrong = PARAMETER_WRONG(
            parameter_is_op(transa), parameter_is_op(transb), m >= 0, n >= 0, 1,
            1, parameter_fits(lda, rows_a), 1, 1, parameter_fits(ldb, rows_b),
            1, parameter_fits(ldc, m)),
        .any = m > 0 && n > 0,
        .scalars = alpha && beta && apart};
    const cublasStatus_t status = call_begin(c, matrix_geam, type, v);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    call_scalars(c, alpha, beta);
    g->transa = blas_trans(transa);
    g->transb = blas_trans(transb);
    g->m = m, g->n = n, g->lda = lda, g->ldb = ldb, g->ldc = ldc;
    g->a = call_whole(c, "A", A, rows_a, m + n - rows_a, lda, call_by_alpha(c));
    g->b = call_whole(c, "B", B, rows_b, m + n - rows_b, ldb, call_by_beta(c));
    g->c = call_whole(c, "C", C, m, n, ldc, TOUCH_WRITE);
    return call_end(c, 2.0 * m * n);
}

/* ---- the functions ------------------------------------------------------- */

#define MATRICES(S, T, TYPE)                                                   \
    cublasStatus_t cublas##S##gemv_v2(                                         \
        cublasHandle_t handle, cublasOperation_t trans, int m, int n,          \
        const T *alpha, const T *A, int lda, const T *x, int incx,             \
        const T *beta, T *y, int incy)                                         \
    {                                                                          \
        CALL(#S "gemv");                                                       \
        return gemv(&c, TYPE, trans, m, n, alpha, A, lda, x, incx, beta, y,    \
                    incy);                                                     \
    }                                                                          \
    cublasStatus_t cublas##S##trsv_v2(                                         \
        cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, \
        cublasDiagType_t diag, int n, const T *A, int lda, T *x, int incx)     \
    {                                                                          \
        CALL(#S "trsv");                                                       \
        return by_triangle(&c, matrix_trsv, TYPE, uplo, trans, diag, n, A,     \
                           lda, x, incx);                                      \
    }                                                                          \
    cublasStatus_t cublas##S##symm_v2(                                         \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,   \
        int m, int n, const T *alpha, const T *A, int lda, const T *B,         \
        int ldb, const T *beta, T *C, int ldc)                                 \
    {                                                                          \
        CALL(#S "symm");                                                       \
        return symm(&c, matrix_symm, TYPE, side, uplo, m, n, alpha, A, lda, B, \
                    ldb, beta, C, ldc);                                        \
    }                                                                          \
    cublasStatus_t cublas##S##syrk_v2(                                         \
        cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, \
        int n, int k, const T *alpha, const T *A, int lda, const T *beta,      \
        T *C, int ldc)                                                         \
    {                                                                          \
        CALL(#S "syrk");                                                       \
        return syrk(&c, matrix_syrk, TYPE, uplo, trans, n, k, alpha, A, lda,   \
                    beta, C, ldc);                                             \
    }                                                                          \
    cublasStatus_t cublas##S##trsm_v2(                                         \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,   \
        cublasOperation_t trans, cublasDiagType_t diag, int m, int n,          \
        const T *alpha, const T *A, int lda, T *B, int ldb)                    \
    {                                                                          \
        CALL(#S "trsm");                                                       \
        return trsm(&c, TYPE, side, uplo, trans, diag, m, n, alpha, A, lda, B, \
                    ldb);                                                      \
    }                                                                          \
    cublasStatus_t cublas##S##geam(                                            \
        cublasHandle_t handle, cublasOperation_t transa,                       \
        cublasOperation_t transb, int m, int n, const T *alpha, const T *A,    \
        int lda, const T *beta, const T *B, int ldb, T *C, int ldc)            \
    {                                                                          \
        CALL(#S "geam");                                                       \
        return geam(&c, TYPE, transa, transb, m, n, alpha, A, lda, beta, B,    \
                    ldb, C, ldc);                                              \
    }

MATRICES(S, float, CUDA_R_32F)
MATRICES(D, double, CUDA_R_64F)
MATRICES(C, cuComplex, CUDA_C_32F)
MATRICES(Z, cuDoubleComplex, CUDA_C_64F)

#define REAL_MATRICES(S, T, TYPE)                                              \
    cublasStatus_t cublas##S##ger_v2(cublasHandle_t handle, int m, int n,      \
                                     const T *alpha, const T *x, int incx,     \
                                     const T *y, int incy, T *A, int lda)      \
    {                                                                          \
        CALL(#S "ger");                                                        \
        return ger(&c, matrix_ger, TYPE, m, n, alpha, x, incx, y, incy, A,     \
                   lda);                                                       \
    }                                                                          \
    cublasStatus_t cublas##S##trmv_v2(                                         \
        cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, \
        cublasDiagType_t diag, int n, const T *A, int lda, T *x, int incx)     \
    {                                                                          \
        CALL(#S "trmv");                                                       \
        return by_triangle(&c, matrix_trmv, TYPE, uplo, trans, diag, n, A,     \
                           lda, x, incx);                                      \
    }                                                                          \
    cublasStatus_t cublas##S##symv_v2(                                         \
        cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *alpha,   \
        const T *A, int lda, const T *x, int incx, const T *beta, T *y,        \
        int incy)                                                              \
    {                                                                          \
        CALL(#S "symv");                                                       \
        return symv(&c, TYPE, uplo, n, alpha, A, lda, x, incx, beta, y, incy); \
    }

REAL_MATRICES(S, float, CUDA_R_32F)
REAL_MATRICES(D, double, CUDA_R_64F)

/* Functions of complex numbers, with y or op(A) conjugated, or
 * with a Hermitian matrix. */
#define COMPLEX_MATRICES(S, T, R, TYPE)                                        \
    cublasStatus_t cublas##S##geru_v2(cublasHandle_t handle, int m, int n,     \
                                      const T *alpha, const T *x, int incx,    \
                                      const T *y, int incy, T *A, int lda)     \
    {                                                                          \
        CALL(#S "geru");                                                       \
        return ger(&c, matrix_ger, TYPE, m, n, alpha, x, incx, y, incy, A,     \
                   lda);                                                       \
    }                                                                          \
    cublasStatus_t cublas##S##gerc_v2(cublasHandle_t handle, int m, int n,     \
                                      const T *alpha, const T *x, int incx,    \
                                      const T *y, int incy, T *A, int lda)     \
    {                                                                          \
        CALL(#S "gerc");                                                       \
        return ger(&c, matrix_gerc, TYPE, m, n, alpha, x, incx, y, incy, A,    \
                   lda);                                                       \
    }                                                                          \
    cublasStatus_t cublas##S##hemv_v2(                                         \
        cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *alpha,   \
        const T *A, int lda, const T *x, int incx, const T *beta, T *y,        \
        int incy)                                                              \
    {                                                                          \
        CALL(#S "hemv");                                                       \
        return symv(&c, TYPE, uplo, n, alpha, A, lda, x, incx, beta, y, incy); \
    }                                                                          \
    cublasStatus_t cublas##S##hemm_v2(                                         \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,   \
        int m, int n, const T *alpha, const T *A, int lda, const T *B,         \
        int ldb, const T *beta, T *C, int ldc)                                 \
    {                                                                          \
        CALL(#S "hemm");                                                       \
        return symm(&c, matrix_hemm, TYPE, side, uplo, m, n, alpha, A, lda, B, \
                    ldb, beta, C, ldc);                                        \
    }                                                                          \
    cublasStatus_t cublas##S##herk_v2(                                         \
        cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, \
        int n, int k, const R *alpha, const T *A, int lda, const R *beta,      \
        T *C, int ldc)                                                         \
    {                                                                          \
        CALL(#S "herk");                                                       \
        return syrk(&c, matrix_herk, TYPE, uplo, trans, n, k, alpha, A, lda,   \
                    beta, C, ldc);                                             \
    }

COMPLEX_MATRICES(C, cuComplex, float, CUDA_C_32F)
COMPLEX_MATRICES(Z, cuDoubleComplex, double, CUDA_C_64F)
