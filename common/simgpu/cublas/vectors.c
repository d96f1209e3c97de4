/*
 * vectors.c: vectors with vectors, in single and double precision
 */
#include <math.h> /* sqrtf */

#include "core/site.h"
#include "cublas/blas.h"
#include "cublas/column.h"
#include "cublas/vector.h"

/* ---- on the stream's worker ---------------------------------------------- */

#define RUN(name, in_single, in_double)                                        \
    static void run_##name(struct op *op)                                      \
    {                                                                          \
        const struct vector_op *const v = (struct vector_op *)op;              \
        const double alpha = scalar_now(&v->alpha),                            \
                     beta = scalar_now(&v->beta);                              \
        (void)alpha, (void)beta;                                               \
        if (v->type == CUDA_R_32F)                                             \
            in_single;                                                         \
        else                                                                   \
            in_double;                                                         \
    }
#define BLAS(name, ...) blas()->name(v->n, __VA_ARGS__)
#define X               v->x, v->incx
#define Y               v->y, v->incy

RUN(axpy, BLAS(saxpy, (float)alpha, X, Y), BLAS(daxpy, alpha, X, Y))
RUN(scal, BLAS(sscal, (float)alpha, X), BLAS(dscal, alpha, X))
RUN(copy, BLAS(scopy, X, Y), BLAS(dcopy, X, Y))
RUN(swap, BLAS(sswap, X, Y), BLAS(dswap, X, Y))
RUN(rot, BLAS(srot, X, Y, (float)alpha, (float)beta),
    BLAS(drot, X, Y, alpha, beta))
RUN(dot, *(float *)v->result = BLAS(sdot, X, Y),
    *(double *)v->result = BLAS(ddot, X, Y))
RUN(nrm2, *(float *)v->result = BLAS(snrm2, X),
    *(double *)v->result = BLAS(dnrm2, X))
RUN(asum, *(float *)v->result = BLAS(sasum, X),
    *(double *)v->result = BLAS(dasum, X))

/* Elements of 16 bits, computed with as floats. */
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

RUN(amax, *(int *)v->result = vector_extreme(v, 1),
    *(int *)v->result = vector_extreme(v, 1))
RUN(amin, *(int *)v->result = vector_extreme(v, -1),
    *(int *)v->result = vector_extreme(v, -1))

/* ---- the functions ------------------------------------------------------- */

