/*
 * lt_matmul.c: cublasLtMatmul
 *
 * D = epilogue(alpha op(A) op(B) + beta C). A and B are copied into packed
 * floats (doubles for fp64), rounded as the GPU's units would round them.
 * OpenBLAS multiplies the copies into a packed m x n matrix. The epilogue and
 * the rounding to D's type then work on one element at a time. A row-major
 * matrix is handled as the transpose of a column-major one.
 */
#include <math.h>   /* tanh */
#include <stdlib.h> /* malloc */
#include <string.h> /* memset */

#include "core/device.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream/deferred.h"
#include "cublas/blas.h"
#include "cublas/column.h"
#include "cublas/handle.h"
#include "extras/cublaslt/lt.h"

/* ---- elements ------------------------------------------------------------ */

static double load(const void *p, size_t i, cudaDataType type)
{
    float x;
    const size_t size = lt_nbytes(type);
    if (type == CUDA_R_64F)
        return ((const double *)p)[i];
    if (lt_is_fp8(type))
        return (double)lt_from_fp8(((const uint8_t *)p)[i], type);
    column_widen(&x, (const char *)p + i * size, 1, type, COLUMN_EXACT);
    return (double)x;
}

static void store(void *p, size_t i, cudaDataType type, double value)
{
    const float x = (float)value;
    if (type == CUDA_R_64F)
        ((double *)p)[i] = value;
    else if (lt_is_fp8(type))
        ((uint8_t *)p)[i] = lt_to_fp8(x, type);
    else
        column_narrow((char *)p + i * lt_nbytes(type), &x, 1, type);
}

/* The position of element (row, col) of matrix number i, in elements. */
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

/* Matrix number i as packed columns of floats or doubles. */
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
            else if (lt_is_fp8(type))
                ((float *)out)[to] = (float)load(g->at[which], from, type);
            else
                column_widen((float *)out + to,
                             g->at[which] + from * lt_nbytes(type), 1, type,
                             g->rounding);
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

/* The forward pass stores, and the backward pass reads, element `at` of the
 * auxiliary matrix: a bit for ReLU, the input for GELU. */
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

/* The number of elements of the bias, or of its gradient. */
static size_t bias_length(const struct lt_op *g)
{
    return lt_has(&g->d, CUBLASLT_EPILOGUE_BGRADB) ? g->of[D].cols
                                                   : g->of[D].rows;
}

/* Sum the rows of op(A), or the columns of op(B), over k. */
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

/* The scale of an fp8 matrix. */
static double scale_now(const struct lt_op *g, enum operand which)
{
    return g->scale[which] ? (double)*g->scale[which] : 1;
}

static void finish(const struct lt_op *g, int i, const double *x)
{
    const double beta = scalar_now(&g->beta), scale_d = scale_now(g, D);
    const double alpha =
        scalar_now(&g->alpha) * scale_now(g, A) * scale_now(g, B);
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
                  scale_d * v);
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

/* op(A) op(B) of matrix number i; zeros if alpha is 0, since A and B are not
 * read then. */
static double *multiplied(const struct lt_op *g, int i)
{
    const size_t count = g->of[D].rows * g->of[D].cols;
    if (scalar_now(&g->alpha) == 0)
        return memset(room(count), 0, count * sizeof(double));
    void *const a = packed(g, A, i), *const b = packed(g, B, i);
    double *const x = product(g, a, b);
    free(a);
    free(b);
    return x;
}

static void run_matmul(struct op *op)
{
    const struct lt_op *const g = (struct lt_op *)op;
    for (int i = 0; i < g->of[D].batch; i++) {
        double *const x = multiplied(g, i);
        finish(g, i, x);
        free(x);
    }
}

/* ---- the call ------------------------------------------------------------ */

static char *touch_matrix(struct touches *t, const char *what, const void *p,
                          const struct lt_layout *l, enum touch_use use)
{
    const size_t size = lt_nbytes((cudaDataType)l->type);
    const int in_rows = l->order == CUBLASLT_ORDER_ROW;
    const size_t inner = in_rows ? l->cols : l->rows;
    const size_t outer = in_rows ? l->rows : l->cols;
    char *first = NULL;
    for (int i = 0; i < l->batch; i++) {
        char *const at =
            touch(t, what, (const char *)p + (size_t)(l->stride * i) * size,
                  inner * size, (size_t)l->ld * size, outer, use);
        first = i == 0 ? at : first;
    }
    return first;
}

static void touch_bias(struct lt_op *g, struct touches *t)
{
    const size_t size = lt_nbytes(type_or(g->d.bias_type, g));
    const int reads = lt_has(&g->d, CUBLASLT_EPILOGUE_BIAS);
    for (int i = 0; i < g->of[D].batch; i++) {
        char *const at =
            touch(t, "the bias",
                  (char *)g->d.bias + (size_t)(g->d.bias_stride * i) * size,
                  bias_length(g) * size, bias_length(g) * size, 1,
                  reads ? TOUCH_READ : TOUCH_WRITE);
        g->bias = i == 0 ? at : g->bias;
    }
}

