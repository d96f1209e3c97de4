/*
 * parameter.h: parameters, and those that a function refuses, as BLAS numbers
 * them
 *
 * cuBLAS's functions that have a namesake in BLAS say on standard output which
 * of their parameters is wrong: the first is number 1, without the handle.
 */
#ifndef SIMGPU_CUBLAS_PARAMETER_H
#define SIMGPU_CUBLAS_PARAMETER_H

#include <cublas_v2.h>
#include <stddef.h>

/* The number of the first of the conditions that does not hold; 0: none. */
#define PARAMETER_WRONG(...)                                                   \
    parameter_wrong((const int[]){__VA_ARGS__},                                \
                    sizeof((const int[]){__VA_ARGS__}) / sizeof(int))
int parameter_wrong(const int *right, size_t n);

/* Say that a parameter of "cublasDgemm" is wrong; which: 0 says nothing.
 * Returns CUBLAS_STATUS_INVALID_VALUE. */
cublasStatus_t parameter_refuse(const char *function, int which);

static inline int parameter_is_op(cublasOperation_t op)
{
    return (unsigned)op <= CUBLAS_OP_C;
}

/* A leading dimension for that many rows. */
static inline int parameter_fits(int ld, int rows)
{
    return ld >= (rows > 1 ? rows : 1);
}

/* Numbers of 16 bits are computed with; or of 64. */
static inline int parameter_is_half(cublasComputeType_t compute)
{
    return compute == CUBLAS_COMPUTE_16F ||
           compute == CUBLAS_COMPUTE_16F_PEDANTIC;
}

static inline int parameter_is_double(cublasComputeType_t compute)
{
    return compute == CUBLAS_COMPUTE_64F ||
           compute == CUBLAS_COMPUTE_64F_PEDANTIC;
}

#endif