#define ROT(S, T, TYPE)                                                        \
    cublasStatus_t cublas##S##rot_v2(cublasHandle_t handle, int n, T *x,       \
                                     int incx, T *y, int incy,                 \
                                     const T *cosine, const T *sine)           \
    {                                                                          \
        const struct vector_call c = {VECTOR_TWO(#S, "rot", TYPE),             \
                                      .run = run_rot,                          \
                                      .x_use = VECTOR_BOTH,                    \
                                      .y_use = VECTOR_BOTH,                    \
                                      .alpha = cosine,                         \
                                      .beta = sine,                            \
                                      .has_scalars = 2,                        \
                                      .flops = 6};                             \
        return vector_enqueue(handle, &c);                                     \
    }
#define VECTORS(S, T, TYPE)                                                    \
    VECTOR_AXPY(S, T, TYPE, 2)                                                 \
    VECTOR_SCAL(S, T, TYPE, T, TYPE, run_scal, 1)                              \
    VECTOR_COPY(S, T, TYPE)                                                    \
    VECTOR_SWAP(S, T, TYPE)                                                    \
    VECTOR_DOT(S, T, TYPE, dot, 2)                                             \
    ROT(S, T, TYPE)
#define OVER_X(S, T, TYPE, name, R) VECTOR_OVER_X(S, T, TYPE, name, R, 2)

VECTORS(S, float, CUDA_R_32F)
VECTORS(D, double, CUDA_R_64F)
OVER_X(S, float, CUDA_R_32F, nrm2, float)
OVER_X(D, double, CUDA_R_64F, nrm2, double)
OVER_X(S, float, CUDA_R_32F, asum, float)
OVER_X(D, double, CUDA_R_64F, asum, double)
OVER_X(Is, float, CUDA_R_32F, amax, int)
OVER_X(Id, double, CUDA_R_64F, amax, int)
OVER_X(Is, float, CUDA_R_32F, amin, int)
OVER_X(Id, double, CUDA_R_64F, amin, int)

/* ---- of a type that an argument names ------------------------------------ */

/*
 * The two functions that a call may be: all is CUDA_R_32F or CUDA_R_64F, or x
 * and y have 16 bits, what is computed with 32, and a scalar or result either.
 */
static cublasStatus_t vector_ex(cublasHandle_t handle, struct vector_call *c,
                                cudaDataType other, cudaDataType scalar,
                                cudaDataType execution,
                                void (*run_narrow)(struct op *))
{
    const int narrow = c->type == CUDA_R_16F || c->type == CUDA_R_16BF;
    if (other != c->type || execution == CUDA_R_16F ||
        execution == CUDA_R_16BF || !column_type_nbytes(c->type) ||
        execution != (narrow ? CUDA_R_32F : c->type) ||
        (scalar != execution && scalar != c->type))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    c->scalar_type = c->result_type = scalar;
    c->result_nbytes = column_type_nbytes(scalar);
    if (narrow)
        c->run = run_narrow;
    return vector_enqueue(handle, c);
}

cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void *alpha,
                            cudaDataType alphaType, const void *x,
                            cudaDataType xType, int incx, void *y,
                            cudaDataType yType, int incy,
                            cudaDataType executiontype)
{
    struct vector_call c = {VECTOR_TWO("", "AxpyEx", xType),
                            .run = run_axpy,
                            .x_use = VECTOR_READS,
                            .y_use = VECTOR_BOTH,
                            .alpha = alpha,
                            .has_scalars = 1,
                            .flops = 2};
    return vector_ex(handle, &c, yType, alphaType, executiontype,
                     run_axpy_narrow);
}

cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void *alpha,
                            cudaDataType alphaType, void *x, cudaDataType xType,
                            int incx, cudaDataType executionType)
{
    struct vector_call c = {VECTOR_ONE("", "ScalEx", xType),
                            .run = run_scal,
                            .x_use = VECTOR_BOTH,
                            .alpha = alpha,
                            .has_scalars = 1,
                            .forwards = 1,
                            .flops = 1};
    return vector_ex(handle, &c, xType, alphaType, executionType,
                     run_scal_narrow);
}

cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void *x,
                           cudaDataType xType, int incx, const void *y,
                           cudaDataType yType, int incy, void *result,
                           cudaDataType resultType, cudaDataType executionType)
{
    struct vector_call c = {VECTOR_TWO("", "DotEx", xType),
                            .run = run_dot,
                            .x_use = VECTOR_READS,
                            .y_use = VECTOR_READS,
                            .result = result,
                            .has_result = 1,
                            .flops = 2};
    return vector_ex(handle, &c, yType, resultType, executionType,
                     run_dot_narrow);
}

cublasStatus_t cublasDotcEx(cublasHandle_t, int, const void *, cudaDataType,
                            int, const void *, cudaDataType, int, void *,
                            cudaDataType, cudaDataType)
    __attribute__((alias("cublasDotEx"))); // of real numbers, the same

cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void *x,
                            cudaDataType xType, int incx, void *result,
                            cudaDataType resultType, cudaDataType executionType)
{
    struct vector_call c = {VECTOR_ONE("", "Nrm2Ex", xType),
                            .run = run_nrm2,
                            .x_use = VECTOR_READS,
                            .result = result,
                            .has_result = 1,
                            .forwards = 1,
                            .flops = 2};
    return vector_ex(handle, &c, xType, resultType, executionType,
                     run_nrm2_narrow);
}
