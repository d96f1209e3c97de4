/*
 * matrices.c: functions of matrices and vectors, and of triangular and
 * symmetric matrices
 */
#include "core/site.h"
#include "cublas/column.h"
#include "cublas/matrix.h"
#include "cublas/parameter.h"

/* ---- on the host --------------------------------------------------------- */

static CBLAS_UPLO fill_of(cublasFillMode_t fill)
{
    return fill == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper;
}

struct call { /* a call in progress: its operation and what it touches */
    struct site site;
    cublasHandle_t handle;
    struct stream *stream;
    struct touches t;
    struct matrix_op *op;
    size_t size; /* bytes in an element */
};

struct verdict { /* what is wrong with a call's arguments */
    int wrong;   /* the number of a wrong parameter, or 0 */
    int silent;  /* cuBLAS doesn't say which one is wrong */
    int any;     /* false for empty operands */
    int scalars; /* scalars aren't NULL, and matrices don't overlap */
};

static cublasStatus_t try_to_begin(struct call *c, void (*run)(struct op *),
                                   cudaDataType type, struct verdict v)
{
    const cublasStatus_t status =
        handle_stream(c->handle, &c->site, &c->stream);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    if (v.wrong)
        return parameter_refuse(c->site.name, v.silent ? 0 : v.wrong);
    if (!v.any)
        return status;
    if (!v.scalars)
        return CUBLAS_STATUS_INVALID_VALUE;
    c->t = (struct touches){.call = c->site, .stream = c->stream};
    c->size = column_operand_nbytes(type);
    c->op = simgpu_op_new(sizeof *c->op, run, GRAPH_KERNEL, c->site.name,
                          c->site.site);
    c->op->type = type;
    return status;
}

/* Begin a call. If c->op stays NULL, the returned status is the call's. */
static cublasStatus_t begin(struct call *c, void (*run)(struct op *),
                            cudaDataType type, struct verdict v)
{
    return handle_return(&c->site, try_to_begin(c, run, type, v));
}

static cublasStatus_t end(struct call *c, double flops)
{
    const cudaDataType type = c->op->type;
    enqueue(c->stream, &c->op->op, sizeof *c->op, &c->t,
            // a complex product takes 4 real ones
            (column_is_complex(type) ? 4 : 1) * flops,
            column_is_double(type) ? TOPO_FP64 : TOPO_FP32);
    return CUBLAS_STATUS_SUCCESS;
}

static void *whole(struct call *c, const char *what, const void *p, int rows,
                   int cols, int ld, enum touch_use use)
{
    return touch(&c->t, what, p, (size_t)rows * c->size, (size_t)ld * c->size,
                 (size_t)cols, use);
}

static void *triangle(struct call *c, const char *what, const void *p,
                      cublasFillMode_t fill, int n, int ld, enum touch_use use)
{
    return touch_triangle(&c->t, what, p, c->size, fill, n, ld, use);
}

/* A triangular matrix. If its diagonal is said to be 1, its contents there do
 * not matter. */
static void *factor(struct call *c, const void *p, cublasFillMode_t fill,
                    cublasDiagType_t diag, int n, int ld, enum touch_use use)
{
    if (diag == CUBLAS_DIAG_NON_UNIT)
        return triangle(c, "A", p, fill, n, ld, use);
    const size_t next = fill == CUBLAS_FILL_MODE_LOWER ? 1 : (size_t)ld;
    void *const at = touch(&c->t, "A", p, c->size, ((size_t)ld + 1) * c->size,
                           (size_t)n, use == TOUCH_READ ? TOUCH_MAYBE : use);
    triangle(c, "A", (const char *)p + next * c->size, fill, n - 1, ld, use);
    return at;
}

static void *line(struct call *c, const char *what, const void *p, int n,
                  int inc, enum touch_use use)
{
    return touch_vector(&c->t, what, p, c->size, n, inc, use);
}

static void scalars(struct call *c, const void *alpha, const void *beta)
{
    const cudaDataType type = c->op->op.run != matrix_herk    ? c->op->type
                              : column_is_double(c->op->type) ? CUDA_R_64F
                                                              : CUDA_R_32F;
    c->op->alpha = touch_scalar(&c->t, c->handle, "alpha", alpha, type);
    if (beta)
        c->op->beta = touch_scalar(&c->t, c->handle, "beta", beta, type);
}

/* How operands are used that alpha, or beta, multiplies. */
static enum touch_use by_alpha(const struct call *c)
{
    return scalar_use(&c->op->alpha);
}

static enum touch_use by_beta(const struct call *c)
{
    return scalar_use(&c->op->beta);
}

static int is_side(cublasSideMode_t side)
{
    return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT;
}

static int is_diag(cublasDiagType_t diag)
{
    return diag == CUBLAS_DIAG_NON_UNIT || diag == CUBLAS_DIAG_UNIT;
}

static int is_fill(cublasFillMode_t fill)
{
    return fill == CUBLAS_FILL_MODE_LOWER || fill == CUBLAS_FILL_MODE_UPPER;
}

