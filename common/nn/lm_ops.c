#include "nn/lm_ops.h"

#include "nn/ops.h" /* nn_error */

/* The library is column-major, so it computes y^T = b^T @ a^T from row-major
 * matrices, as in ops.c. */
cudaError_t lm_product(cublasHandle_t blas, float *y, struct lm_operand a,
                       struct lm_operand b, float beta, int m, int n, int k,
                       cublasComputeType_t compute)
{
    const float one = 1;
    const cudaDataType type = a.is_bf16 ? CUDA_R_16BF : CUDA_R_32F;
    return nn_error(cublasGemmEx(blas, b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                                 a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N, n, m,
                                 k, &one, b.at, type, b.transposed ? k : n,
                                 a.at, type, a.transposed ? m : k, &beta, y,
                                 CUDA_R_32F, n, compute, CUBLAS_GEMM_DEFAULT));
}
