/*
 * factor.c: factoring many small matrices, and solving systems with the factors
 *
 * A matrix is factored as A = P L U, with row exchanges, and stored as LAPACK's
 * getrf does: L below the diagonal, its own diagonal being 1; U on and above
 * the diagonal; and for each column the number, from 1, of the row that was
 * exchanged with it. When the operation runs, arrays of pointers in device
 * memory give the matrices' addresses. Arithmetic is in double, rounded when a
 * matrix is stored.
 */
#include "cublas/handle.h"
#include "cublas/parameter.h"

#include <math.h>   /* fabs */
#include <stdlib.h> /* malloc */
#include <string.h> /* memset */

#include "core/report.h"
#include "core/site.h"
#include "cublas/column.h"

struct factor_op {
    struct op op;
    struct site site;
    cudaDataType type; /* 32F or 64F */
    cublasOperation_t trans;
    int n, nrhs, lda, ldb, batch;
    void *const *a, *const
                        *b; /* arrays of pointers; b: right sides or inverses */
    int *pivots, *info;     /* NULL: no exchanges; no info wanted */
};

/* ---- on the stream's worker ---------------------------------------------- */

/* Copy a rows x cols matrix from device memory, as doubles. */
static double *load(const struct factor_op *f, struct touches *t,
                    const char *what, const void *p, int rows, int cols, int ld)
{
    const size_t size = column_type_nbytes(f->type);
    double *const copy = malloc((size_t)rows * (size_t)cols * sizeof *copy);
    const char *const at = touch(t, what, p, (size_t)rows * size,
                                 (size_t)ld * size, (size_t)cols, 0);
    if (!copy)
        simgpu_report_fault(NULL,
                            "%s: out of host memory for a matrix of "
                            "%d x %d",
                            f->site.name, rows, cols);
    for (int col = 0; col < cols; col++)
        for (int row = 0; row < rows; row++) {
            const size_t k = (size_t)col * (size_t)ld + (size_t)row;
            copy[col * rows + row] = f->type == CUDA_R_32F
                                         ? (double)((const float *)at)[k]
                                         : ((const double *)at)[k];
        }
    return copy;
}

/* Store a matrix of doubles, such as load() returned, and free it. */
static void store(const struct factor_op *f, struct touches *t,
                  const char *what, void *p, int rows, int cols, int ld,
                  double *copy)
{
    const size_t size = column_type_nbytes(f->type);
    char *const at = touch(t, what, p, (size_t)rows * size, (size_t)ld * size,
                           (size_t)cols, 1);
    for (int col = 0; col < cols; col++)
        for (int row = 0; row < rows; row++) {
            const size_t k = (size_t)col * (size_t)ld + (size_t)row;
            if (f->type == CUDA_R_32F)
                ((float *)at)[k] = (float)copy[col * rows + row];
            else
                ((double *)at)[k] = copy[col * rows + row];
        }
    free(copy);
}

static void exchange_rows(double *a, int rows, int cols, int x, int y)
{
    for (int col = 0; x != y && col < cols; col++) {
        const double was = a[col * rows + x];
        a[col * rows + x] = a[col * rows + y];
        a[col * rows + y] = was;
    }
}

/* Factor a in place. Returns the first column without a pivot, from 1, or 0. */
static int factor(double *a, int n, int *pivots)
{
    int info = 0;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int row = k + 1; pivots && row < n; row++)
            if (fabs(a[k * n + row]) > fabs(a[k * n + best]))
                best = row;
        if (pivots)
            pivots[k] = best + 1;
        exchange_rows(a, n, n, k, best);
        const double pivot = a[k * n + k];
        if (pivot == 0) {
            info = info ? info : k + 1;
            continue;
        }
        for (int row = k + 1; row < n; row++)
            a[k * n + row] /= pivot;
        for (int col = k + 1; col < n; col++)
            for (int row = k + 1; row < n; row++)
                a[col * n + row] -= a[k * n + row] * a[col * n + k];
    }
    return info;
}

/* Solve the system of a triangle of lu, or of its transpose, in place: x is the
 * right side, then the solution. */
static void solve_triangle(const double *lu, int n, int upper, int trans,
                           double *x)
{
    const int down = upper == trans; // starts with the first unknown
    for (int i = 0; i < n; i++) {
        const int row = down ? i : n - 1 - i;
        for (int k = 0; k < i; k++) {
            const int col = down ? k : n - 1 - k;
            x[row] -= (trans ? lu[row * n + col] : lu[col * n + row]) * x[col];
        }
        if (upper)
            x[row] /= lu[row * n + row];
    }
}

/* Solve op(A) x = b for each column of b, in place. */
static void solve(const double *lu, const int *pivots, int n, int trans,
                  double *b, int nrhs)
{
    for (int k = 0; pivots && !trans && k < n; k++)
        exchange_rows(b, n, nrhs, k, pivots[k] - 1);
    for (int col = 0; col < nrhs; col++) {
        solve_triangle(lu, n, trans, trans, b + col * n);
        solve_triangle(lu, n, !trans, trans, b + col * n);
    }
    for (int k = n - 1; pivots && trans && k >= 0; k--)
        exchange_rows(b, n, nrhs, k, pivots[k] - 1);
}

