/*
 * gemm.c: products of matrices
 *
 * All forms are one: a batch of C = alpha op(A) op(B) + beta C over typed
 * matrices, with A and B rounded first. Sums are fp32. Where no conversion is
 * needed, OpenBLAS works on the program's matrices; otherwise on copies.
 */
#include "cublas/handle.h"

#include <stdint.h> /* int8_t */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */

#include "core/report.h"
#include "core/site.h"
#include "cublas/blas.h"
#include "cublas/column.h"

struct matrix { /* rows x cols, in memory column by column */
    char *at;   /* as simgpu accesses it */
    cudaDataType type;
    size_t rows, cols, ld, stride; /* ld, stride: elements */
};

enum which { OF_A, OF_B, OF_C, OPERANDS };

struct gemm_op {
    struct op op;
    struct site site;
    int transa, transb, m, n, k, batch;
    struct scalar alpha, beta;
    struct matrix a, b, c; /* of the first product */
    enum column_rounding rounding;
    /* Where A, B and C of each product are, in device memory; or NULL: a stride
     * behind those of the product before. */
    const void *const *where[OPERANDS];
};

static struct matrix operand(struct touches *t, const char *what, const void *p,
                             cudaDataType type, int rows, int cols, int ld,
                             long long stride, int batch, int write);

/* ---- on the stream's worker ---------------------------------------------- */

static char *column_of(const struct matrix *x, int i, size_t col)
{
    return x->at + ((size_t)i * x->stride + col * x->ld) *
                       column_operand_nbytes(x->type);
}

/* Number i of the batch as floats: itself, or a packed copy (*ld gets rows). */
static float *as_floats(const struct matrix *x, int i,
                        enum column_rounding rounding, int *ld)
{
    *ld = (int)x->ld;
    if (x->type == CUDA_R_32F && rounding == COLUMN_EXACT)
        return (float *)column_of(x, i, 0);
    float *const copy = malloc(x->rows * x->cols * sizeof *copy + 1);
    if (!copy)
        simgpu_report_fault(NULL,
                            "out of host memory for a matrix of %zu x %zu",
                            x->rows, x->cols);
    for (size_t col = 0; col < x->cols; col++)
        column_widen(copy + col * x->rows, column_of(x, i, col), x->rows,
                     x->type, rounding);
    *ld = (int)x->rows;
    return copy;
}

static void drop(const struct matrix *x, int i, float *floats)
{
    if ((char *)floats != column_of(x, i, 0))
        free(floats);
}

static CBLAS_TRANSPOSE trans_of(int transposed)
{
    return transposed ? CblasTrans : CblasNoTrans;
}

static void multiply_double(const struct gemm_op *g, int i)
{
    blas()->dgemm(
        CblasColMajor, trans_of(g->transa), trans_of(g->transb), g->m, g->n,
        g->k, scalar_now(&g->alpha), (const double *)column_of(&g->a, i, 0),
        (int)g->a.ld, (const double *)column_of(&g->b, i, 0), (int)g->b.ld,
        scalar_now(&g->beta), (double *)column_of(&g->c, i, 0), (int)g->c.ld);
}

static void multiply(const struct gemm_op *g, int i)
{
    int lda, ldb, ldc;
    const float alpha = (float)scalar_now(&g->alpha);
    const float beta = (float)scalar_now(&g->beta);
    float *const a = as_floats(&g->a, i, g->rounding, &lda);
    float *const b = as_floats(&g->b, i, g->rounding, &ldb);
    float *const c = as_floats(&g->c, i, COLUMN_EXACT, &ldc);
    blas()->sgemm(CblasColMajor, trans_of(g->transa), trans_of(g->transb), g->m,
                  g->n, g->k, alpha, a, lda, b, ldb, beta, c, ldc);
    for (size_t col = 0; g->c.type != CUDA_R_32F && col < g->c.cols; col++)
        column_narrow(column_of(&g->c, i, col), c + col * g->c.rows, g->c.rows,
                      g->c.type);
    drop(&g->a, i, a);
    drop(&g->b, i, b);
    drop(&g->c, i, c);
}