static void touch_aux(struct lt_op *g, struct touches *t)
{
    const int bits = lt_has(&g->d, CUBLASLT_EPILOGUE_RELU) ||
                     lt_has(&g->d, CUBLASLT_EPILOGUE_DRELU);
    const int reads = lt_has(&g->d, CUBLASLT_EPILOGUE_DRELU) ||
                      lt_has(&g->d, CUBLASLT_EPILOGUE_DGELU);
    const size_t nbits = bits ? 1 : 8 * lt_nbytes(type_or(g->d.aux_type, g));
    const size_t rows = (g->of[D].rows * nbits + 7) / 8;
    for (int i = 0; i < g->of[D].batch; i++) {
        char *const at =
            touch(t, "the auxiliary matrix",
                  (char *)g->d.aux + (size_t)(g->d.aux_stride * i) * nbits / 8,
                  rows, (size_t)g->d.aux_ld * nbits / 8, g->of[D].cols,
                  reads ? TOUCH_READ : TOUCH_WRITE);
        g->aux = i == 0 ? at : g->aux;
    }
}

/* A and B are not read if alpha is 0, unless the epilogue sums them. */
static enum touch_use use_of(const struct lt_op *g, int which)
{
    const unsigned sums = which == A   ? CUBLASLT_EPILOGUE_BGRADA
                          : which == B ? CUBLASLT_EPILOGUE_BGRADB
                                       : 0;
    return which == D                    ? TOUCH_WRITE
           : which == C                  ? scalar_use(&g->beta)
           : sums && lt_has(&g->d, sums) ? TOUCH_READ
                                         : scalar_use(&g->alpha);
}

static void fill(struct lt_op *g, struct touches *t, const void *alpha,
                 const void *beta, const void *const p[OPERANDS])
{
    static const char *const names[] = {"A", "B", "C", "D"};
    static const char *const scales[] = {"the scale of A", "the scale of B",
                                         "the scale of C", "the scale of D"};
    struct cublasContext mode = {.pointer_mode =
                                     (cublasPointerMode_t)g->d.pointer_mode};
    const cudaDataType type = (cudaDataType)g->d.scale_type;
    g->alpha = touch_scalar(t, &mode, "alpha", alpha, type);
    g->beta = touch_scalar(t, &mode, "beta", beta, type);
    for (int i = 0; i < OPERANDS; i++)
        g->at[i] = touch_matrix(t, names[i], p[i], &g->of[i], use_of(g, i));
    for (int i = 0; i < OPERANDS; i++)
        if (g->d.scale[i])
            g->scale[i] = touch(t, scales[i], g->d.scale[i], sizeof(float),
                                sizeof(float), 1, TOUCH_READ);
    if (lt_uses_bias(&g->d))
        touch_bias(g, t);
    if (lt_has(&g->d, LT_AUX))
        touch_aux(g, t);
}

/* Check that the operands exist. */
static cublasStatus_t check_memory(const struct lt_op *g, const void *beta,
                                   const void *const p[OPERANDS])
{
    const int is_zero =
        g->d.pointer_mode == CUBLASLT_POINTER_MODE_HOST &&
        (g->d.scale_type == CUDA_R_64F ? *(const double *)beta == 0
                                       : *(const float *)beta == 0);
    if (!p[A] || !p[B] || !p[D] || (!p[C] && !is_zero))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (lt_uses_bias(&g->d) != (g->d.bias != NULL))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!lt_fp8_aligned(g, p[A]) || !lt_fp8_aligned(g, p[B]))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return lt_has(&g->d, LT_AUX) && !g->d.aux ? CUBLAS_STATUS_NOT_SUPPORTED
                                              : CUBLAS_STATUS_SUCCESS;
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
    struct touches t = {.call = {"cublasLtMatmul", CALLER_SITE(), FROM()}};
    struct lt_op described = {.d = {0}};
    if (!handle || handle->magic != HANDLE_MAGIC)
        return handle_return(&t.call, CUBLAS_STATUS_NOT_INITIALIZED);
    cublasStatus_t status =
        lt_describe(&described, handle->device, computeDesc, layouts);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = !alpha || !beta ? CUBLAS_STATUS_INVALID_VALUE
                                 : check_memory(&described, beta, p);
    if (status != CUBLAS_STATUS_SUCCESS)
        return handle_return(&t.call, status);
    if ((workspace ? workspaceSizeInBytes : 0) < lt_workspace(&described))
        return handle_return(&t.call, algo ? CUBLAS_STATUS_INVALID_VALUE
                                           : CUBLAS_STATUS_NOT_SUPPORTED);
    struct stream *const s = simgpu_stream_of(stream);
    if (!s || simgpu_stream_device(s) != handle->device ||
        simgpu_device_error(handle->device) || simgpu_stream_refuses(s, 0))
        return handle_return(&t.call, CUBLAS_STATUS_EXECUTION_FAILED);
    t.stream = s;
    struct lt_op *const g = simgpu_op_new(sizeof *g, run_matmul, GRAPH_KERNEL,
                                          t.call.name, t.call.site);
    described.op = g->op;
    *g = described;
    fill(g, &t, alpha, beta, p);
    const struct lt_layout *const a = &g->of[A];
    enqueue(s, &g->op, sizeof *g, &t,
            2.0 * (double)g->of[D].cols * (double)a->rows * (double)a->cols *
                g->of[D].batch,
            g->math);
    return CUBLAS_STATUS_SUCCESS;
}
