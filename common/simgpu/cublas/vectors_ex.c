/*
 * vectors_ex.c: functions of vectors whose type is an argument
 *
 * x and y have the same type. Elements of 16 bits are computed with as floats;
 * then alpha is a float, but a result has 16 bits.
 */
#include <math.h> /* sqrtf */

#include "core/site.h"
#include "cublas/column.h"
#include "cublas/vector.h"

/* ---- elements of 16 bits, on the stream's worker ------------------------- */

static void *element(const struct vector_op *v, void *p, int inc, int i)
{
    const size_t k =
        (size_t)(inc < 0 ? v->n - 1 - i : i) * (size_t)(inc < 0 ? -inc : inc);
    return (char *)p + k * column_type_nbytes(v->type);
}

static float x_of(const struct vector_op *v, int i)
{
    float f;
    column_widen(&f, element(v, v->x, v->incx, i), 1, v->type, COLUMN_EXACT);
    return f;
}

static float y_of(const struct vector_op *v, int i)
{
    float f;
    column_widen(&f, element(v, v->y, v->incy, i), 1, v->type, COLUMN_EXACT);
    return f;
}

static void run_axpy_narrow(struct op *op)
{
    const struct vector_op *const v = (struct vector_op *)op;
    const float alpha = (float)scalar_now(&v->alpha);
    for (int i = 0; i < v->n; i++) {
        const float sum = alpha * x_of(v, i) + y_of(v, i);
        column_narrow(element(v, v->y, v->incy, i), &sum, 1, v->type);
    }
}

static void run_scal_narrow(struct op *op)
{
    const struct vector_op *const v = (struct vector_op *)op;
    const float alpha = (float)scalar_now(&v->alpha);
    for (int i = 0; i < v->n; i++) {
        const float product = alpha * x_of(v, i);
        column_narrow(element(v, v->x, v->incx, i), &product, 1, v->type);
    }
}

static void run_dot_narrow(struct op *op)
{
    const struct vector_op *const v = (struct vector_op *)op;
    float sum = 0;
    for (int i = 0; i < v->n; i++)
        sum += x_of(v, i) * y_of(v, i);
    column_narrow(v->result, &sum, 1, v->result_type);
}

static void run_nrm2_narrow(struct op *op)
{
    const struct vector_op *const v = (struct vector_op *)op;
    float sum = 0;
    for (int i = 0; i < v->n; i++)
        sum += x_of(v, i) * x_of(v, i);
    sum = sqrtf(sum);
    column_narrow(v->result, &sum, 1, v->result_type);
}

/* ---- types --------------------------------------------------------------- */

static const struct vector_works vector_narrow = {
    run_axpy_narrow, run_scal_narrow, run_dot_narrow, run_dot_narrow,
    run_nrm2_narrow};

static int is_narrow(cudaDataType type)
{
    return type == CUDA_R_16F || type == CUDA_R_16BF;
}

static const struct vector_works *works(cudaDataType type)
{
    return is_narrow(type)           ? &vector_narrow
           : column_is_complex(type) ? &vector_complex
                                     : &vector_real;
}

/* The type of the arithmetic on vectors of a type. */
static cudaDataType computed_in(cudaDataType type)
{
    return is_narrow(type) ? CUDA_R_32F : type;
}

/* The type of a vector's norm. */
static cudaDataType norm_of(cudaDataType type)
{
    return type == CUDA_C_32F   ? CUDA_R_32F
           : type == CUDA_C_64F ? CUDA_R_64F
                                : type;
}

/* True for a floating-point type, real or complex. */
static int is_vector(cudaDataType type)
{
    return column_type_nbytes(type) != 0 || column_is_complex(type);
}

/* ---- the functions ------------------------------------------------------- */

cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void *alpha,
                            cudaDataType alphaType, const void *x,
                            cudaDataType xType, int incx, void *y,
                            cudaDataType yType, int incy,
                            cudaDataType executiontype)
{
    struct vector_call c = {VECTOR_TWO("", "AxpyEx", xType),
                            .run = works(xType)->axpy,
                            .x_use = VECTOR_READS,
                            .y_use = VECTOR_BOTH,
                            .alpha = alpha,
                            .has_scalars = 1,
                            .flops = column_is_complex(xType) ? 8 : 2};
    c.scalar_type = alphaType;
    if (!is_vector(xType) || yType != xType ||
        executiontype != computed_in(xType) || alphaType != executiontype)
        return handle_return(&c.site, CUBLAS_STATUS_NOT_SUPPORTED);
    return vector_enqueue(handle, &c);
}

cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void *alpha,
                            cudaDataType alphaType, void *x, cudaDataType xType,
                            int incx, cudaDataType executionType)
{
    struct vector_call c = {VECTOR_ONE("", "ScalEx", xType),
                            .run = works(xType)->scal,
                            .x_use = VECTOR_BOTH,
                            .alpha = alpha,
                            .has_scalars = 1,
                            .forwards = 1,
                            .flops = column_is_complex(xType) ? 6 : 1};
    c.scalar_type = alphaType;
    if (!is_vector(xType) || executionType != computed_in(xType) ||
        alphaType != executionType)
        return handle_return(&c.site, CUBLAS_STATUS_NOT_SUPPORTED);
    return vector_enqueue(handle, &c);
}

#define DOT(name, work)                                                        \
    cublasStatus_t cublas##name(                                               \
        cublasHandle_t handle, int n, const void *x, cudaDataType xType,       \
        int incx, const void *y, cudaDataType yType, int incy, void *result,   \
        cudaDataType resultType, cudaDataType executionType)                   \
    {                                                                          \
        const struct vector_call c = {                                         \
            VECTOR_TWO("", #name, xType),                                      \
            .run = works(xType)->work,                                         \
            .x_use = VECTOR_READS,                                             \
            .y_use = VECTOR_READS,                                             \
            .result = result,                                                  \
            .result_type = resultType,                                         \
            .result_nbytes = column_operand_nbytes(resultType),                \
            .has_result = 1,                                                   \
            .flops = column_is_complex(xType) ? 8 : 2};                        \
        if (!is_vector(xType) || yType != xType || resultType != xType ||      \
            executionType != computed_in(xType))                               \
            return handle_return(&c.site, CUBLAS_STATUS_NOT_SUPPORTED);        \
        return vector_enqueue(handle, &c);                                     \
    }
DOT(DotEx, dot)
DOT(DotcEx, dotc)

cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void *x,
                            cudaDataType xType, int incx, void *result,
                            cudaDataType resultType, cudaDataType executionType)
{
    const struct vector_call c = {VECTOR_ONE("", "Nrm2Ex", xType),
                                  .run = works(xType)->nrm2,
                                  .x_use = VECTOR_READS,
                                  .result = result,
                                  .result_type = resultType,
                                  .result_nbytes =
                                      column_operand_nbytes(resultType),
                                  .has_result = 1,
                                  .forwards = 1,
                                  .flops = column_is_complex(xType) ? 4 : 2};
    if (!is_vector(xType) || resultType != norm_of(xType) ||
        executionType != computed_in(resultType))
        return handle_return(&c.site, CUBLAS_STATUS_NOT_SUPPORTED);
    return vector_enqueue(handle, &c);
}
