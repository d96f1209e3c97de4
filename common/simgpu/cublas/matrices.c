/*
 * matrices.c: matrices with vectors, and those with a triangle, in single and
 * double precision
 *
 * Matrices are stored column by column, ld elements apart. Of a symmetric or
 * triangular one, only the triangle that is named is touched.
 */
#include "cublas/handle.h"

#include "core/site.h"
#include "cublas/blas.h"
#include "cublas/column.h"

struct matrix_op {
    struct op op;
    cudaDataType type; /* 32F or 64F */
    int m, n, k, lda, ldb, ldc;
    CBLAS_SIDE side;
    CBLAS_UPLO fill;
    CBLAS_TRANSPOSE transa, transb;
    CBLAS_DIAG diag;
    struct scalar alpha, beta;
    void *a, *b, *c; /* matrices; or a matrix and vectors, ldb and ldc apart */
};

/* ---- on the stream's worker ---------------------------------------------- */

#define RUN(name, ...)                                                         \
    static void run_##name(struct op *op)                                      \
    {                                                                          \
        const struct matrix_op *const g = (struct matrix_op *)op;              \
        const double alpha = scalar_now(&g->alpha),                            \
                     beta = scalar_now(&g->beta);                              \
        (void)alpha, (void)beta;                                               \
        if (g->type == CUDA_R_32F)                                             \
            blas()->s##name(CblasColMajor, __VA_ARGS__);                       \
        else                                                                   \
            blas()->d##name(CblasColMajor, __VA_ARGS__);                       \
    }
#define A g->a, g->lda
#define B g->b, g->ldb
#define C g->c, g->ldc

/* A double argument becomes the function's float. */
RUN(gemv, g->transa, g->m, g->n, alpha, A, B, beta, C)
RUN(ger, g->m, g->n, alpha, B, C, A)
RUN(symv, g->fill, g->n, alpha, A, B, beta, C)
RUN(trsv, g->fill, g->transa, g->diag, g->n, A, C)
RUN(symm, g->side, g->fill, g->m, g->n, alpha, A, B, beta, C)
RUN(syrk, g->fill, g->transa, g->n, g->k, alpha, A, beta, C)
RUN(trsm, g->side, g->fill, g->transa, g->diag, g->m, g->n, alpha, A, C)

#undef A
#undef B
#undef C

static double element(const struct matrix_op *g, const void *p, int ld,
                      CBLAS_TRANSPOSE trans, int row, int col)
{
    const size_t at = trans == CblasNoTrans
                          ? (size_t)col * (size_t)ld + (size_t)row
                          : (size_t)row * (size_t)ld + (size_t)col;
    return g->type == CUDA_R_32F ? (double)((const float *)p)[at]
                                 : ((const double *)p)[at];
}

/* C = alpha op(A) + beta op(B). A matrix whose scalar is 0 is not read. */
static void run_geam(struct op *op)
{
    const struct matrix_op *const g = (struct matrix_op *)op;
    const double alpha = scalar_now(&g->alpha), beta = scalar_now(&g->beta);
    for (int col = 0; col < g->n; col++)
        for (int row = 0; row < g->m; row++) {
            const size_t at = (size_t)col * (size_t)g->ldc + (size_t)row;
            double sum = 0;
            if (alpha != 0)
                sum += alpha * element(g, g->a, g->lda, g->transa, row, col);
            if (beta != 0)
                sum += beta * element(g, g->b, g->ldb, g->transb, row, col);
            if (g->type == CUDA_R_32F)
                ((float *)g->c)[at] = (float)sum;
            else
                ((double *)g->c)[at] = sum;
        }
}

/* ---- on the host --------------------------------------------------------- */

static CBLAS_TRANSPOSE trans_of(cublasOperation_t op)
{
    return op == CUBLAS_OP_N ? CblasNoTrans : CblasTrans;
}

static CBLAS_UPLO fill_of(cublasFillMode_t fill)
{
    return fill == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper;
}

