/*
 * matrix.h: operations of matrices and vectors, and their work on the worker
 *
 * Matrices are stored column by column, with columns ld elements apart. Of a
 * symmetric or triangular matrix, only the given triangle is touched.
 */
#ifndef SIMGPU_CUBLAS_MATRIX_H
#define SIMGPU_CUBLAS_MATRIX_H

#include "cublas/blas.h"
#include "cublas/handle.h"

struct matrix_op {
    struct op op;
    cudaDataType type; /* 32F or 64F, real or complex */
    int m, n, k, lda, ldb, ldc;
    CBLAS_SIDE side;
    CBLAS_UPLO fill;
    CBLAS_TRANSPOSE transa, transb;
    CBLAS_DIAG diag;
    struct scalar alpha, beta;
    void *a, *b, *c; /* b, c: matrices, or vectors apart by ldb, ldc */
};

/* These run on the stream's worker. For complex numbers, symv takes a Hermitian
 * matrix, and ger does not conjugate y. */
void matrix_gemv(struct op *op);
void matrix_ger(struct op *op);
void matrix_gerc(struct op *op);
void matrix_symv(struct op *op);
void matrix_trsv(struct op *op);
void matrix_symm(struct op *op);
void matrix_hemm(struct op *op);
void matrix_syrk(struct op *op);
void matrix_herk(struct op *op);
void matrix_trsm(struct op *op);
void matrix_geam(struct op *op);

/* These take real numbers only. dgmm's diagonal b is ldb apart. */
void matrix_trmv(struct op *op);
void matrix_syr(struct op *op);
void matrix_syr2(struct op *op);
void matrix_syr2k(struct op *op);
void matrix_trmm(struct op *op);
void matrix_dgmm(struct op *op);

#endif
