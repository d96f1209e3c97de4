/*
 * vectors_complex.c: functions of complex vectors, in single and double
 * precision
 *
 * C is for float, Z for double. asum, amax and amin use cuBLAS's magnitude,
 * |re| + |im|.
 */
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

RUN(amax, *(int *)v->result = vector_extreme(v, 1),
    *(int *)v->result = vector_extreme(v, 1))
RUN(amin, *(int *)v->result = vector_extreme(v, -1),
    *(int *)v->result = vector_extreme(v, -1))

/* ---- the functions ------------------------------------------------------- */

#define VECTORS(S, T, TYPE)                                                    \
    VECTOR_AXPY(S, T, TYPE, 8)                                                 \
    VECTOR_SCAL(S, T, TYPE, T, TYPE, run_scal, 6)                              \
    VECTOR_COPY(S, T, TYPE)                                                    \
    VECTOR_SWAP(S, T, TYPE)                                                    \
    VECTOR_DOT(S, T, TYPE, dotu, 8)                                            \
    VECTOR_DOT(S, T, TYPE, dotc, 8)
#define OVER_X(S, T, TYPE, name, R) VECTOR_OVER_X(S, T, TYPE, name, R, 4)

VECTORS(C, cuComplex, CUDA_C_32F)
VECTORS(Z, cuDoubleComplex, CUDA_C_64F)
VECTOR_SCAL(Cs, cuComplex, CUDA_C_32F, float, CUDA_R_32F, run_real_scal, 6)
VECTOR_SCAL(Zd, cuDoubleComplex, CUDA_C_64F, double, CUDA_R_64F, run_real_scal,
            6)
OVER_X(Sc, cuComplex, CUDA_C_32F, nrm2, float)
OVER_X(Dz, cuDoubleComplex, CUDA_C_64F, nrm2, double)
OVER_X(Sc, cuComplex, CUDA_C_32F, asum, float)
OVER_X(Dz, cuDoubleComplex, CUDA_C_64F, asum, double)
OVER_X(Ic, cuComplex, CUDA_C_32F, amax, int)
OVER_X(Iz, cuDoubleComplex, CUDA_C_64F, amax, int)
OVER_X(Ic, cuComplex, CUDA_C_32F, amin, int)
OVER_X(Iz, cuDoubleComplex, CUDA_C_64F, amin, int)

const struct vector_works vector_complex = {run_axpy, run_scal, run_dotu,
                                            run_dotc, run_nrm2};