static int32_t byte_of(const struct matrix *x, int i, int trans, int row,
                       int col)
{
    return ((int8_t *)column_of(
        x, i, (size_t)(trans ? row : col)))[trans ? col : row];
}

/* The sums have 32 bits and wrap around. */
static void multiply_bytes(const struct gemm_op *g, int i)
{
    const uint32_t alpha = (uint32_t)(int32_t)scalar_now(&g->alpha);
    const uint32_t beta = (uint32_t)(int32_t)scalar_now(&g->beta);
    for (int col = 0; col < g->n; col++) {
        uint32_t *const c = (uint32_t *)column_of(&g->c, i, (size_t)col);
        for (int row = 0; row < g->m; row++) {
            uint32_t sum = 0;
            for (int k = 0; k < g->k; k++)
                sum += (uint32_t)(byte_of(&g->a, i, g->transa, row, k) *
                                  byte_of(&g->b, i, g->transb, k, col));
            c[row] = alpha * sum + (beta ? beta * c[row] : 0);
        }
    }
}

static void run_product(const struct gemm_op *g, int i)
{
    if (g->a.type == CUDA_R_8I)
        multiply_bytes(g, i);
    else if (g->a.type == CUDA_R_64F)
        multiply_double(g, i);
    else
        multiply(g, i);
}

/* Take the place of product i's operand from the program's array. */
static void find_operand(struct gemm_op *g, struct touches *t, int i,
                         enum which which, struct matrix *x)
{
    static const char *const names[] = {"A", "B", "C"};
    char what[32];
    const int nwrites = which == OF_C;
    snprintf(what, sizeof what, "%sarray[%d]", names[which], i);
    const int rows = (int)x->rows, cols = (int)x->cols, ld = (int)x->ld;
    const void *const p = g->where[which][i];
    if (which == OF_C && !scalar_is_zero(&g->beta))
        operand(t, what, p, x->type, rows, cols, ld, 0, 1, 0);
    *x = operand(t, what, p, x->type, rows, cols, ld, 0, 1, nwrites);
}

/* Only now is it known which bytes are touched. */
static void run_by_pointers(struct gemm_op *g)
{
    struct touches t = {.call = g->site};
    for (int i = 0; i < g->batch; i++) {
        find_operand(g, &t, i, OF_A, &g->a);
        find_operand(g, &t, i, OF_B, &g->b);
        find_operand(g, &t, i, OF_C, &g->c);
        run_product(g, 0);
    }
    simgpu_op_amend(&g->op, 0, NULL, 0, t.access, t.n);
    free(t.access);
}

static void run_gemm(struct op *op)
{
    struct gemm_op *const g = (struct gemm_op *)op;
    if (g->where[OF_A])
        run_by_pointers(g);
    for (int i = 0; !g->where[OF_A] && i < g->batch; i++)
        run_product(g, i);
}

/* ---- on the host --------------------------------------------------------- */

struct call { /* the arguments */
    struct site site;
    cublasOperation_t transa, transb;
    int m, n, k;
    const void *alpha, *beta; /* of the type that `compute` says */
    const void *A, *B, *C;
    int by_pointers; /* A, B and C are arrays of pointers */
    int lda, ldb, ldc;
    cudaDataType a_type, b_type, c_type;
    long long stride_a, stride_b, stride_c;
    int batch;
    cublasComputeType_t compute;
};

static int is_trans(cublasOperation_t op)
{
    return op != CUBLAS_OP_N;
}

static int is_integer(const struct call *c)
{
    return c->compute == CUBLAS_COMPUTE_32I ||
           c->compute == CUBLAS_COMPUTE_32I_PEDANTIC;
}

