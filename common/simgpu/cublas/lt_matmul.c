/*
 * lt_matmul.c: cublasLtMatmul
 *
 * D = epilogue(alpha op(A) op(B) + beta C). A and B are copied into packed
 * floats (doubles for fp64), rounded as the units would; OpenBLAS multiplies
 * into a packed matrix of m x n; the epilogue and the rounding to D's type
 * follow element by element. A matrix in rows is its transpose in columns.
 */
#include <math.h>   /* tanh */
#include <stdlib.h> /* malloc */
#include <string.h> /* memset */

#include "core/device.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream.h"
#include "cublas/blas.h"
#include "cublas/column.h"
#include "cublas/handle.h"
#include "cublas/lt.h"

enum operand { A, B, C, D, OPERANDS };

struct lt_op {
    struct op op;
    struct lt_matmul d;
    struct lt_layout of[OPERANDS];
    char *at[OPERANDS]; /* as simgpu accesses them */
    char *bias, *aux;
    struct scalar alpha, beta;
    enum column_rounding rounding;
};

/* ---- elements ------------------------------------------------------------ */

static double load(const void *p, size_t i, cudaDataType type)
{
    float x;
    const size_t size = column_type_nbytes(type);
    if (type == CUDA_R_64F)
        return ((const double *)p)[i];
    column_widen(&x, (const char *)p + i * size, 1, type, COLUMN_EXACT);
    return (double)x;
}

static void store(void *p, size_t i, cudaDataType type, double value)
{
    const float x = (float)value;
    if (type == CUDA_R_64F)
        ((double *)p)[i] = value;
    else
        column_narrow((char *)p + i * column_type_nbytes(type), &x, 1, type);
}

/* Where element (row, col) of matrix number i is, in elements. */
static size_t place(const struct lt_layout *l, int i, size_t row, size_t col)
{
    const size_t ld = (size_t)l->ld;
    return (size_t)(l->stride * i) +
           (l->order == CUBLASLT_ORDER_ROW ? row * ld + col : col * ld + row);
}

static void *room(size_t n)
{
    void *const p = malloc(n * sizeof(double) + 1);
    if (!p)
        simgpu_report_fault(
            NULL, "out of host memory for a matrix of %zu elements", n);
    return p;
}

/* Matrix number i in columns, packed, as floats or doubles. */
static void *packed(const struct lt_op *g, enum operand which, int i)
{
    const struct lt_layout *const l = &g->of[which];
    const cudaDataType type = (cudaDataType)l->type;
    void *const out = room(l->rows * l->cols);
    for (size_t col = 0; col < l->cols; col++)
        for (size_t row = 0; row < l->rows; row++) {
            const size_t to = col * l->rows + row, from = place(l, i, row, col);
            if (type == CUDA_R_64F)
                ((double *)out)[to] = load(g->at[which], from, type);
            else
                column_widen((float *)out + to,
                             g->at[which] + from * column_type_nbytes(type), 1,
                             type, g->rounding);
        }
    return out;
}

/* ---- products ------------------------------------------------------------ */

/* op(A) op(B), packed, as doubles. */
static double *product(const struct lt_op *g, const void *a, const void *b)
{
    const CBLAS_TRANSPOSE ta = g->d.transa ? CblasTrans : CblasNoTrans;
    const CBLAS_TRANSPOSE tb = g->d.transb ? CblasTrans : CblasNoTrans;
    const size_t count = g->of[D].rows * g->of[D].cols;
    const int m = (int)g->of[D].rows, n = (int)g->of[D].cols;
    const int k = (int)(g->d.transa ? g->of[A].rows : g->of[A].cols);
    const int lda = (int)g->of[A].rows, ldb = (int)g->of[B].rows;
    double *const out = room(count);
    if (g->of[A].type == CUDA_R_64F) {
        blas()->dgemm(CblasColMajor, ta, tb, m, n, k, 1, a, lda, b, ldb, 0, out,
                      m);
        return out;
    }
    float *const sums = room(count);
    blas()->sgemm(CblasColMajor, ta, tb, m, n, k, 1, a, lda, b, ldb, 0, sums,
                  m);
    for (size_t i = 0; i < count; i++)
        out[i] = (double)sums[i];
    free(sums);
    return out;
}

