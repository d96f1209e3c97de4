/*
 * parameter.h: checking parameters and reporting them by BLAS's numbers
 *
 * cuBLAS's functions that have a namesake in BLAS print on standard output
 * which of their parameters is wrong. Numbers start at 1 and leave out the
 * handle.
 */
#ifndef SIMGPU_CUBLAS_PARAMETER_H
#define SIMGPU_CUBLAS_PARAMETER_H

#include <cublas_v2.h>
#include <stddef.h>

/* The number of the first condition that doesn't hold, or 0. */
#define PARAMETER_WRONG(...)                                                   \
    parameter_wrong((const int[]){__VA_ARGS__},                                \
                    sizeof((const int[]){__VA_ARGS__}) / sizeof(int))
int parameter_wrong(const int *right, size_t n);

/* Print that parameter `which` of "cublasDgemm" is wrong; 0 prints nothing.
 * Returns CUBLAS_STATUS_INVALID_VALUE. */
cublasStatus_t parameter_refuse(const char *function, int which);

static inline int parameter_is_op(cublasOperation_t op)
{
    return (unsigned)op <= CUBLAS_OP_C;
}

static inline int parameter_is_side(cublasSideMode_t side)
{
    return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT;
}

static inline int parameter_is_diag(cublasDiagType_t diag)
{
    return diag == CUBLAS_DIAG_NON_UNIT || diag == CUBLAS_DIAG_UNIT;
}

static inline int parameter_is_fill(cublasFillMode_t fill)
{
    return fill == CUBLAS_FILL_MODE_LOWER || fill == CUBLAS_FILL_MODE_UPPER;
}

/* True if the leading dimension suffices for that many rows. */
static inline int parameter_fits(int ld, int rows)
{
    return ld >= (rows > 1 ? rows : 1);
}

/* True if the arithmetic has 16 bits; or 64 bits. */
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