static cublasStatus_t gemv(struct call *c, cudaDataType type,
                           cublasOperation_t trans, int m, int n,
                           const void *alpha, const void *A, int lda,
                           const void *x, int incx, const void *beta,
                           const void *y, int incy)
{
    const int nx = trans == CUBLAS_OP_N ? n : m, ny = m + n - nx;
    // without elements, cuBLAS ignores the other arguments
    const int any = m > 0 && n > 0;
    const struct verdict v = {
        .wrong =
            any ? PARAMETER_WRONG(parameter_is_op(trans), 1, 1, 1, 1,
                                  parameter_fits(lda, m), 1, incx, 1, 1, incy)
                : 0,
        .silent = 1,
        .any = any,
        .scalars = alpha && beta};
    const cublasStatus_t status = begin(c, matrix_gemv, type, v);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    scalars(c, alpha, beta);
    g->transa = blas_trans(trans);
    g->m = m, g->n = n, g->lda = lda, g->ldb = incx, g->ldc = incy;
    g->a = whole(c, "A", A, m, n, lda, by_alpha(c));
    g->b = line(c, "x", x, nx, incx, by_alpha(c));
    line(c, "y", y, ny, incy, by_beta(c));
    g->c = line(c, "y", y, ny, incy, TOUCH_WRITE);
    return end(c, 2.0 * m * n);
}

static cublasStatus_t ger(struct call *c, void (*run)(struct op *),
                          cudaDataType type, int m, int n, const void *alpha,
                          const void *x, int incx, const void *y, int incy,
                          const void *A, int lda)
{
    const struct verdict v = {.wrong = PARAMETER_WRONG(m >= 0, n >= 0, 1, 1,
                                                       incx, 1, incy, 1,
                                                       parameter_fits(lda, m)),
                              .any = m > 0 && n > 0,
                              .scalars = alpha != NULL};
    const cublasStatus_t status = begin(c, run, type, v);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    scalars(c, alpha, NULL);
    g->m = m, g->n = n, g->lda = lda, g->ldb = incx, g->ldc = incy;
    g->b = line(c, "x", x, m, incx, by_alpha(c));
    g->c = line(c, "y", y, n, incy, by_alpha(c));
    whole(c, "A", A, m, n, lda, by_alpha(c));
    g->a = whole(c, "A", A, m, n, lda, TOUCH_WRITE);
    return end(c, 2.0 * m * n);
}

static cublasStatus_t symv(struct call *c, cudaDataType type,
                           cublasFillMode_t fill, int n, const void *alpha,
                           const void *A, int lda, const void *x, int incx,
                           const void *beta, const void *y, int incy)
{
    const struct verdict v = {
        .wrong = PARAMETER_WRONG(is_fill(fill), n >= 0, 1, 1,
                                 parameter_fits(lda, n), 1, incx, 1, 1, incy),
        .silent = 1,
        .any = n > 0,
        .scalars = alpha && beta};
    const cublasStatus_t status = begin(c, matrix_symv, type, v);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    scalars(c, alpha, beta);
    g->fill = fill_of(fill);
    g->n = n, g->lda = lda, g->ldb = incx, g->ldc = incy;
    g->a = triangle(c, "A", A, fill, n, lda, by_alpha(c));
    g->b = line(c, "x", x, n, incx, by_alpha(c));
    line(c, "y", y, n, incy, by_beta(c));
    g->c = line(c, "y", y, n, incy, TOUCH_WRITE);
    return end(c, 2.0 * n * n);
}

static cublasStatus_t trsv(struct call *c, cudaDataType type,
                           cublasFillMode_t fill, cublasOperation_t trans,
                           cublasDiagType_t diag, int n, const void *A, int lda,
                           const void *x, int incx)
{
    const struct verdict v = {
        .wrong = PARAMETER_WRONG(is_fill(fill), parameter_is_op(trans),
                                 is_diag(diag), n >= 0, 1,
                                 parameter_fits(lda, n), 1, incx),
        .any = n > 0,
        .scalars = 1};
    const cublasStatus_t status = begin(c, matrix_trsv, type, v);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    g->fill = fill_of(fill);
    g->transa = blas_trans(trans);
    g->diag = diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
    g->n = n, g->lda = lda, g->ldc = incx;
    g->a = factor(c, A, fill, diag, n, lda, TOUCH_READ);
    line(c, "x", x, n, incx, TOUCH_READ);
    g->c = line(c, "x", x, n, incx, TOUCH_WRITE);
    return end(c, 1.0 * n * n);
}

