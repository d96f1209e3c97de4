/*
 * product.h: a batch of products of matrices, and one of them computed
 *
 * A batch of C = alpha op(A) op(B) + beta C over typed matrices, with A and B
 * rounded first. Sums are fp32, double, or of 32-bit integers. Where no
 * conversion is needed, OpenBLAS works on the program's matrices; otherwise on
 * copies.
 */
#ifndef SIMGPU_CUBLAS_PRODUCT_H
#define SIMGPU_CUBLAS_PRODUCT_H

#include "cublas/column.h"
#include "cublas/handle.h"

struct matrix { /* rows x cols, in memory column by column */
    char *at;   /* as simgpu accesses it */
    cudaDataType type;
    size_t rows, cols, ld, stride; /* ld, stride: elements */
};

enum which { OF_A, OF_B, OF_C, OPERANDS };

struct gemm_op {
    struct op op;
    struct site site;
    cublasOperation_t transa, transb;
    int m, n, k, batch;
    struct scalar alpha, beta;
    struct matrix a, b, c; /* of the first product */
    enum column_rounding rounding;
    /* Where A, B and C of each product are, in device memory; or NULL: a stride
     * behind those of the product before. */
    const void *const *where[OPERANDS];
};

/* Compute product i of the batch, on the stream's worker. */
void product_run(const struct gemm_op *g, int i);

#endif
