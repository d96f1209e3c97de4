/*
 * cublas_migrate.h: products that give the type of their sums as a data type,
 * as before CUDA 11, for C++
 *
 * Part of cublas_api.h.
 */
#ifndef SIMGPU_CUBLAS_MIGRATE_H
#define SIMGPU_CUBLAS_MIGRATE_H

/* The compute type for a data type, in the handle's math mode. */
static inline cublasStatus_t
cublasMigrateComputeType(cublasHandle_t handle, cudaDataType_t dataType,
                         cublasComputeType_t *computeType)
{
    cublasMath_t mode = CUBLAS_DEFAULT_MATH;
    const cublasStatus_t status = cublasGetMathMode(handle, &mode);
    const bool pedantic = ((int)mode & 0xf) == (int)CUBLAS_PEDANTIC_MATH;
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    switch (dataType) {
    case CUDA_R_32F:
        *computeType =
            pedantic ? CUBLAS_COMPUTE_32F_PEDANTIC : CUBLAS_COMPUTE_32F;
        return CUBLAS_STATUS_SUCCESS;
    case CUDA_R_64F:
        *computeType =
            pedantic ? CUBLAS_COMPUTE_64F_PEDANTIC : CUBLAS_COMPUTE_64F;
        return CUBLAS_STATUS_SUCCESS;
    case CUDA_R_16F:
        *computeType =
            pedantic ? CUBLAS_COMPUTE_16F_PEDANTIC : CUBLAS_COMPUTE_16F;
        return CUBLAS_STATUS_SUCCESS;
    default: return CUBLAS_STATUS_NOT_SUPPORTED;
    }
}

static inline cublasStatus_t
cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
             cublasOperation_t transb, int m, int n, int k, const void *alpha,
             const void *A, cudaDataType Atype, int lda, const void *B,
             cudaDataType Btype, int ldb, const void *beta, void *C,
             cudaDataType Ctype, int ldc, cudaDataType computeType,
             cublasGemmAlgo_t algo)
{
    cublasComputeType_t sums;
    const cublasStatus_t status =
        cublasMigrateComputeType(handle, computeType, &sums);
    return status ? status
                  : cublasGemmEx(handle, transa, transb, m, n, k, alpha, A,
                                 Atype, lda, B, Btype, ldb, beta, C, Ctype, ldc,
                                 sums, algo);
}
static inline cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
    int m, int n, int k, const void *alpha, const void *A, cudaDataType Atype,
    int lda, long long int strideA, const void *B, cudaDataType Btype, int ldb,
    long long int strideB, const void *beta, void *C, cudaDataType Ctype,
    int ldc, long long int strideC, int batchCount, cudaDataType computeType,
    cublasGemmAlgo_t algo)
{
    cublasComputeType_t sums;
    const cublasStatus_t status =
        cublasMigrateComputeType(handle, computeType, &sums);
    return status ? status
                  : cublasGemmStridedBatchedEx(
                        handle, transa, transb, m, n, k, alpha, A, Atype, lda,
                        strideA, B, Btype, ldb, strideB, beta, C, Ctype, ldc,
                        strideC, batchCount, sums, algo);
}
#endif
