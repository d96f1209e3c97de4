/*
 * gemm.c: cuBLAS's matrix products, all as one batched product
 */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */

#include "core/site.h"
#include "cublas/column.h"
#include "cublas/overlap.h"
#include "cublas/parameter.h"
#include "cublas/product.h"

static struct product_matrix operand(struct touches *t, const char *what,
                                     const void *p, cudaDataType type, int rows,
                                     int cols, int ld, long long stride,
                                     int batch, enum touch_use use);

/* ---- on the stream's worker ---------------------------------------------- */

/* Find product i's operand, whose address is in the program's array. The
 * scalars are known by now. */
static void find_operand(struct gemm_op *g, struct touches *t, int i,
                         enum which which, struct product_matrix *x)
{
    static const char *const names[] = {"A", "B", "C"};
    char what[32];
    snprintf(what, sizeof what, "%sarray[%d]", names[which], i);
    const int rows = (int)x->rows, cols = (int)x->cols, ld = (int)x->ld;
    const void *const p = g->where[which][i];
    const struct scalar *const factor = which == OF_C ? &g->beta : &g->alpha;
    if (scalar_now_complex(factor) != 0)
        *x = operand(t, what, p, x->type, rows, cols, ld, 0, 1, TOUCH_READ);
    if (which == OF_C)
        *x = operand(t, what, p, x->type, rows, cols, ld, 0, 1, TOUCH_WRITE);
}

/* Run products whose operands are known only now, since their addresses
 * are in device memory. */
static void run_by_pointers(struct gemm_op *g)
{
    struct touches t = {.call = g->site, .stream = g->op.stream};
    for (int i = 0; i < g->batch; i++) {
        find_operand(g, &t, i, OF_A, &g->a);
        find_operand(g, &t, i, OF_B, &g->b);
        find_operand(g, &t, i, OF_C, &g->c);
        product_run(g, 0);
    }
    overlap_check(&t, 0, 0);
    simgpu_op_amend(&g->op, 0, NULL, 0, t.access, t.n);
    free(t.access);
}

static void run_gemm(struct op *op)
{
    struct gemm_op *const g = (struct gemm_op *)op;
    if (g->where[OF_A])
        run_by_pointers(g);
    for (int i = 0; !g->where[OF_A] && i < g->batch; i++)
        product_run(g, i);
}

/* ---- on the host --------------------------------------------------------- */