static int *pivots_of(const struct factor_op *f, int i)
{
    return f->pivots ? f->pivots + (size_t)i * (size_t)f->n : NULL;
}

static void run_getrf(struct factor_op *f, struct touches *t, int i)
{
    double *const a = load(f, t, "Aarray[i]", f->a[i], f->n, f->n, f->lda);
    const int info = factor(a, f->n, pivots_of(f, i));
    if (f->info)
        f->info[i] = info;
    store(f, t, "Aarray[i]", f->a[i], f->n, f->n, f->lda, a);
}

static void run_getrs(struct factor_op *f, struct touches *t, int i)
{
    double *const a = load(f, t, "Aarray[i]", f->a[i], f->n, f->n, f->lda);
    double *const b = load(f, t, "Barray[i]", f->b[i], f->n, f->nrhs, f->ldb);
    solve(a, pivots_of(f, i), f->n, f->trans != CUBLAS_OP_N, b, f->nrhs);
    store(f, t, "Barray[i]", f->b[i], f->n, f->nrhs, f->ldb, b);
    free(a);
}

/* Invert a factored matrix, by solving for the columns of I. */
static void invert(struct factor_op *f, struct touches *t, int i, double *lu,
                   const int *pivots)
{
    const int n = f->n;
    double *const c = calloc((size_t)n * (size_t)n, sizeof *c);
    int info = 0;
    if (!c)
        simgpu_report_fault(NULL,
                            "%s: out of host memory for a matrix of "
                            "%d x %d",
                            f->site.name, n, n);
    for (int k = n - 1; k >= 0; k--) {
        c[k * n + k] = 1;
        info = lu[k * n + k] == 0 ? k + 1 : info;
    }
    if (!info)
        solve(lu, pivots, n, 0, c, n);
    if (f->info)
        f->info[i] = info;
    if (info)
        free(c);
    else
        store(f, t, "Carray[i]", f->b[i], n, n, f->ldb, c);
    free(lu);
}

static void run_getri(struct factor_op *f, struct touches *t, int i)
{
    invert(f, t, i, load(f, t, "Aarray[i]", f->a[i], f->n, f->n, f->lda),
           pivots_of(f, i));
}

static void run_matinv(struct factor_op *f, struct touches *t, int i)
{
    double *const a = load(f, t, "A[i]", f->a[i], f->n, f->n, f->lda);
    int *const pivots = malloc((size_t)f->n * sizeof *pivots);
    if (!pivots)
        simgpu_report_fault(NULL, "%s: out of host memory", f->site.name);
    factor(a, f->n, pivots);
    invert(f, t, i, a, pivots);
    free(pivots);
}

/* Define the function that runs on the worker. The bytes touched are known only
 * now, since the pointers are in device memory. */
#define RUN(name)                                                              \
    static void run_##name##_batch(struct op *op)                              \
    {                                                                          \
        struct factor_op *const f = (struct factor_op *)op;                    \
        struct touches t = {.call = f->site, .stream = op->stream};            \
        for (int i = 0; i < f->batch; i++)                                     \
            run_##name(f, &t, i);                                              \
        simgpu_op_amend(op, 0, NULL, 0, t.access, t.n);                        \
        free(t.access);                                                        \
    }
RUN(getrf)
RUN(getrs)
RUN(getri)
RUN(matinv)

/* ---- on the host --------------------------------------------------------- */

struct call { /* the arguments */
    struct site site;
    void (*run)(struct op *op);
    cudaDataType type;
    cublasOperation_t trans;
    int n, nrhs, lda, ldb, batch;
    const void *A, *B; /* B is NULL, or has right sides or inverses */
    const int *pivots;
    int *info; /* in device memory */
    int pivots_are_written;
    double flops; /* for one matrix */
};

/* The number of the first wrong parameter of getrs, or 0. */
static int wrong_to_solve(const struct call *c)
{
    return PARAMETER_WRONG(parameter_is_op(c->trans), c->n >= 0, c->nrhs >= 0,
                           1, parameter_fits(c->lda, c->n), 1, 1,
                           parameter_fits(c->ldb, c->n));
}

