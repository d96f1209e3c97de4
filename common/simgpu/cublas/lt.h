/*
 * lt.h: what cublasLt's descriptors hold
 *
 * A descriptor's attributes have the sizes that the real library documents.
 */
#ifndef SIMGPU_CUBLAS_LT_H
#define SIMGPU_CUBLAS_LT_H

#include <cublasLt.h>

struct lt_layout { /* a batch of matrices */
    uint32_t type;
    int32_t order;
    uint64_t rows, cols;
    int64_t ld;
    int32_t batch;
    int64_t stride; /* elements */
};

struct lt_matmul {
    int32_t compute, scale_type, pointer_mode;
    int32_t transa, transb, transc, fill;
    uint32_t epilogue;
    void *bias, *aux;
    int64_t bias_stride, aux_ld, aux_stride;
    int32_t sm_count_target, bias_type, aux_type; /* types: -1: D's */
    int8_t fast_accum;
};

/* A layout's and an operation's own description. */
const struct lt_layout *lt_layout_of(cublasLtMatrixLayout_t layout);
const struct lt_matmul *lt_matmul_of(cublasLtMatmulDesc_t matmul);

enum { LT_AUX = 128, LT_BGRAD = 16 }; /* bits of cublasLtEpilogue_t */

/* True if the epilogue has this bit or value among its bits. */
int lt_has(const struct lt_matmul *d, unsigned bits);

#endif
