/*
 * vectors_complex.c: vectors of complex numbers, in single and double precision
 *
 * C: float, Z: double. Magnitudes are cuBLAS's: asum, amax and amin take
 * |re| + |im|.
 */
#include <math.h> /* fabs */

#include "core/site.h"
#include "cublas/blas.h"
#include "cublas/column.h"
#include "cublas/vector.h"

/* ---- on the stream's worker ---------------------------------------------- */

#define RUN(name, in_single, in_double)                                        \
    static void run_##name(struct op *op)                                      \
    {                                                                          \
        const struct vector_op *const v = (struct vector_op *)op;              \
        const double complex alpha = scalar_now_complex(&v->alpha);            \
        const float complex narrow = (float complex)alpha;                     \
        (void)narrow;                                                          \
        if (v->type == CUDA_C_32F)                                             \
            in_single;                                                         \
        else                                                                   \
            in_double;                                                         \
    }
#define BLAS(name, ...) blas()->name(v->n, __VA_ARGS__)
#define X               v->x, v->incx
#define Y               v->y, v->incy

RUN(axpy, BLAS(caxpy, &narrow, X, Y), BLAS(zaxpy, &alpha, X, Y))
RUN(scal, BLAS(cscal, &narrow, X), BLAS(zscal, &alpha, X))
RUN(real_scal, BLAS(csscal, crealf(narrow), X), BLAS(zdscal, creal(alpha), X))
RUN(copy, BLAS(ccopy, X, Y), BLAS(zcopy, X, Y))
RUN(swap, BLAS(cswap, X, Y), BLAS(zswap, X, Y))
RUN(dotu, BLAS(cdotu_sub, X, Y, v->result), BLAS(zdotu_sub, X, Y, v->result))
RUN(dotc, BLAS(cdotc_sub, X, Y, v->result), BLAS(zdotc_sub, X, Y, v->result))
RUN(nrm2, *(float *)v->result = BLAS(scnrm2, X),
    *(double *)v->result = BLAS(dznrm2, X))
RUN(asum, *(float *)v->result = BLAS(scasum, X),
    *(double *)v->result = BLAS(dzasum, X))

static double magnitude(const struct vector_op *v, int i)
{
    const size_t k = (size_t)i * (size_t)v->incx;
    const double complex x = v->type == CUDA_C_32F
                                 ? ((const float complex *)v->x)[k]
                                 : ((const double complex *)v->x)[k];
    return fabs(creal(x)) + fabs(cimag(x));
}

/* The first element whose magnitude, times sign, is largest; from 1 on. */
static int extreme(const struct vector_op *v, double sign)
{
    int at = v->n > 0;
    for (int i = 1; i < v->n; i++)
        if (sign * magnitude(v, i) > sign * magnitude(v, at - 1))
            at = i + 1;
    return at;
}

static void run_amax(struct op *op)
{
    const struct vector_op *const v = (struct vector_op *)op;
    *(int *)v->result = extreme(v, 1);
}

static void run_amin(struct op *op)
{
    const struct vector_op *const v = (struct vector_op *)op;
    *(int *)v->result = extreme(v, -1);
}

/* ---- the functions ------------------------------------------------------- */