static cublasStatus_t symm(struct call *c, void (*run)(struct op *),
                           cudaDataType type, cublasSideMode_t side,
                           cublasFillMode_t fill, int m, int n,
                           const void *alpha, const void *A, int lda,
                           const void *B, int ldb, const void *beta,
                           const void *C, int ldc)
{
    const int k = side == CUBLAS_SIDE_LEFT ? m : n;
    const struct verdict v = {
        .wrong =
            PARAMETER_WRONG(is_side(side), is_fill(fill), m >= 0, n >= 0, 1, 1,
                            parameter_fits(lda, k), 1, parameter_fits(ldb, m),
                            1, 1, parameter_fits(ldc, m)),
        .any = m > 0 && n > 0,
        .scalars = alpha && beta};
    const cublasStatus_t status = begin(c, run, type, v);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    scalars(c, alpha, beta);
    g->side = side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight;
    g->fill = fill_of(fill);
    g->m = m, g->n = n, g->lda = lda, g->ldb = ldb, g->ldc = ldc;
    g->a = triangle(c, "A", A, fill, k, lda, by_alpha(c));
    g->b = whole(c, "B", B, m, n, ldb, by_alpha(c));
    whole(c, "C", C, m, n, ldc, by_beta(c));
    g->c = whole(c, "C", C, m, n, ldc, TOUCH_WRITE);
    return end(c, 2.0 * m * n * k);
}

static cublasStatus_t syrk(struct call *c, void (*run)(struct op *),
                           cudaDataType type, cublasFillMode_t fill,
                           cublasOperation_t trans, int n, int k,
                           const void *alpha, const void *A, int lda,
                           const void *beta, const void *C, int ldc)
{
    const int rows = trans == CUBLAS_OP_N ? n : k;
    const struct verdict v = {
        .wrong = PARAMETER_WRONG(is_fill(fill), parameter_is_op(trans), n >= 0,
                                 k >= 0, 1, 1, parameter_fits(lda, rows), 1, 1,
                                 parameter_fits(ldc, n)),
        .any = n > 0,
        .scalars = alpha && beta};
    const cublasStatus_t status = begin(c, run, type, v);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    scalars(c, alpha, beta);
    g->fill = fill_of(fill);
    g->transa = blas_trans(trans);
    g->n = n, g->k = k, g->lda = lda, g->ldc = ldc;
    g->a = whole(c, "A", A, rows, n + k - rows, lda, by_alpha(c));
    triangle(c, "C", C, fill, n, ldc, by_beta(c));
    g->c = triangle(c, "C", C, fill, n, ldc, TOUCH_WRITE);
    return end(c, 1.0 * n * n * k);
}

static cublasStatus_t trsm(struct call *c, cudaDataType type,
                           cublasSideMode_t side, cublasFillMode_t fill,
                           cublasOperation_t trans, cublasDiagType_t diag,
                           int m, int n, const void *alpha, const void *A,
                           int lda, const void *B, int ldb)
{
    const int k = side == CUBLAS_SIDE_LEFT ? m : n;
    const struct verdict v = {
        .wrong = PARAMETER_WRONG(is_side(side), is_fill(fill),
                                 parameter_is_op(trans), is_diag(diag), m >= 0,
                                 n >= 0, 1, 1, parameter_fits(lda, k), 1,
                                 parameter_fits(ldb, m)),
        .any = m > 0 && n > 0,
        .scalars = alpha != NULL};
    const cublasStatus_t status = begin(c, matrix_trsm, type, v);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    scalars(c, alpha, NULL);
    g->side = side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight;
    g->fill = fill_of(fill);
    g->transa = blas_trans(trans);
    g->diag = diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
    g->m = m, g->n = n, g->lda = lda, g->ldc = ldb;
    g->a = factor(c, A, fill, diag, k, lda, by_alpha(c));
    whole(c, "B", B, m, n, ldb, by_alpha(c));
    g->c = whole(c, "B", B, m, n, ldb, TOUCH_WRITE);
    return end(c, 1.0 * m * n * k);
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
    const struct verdict v = {
        .wrong = PARAMETER_WRONG(
            parameter_is_op(transa), parameter_is_op(transb), m >= 0, n >= 0, 1,
            1, parameter_fits(lda, rows_a), 1, 1, parameter_fits(ldb, rows_b),
            1, parameter_fits(ldc, m)),
        .any = m > 0 && n > 0,
        .scalars = alpha && beta && apart};
    const cublasStatus_t status = begin(c, matrix_geam, type, v);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    scalars(c, alpha, beta);
    g->transa = blas_trans(transa);
    g->transb = blas_trans(transb);
    g->m = m, g->n = n, g->lda = lda, g->ldb = ldb, g->ldc = ldc;
    g->a = whole(c, "A", A, rows_a, m + n - rows_a, lda, by_alpha(c));
    g->b = whole(c, "B", B, rows_b, m + n - rows_b, ldb, by_beta(c));
    g->c = whole(c, "C", C, m, n, ldc, TOUCH_WRITE);
    return end(c, 2.0 * m * n);
}

/* ---- the functions ------------------------------------------------------- */

#define CALL(what)                                                             \
    struct call c = {.site = {"cublas" what, CALLER_SITE(), FROM()},           \
                     .handle = handle}

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
        return trsv(&c, TYPE, uplo, trans, diag, n, A, lda, x, incx);          \
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
