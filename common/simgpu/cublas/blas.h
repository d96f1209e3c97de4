/*
 * blas.h: OpenBLAS, loaded with the first handle
 *
 * OpenBLAS starts a thread for each core as soon as it is loaded, and they spin
 * for a while. With a rank on each core, or more, that costs more than a short
 * run; most ranks never multiply a matrix. So it is not linked, but loaded when
 * it is needed, and told to use one thread before it can start others.
 */
#ifndef SIMGPU_CUBLAS_BLAS_H
#define SIMGPU_CUBLAS_BLAS_H

#include <cblas.h>

// clang-format off
/* In single (s) and double precision (d). */
#define BLAS_FUNCTIONS(X)                                                      \
    X(axpy) X(scal) X(copy) X(swap) X(dot) X(nrm2) X(asum) X(rot) X(gemv)      \
    X(ger) X(symv) X(trsv) X(gemm) X(symm) X(syrk) X(trsm)
// clang-format on

struct blas { /* cblas_sgemm, cblas_dgemm, ... */
#define BLAS_FIELD(name)                                                       \
    __typeof__(cblas_s##name) *s##name;                                        \
    __typeof__(cblas_d##name) *d##name;
    BLAS_FUNCTIONS(BLAS_FIELD)
#undef BLAS_FIELD
};

/* The functions; loads them on the first call. Ends the run, with a message,
 * if they are not there. */
const struct blas *blas(void);

#endif
