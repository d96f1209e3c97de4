/*
 * vectors.c: functions of vectors, in single and double precision
 */
#include "core/site.h"
#include "cublas/blas.h"
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

const struct vector_works vector_real = {run_axpy, run_scal, run_dot, run_dot,
                                         run_nrm2};