/* S names the function, REAL its scalars' type where they are real. */
#define SCAL(S, T, TYPE, SCALAR, REAL, how)                                    \
    cublasStatus_t cublas##S##scal_v2(cublasHandle_t handle, int n,            \
                                      const SCALAR *alpha, T *x, int incx)     \
    {                                                                          \
        struct vector_call c = {VECTOR_ONE(#S, "scal", TYPE),                  \
                                .run = how,                                    \
                                .x_use = VECTOR_BOTH,                          \
                                .alpha = alpha,                                \
                                .has_scalars = 1,                              \
                                .forwards = 1,                                 \
                                .flops = 6};                                   \
        c.scalar_type = REAL;                                                  \
        return vector_enqueue(handle, &c);                                     \
    }
#define DOT(S, T, TYPE, name)                                                  \
    cublasStatus_t cublas##S##name##_v2(cublasHandle_t handle, int n,          \
                                        const T *x, int incx, const T *y,      \
                                        int incy, T *result)                   \
    {                                                                          \
        const struct vector_call c = {VECTOR_TWO(#S, #name, TYPE),             \
                                      .run = run_##name,                       \
                                      .x_use = VECTOR_READS,                   \
                                      .y_use = VECTOR_READS,                   \
                                      VECTOR_RESULT,                           \
                                      .flops = 8};                             \
        return vector_enqueue(handle, &c);                                     \
    }
#define OVER_X(S, T, TYPE, name, R)                                            \
    cublasStatus_t cublas##S##name##_v2(cublasHandle_t handle, int n,          \
                                        const T *x, int incx, R *result)       \
    {                                                                          \
        const struct vector_call c = {VECTOR_ONE(#S, #name, TYPE),             \
                                      .run = run_##name,                       \
                                      .x_use = VECTOR_READS,                   \
                                      VECTOR_RESULT,                           \
                                      .forwards = 1,                           \
                                      .flops = 4};                             \
        return vector_enqueue(handle, &c);                                     \
    }
#define VECTORS(S, T, TYPE)                                                    \
    cublasStatus_t cublas##S##axpy_v2(cublasHandle_t handle, int n,            \
                                      const T *alpha, const T *x, int incx,    \
                                      T *y, int incy)                          \
    {                                                                          \
        const struct vector_call c = {VECTOR_TWO(#S, "axpy", TYPE),            \
                                      .run = run_axpy,                         \
                                      .x_use = VECTOR_READS,                   \
                                      .y_use = VECTOR_BOTH,                    \
                                      .alpha = alpha,                          \
                                      .has_scalars = 1,                        \
                                      .flops = 8};                             \
        return vector_enqueue(handle, &c);                                     \
    }                                                                          \
    cublasStatus_t cublas##S##copy_v2(cublasHandle_t handle, int n,            \
                                      const T *x, int incx, T *y, int incy)    \
    {                                                                          \
        const struct vector_call c = {VECTOR_TWO(#S, "copy", TYPE),            \
                                      .run = run_copy, .x_use = VECTOR_READS,  \
                                      .y_use = VECTOR_WRITES};                 \
        return vector_enqueue(handle, &c);                                     \
    }                                                                          \
    cublasStatus_t cublas##S##swap_v2(cublasHandle_t handle, int n, T *x,      \
                                      int incx, T *y, int incy)                \
    {                                                                          \
        const struct vector_call c = {VECTOR_TWO(#S, "swap", TYPE),            \
                                      .run = run_swap, .x_use = VECTOR_BOTH,   \
                                      .y_use = VECTOR_BOTH};                   \
        return vector_enqueue(handle, &c);                                     \
    }                                                                          \
    SCAL(S, T, TYPE, T, TYPE, run_scal)                                        \
    DOT(S, T, TYPE, dotu)                                                      \
    DOT(S, T, TYPE, dotc)

VECTORS(C, cuComplex, CUDA_C_32F)
VECTORS(Z, cuDoubleComplex, CUDA_C_64F)
SCAL(Cs, cuComplex, CUDA_C_32F, float, CUDA_R_32F, run_real_scal)
SCAL(Zd, cuDoubleComplex, CUDA_C_64F, double, CUDA_R_64F, run_real_scal)
OVER_X(Sc, cuComplex, CUDA_C_32F, nrm2, float)
OVER_X(Dz, cuDoubleComplex, CUDA_C_64F, nrm2, double)
OVER_X(Sc, cuComplex, CUDA_C_32F, asum, float)
OVER_X(Dz, cuDoubleComplex, CUDA_C_64F, asum, double)
OVER_X(Ic, cuComplex, CUDA_C_32F, amax, int)
OVER_X(Iz, cuDoubleComplex, CUDA_C_64F, amax, int)
OVER_X(Ic, cuComplex, CUDA_C_32F, amin, int)
OVER_X(Iz, cuDoubleComplex, CUDA_C_64F, amin, int)
