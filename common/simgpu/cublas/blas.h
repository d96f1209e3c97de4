/*
 * blas.h: OpenBLAS, loaded with the first handle
 *
 * OpenBLAS starts a thread for each core as soon as it is loaded, and these
 * threads spin for a while. With one rank or more per core, that costs more
 * than a short run, and most ranks never multiply a matrix. OpenBLAS is
 * therefore not linked, but loaded when it is needed, and told to use one
 * thread before it can start others.
 */
#ifndef SIMGPU_CUBLAS_BLAS_H
#define SIMGPU_CUBLAS_BLAS_H

#include <cblas.h>
#include <cublas_v2.h>

// clang-format off
/* Functions for real numbers in single (s) and double precision (d). */
#define BLAS_FUNCTIONS(X)                                                      \
    X(axpy) X(scal) X(copy) X(swap) X(dot) X(nrm2) X(asum) X(rot) X(gemv)      \
    X(ger) X(symv) X(trsv) X(trmv) X(syr) X(syr2) X(gemm) X(symm) X(syrk)      \
    X(syr2k) X(trsm) X(trmm)
/* Functions for complex numbers in single (c) and double precision (z). */
#define BLAS_COMPLEX_FUNCTIONS(X)                                              \
    X(axpy) X(scal) X(copy) X(swap) X(dotu_sub) X(dotc_sub) X(gemv) X(geru)    \
    X(gerc) X(hemv) X(trsv) X(gemm) X(symm) X(hemm) X(syrk) X(herk) X(trsm)
/* Functions for complex numbers whose scalars or results are real. */
#define BLAS_MIXED_FUNCTIONS(X)                                                \
    X(csscal) X(zdscal) X(scnrm2) X(dznrm2) X(scasum) X(dzasum)
// clang-format on

struct blas { /* cblas_sgemm, cblas_dgemm, ... */
#define BLAS_FIELD(name)   __typeof__(cblas_##name) *name;
#define BLAS_REAL(name)    BLAS_FIELD(s##name) BLAS_FIELD(d##name)
#define BLAS_COMPLEX(name) BLAS_FIELD(c##name) BLAS_FIELD(z##name)
    BLAS_FUNCTIONS(BLAS_REAL)
    BLAS_COMPLEX_FUNCTIONS(BLAS_COMPLEX)
    BLAS_MIXED_FUNCTIONS(BLAS_FIELD)
#undef BLAS_FIELD
#undef BLAS_REAL
#undef BLAS_COMPLEX
};

/* OpenBLAS's functions, loaded by the first call. Ends the run with a message
 * if the library is missing. */
const struct blas *blas(void);

/* OpenBLAS's names for op(A), a side, a triangle and its diagonal. */
CBLAS_TRANSPOSE blas_trans(cublasOperation_t op);
CBLAS_SIDE blas_side(cublasSideMode_t side);
CBLAS_UPLO blas_fill(cublasFillMode_t fill);
CBLAS_DIAG blas_diag(cublasDiagType_t diag);

#endif
