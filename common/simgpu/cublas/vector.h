/*
 * vector.h: what cuBLAS's functions of vectors share
 *
 * A vector is n elements, `inc` apart; a negative inc runs backwards from its
 * last element, in the same memory.
 */
#ifndef SIMGPU_CUBLAS_VECTOR_H
#define SIMGPU_CUBLAS_VECTOR_H

#include "cublas/handle.h"

struct vector_op {
    struct op op;
    cudaDataType type, result_type; /* the latter: of 16-bit elements' result */
    int n, incx, incy;
    struct scalar alpha, beta; /* of a rotation: cosine and sine */
    void *x, *y, *result;
};

enum vector_use {
    VECTOR_READS = 1,
    VECTOR_WRITES = 2,
    VECTOR_BOTH = VECTOR_READS | VECTOR_WRITES
};

struct vector_call { /* what a function does with its arguments */
    struct site site;
    void (*run)(struct op *op);
    cudaDataType type, scalar_type, result_type; /* the last: if narrow */
    int n, incx, incy, x_use, y_use;
    const void *alpha, *beta, *x, *y;
    void *result; /* where has_result */
    size_t result_nbytes;
    int has_scalars, has_result, forwards; /* forwards: incx has to be > 0 */
    double flops;                          /* per element */
};

/* Enqueue the call; waits for a result that goes to the host. */
cublasStatus_t vector_enqueue(cublasHandle_t handle,
                              const struct vector_call *c);

/* The members of a call of a function with these arguments' names. */
#define VECTOR_ONE(S, what, TYPE)                                              \
    .site = {"cublas" S what, CALLER_SITE()}, .type = TYPE,                    \
    .scalar_type = TYPE, .n = n, .x = x, .incx = incx
#define VECTOR_TWO(S, what, TYPE)                                              \
    VECTOR_ONE(S, what, TYPE), .y = y, .incy = incy
#define VECTOR_RESULT                                                          \
    .result = result, .result_nbytes = sizeof *result, .has_result = 1

#endif