struct call { /* the arguments */
    struct site site;
    cublasOperation_t transa, transb;
    int m, n, k;
    const void *alpha, *beta; /* their type follows from `compute` */
    const void *A, *B, *C;
    int by_pointers; /* A, B and C are arrays of pointers */
    int by_type;     /* types and algorithm are arguments */
    cublasGemmAlgo_t algo;
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

/* True for an algorithm that cuBLAS 13 has; all give the same product here. */
static int is_algo(cublasGemmAlgo_t algo)
{
    return (algo >= CUBLAS_GEMM_DEFAULT && algo <= CUBLAS_GEMM_ALGO23) ||
           (algo >= CUBLAS_GEMM_DEFAULT_TENSOR_OP &&
            algo <= CUBLAS_GEMM_ALGO15_TENSOR_OP);
}

static int wrong_parameter(const struct call *c)
{
    const int rows_a = is_trans(c->transa) ? c->k : c->m;
    const int rows_b = is_trans(c->transb) ? c->n : c->k;
    const int a = parameter_is_op(c->transa), b = parameter_is_op(c->transb),
              m = c->m >= 0;
    const int n = c->n >= 0, k = c->k >= 0,
              lda = parameter_fits(c->lda, rows_a);
    const int ldb = parameter_fits(c->ldb, rows_b),
              ldc = parameter_fits(c->ldc, c->m);
    return c->by_type
               ? PARAMETER_WRONG(a, b, m, n, k, 1, 1, 1, lda, 1, 1, ldb, 1, 1,
                                 1, ldc, c->batch >= 0, is_algo(c->algo))
               : PARAMETER_WRONG(a, b, m, n, k, 1, 1, lda, 1, ldb, 1, 1, ldc,
                                 c->batch >= 0);
}

/* Permitted combinations: the type of the inputs, of the result,
 * and of the arithmetic. */
enum { HALF = 1, SINGLE = 2, DOUBLE = 4, INTEGER = 8 };
static const struct {
    cudaDataType in, out;
    int by;
} types[] = {
    {CUDA_R_16F, CUDA_R_16F, HALF | SINGLE}, {CUDA_R_16F, CUDA_R_32F, SINGLE},
    {CUDA_R_16BF, CUDA_R_16BF, SINGLE},      {CUDA_R_16BF, CUDA_R_32F, SINGLE},
    {CUDA_R_32F, CUDA_R_32F, SINGLE},        {CUDA_C_32F, CUDA_C_32F, SINGLE},
    {CUDA_R_64F, CUDA_R_64F, DOUBLE},        {CUDA_C_64F, CUDA_C_64F, DOUBLE},
    {CUDA_R_8I, CUDA_R_32I, INTEGER},        {CUDA_R_8I, CUDA_R_32F, SINGLE},
};

static int types_fit(const struct call *c)
{
    const int by = is_integer(c)                     ? INTEGER
                   : parameter_is_double(c->compute) ? DOUBLE
                   : parameter_is_half(c->compute)   ? HALF
                                                     : SINGLE;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (c->a_type == types[i].in && c->b_type == types[i].in &&
            c->c_type == types[i].out && (by & types[i].by))
            return 1;
    return 0;
}

/* The type of alpha and beta. */
static cudaDataType scalar_type(const struct call *c)
{
    if (column_is_complex(c->a_type))
        return c->a_type;
    return parameter_is_double(c->compute) ? CUDA_R_64F
           : parameter_is_half(c->compute) ? CUDA_R_16F
           : is_integer(c)                 ? CUDA_R_32I
                                           : CUDA_R_32F;
}

/* Find how inputs are rounded, and on which units the product is computed. */
static cublasStatus_t arithmetic(const struct call *c, cublasMath_t mode,
                                 enum column_rounding *rounding,
                                 enum topo_math *math)
{
    *rounding = COLUMN_EXACT;
    *math = column_is_double(c->a_type)                          ? TOPO_FP64
            : c->a_type == CUDA_R_32F || c->a_type == CUDA_C_32F ? TOPO_FP32
                                                                 : TOPO_FP16;
    if (!types_fit(c))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (is_integer(c) || parameter_is_double(c->compute))
        return CUBLAS_STATUS_SUCCESS;
    // this flag has no effect here
    mode &= ~CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
    switch (c->compute) {
    case CUBLAS_COMPUTE_32F:
        if (mode == CUBLAS_TENSOR_OP_MATH)
            *rounding = COLUMN_FP16;
        if (mode == CUBLAS_TF32_TENSOR_OP_MATH)
            *rounding = COLUMN_TF32;
        break;
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_16F: // sums are fp32 here, and rounded once
    case CUBLAS_COMPUTE_16F_PEDANTIC: break;
    case CUBLAS_COMPUTE_32F_FAST_16F: *rounding = COLUMN_FP16; break;
    case CUBLAS_COMPUTE_32F_FAST_16BF: *rounding = COLUMN_BF16; break;
    case CUBLAS_COMPUTE_32F_FAST_TF32: *rounding = COLUMN_TF32; break;
    default: return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (c->a_type != CUDA_R_32F)
        *rounding = COLUMN_EXACT; // has at most 16 bits already
    if (*rounding != COLUMN_EXACT)
        *math = *rounding == COLUMN_TF32 ? TOPO_TF32 : TOPO_FP16;
    return CUBLAS_STATUS_SUCCESS;
}

/* Describe an operand and record that it is touched. */
static struct product_matrix operand(struct touches *t, const char *what,
                                     const void *p, cudaDataType type, int rows,
                                     int cols, int ld, long long stride,
                                     int batch, enum touch_use use)
{
    const size_t size = column_operand_nbytes(type);
    struct product_matrix x = {NULL,         type,       (size_t)rows,
                               (size_t)cols, (size_t)ld, (size_t)stride};
    for (int i = 0; i < batch; i++) {
        char *const at =
            touch(t, what, (const char *)p + (size_t)i * x.stride * size,
                  x.rows * size, x.ld * size, x.cols, use);
        if (i == 0)
            x.at = at;
    }
    return x;
}

/* Describe the operands of a batch whose addresses are in device memory. */
static void fill_pointers(struct gemm_op *g, struct touches *t,
                          const struct call *c)
{
    const size_t size = sizeof(void *), n = (size_t)c->batch;
    const size_t m = (size_t)c->m, k = (size_t)c->k, cols = (size_t)c->n;
    g->where[OF_A] = touch(t, "Aarray", c->A, size, size, n, 0);
    g->where[OF_B] = touch(t, "Barray", c->B, size, size, n, 0);
    g->where[OF_C] = touch(t, "Carray", c->C, size, size, n, 0);
    g->a = (struct product_matrix){.type = c->a_type,
                                   .rows = g->transa ? k : m,
                                   .cols = g->transa ? m : k,
                                   .ld = (size_t)c->lda};
    g->b = (struct product_matrix){.type = c->b_type,
                                   .rows = g->transb ? cols : k,
                                   .cols = g->transb ? k : cols,
                                   .ld = (size_t)c->ldb};
    g->c = (struct product_matrix){
        .type = c->c_type, .rows = m, .cols = cols, .ld = (size_t)c->ldc};
    const size_t in = (m + cols) * k * column_operand_nbytes(c->a_type);
    const size_t out = m * cols * column_operand_nbytes(c->c_type);
    t->nbytes += n * (in + (scalar_is_zero(&g->beta) ? 1 : 2) * out);
}

static void fill(struct gemm_op *g, struct touches *t, const struct call *c,
                 cublasHandle_t handle)
{
    const int ta = is_trans(c->transa), tb = is_trans(c->transb);
    g->transa = c->transa;
    g->transb = c->transb;
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
                   c->lda, c->stride_a, c->batch, scalar_use(&g->alpha));
    g->b = operand(t, "B", c->B, c->b_type, tb ? c->n : c->k, tb ? c->k : c->n,
                   c->ldb, c->stride_b, c->batch, scalar_use(&g->alpha));
    const size_t ninputs = t->n;
    operand(t, "C", c->C, c->c_type, c->m, c->n, c->ldc, c->stride_c, c->batch,
            scalar_use(&g->beta));
    g->c = operand(t, "C", c->C, c->c_type, c->m, c->n, c->ldc, c->stride_c,
                   c->batch, TOUCH_WRITE);
    overlap_check(t, ninputs, 0);
}

static cublasStatus_t enqueue_gemm(cublasHandle_t handle, const struct call *c)
{
    struct stream *s;
    enum topo_math math;
    struct touches t = {.call = c->site};
    enum column_rounding rounding;
    cublasStatus_t status = handle_stream(handle, &c->site, &s);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    t.stream = s;
    const int wrong = wrong_parameter(c);
    if (wrong)
        return parameter_refuse(c->site.name, wrong);
    status = arithmetic(c, handle->math_mode, &rounding, &math);
    if (status != CUBLAS_STATUS_SUCCESS || c->m == 0 || c->n == 0 ||
        c->batch == 0)
        return status;
    if (!c->alpha || !c->beta)
        return CUBLAS_STATUS_INVALID_VALUE;
    struct gemm_op *const g = simgpu_op_new(sizeof *g, run_gemm, GRAPH_KERNEL,
                                            c->site.name, c->site.site);
    g->rounding = rounding;
    fill(g, &t, c, handle);
    const double per_product = column_is_complex(c->a_type) ? 8 : 2;
    enqueue(s, &g->op, sizeof *g, &t,
            per_product * c->m * c->n * c->k * c->batch, math);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t gemm(cublasHandle_t handle, const struct call *c)
{
    return handle_return(&c->site, enqueue_gemm(handle, c));
}

/* ---- the functions ------------------------------------------------------- */

#define CALL(function)                                                         \
    {                                                                          \
        .site = {function, CALLER_SITE(), FROM()}, .transa = transa,           \
        .transb = transb, .m = m, .n = n, .k = k, .alpha = alpha,              \
        .beta = beta, .A = A, .B = B, .C = C, .lda = lda, .ldb = ldb,          \
        .ldc = ldc, .batch = 1, .compute = CUBLAS_COMPUTE_32F,                 \
    }

/* Define cublasSgemm, cublasSgemmStridedBatched and cublasSgemmBatched, and the
 * same for other types. */
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
#define JOIN_Cgemm    cublasCgemm_v2
#define JOIN_Zgemm    cublasZgemm_v2
#define JOIN(S, name) JOIN_##S##name

GEMM(S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
GEMM(D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
GEMM(H, __half_raw, CUDA_R_16F, CUBLAS_COMPUTE_16F) // __half in C++
GEMM(C, cuComplex, CUDA_C_32F, CUBLAS_COMPUTE_32F)
GEMM(Z, cuDoubleComplex, CUDA_C_64F, CUBLAS_COMPUTE_64F)

/* cuBLAS uses three real products instead of four; here
 * the result is the same. */
#define GEMM3M(S, T)                                                           \
    cublasStatus_t cublas##S##gemm3m(                                          \
        cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,   \
        const T *, const T *, int, const T *, int, const T *, T *, int)        \
        __attribute__((alias("cublas" #S "gemm_v2")));
GEMM3M(C, cuComplex)
GEMM3M(Z, cuDoubleComplex)

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
    c.a_type = Atype;
    c.b_type = Btype;
    c.c_type = Ctype;
    c.compute = computeType;
    c.by_type = 1;
    c.algo = algo;
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
    c.a_type = Atype;
    c.b_type = Btype;
    c.c_type = Ctype;
    c.compute = computeType;
    c.by_type = 1;
    c.algo = algo;
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
    c.a_type = Atype;
    c.b_type = Btype;
    c.c_type = Ctype;
    c.compute = computeType;
    c.by_type = 1;
    c.algo = algo;
    c.batch = batchCount;
    c.by_pointers = 1;
    return gemm(handle, &c);
}
