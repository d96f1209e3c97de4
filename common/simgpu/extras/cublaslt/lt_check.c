/*
 * lt_check.c: which products cublasLt can do, and how
 */
#include "cublas/column.h"
#include "cublas/parameter.h"
#include "extras/cublaslt/lt.h"

static cublasStatus_t check_layout(const struct lt_layout *l)
{
    const uint64_t least = l->order == CUBLASLT_ORDER_ROW ? l->cols : l->rows;
    if (l->order == CUBLASLT_ORDER_COL32 && l->ld < 32 * (int64_t)l->rows)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (l->order != CUBLASLT_ORDER_COL && l->order != CUBLASLT_ORDER_ROW)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (lt_nbytes((cudaDataType)l->type) == 0)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (l->rows > INT32_MAX || l->cols > INT32_MAX)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return l->ld < (int64_t)least || l->batch < 1 ? CUBLAS_STATUS_INVALID_VALUE
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

int lt_uses_bias(const struct lt_matmul *d)
{
    return (d->epilogue &
            (CUBLASLT_EPILOGUE_BIAS | LT_BGRAD | CUBLASLT_EPILOGUE_BGRADA |
             CUBLASLT_EPILOGUE_BGRADB)) != 0;
}

static cublasStatus_t check_epilogue(const struct lt_op *g)
{
    const struct lt_matmul *const d = &g->d;
    const int bits =
        lt_has(d, CUBLASLT_EPILOGUE_RELU) || lt_has(d, CUBLASLT_EPILOGUE_DRELU);
    if (!is_epilogue(d->epilogue))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (lt_has(d, LT_AUX) && d->aux &&
        (d->aux_ld < (int64_t)g->of[D].rows || (bits && d->aux_ld % 128)))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (g->of[D].order == CUBLASLT_ORDER_ROW &&
        (lt_has(d, LT_AUX) || lt_uses_bias(d)))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return (lt_has(d, CUBLASLT_EPILOGUE_BGRADA) && d->transa) ||
                   (lt_has(d, CUBLASLT_EPILOGUE_BGRADB) && !d->transb)
               ? CUBLAS_STATUS_NOT_SUPPORTED
               : CUBLAS_STATUS_SUCCESS;
}

/* Check the types of A and B, of C and D, and of alpha and beta. Only products
 * of fp8 matrices have scales. */
static cublasStatus_t check_types(struct lt_op *g, int device)
{
    const uint32_t in = g->of[A].type, out = g->of[D].type;
    const int is_half = parameter_is_half(g->d.compute);
    const int is_double = parameter_is_double(g->d.compute);
    const int scale = is_double ? CUDA_R_64F
                      : is_half ? CUDA_R_16F
                                : CUDA_R_32F;
    if (lt_is_fp8(in) || lt_is_fp8(g->of[B].type))
        return lt_check_fp8(g, device);
    if (in != g->of[B].type || g->d.scale[A] || g->d.scale[B] ||
        g->d.scale[C] || g->d.scale[D])
        return CUBLAS_STATUS_INVALID_VALUE;
    if ((out != in && (out != CUDA_R_32F || in == CUDA_R_64F)) ||
        is_double != (in == CUDA_R_64F) ||
        (is_half && (in != CUDA_R_16F || out != CUDA_R_16F)))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return g->of[C].type != out || g->d.scale_type != scale
               ? CUBLAS_STATUS_INVALID_VALUE
               : CUBLAS_STATUS_SUCCESS;
}

/* Find how A and B are rounded, and on which units the product is computed. */
static cublasStatus_t arithmetic(struct lt_op *g)
{
    g->math = lt_is_fp8(g->of[A].type)      ? TOPO_FP8
              : g->of[A].type == CUDA_R_64F ? TOPO_FP64
              : g->of[A].type == CUDA_R_32F ? TOPO_FP32
                                            : TOPO_FP16;
    g->rounding = COLUMN_EXACT;
    switch (g->d.compute) {
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
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
        g->math = g->rounding == COLUMN_TF32 ? TOPO_TF32 : TOPO_FP16;
    return CUBLAS_STATUS_SUCCESS;
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

cublasStatus_t lt_describe(struct lt_op *g, int device,
                           cublasLtMatmulDesc_t desc,
                           cublasLtMatrixLayout_t const layouts[OPERANDS])
{
    cublasStatus_t status;
    if (!desc)
        return CUBLAS_STATUS_INVALID_VALUE;
    g->d = *lt_matmul_of(desc);
    for (int i = 0; i < OPERANDS; i++) {
        const cublasLtMatrixLayout_t l =
            i == C && !layouts[C] ? layouts[D] : layouts[i];
        if (!l)
            return CUBLAS_STATUS_INVALID_VALUE;
        g->of[i] = *lt_layout_of(l);
        status = check_layout(&g->of[i]);
        if (status != CUBLAS_STATUS_SUCCESS)
            return status;
    }
    if (!shapes_fit(g) ||
        g->d.pointer_mode > CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (g->d.pointer_mode > CUBLASLT_POINTER_MODE_DEVICE || g->d.transc)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    status = check_epilogue(g);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = check_types(g, device);
    return status == CUBLAS_STATUS_SUCCESS ? arithmetic(g) : status;
}

size_t lt_workspace(const struct lt_op *g)
{
    const struct lt_layout *const d = &g->of[D];
    return lt_has(&g->d, LT_BGRAD)
               ? d->rows * (size_t)d->batch * sizeof(float) + 31
               : 0;
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
    cublasLtMatrixLayout_t const layouts[] = {Adesc, Bdesc, Cdesc, Ddesc};
    if (!lightHandle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!preference || requestedAlgoCount < 1 || !heuristicResultsArray ||
        !returnAlgoCount)
        return CUBLAS_STATUS_INVALID_VALUE;
    const cublasStatus_t status =
        lt_describe(&g, ((const struct cublasContext *)lightHandle)->device,
                    operationDesc, layouts);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    const int fits = lt_workspace(&g) <= lt_most_workspace(preference);
    heuristicResultsArray[0] = (cublasLtMatmulHeuristicResult_t){
        .state = fits ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED,
        .workspaceSize = fits ? lt_workspace(&g) : 0,
        .wavesCount = 1};
    *returnAlgoCount = fits;
    return heuristicResultsArray[0].state;
}
