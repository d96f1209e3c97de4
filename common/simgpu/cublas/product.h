/*
 * product.h: a batch of matrix products
 *
 * Each product is C = alpha op(A) op(B) + beta C over typed matrices, with A
 * and B rounded first. Sums are fp32, double, or 32-bit integers. Without
 * conversions, OpenBLAS works on the program's matrices, otherwise on copies.
 */
#ifndef SIMGPU_CUBLAS_PRODUCT_H
#define SIMGPU_CUBLAS_PRODUCT_H

#include "cublas/column.h"
#include "cublas/handle.h"

struct product_matrix { /* rows x cols, stored by columns */
    char *at;           /* address at which simgpu accesses it */
    cudaDataType type;
    size_t rows, cols, ld, stride; /* ld, stride: in elements */
};

enum which { OF_A, OF_B, OF_C, OPERANDS };

struct gemm_op {
    struct op op;
    struct site site;
    cublasOperation_t transa, transb;
    int m, n, k, batch;
    struct scalar alpha, beta;
    struct product_matrix a, b, c; /* the first product's */
    enum column_rounding rounding;
    /* Arrays in device memory with the addresses of each product's A, B and C.
     * If NULL, each follows that of the product before, by its stride. */
    const void *const *where[OPERANDS];
};

/* Compute product i of the batch, on the stream's worker. */
void product_run(const struct gemm_op *g, int i);

#endif
