/*
 * lt.h: the contents of cublasLt's descriptors
 *
 * A descriptor's attributes have the sizes that NVIDIA documents.
 */
#ifndef SIMGPU_CUBLAS_LT_H
#define SIMGPU_CUBLAS_LT_H

#include <cublasLt.h>

#include "cublas/column.h"
#include "cublas/handle.h"

struct lt_layout { /* a batch of matrices */
    uint32_t type;
    int32_t order;
    uint64_t rows, cols;
    int64_t ld;
    int32_t batch;
    int64_t stride; /* in elements */
};

enum operand { A, B, C, D, OPERANDS };

struct lt_matmul {
    int32_t compute, scale_type, pointer_mode;
    int32_t transa, transb, transc, fill;
    uint32_t epilogue;
    void *bias, *aux, *scale[OPERANDS];
    int64_t bias_stride, aux_ld, aux_stride;
    int32_t sm_count_target, bias_type, aux_type; /* types: -1 means D's */
    int8_t fast_accum;
};

struct lt_op { /* a product */
    struct op op;
    struct lt_matmul d;
    struct lt_layout of[OPERANDS];
    char *at[OPERANDS]; /* addresses at which simgpu accesses them */
    char *bias, *aux;
    const float *scale[OPERANDS]; /* NULL: 1 */
    struct scalar alpha, beta;
    enum column_rounding rounding;
    enum topo_math math;
};

/* Fill in a product's d, of, rounding and math, if cublasLt can do it on this
 * device. C's layout may be NULL, which means D's. */
cublasStatus_t lt_describe(struct lt_op *g, int device,
                           cublasLtMatmulDesc_t desc,
                           cublasLtMatrixLayout_t const layouts[OPERANDS]);

/* Bytes in a number; 0 for a type that cublasLt does not support. */
size_t lt_nbytes(cudaDataType type);

/* True for e4m3 and e5m2. */
int lt_is_fp8(uint32_t type);

/* Convert between fp8, of either type, and a float. What is too large becomes
 * the largest number. */
float lt_from_fp8(uint8_t bits, cudaDataType type);
uint8_t lt_to_fp8(float x, cudaDataType type);

/* Check that the device can multiply these fp8 matrices, whose shapes fit, and
 * set the type of the bias. */
cublasStatus_t lt_check_fp8(struct lt_op *g, int device);

/* True if the address of A or B suits the product; only fp8 asks for more than
 * the type's own alignment. */
int lt_fp8_aligned(const struct lt_op *g, const void *p);

/* Bytes of workspace that a product needs on GPUs, for the sums
 * of a bias's gradient. */
size_t lt_workspace(const struct lt_op *g);

/* The contents of a layout and of an operation's descriptor. */
const struct lt_layout *lt_layout_of(cublasLtMatrixLayout_t layout);
const struct lt_matmul *lt_matmul_of(cublasLtMatmulDesc_t matmul);

/* The bytes of workspace that a preference allows. */
uint64_t lt_most_workspace(cublasLtMatmulPreference_t preference);

enum { LT_AUX = 128, LT_BGRAD = 16 }; /* bits of cublasLtEpilogue_t */

/* True if the epilogue contains all of these bits. */
int lt_has(const struct lt_matmul *d, unsigned bits);

/* True if the epilogue reads a bias, or writes its gradient. */
int lt_uses_bias(const struct lt_matmul *d);

#endif