/* ---- epilogues ----------------------------------------------------------- */

#define SQRT_2_OVER_PI 0.7978845608028654

static double gelu_inner(double x)
{
    return SQRT_2_OVER_PI * (x + 0.044715 * x * x * x);
}

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(gelu_inner(x)));
}

static double gelu_slope(double x)
{
    const double t = tanh(gelu_inner(x));
    return 0.5 * (1 + t) +
           0.5 * x * (1 - t * t) * SQRT_2_OVER_PI * (1 + 3 * 0.044715 * x * x);
}

static cudaDataType type_or(int32_t type, const struct lt_op *g)
{
    return type < 0 ? (cudaDataType)g->of[D].type : (cudaDataType)type;
}

/* What the forward pass keeps, or the backward pass reads, of element `at` of
 * the auxiliary matrix: a bit, or the input of GELU. */
static double relu(const struct lt_op *g, size_t at, double x)
{
    unsigned char *const byte = (unsigned char *)g->aux + at / 8;
    const unsigned bit = 1u << at % 8;
    if (lt_has(&g->d, CUBLASLT_EPILOGUE_DRELU))
        return *byte & bit ? x : 0;
    if (lt_has(&g->d, LT_AUX))
        *byte = (unsigned char)(x > 0 ? *byte | bit : *byte & ~bit);
    return x > 0 ? x : 0;
}

static double activated(const struct lt_op *g, size_t at, double x)
{
    const cudaDataType type = type_or(g->d.aux_type, g);
    if (lt_has(&g->d, CUBLASLT_EPILOGUE_DGELU))
        return x * gelu_slope(load(g->aux, at, type));
    if (lt_has(&g->d, CUBLASLT_EPILOGUE_GELU)) {
        if (lt_has(&g->d, LT_AUX))
            store(g->aux, at, type, x);
        return gelu(x);
    }
    return lt_has(&g->d, CUBLASLT_EPILOGUE_DRELU) ||
                   lt_has(&g->d, CUBLASLT_EPILOGUE_RELU)
               ? relu(g, at, x)
               : x;
}

/* The epilogue reads a bias, or writes its gradient. */
static int uses_bias(const struct lt_op *g)
{
    return (g->d.epilogue &
            (CUBLASLT_EPILOGUE_BIAS | LT_BGRAD | CUBLASLT_EPILOGUE_BGRADA |
             CUBLASLT_EPILOGUE_BGRADB)) != 0;
}

/* Elements of the bias, or of its gradient. */
static size_t bias_length(const struct lt_op *g)
{
    return lt_has(&g->d, CUBLASLT_EPILOGUE_BGRADB) ? g->of[D].cols
                                                   : g->of[D].rows;
}

/* The sums over k of the rows of op(A), or of the columns of op(B). */
static void sum_input(const struct lt_op *g, enum operand which, int i,
                      double *sum)
{
    const struct lt_layout *const l = &g->of[which];
    const int by_row = which == A ? !g->d.transa : g->d.transb != 0;
    for (size_t col = 0; col < l->cols; col++)
        for (size_t row = 0; row < l->rows; row++)
            sum[by_row ? row : col] += load(g->at[which], place(l, i, row, col),
                                            (cudaDataType)l->type);
}

static void finish(const struct lt_op *g, int i, const double *x)
{
    const double alpha = scalar_now(&g->alpha), beta = scalar_now(&g->beta);
    const struct lt_layout *const c = &g->of[C], *const out = &g->of[D];
    const cudaDataType bias_type = type_or(g->d.bias_type, g);
    const size_t bias = (size_t)(g->d.bias_stride * i);
    double *const sum = room(bias_length(g));
    memset(sum, 0, bias_length(g) * sizeof *sum);
    for (size_t col = 0; col < out->cols; col++)
        for (size_t row = 0; row < out->rows; row++) {
            double v = alpha * x[col * out->rows + row];
            if (beta != 0)
                v += beta * load(g->at[C], place(c, i, row, col),
                                 (cudaDataType)c->type);
            if (lt_has(&g->d, CUBLASLT_EPILOGUE_BIAS))
                v += load(g->bias, bias + row, bias_type);
            v = activated(g,
                          (size_t)(g->d.aux_stride * i) +
                              col * (size_t)g->d.aux_ld + row,
                          v);
            if (lt_has(&g->d, LT_BGRAD))
                sum[row] += v;
            store(g->at[D], place(out, i, row, col), (cudaDataType)out->type,
                  v);
        }
    if (lt_has(&g->d, CUBLASLT_EPILOGUE_BGRADA))
        sum_input(g, A, i, sum);
    if (lt_has(&g->d, CUBLASLT_EPILOGUE_BGRADB))
        sum_input(g, B, i, sum);
    if (g->d.epilogue &
        (LT_BGRAD | CUBLASLT_EPILOGUE_BGRADA | CUBLASLT_EPILOGUE_BGRADB))
        for (size_t r = 0; r < bias_length(g); r++)
            store(g->bias, bias + r, bias_type, sum[r]);
    free(sum);
}