struct call { /* being made: its operation, and what it touches */
    struct site site;
    cublasHandle_t handle;
    struct stream *stream;
    struct touches t;
    struct matrix_op *op;
    size_t size; /* of an element */
};

/* Begin a call. `valid`: its sizes and modes. `any`: it has something to do.
 * If *op stays NULL, the status is the call's. */
static cublasStatus_t begin(struct call *c, void (*run)(struct op *),
                            cudaDataType type, int valid, int any)
{
    const cublasStatus_t status = handle_stream(c->handle, &c->stream);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    if (!valid)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!any)
        return status;
    c->t = (struct touches){.call = c->site};
    c->size = column_type_nbytes(type);
    c->op = simgpu_op_new(sizeof *c->op, run, GRAPH_KERNEL, c->site.name,
                          c->site.site);
    c->op->type = type;
    return status;
}

static cublasStatus_t end(struct call *c, double flops)
{
    enqueue(c->stream, &c->op->op, &c->t, flops,
            c->op->type == CUDA_R_32F ? TOPO_FP32 : TOPO_FP64);
    return CUBLAS_STATUS_SUCCESS;
}

static void *whole(struct call *c, const char *what, const void *p, int rows,
                   int cols, int ld, int write)
{
    return touch(&c->t, what, p, (size_t)rows * c->size, (size_t)ld * c->size,
                 (size_t)cols, write);
}

static void *triangle(struct call *c, const char *what, const void *p,
                      cublasFillMode_t fill, int n, int ld, int write)
{
    return touch_triangle(&c->t, what, p, c->size, fill, n, ld, write);
}

static void *line(struct call *c, const char *what, const void *p, int n,
                  int inc, int write)
{
    return touch_vector(&c->t, what, p, c->size, n, inc, write);
}

static void scalars(struct call *c, const void *alpha, const void *beta)
{
    c->op->alpha = touch_scalar(&c->t, c->handle, "alpha", alpha, c->op->type);
    if (beta)
        c->op->beta = touch_scalar(&c->t, c->handle, "beta", beta, c->op->type);
}

