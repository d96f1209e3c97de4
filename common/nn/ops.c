/*
 * ops.c: products of row-major matrices with a column-major library
 *
 * A row-major matrix (r, c), read as column-major, is its transpose (c, r). So
 * y = x @ W is computed as y^T = W^T @ x^T, with the operands swapped and
 * without any transposition.
 */
#include "nn/ops.h"

cudaError_t nn_error(cublasStatus_t status)
{
    switch (status) {
    case CUBLAS_STATUS_SUCCESS: return cudaSuccess;
    case CUBLAS_STATUS_ALLOC_FAILED: return cudaErrorMemoryAllocation;
    case CUBLAS_STATUS_NOT_INITIALIZED: return cudaErrorInvalidResourceHandle;
    case CUBLAS_STATUS_INVALID_VALUE: return cudaErrorInvalidValue;
    default: return cudaErrorUnknown;
    }
}

static const float one = 1, zero = 0;

cudaError_t nn_linear(cublasHandle_t blas, const float *x, const float *w,
                      float *y, int rows, int in, int out)
{
    return nn_error(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, out, rows, in,
                                &one, w, out, x, in, &zero, y, out));
}

cudaError_t nn_linear_dw(cublasHandle_t blas, const float *x, const float *dy,
                         float *dw, int rows, int in, int out)
{
    return nn_error(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, out, in, rows,
                                &one, dy, out, x, in, &one, dw, out));
}

cudaError_t nn_linear_dx(cublasHandle_t blas, const float *dy, const float *w,
                         float *dx, int rows, int in, int out)
{
    return nn_error(cublasSgemm(blas, CUBLAS_OP_T, CUBLAS_OP_N, in, rows, out,
                                &one, w, out, dy, out, &zero, dx, in));
}