static void run_matmul(struct op *op)
{
    const struct lt_op *const g = (struct lt_op *)op;
    for (int i = 0; i < g->of[D].batch; i++) {
        void *const a = packed(g, A, i), *const b = packed(g, B, i);
        double *const x = product(g, a, b);
        finish(g, i, x);
        free(a);
        free(b);
        free(x);
    }
}

/* ---- what can be done ---------------------------------------------------- */

static cublasStatus_t check_layout(const struct lt_layout *l)
{
    const uint64_t least = l->order == CUBLASLT_ORDER_ROW ? l->cols : l->rows;
    if (l->order != CUBLASLT_ORDER_COL && l->order != CUBLASLT_ORDER_ROW)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (column_type_nbytes((cudaDataType)l->type) == 0)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return l->ld < (int64_t)least || l->batch < 1 || l->rows > INT32_MAX ||
                   l->cols > INT32_MAX
               ? CUBLAS_STATUS_INVALID_VALUE
               : CUBLAS_STATUS_SUCCESS;
}

static int is_epilogue(unsigned e)
{
    static const unsigned known[] = {
        CUBLASLT_EPILOGUE_DEFAULT,   CUBLASLT_EPILOGUE_RELU,
        CUBLASLT_EPILOGUE_RELU_AUX,  CUBLASLT_EPILOGUE_BIAS,
        CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_RELU_AUX_BIAS,
        CUBLASLT_EPILOGUE_DRELU,     CUBLASLT_EPILOGUE_DRELU_BGRAD,
        CUBLASLT_EPILOGUE_GELU,      CUBLASLT_EPILOGUE_GELU_AUX,
        CUBLASLT_EPILOGUE_GELU_BIAS, CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
        CUBLASLT_EPILOGUE_DGELU,     CUBLASLT_EPILOGUE_DGELU_BGRAD,
        CUBLASLT_EPILOGUE_BGRADA,    CUBLASLT_EPILOGUE_BGRADB};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == e)
            return 1;
    return 0;
}