static int reads_result(const struct call *c)
{
    return !scalar_is_zero(&c->op->beta);
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

/* A leading dimension for that many rows. */
static int fits(int ld, int rows)
{
    return ld >= most(1, rows);
}

static int is_side(cublasSideMode_t side)
{
    return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT;
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
    const cublasStatus_t status =
        begin(c, run_gemv, type,
              m >= 0 && n >= 0 && fits(lda, m) && incx && incy &&
                  (unsigned)trans <= CUBLAS_OP_C && alpha && beta,
              m > 0 && n > 0);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    scalars(c, alpha, beta);
    g->transa = trans_of(trans);
    g->m = m, g->n = n, g->lda = lda, g->ldb = incx, g->ldc = incy;
    g->a = whole(c, "A", A, m, n, lda, 0);
    g->b = line(c, "x", x, nx, incx, 0);
    if (reads_result(c))
        line(c, "y", y, ny, incy, 0);
    g->c = line(c, "y", y, ny, incy, 1);
    return end(c, 2.0 * m * n);
}

static cublasStatus_t ger(struct call *c, cudaDataType type, int m, int n,
                          const void *alpha, const void *x, int incx,
                          const void *y, int incy, const void *A, int lda)
{
    const cublasStatus_t status =
        begin(c, run_ger, type,
              m >= 0 && n >= 0 && fits(lda, m) && incx && incy && alpha,
              m > 0 && n > 0);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    scalars(c, alpha, NULL);
    g->m = m, g->n = n, g->lda = lda, g->ldb = incx, g->ldc = incy;
    g->b = line(c, "x", x, m, incx, 0);
    g->c = line(c, "y", y, n, incy, 0);
    whole(c, "A", A, m, n, lda, 0);
    g->a = whole(c, "A", A, m, n, lda, 1);
    return end(c, 2.0 * m * n);
}

static cublasStatus_t symv(struct call *c, cudaDataType type,
                           cublasFillMode_t fill, int n, const void *alpha,
                           const void *A, int lda, const void *x, int incx,
                           const void *beta, const void *y, int incy)
{
    const cublasStatus_t status =
        begin(c, run_symv, type,
              n >= 0 && fits(lda, n) && incx && incy && is_fill(fill) &&
                  alpha && beta,
              n > 0);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    scalars(c, alpha, beta);
    g->fill = fill_of(fill);
    g->n = n, g->lda = lda, g->ldb = incx, g->ldc = incy;
    g->a = triangle(c, "A", A, fill, n, lda, 0);
    g->b = line(c, "x", x, n, incx, 0);
    if (reads_result(c))
        line(c, "y", y, n, incy, 0);
    g->c = line(c, "y", y, n, incy, 1);
    return end(c, 2.0 * n * n);
}

static cublasStatus_t trsv(struct call *c, cudaDataType type,
                           cublasFillMode_t fill, cublasOperation_t trans,
                           cublasDiagType_t diag, int n, const void *A, int lda,
                           const void *x, int incx)
{
    const cublasStatus_t status =
        begin(c, run_trsv, type,
              n >= 0 && fits(lda, n) && incx && is_fill(fill) &&
                  (unsigned)trans <= CUBLAS_OP_C,
              n > 0);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    g->fill = fill_of(fill);
    g->transa = trans_of(trans);
    g->diag = diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
    g->n = n, g->lda = lda, g->ldc = incx;
    g->a = triangle(c, "A", A, fill, n, lda, 0);
    line(c, "x", x, n, incx, 0);
    g->c = line(c, "x", x, n, incx, 1);
    return end(c, 1.0 * n * n);
}

static cublasStatus_t symm(struct call *c, cudaDataType type,
                           cublasSideMode_t side, cublasFillMode_t fill, int m,
                           int n, const void *alpha, const void *A, int lda,
                           const void *B, int ldb, const void *beta,
                           const void *C, int ldc)
{
    const int k = side == CUBLAS_SIDE_LEFT ? m : n;
    const cublasStatus_t status = begin(
        c, run_symm, type,
        m >= 0 && n >= 0 && fits(lda, k) && fits(ldb, m) && fits(ldc, m) &&
            is_side(side) && is_fill(fill) && alpha && beta,
        m > 0 && n > 0);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    scalars(c, alpha, beta);
    g->side = side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight;
    g->fill = fill_of(fill);
    g->m = m, g->n = n, g->lda = lda, g->ldb = ldb, g->ldc = ldc;
    g->a = triangle(c, "A", A, fill, k, lda, 0);
    g->b = whole(c, "B", B, m, n, ldb, 0);
    if (reads_result(c))
        whole(c, "C", C, m, n, ldc, 0);
    g->c = whole(c, "C", C, m, n, ldc, 1);
    return end(c, 2.0 * m * n * k);
}

static cublasStatus_t syrk(struct call *c, cudaDataType type,
                           cublasFillMode_t fill, cublasOperation_t trans,
                           int n, int k, const void *alpha, const void *A,
                           int lda, const void *beta, const void *C, int ldc)
{
    const int rows = trans == CUBLAS_OP_N ? n : k;
    const cublasStatus_t status = begin(
        c, run_syrk, type,
        n >= 0 && k >= 0 && fits(lda, rows) && fits(ldc, n) && is_fill(fill) &&
            (unsigned)trans <= CUBLAS_OP_C && alpha && beta,
        n > 0);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    scalars(c, alpha, beta);
    g->fill = fill_of(fill);
    g->transa = trans_of(trans);
    g->n = n, g->k = k, g->lda = lda, g->ldc = ldc;
    g->a = whole(c, "A", A, rows, n + k - rows, lda, 0);
    if (reads_result(c))
        triangle(c, "C", C, fill, n, ldc, 0);
    g->c = triangle(c, "C", C, fill, n, ldc, 1);
    return end(c, 1.0 * n * n * k);
}

static cublasStatus_t trsm(struct call *c, cudaDataType type,
                           cublasSideMode_t side, cublasFillMode_t fill,
                           cublasOperation_t trans, cublasDiagType_t diag,
                           int m, int n, const void *alpha, const void *A,
                           int lda, const void *B, int ldb)
{
    const int k = side == CUBLAS_SIDE_LEFT ? m : n;
    const cublasStatus_t status = begin(
        c, run_trsm, type,
        m >= 0 && n >= 0 && fits(lda, k) && fits(ldb, m) && is_side(side) &&
            is_fill(fill) && (unsigned)trans <= CUBLAS_OP_C && alpha,
        m > 0 && n > 0);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    scalars(c, alpha, NULL);
    g->side = side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight;
    g->fill = fill_of(fill);
    g->transa = trans_of(trans);
    g->diag = diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
    g->m = m, g->n = n, g->lda = lda, g->ldc = ldb;
    g->a = triangle(c, "A", A, fill, k, lda, 0);
    whole(c, "B", B, m, n, ldb, 0);
    g->c = whole(c, "B", B, m, n, ldb, 1);
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
    const cublasStatus_t status =
        begin(c, run_geam, type,
              m >= 0 && n >= 0 && fits(lda, rows_a) && fits(ldb, rows_b) &&
                  fits(ldc, m) && (unsigned)transa <= CUBLAS_OP_C &&
                  (unsigned)transb <= CUBLAS_OP_C && alpha && beta,
              m > 0 && n > 0);
    struct matrix_op *const g = c->op;
    if (!g)
        return status;
    scalars(c, alpha, beta);
    g->transa = trans_of(transa);
    g->transb = trans_of(transb);
    g->m = m, g->n = n, g->lda = lda, g->ldb = ldb, g->ldc = ldc;
    if (!scalar_is_zero(&g->alpha))
        g->a = whole(c, "A", A, rows_a, m + n - rows_a, lda, 0);
    if (!scalar_is_zero(&g->beta))
        g->b = whole(c, "B", B, rows_b, m + n - rows_b, ldb, 0);
    g->c = whole(c, "C", C, m, n, ldc, 1);
    return end(c, 2.0 * m * n);
}

/* ---- the functions ------------------------------------------------------- */

#define CALL(what)                                                             \
    struct call c = {.site = {"cublas" what, CALLER_SITE()}, .handle = handle}

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
    cublasStatus_t cublas##S##ger_v2(cublasHandle_t handle, int m, int n,      \
                                     const T *alpha, const T *x, int incx,     \
                                     const T *y, int incy, T *A, int lda)      \
    {                                                                          \
        CALL(#S "ger");                                                        \
        return ger(&c, TYPE, m, n, alpha, x, incx, y, incy, A, lda);           \
    }                                                                          \
    cublasStatus_t cublas##S##symv_v2(                                         \
        cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *alpha,   \
        const T *A, int lda, const T *x, int incx, const T *beta, T *y,        \
        int incy)                                                              \
    {                                                                          \
        CALL(#S "symv");                                                       \
        return symv(&c, TYPE, uplo, n, alpha, A, lda, x, incx, beta, y, incy); \
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
        return symm(&c, TYPE, side, uplo, m, n, alpha, A, lda, B, ldb, beta,   \
                    C, ldc);                                                   \
    }                                                                          \
    cublasStatus_t cublas##S##syrk_v2(                                         \
        cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, \
        int n, int k, const T *alpha, const T *A, int lda, const T *beta,      \
        T *C, int ldc)                                                         \
    {                                                                          \
        CALL(#S "syrk");                                                       \
        return syrk(&c, TYPE, uplo, trans, n, k, alpha, A, lda, beta, C, ldc); \
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