static cublasStatus_t check(const struct call *c)
{
    const int rows_a = is_trans(c->transa) ? c->k : c->m;
    const int rows_b = is_trans(c->transb) ? c->n : c->k;
    if (c->m < 0 || c->n < 0 || c->k < 0 || c->batch < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if ((unsigned)c->transa > CUBLAS_OP_C || (unsigned)c->transb > CUBLAS_OP_C)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (c->lda < (rows_a > 1 ? rows_a : 1) ||
        c->ldb < (rows_b > 1 ? rows_b : 1) || c->ldc < (c->m > 1 ? c->m : 1))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!c->alpha || !c->beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (c->a_type == CUDA_R_8I && c->b_type == CUDA_R_8I &&
        c->c_type == CUDA_R_32I)
        return is_integer(c) ? CUBLAS_STATUS_SUCCESS
                             : CUBLAS_STATUS_NOT_SUPPORTED;
    if (column_type_nbytes(c->a_type) == 0 || c->b_type != c->a_type ||
        is_integer(c) || (c->c_type != c->a_type && c->c_type != CUDA_R_32F))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return CUBLAS_STATUS_SUCCESS;
}

static int is_double(const struct call *c)
{
    return c->compute == CUBLAS_COMPUTE_64F ||
           c->compute == CUBLAS_COMPUTE_64F_PEDANTIC;
}

static int is_half(const struct call *c)
{
    return c->compute == CUBLAS_COMPUTE_16F ||
           c->compute == CUBLAS_COMPUTE_16F_PEDANTIC;
}

/* The type of alpha and beta. */
static cudaDataType scalar_type(const struct call *c)
{
    return is_double(c)    ? CUDA_R_64F
           : is_half(c)    ? CUDA_R_16F
           : is_integer(c) ? CUDA_R_32I
                           : CUDA_R_32F;
}

/* How inputs are rounded, and on which units the product is computed. */
static cublasStatus_t arithmetic(const struct call *c, cublasMath_t mode,
                                 enum column_rounding *rounding,
                                 enum topo_math *math)
{
    *rounding = COLUMN_EXACT;
    *math = c->a_type == CUDA_R_64F   ? TOPO_FP64
            : c->a_type == CUDA_R_32F ? TOPO_FP32
                                      : TOPO_FP16;
    if (is_integer(c)) // the machines' figures are for 16 bits
        return CUBLAS_STATUS_SUCCESS;
    if (is_double(c) || c->a_type == CUDA_R_64F)
        return is_double(c) && c->a_type == CUDA_R_64F
                   ? CUBLAS_STATUS_SUCCESS
                   : CUBLAS_STATUS_NOT_SUPPORTED;
    if (is_half(c) && c->c_type != CUDA_R_16F)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    switch (c->compute) {
    case CUBLAS_COMPUTE_32F:
        if (mode == CUBLAS_TENSOR_OP_MATH)
            *rounding = COLUMN_FP16;
        if (mode == CUBLAS_TF32_TENSOR_OP_MATH)
            *rounding = COLUMN_TF32;
        break;
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_16F: // sums are fp32 here, rounded once
    case CUBLAS_COMPUTE_16F_PEDANTIC: break;
    case CUBLAS_COMPUTE_32F_FAST_16F: *rounding = COLUMN_FP16; break;
    case CUBLAS_COMPUTE_32F_FAST_16BF: *rounding = COLUMN_BF16; break;
    case CUBLAS_COMPUTE_32F_FAST_TF32: *rounding = COLUMN_TF32; break;
    default: return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (c->a_type != CUDA_R_32F)
        *rounding = COLUMN_EXACT; // narrow already
    if (*rounding != COLUMN_EXACT)
        *math = *rounding == COLUMN_TF32 ? TOPO_TF32 : TOPO_FP16;
    return CUBLAS_STATUS_SUCCESS;
}

/* Describe an operand and note its touch. */
static struct matrix operand(struct touches *t, const char *what, const void *p,
                             cudaDataType type, int rows, int cols, int ld,
                             long long stride, int batch, int write)
{
    const size_t size = column_operand_nbytes(type);
    struct matrix x = {NULL,         type,       (size_t)rows,
                       (size_t)cols, (size_t)ld, (size_t)stride};
    for (int i = 0; i < batch; i++) {
        char *const at =
            touch(t, what, (const char *)p + (size_t)i * x.stride * size,
                  x.rows * size, x.ld * size, x.cols, write);
        if (i == 0)
            x.at = at;
    }
    return x;
}

/* The operands of a batch whose places only the device knows. */
static void fill_pointers(struct gemm_op *g, struct touches *t,
                          const struct call *c)
{
    const size_t size = sizeof(void *), n = (size_t)c->batch;
    const size_t m = (size_t)c->m, k = (size_t)c->k, cols = (size_t)c->n;
    g->where[OF_A] = touch(t, "Aarray", c->A, size, size, n, 0);
    g->where[OF_B] = touch(t, "Barray", c->B, size, size, n, 0);
    g->where[OF_C] = touch(t, "Carray", c->C, size, size, n, 0);
    g->a = (struct matrix){.type = c->a_type,
                           .rows = g->transa ? k : m,
                           .cols = g->transa ? m : k,
                           .ld = (size_t)c->lda};
    g->b = (struct matrix){.type = c->b_type,
                           .rows = g->transb ? cols : k,
                           .cols = g->transb ? k : cols,
                           .ld = (size_t)c->ldb};
    g->c = (struct matrix){
        .type = c->c_type, .rows = m, .cols = cols, .ld = (size_t)c->ldc};
    const size_t in = (m + cols) * k * column_operand_nbytes(c->a_type);
    const size_t out = m * cols * column_operand_nbytes(c->c_type);
    t->nbytes += n * (in + (scalar_is_zero(&g->beta) ? 1 : 2) * out);
}

static void fill(struct gemm_op *g, struct touches *t, const struct call *c,
                 cublasHandle_t handle)
{
    const int ta = is_trans(c->transa), tb = is_trans(c->transb);
    g->transa = ta;
    g->transb = tb;
    g->m = c->m;
    g->n = c->n;
    g->k = c->k;
    g->batch = c->batch;
    g->alpha = touch_scalar(t, handle, "alpha", c->alpha, scalar_type(c));
    g->beta = touch_scalar(t, handle, "beta", c->beta, scalar_type(c));
    g->site = c->site;
    if (c->by_pointers) {
        fill_pointers(g, t, c);
        return;
    }
    g->a = operand(t, "A", c->A, c->a_type, ta ? c->k : c->m, ta ? c->m : c->k,
                   c->lda, c->stride_a, c->batch, 0);
    g->b = operand(t, "B", c->B, c->b_type, tb ? c->n : c->k, tb ? c->k : c->n,
                   c->ldb, c->stride_b, c->batch, 0);
    if (!scalar_is_zero(&g->beta)) // C is only read then
        operand(t, "C", c->C, c->c_type, c->m, c->n, c->ldc, c->stride_c,
                c->batch, 0);
    g->c = operand(t, "C", c->C, c->c_type, c->m, c->n, c->ldc, c->stride_c,
                   c->batch, 1);
}

static cublasStatus_t gemm(cublasHandle_t handle, const struct call *c)
{
    struct stream *s;
    enum topo_math math;
    struct touches t = {.call = c->site};
    cublasStatus_t status = handle_stream(handle, &s);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = check(c);
    enum column_rounding rounding = COLUMN_EXACT;
    if (status == CUBLAS_STATUS_SUCCESS)
        status = arithmetic(c, handle->math_mode, &rounding, &math);
    if (status != CUBLAS_STATUS_SUCCESS || c->m == 0 || c->n == 0 ||
        c->batch == 0)
        return status;
    struct gemm_op *const g = simgpu_op_new(sizeof *g, run_gemm, GRAPH_KERNEL,
                                            c->site.name, c->site.site);
    g->rounding = rounding;
    fill(g, &t, c, handle);
    enqueue(s, &g->op, &t, 2.0 * c->m * c->n * c->k * c->batch, math);
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- the functions ------------------------------------------------------- */

#define CALL(function)                                                         \
    {                                                                          \
        .site = {function, CALLER_SITE()}, .transa = transa, .transb = transb, \
        .m = m, .n = n, .k = k, .alpha = alpha, .beta = beta, .A = A, .B = B,  \
        .C = C, .lda = lda, .ldb = ldb, .ldc = ldc, .batch = 1,                \
        .compute = CUBLAS_COMPUTE_32F,                                         \
    }

/* cublasSgemm, cublasSgemmStridedBatched and cublasSgemmBatched, and those of
 * other types. */
#define GEMM(S, T, type, how)                                                  \
    cublasStatus_t JOIN(S,                                                     \
                        gemm)(cublasHandle_t handle, cublasOperation_t transa, \
                              cublasOperation_t transb, int m, int n, int k,   \
                              const T *alpha, const T *A, int lda, const T *B, \
                              int ldb, const T *beta, T *C, int ldc)           \
    {                                                                          \
        struct call c = CALL("cublas" #S "gemm");                              \
        c.a_type = c.b_type = c.c_type = type;                                 \
        c.compute = how;                                                       \
        return gemm(handle, &c);                                               \
    }                                                                          \
    cublasStatus_t cublas##S##gemmStridedBatched(                              \
        cublasHandle_t handle, cublasOperation_t transa,                       \
        cublasOperation_t transb, int m, int n, int k, const T *alpha,         \
        const T *A, int lda, long long int strideA, const T *B, int ldb,       \
        long long int strideB, const T *beta, T *C, int ldc,                   \
        long long int strideC, int batchCount)                                 \
    {                                                                          \
        struct call c = CALL("cublas" #S "gemmStridedBatched");                \
        c.a_type = c.b_type = c.c_type = type;                                 \
        c.compute = how;                                                       \
        c.stride_a = strideA;                                                  \
        c.stride_b = strideB;                                                  \
        c.stride_c = strideC;                                                  \
        c.batch = batchCount;                                                  \
        return gemm(handle, &c);                                               \
    }                                                                          \
    cublasStatus_t cublas##S##gemmBatched(                                     \
        cublasHandle_t handle, cublasOperation_t transa,                       \
        cublasOperation_t transb, int m, int n, int k, const T *alpha,         \
        const T *const A[], int lda, const T *const B[], int ldb,              \
        const T *beta, T *const C[], int ldc, int batchCount)                  \
    {                                                                          \
        struct call c = CALL("cublas" #S "gemmBatched");                       \
        c.a_type = c.b_type = c.c_type = type;                                 \
        c.compute = how;                                                       \
        c.batch = batchCount;                                                  \
        c.by_pointers = 1;                                                     \
        return gemm(handle, &c);                                               \
    }
#define JOIN_Sgemm    cublasSgemm_v2
#define JOIN_Dgemm    cublasDgemm_v2
#define JOIN_Hgemm    cublasHgemm
#define JOIN(S, name) JOIN_##S##name

GEMM(S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
GEMM(D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
GEMM(H, __half_raw, CUDA_R_16F, CUBLAS_COMPUTE_16F) // __half in C++

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k,
                            const void *alpha, const void *A,
                            cudaDataType Atype, int lda, const void *B,
                            cudaDataType Btype, int ldb, const void *beta,
                            void *C, cudaDataType Ctype, int ldc,
                            cublasComputeType_t computeType,
                            cublasGemmAlgo_t algo)
{
    struct call c = CALL("cublasGemmEx");
    (void)algo; // all algorithms give the same product
    c.a_type = Atype;
    c.b_type = Btype;
    c.c_type = Ctype;
    c.compute = computeType;
    return gemm(handle, &c);
}

cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
    int m, int n, int k, const void *alpha, const void *A, cudaDataType Atype,
    int lda, long long int strideA, const void *B, cudaDataType Btype, int ldb,
    long long int strideB, const void *beta, void *C, cudaDataType Ctype,
    int ldc, long long int strideC, int batchCount,
    cublasComputeType_t computeType, cublasGemmAlgo_t algo)
{
    struct call c = CALL("cublasGemmStridedBatchedEx");
    (void)algo;
    c.a_type = Atype;
    c.b_type = Btype;
    c.c_type = Ctype;
    c.compute = computeType;
    c.stride_a = strideA;
    c.stride_b = strideB;
    c.stride_c = strideC;
    c.batch = batchCount;
    return gemm(handle, &c);
}

cublasStatus_t cublasGemmBatchedEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
    int m, int n, int k, const void *alpha, const void *const A[],
    cudaDataType Atype, int lda, const void *const B[], cudaDataType Btype,
    int ldb, const void *beta, void *const C[], cudaDataType Ctype, int ldc,
    int batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t algo)
{
    struct call c = CALL("cublasGemmBatchedEx");
    (void)algo;
    c.a_type = Atype;
    c.b_type = Btype;
    c.c_type = Ctype;
    c.compute = computeType;
    c.batch = batchCount;
    c.by_pointers = 1;
    return gemm(handle, &c);
}