/* How A and B are rounded, and on which units the product is computed. */
static cublasStatus_t arithmetic(struct lt_op *g, enum topo_math *math)
{
    const int wide = g->of[A].type == CUDA_R_64F;
    *math = wide                          ? TOPO_FP64
            : g->of[A].type == CUDA_R_32F ? TOPO_FP32
                                          : TOPO_FP16;
    g->rounding = COLUMN_EXACT;
    switch (g->d.compute) {
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
        return wide ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC: break;
    case CUBLAS_COMPUTE_32F_FAST_16F: g->rounding = COLUMN_FP16; break;
    case CUBLAS_COMPUTE_32F_FAST_16BF: g->rounding = COLUMN_BF16; break;
    case CUBLAS_COMPUTE_32F_FAST_TF32: g->rounding = COLUMN_TF32; break;
    default: return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (g->of[A].type != CUDA_R_32F)
        g->rounding = COLUMN_EXACT;
    if (g->rounding != COLUMN_EXACT)
        *math = g->rounding == COLUMN_TF32 ? TOPO_TF32 : TOPO_FP16;
    return wide ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
}

static int shapes_fit(const struct lt_op *g)
{
    const struct lt_layout *const a = &g->of[A], *const b = &g->of[B];
    const struct lt_layout *const c = &g->of[C], *const d = &g->of[D];
    const uint64_t m = g->d.transa ? a->cols : a->rows;
    const uint64_t ka = g->d.transa ? a->rows : a->cols;
    const uint64_t kb = g->d.transb ? b->cols : b->rows;
    const uint64_t n = g->d.transb ? b->rows : b->cols;
    return m == d->rows && n == d->cols && ka == kb && c->rows == m &&
           c->cols == n && a->batch == d->batch && b->batch == d->batch &&
           c->batch == d->batch;
}

static cublasStatus_t describe(struct lt_op *g, cublasLtMatmulDesc_t desc,
                               cublasLtMatrixLayout_t const layouts[OPERANDS],
                               enum topo_math *math)
{
    if (!desc)
        return CUBLAS_STATUS_INVALID_VALUE;
    g->d = *lt_matmul_of(desc);
    for (int i = 0; i < OPERANDS; i++) {
        if (!layouts[i])
            return CUBLAS_STATUS_INVALID_VALUE;
        g->of[i] = *lt_layout_of(layouts[i]);
        const cublasStatus_t status = check_layout(&g->of[i]);
        if (status != CUBLAS_STATUS_SUCCESS)
            return status;
    }
    if (!shapes_fit(g))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (g->d.pointer_mode > CUBLASLT_POINTER_MODE_DEVICE || g->d.transc ||
        !is_epilogue(g->d.epilogue) || g->of[A].type != g->of[B].type ||
        (g->of[A].type == CUDA_R_64F) != (g->of[D].type == CUDA_R_64F) ||
        g->of[C].type != g->of[D].type)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return arithmetic(g, math);
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t lightHandle, cublasLtMatmulDesc_t operationDesc,
    cublasLtMatrixLayout_t Adesc, cublasLtMatrixLayout_t Bdesc,
    cublasLtMatrixLayout_t Cdesc, cublasLtMatrixLayout_t Ddesc,
    cublasLtMatmulPreference_t preference, int requestedAlgoCount,
    cublasLtMatmulHeuristicResult_t heuristicResultsArray[],
    int *returnAlgoCount)
{
    struct lt_op g;
    enum topo_math math;
    cublasLtMatrixLayout_t const layouts[] = {Adesc, Bdesc, Cdesc, Ddesc};
    if (!lightHandle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!preference || requestedAlgoCount < 1 || !heuristicResultsArray ||
        !returnAlgoCount)
        return CUBLAS_STATUS_INVALID_VALUE;
    *returnAlgoCount = 0;
    const cublasStatus_t status = describe(&g, operationDesc, layouts, &math);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    heuristicResultsArray[0] = (cublasLtMatmulHeuristicResult_t){
        .state = CUBLAS_STATUS_SUCCESS, .wavesCount = 1};
    *returnAlgoCount = 1;
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- the call ------------------------------------------------------------ */

static char *touch_matrix(struct touches *t, const char *what, const void *p,
                          const struct lt_layout *l, int write)
{
    const size_t size = column_type_nbytes((cudaDataType)l->type);
    const int in_rows = l->order == CUBLASLT_ORDER_ROW;
    const size_t inner = in_rows ? l->cols : l->rows;
    const size_t outer = in_rows ? l->rows : l->cols;
    char *first = NULL;
    for (int i = 0; i < l->batch; i++) {
        char *const at =
            touch(t, what, (const char *)p + (size_t)(l->stride * i) * size,
                  inner * size, (size_t)l->ld * size, outer, write);
        first = i == 0 ? at : first;
    }
    return first;
}

static void touch_bias(struct lt_op *g, struct touches *t)
{
    const size_t size = column_type_nbytes(type_or(g->d.bias_type, g));
    const int reads = lt_has(&g->d, CUBLASLT_EPILOGUE_BIAS);
    for (int i = 0; i < g->of[D].batch; i++) {
        char *const at =
            touch(t, "the bias",
                  (char *)g->d.bias + (size_t)(g->d.bias_stride * i) * size,
                  bias_length(g) * size, bias_length(g) * size, 1, !reads);
        g->bias = i == 0 ? at : g->bias;
    }
}

static void touch_aux(struct lt_op *g, struct touches *t)
{
    const int bits = lt_has(&g->d, CUBLASLT_EPILOGUE_RELU) ||
                     lt_has(&g->d, CUBLASLT_EPILOGUE_DRELU);
    const int reads = lt_has(&g->d, CUBLASLT_EPILOGUE_DRELU) ||
                      lt_has(&g->d, CUBLASLT_EPILOGUE_DGELU);
    const size_t nbits =
        bits ? 1 : 8 * column_type_nbytes(type_or(g->d.aux_type, g));
    const size_t rows = (g->of[D].rows * nbits + 7) / 8;
    for (int i = 0; i < g->of[D].batch; i++) {
        char *const at =
            touch(t, "the auxiliary matrix",
                  (char *)g->d.aux + (size_t)(g->d.aux_stride * i) * nbits / 8,
                  rows, (size_t)g->d.aux_ld * nbits / 8, g->of[D].cols, !reads);
        g->aux = i == 0 ? at : g->aux;
    }
}

/* The epilogue's other operands are there, and large enough. */
static int has_operands(const struct lt_op *g)
{
    if (uses_bias(g) && !g->d.bias)
        return 0;
    const int bits = lt_has(&g->d, CUBLASLT_EPILOGUE_RELU) ||
                     lt_has(&g->d, CUBLASLT_EPILOGUE_DRELU);
    return !lt_has(&g->d, LT_AUX) ||
           (g->d.aux && g->d.aux_ld >= (int64_t)g->of[D].rows &&
            g->d.aux_ld % (bits ? 128 : 8) == 0);
}

static void fill(struct lt_op *g, struct touches *t, const void *alpha,
                 const void *beta, const void *const p[OPERANDS])
{
    static const char *const names[] = {"A", "B", "C", "D"};
    struct cublasContext mode = {.pointer_mode =
                                     (cublasPointerMode_t)g->d.pointer_mode};
    const cudaDataType type = (cudaDataType)g->d.scale_type;
    g->alpha = touch_scalar(t, &mode, "alpha", alpha, type);
    g->beta = touch_scalar(t, &mode, "beta", beta, type);
    for (int i = 0; i < OPERANDS; i++)
        if (i != C || !scalar_is_zero(&g->beta))
            g->at[i] = touch_matrix(t, names[i], p[i], &g->of[i], i == D);
    if (uses_bias(g))
        touch_bias(g, t);
    if (lt_has(&g->d, LT_AUX))
        touch_aux(g, t);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t lightHandle,
                              cublasLtMatmulDesc_t computeDesc,
                              const void *alpha, const void *A_,
                              cublasLtMatrixLayout_t Adesc, const void *B_,
                              cublasLtMatrixLayout_t Bdesc, const void *beta,
                              const void *C_, cublasLtMatrixLayout_t Cdesc,
                              void *D_, cublasLtMatrixLayout_t Ddesc,
                              const cublasLtMatmulAlgo_t *algo, void *workspace,
                              size_t workspaceSizeInBytes, cudaStream_t stream)
{
    const struct cublasContext *const handle =
        (const struct cublasContext *)lightHandle;
    const void *const p[] = {A_, B_, C_, D_};
    cublasLtMatrixLayout_t const layouts[] = {Adesc, Bdesc, Cdesc, Ddesc};
    struct touches t = {.call = {"cublasLtMatmul", CALLER_SITE()}};
    enum topo_math math;
    struct lt_op described = {.d = {0}};
    (void)algo; // all give the same product, without a workspace
    (void)workspace;
    (void)workspaceSizeInBytes;
    if (!handle || handle->magic != HANDLE_MAGIC)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    const cublasStatus_t status =
        describe(&described, computeDesc, layouts, &math);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    if (!alpha || !beta || !has_operands(&described))
        return CUBLAS_STATUS_INVALID_VALUE;
    struct stream *const s = simgpu_stream_of(stream);
    if (!s || simgpu_stream_device(s) != handle->device ||
        simgpu_device_error(handle->device))
        return CUBLAS_STATUS_EXECUTION_FAILED;
    struct lt_op *const g = simgpu_op_new(sizeof *g, run_matmul, GRAPH_KERNEL,
                                          t.call.name, t.call.site);
    described.op = g->op;
    *g = described;
    fill(g, &t, alpha, beta, p);
    const struct lt_layout *const a = &g->of[A];
    enqueue(s, &g->op, &t,
            2.0 * (double)g->of[D].cols * (double)a->rows * (double)a->cols *
                g->of[D].batch,
            math);
    return CUBLAS_STATUS_SUCCESS;
}