static cublasStatus_t check(const struct call *c)
{
    const int least = c->n > 1 ? c->n : 1;
    return c->n < 0 || c->nrhs < 0 || c->batch < 0 || c->lda < least ||
                   (c->B && c->ldb < least) ||
                   (unsigned)c->trans > CUBLAS_OP_C || !c->A
               ? CUBLAS_STATUS_INVALID_VALUE
               : CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t enqueue_factors(cublasHandle_t handle,
                                      const struct call *c)
{
    struct stream *s;
    struct touches t = {.call = c->site};
    cublasStatus_t status = handle_stream(handle, &c->site, &s);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = check(c);
    if (status != CUBLAS_STATUS_SUCCESS || c->n == 0 || c->batch == 0)
        return status;
    t.stream = s;
    struct factor_op *const f = simgpu_op_new(sizeof *f, c->run, GRAPH_KERNEL,
                                              c->site.name, c->site.site);
    const size_t n = (size_t)c->n, batch = (size_t)c->batch;
    const size_t p = sizeof(void *), word = sizeof(int);
    f->site = c->site;
    f->type = c->type;
    f->trans = c->trans;
    f->n = c->n;
    f->nrhs = c->nrhs;
    f->lda = c->lda;
    f->ldb = c->ldb;
    f->batch = c->batch;
    f->a = touch(&t, "Aarray", c->A, p, p, batch, 0);
    if (c->B)
        f->b = touch(&t, "Barray", c->B, p, p, batch, 0);
    if (c->pivots)
        f->pivots = touch(&t, "the pivots", c->pivots, n * word, n * word,
                          batch, c->pivots_are_written);
    if (c->info)
        f->info = touch(&t, "info", c->info, word, word, batch, 1);
    t.nbytes += batch * column_type_nbytes(c->type) * n *
                (c->B ? n + 2 * (size_t)c->nrhs : 2 * n);
    enqueue(s, &f->op, sizeof *f, &t, c->flops * c->batch,
            c->type == CUDA_R_32F ? TOPO_FP32 : TOPO_FP64);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t factors(cublasHandle_t handle, const struct call *c)
{
    return handle_return(&c->site, enqueue_factors(handle, c));
}

/* ---- the functions ------------------------------------------------------- */

#define CALL(S, what, TYPE, how)                                               \
    .site = {"cublas" S what, CALLER_SITE(), FROM()},                          \
    .run = run_##how##_batch, .type = TYPE, .n = n, .lda = lda,                \
    .batch = batchSize

#define FACTORS(S, T, TYPE)                                                    \
    cublasStatus_t cublas##S##getrfBatched(cublasHandle_t handle, int n,       \
                                           T *const A[], int lda, int *P,      \
                                           int *info, int batchSize)           \
    {                                                                          \
        const struct call c = {CALL(#S, "getrfBatched", TYPE, getrf),          \
                               .A = A,                                         \
                               .pivots = P,                                    \
                               .pivots_are_written = 1,                        \
                               .info = info,                                   \
                               .flops = 2.0 / 3 * n * n * n};                  \
        return factors(handle, &c);                                            \
    }                                                                          \
    cublasStatus_t cublas##S##getrsBatched(                                    \
        cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,       \
        const T *const A[], int lda, const int *devIpiv, T *const B[],         \
        int ldb, int *info, int batchSize)                                     \
    {                                                                          \
        const struct call c = {CALL(#S, "getrsBatched", TYPE, getrs),          \
                               .trans = trans,                                 \
                               .nrhs = nrhs,                                   \
                               .A = A,                                         \
                               .B = B,                                         \
                               .ldb = ldb,                                     \
                               .pivots = devIpiv,                              \
                               .flops = 2.0 * n * n * nrhs};                   \
        const cublasStatus_t status = factors(handle, &c);                     \
        if (info) /* in host memory; reports a wrong argument */               \
            *info = -wrong_to_solve(&c);                                       \
        return status;                                                         \
    }                                                                          \
    cublasStatus_t cublas##S##getriBatched(                                    \
        cublasHandle_t handle, int n, const T *const A[], int lda,             \
        const int *P, T *const C[], int ldc, int *info, int batchSize)         \
    {                                                                          \
        const struct call c = {CALL(#S, "getriBatched", TYPE, getri),          \
                               .nrhs = n,                                      \
                               .A = A,                                         \
                               .B = C,                                         \
                               .ldb = ldc,                                     \
                               .pivots = P,                                    \
                               .info = info,                                   \
                               .flops = 4.0 / 3 * n * n * n};                  \
        return factors(handle, &c);                                            \
    }                                                                          \
    cublasStatus_t cublas##S##matinvBatched(                                   \
        cublasHandle_t handle, int n, const T *const A[], int lda,             \
        T *const Ainv[], int lda_inv, int *info, int batchSize)                \
    {                                                                          \
        enum { MATINV_MAX = 32 };                                              \
        const struct call c = {CALL(#S, "matinvBatched", TYPE, matinv),        \
                               .nrhs = n,                                      \
                               .A = A,                                         \
                               .B = Ainv,                                      \
                               .ldb = lda_inv,                                 \
                               .info = info,                                   \
                               .flops = 2.0 * n * n * n};                      \
        return n > MATINV_MAX                                                  \
                   ? handle_return(&c.site, CUBLAS_STATUS_INVALID_VALUE)       \
                   : factors(handle, &c);                                      \
    }
FACTORS(S, float, CUDA_R_32F)
FACTORS(D, double, CUDA_R_64F)
