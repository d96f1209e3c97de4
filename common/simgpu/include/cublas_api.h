/*
 * cublas_api.h: the functions of cuBLAS that simgpu implements
 *
 * Values and signatures are those of CUDA 13, and the functions follow cuBLAS's
 * documentation: matrices are stored by columns, and a call only enqueues work
 * on the handle's stream. A program that calls a missing function does not
 * compile. Include cublas_v2.h.
 */
#ifndef CUBLAS_API_H_
#define CUBLAS_API_H_

#include <cuda_runtime_api.h> /* cudaStream_t */

#include "cuComplex.h"
#include "cuda_bf16.h"     /* for programs: CUDA's header includes it */
#include "cuda_fp16.h"     /* __half */
#include "library_types.h" /* cudaDataType */

#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 1
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VERSION                                                         \
    (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)
#define CUBLASWINAPI

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;

typedef enum {
    CUBLAS_OP_N = 0,
    CUBLAS_OP_T = 1,
    CUBLAS_OP_C = 2,
    CUBLAS_OP_HERMITAN = 2,
    CUBLAS_OP_CONJG = 3 /* not accepted by any function here */
} cublasOperation_t;

typedef enum {
    CUBLAS_FILL_MODE_LOWER = 0,
    CUBLAS_FILL_MODE_UPPER = 1,
    CUBLAS_FILL_MODE_FULL = 2
} cublasFillMode_t;

typedef enum {
    CUBLAS_DIAG_NON_UNIT = 0,
    CUBLAS_DIAG_UNIT = 1
} cublasDiagType_t;

typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;

typedef enum {
    CUBLAS_POINTER_MODE_HOST = 0,
    CUBLAS_POINTER_MODE_DEVICE = 1
} cublasPointerMode_t;

typedef enum {
    CUBLAS_ATOMICS_NOT_ALLOWED = 0,
    CUBLAS_ATOMICS_ALLOWED = 1
} cublasAtomicsMode_t;

typedef enum {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_ALGO0 = 0,
    CUBLAS_GEMM_ALGO1 = 1,
    CUBLAS_GEMM_ALGO2 = 2,
    CUBLAS_GEMM_ALGO3 = 3,
    CUBLAS_GEMM_ALGO4 = 4,
    CUBLAS_GEMM_ALGO5 = 5,
    CUBLAS_GEMM_ALGO6 = 6,
    CUBLAS_GEMM_ALGO7 = 7,
    CUBLAS_GEMM_ALGO8 = 8,
    CUBLAS_GEMM_ALGO9 = 9,
    CUBLAS_GEMM_ALGO10 = 10,
    CUBLAS_GEMM_ALGO11 = 11,
    CUBLAS_GEMM_ALGO12 = 12,
    CUBLAS_GEMM_ALGO13 = 13,
    CUBLAS_GEMM_ALGO14 = 14,
    CUBLAS_GEMM_ALGO15 = 15,
    CUBLAS_GEMM_ALGO16 = 16,
    CUBLAS_GEMM_ALGO17 = 17,
    CUBLAS_GEMM_ALGO18 = 18,
    CUBLAS_GEMM_ALGO19 = 19,
    CUBLAS_GEMM_ALGO20 = 20,
    CUBLAS_GEMM_ALGO21 = 21,
    CUBLAS_GEMM_ALGO22 = 22,
    CUBLAS_GEMM_ALGO23 = 23,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
    CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
    CUBLAS_GEMM_ALGO1_TENSOR_OP = 101,
    CUBLAS_GEMM_ALGO2_TENSOR_OP = 102,
    CUBLAS_GEMM_ALGO3_TENSOR_OP = 103,
    CUBLAS_GEMM_ALGO4_TENSOR_OP = 104,
    CUBLAS_GEMM_ALGO5_TENSOR_OP = 105,
    CUBLAS_GEMM_ALGO6_TENSOR_OP = 106,
    CUBLAS_GEMM_ALGO7_TENSOR_OP = 107,
    CUBLAS_GEMM_ALGO8_TENSOR_OP = 108,
    CUBLAS_GEMM_ALGO9_TENSOR_OP = 109,
    CUBLAS_GEMM_ALGO10_TENSOR_OP = 110,
    CUBLAS_GEMM_ALGO11_TENSOR_OP = 111,
    CUBLAS_GEMM_ALGO12_TENSOR_OP = 112,
    CUBLAS_GEMM_ALGO13_TENSOR_OP = 113,
    CUBLAS_GEMM_ALGO14_TENSOR_OP = 114,
    CUBLAS_GEMM_ALGO15_TENSOR_OP = 115,
    CUBLAS_GEMM_AUTOTUNE = 999
} cublasGemmAlgo_t;

typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1, /* deprecated; same as COMPUTE_32F_FAST_16F */
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;

typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73
} cublasComputeType_t;

struct cublasContext;
typedef struct cublasContext *cublasHandle_t;
typedef cudaDataType cublasDataType_t; /* its older name */

/* ---- handles ------------------------------------------------------------- */

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t streamId);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle,
                                  cudaStream_t *streamId);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle,
                                       cublasPointerMode_t *mode);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle,
                                       cublasPointerMode_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
size_t cublasGetCudartVersion(void);

/*
 * Settings that are checked and returned by queries, but change nothing: no
 * product here uses a workspace or atomics, and each one uses all of a GPU's
 * SMs. A workspace must be device memory aligned to 256 bytes, otherwise the
 * result is INVALID_VALUE.
 */
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace,
                                     size_t workspaceSizeInBytes);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle,
                                    cublasAtomicsMode_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle,
                                    cublasAtomicsMode_t mode);
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle,
                                      int *smCountTarget);
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int smCountTarget);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);

/* ---- transfers: n elements, or rows x cols, of elemSize bytes ------------ */

cublasStatus_t cublasSetVector(int n, int elemSize, const void *x, int incx,
                               void *devicePtr, int incy);
cublasStatus_t cublasGetVector(int n, int elemSize, const void *x, int incx,
                               void *y, int incy);
cublasStatus_t cublasSetMatrix(int rows, int cols, int elemSize, const void *A,
                               int lda, void *B, int ldb);
cublasStatus_t cublasGetMatrix(int rows, int cols, int elemSize, const void *A,
                               int lda, void *B, int ldb);
cublasStatus_t cublasSetVectorAsync(int n, int elemSize, const void *hostPtr,
                                    int incx, void *devicePtr, int incy,
                                    cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int elemSize, const void *devicePtr,
                                    int incx, void *hostPtr, int incy,
                                    cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int elemSize,
                                    const void *A, int lda, void *B, int ldb,
                                    cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int elemSize,
                                    const void *A, int lda, void *B, int ldb,
                                    cudaStream_t stream);

/*
 * ---- vectors: n elements, incx apart; S: float, D: double -------------------
 *
 * A result is stored to host memory, and the call waits for it. In pointer mode
 * DEVICE it is stored to device memory, where scalars are read, too.
 */

/* y += alpha x */
cublasStatus_t cublasSaxpy_v2(cublasHandle_t handle, int n, const float *alpha,
                              const float *x, int incx, float *y, int incy);
cublasStatus_t cublasDaxpy_v2(cublasHandle_t handle, int n, const double *alpha,
                              const double *x, int incx, double *y, int incy);
/* x *= alpha */
cublasStatus_t cublasSscal_v2(cublasHandle_t handle, int n, const float *alpha,
                              float *x, int incx);
cublasStatus_t cublasDscal_v2(cublasHandle_t handle, int n, const double *alpha,
                              double *x, int incx);
/* y = x; x and y are exchanged */
cublasStatus_t cublasScopy_v2(cublasHandle_t handle, int n, const float *x,
                              int incx, float *y, int incy);
cublasStatus_t cublasSswap_v2(cublasHandle_t handle, int n, float *x, int incx,
                              float *y, int incy);
cublasStatus_t cublasDcopy_v2(cublasHandle_t handle, int n, const double *x,
                              int incx, double *y, int incy);
cublasStatus_t cublasDswap_v2(cublasHandle_t handle, int n, double *x, int incx,
                              double *y, int incy);
/* x, y = c x + s y, c y - s x */
cublasStatus_t cublasSrot_v2(cublasHandle_t handle, int n, float *x, int incx,
                             float *y, int incy, const float *c,
                             const float *s);
cublasStatus_t cublasDrot_v2(cublasHandle_t handle, int n, double *x, int incx,
                             double *y, int incy, const double *c,
                             const double *s);
/* *result = x . y, |x|, the sum of |x[i]| */
cublasStatus_t cublasSdot_v2(cublasHandle_t handle, int n, const float *x,
                             int incx, const float *y, int incy, float *result);
cublasStatus_t cublasSnrm2_v2(cublasHandle_t handle, int n, const float *x,
                              int incx, float *result);
cublasStatus_t cublasSasum_v2(cublasHandle_t handle, int n, const float *x,
                              int incx, float *result);
cublasStatus_t cublasDdot_v2(cublasHandle_t handle, int n, const double *x,
                             int incx, const double *y, int incy,
                             double *result);
cublasStatus_t cublasDnrm2_v2(cublasHandle_t handle, int n, const double *x,
                              int incx, double *result);
cublasStatus_t cublasDasum_v2(cublasHandle_t handle, int n, const double *x,
                              int incx, double *result);
/* *result: index, from 1, of the first element of largest
 * or smallest magnitude */
cublasStatus_t cublasIsamax_v2(cublasHandle_t handle, int n, const float *x,
                               int incx, int *result);
cublasStatus_t cublasIsamin_v2(cublasHandle_t handle, int n, const float *x,
                               int incx, int *result);
cublasStatus_t cublasIdamax_v2(cublasHandle_t handle, int n, const double *x,
                               int incx, int *result);
cublasStatus_t cublasIdamin_v2(cublasHandle_t handle, int n, const double *x,
                               int incx, int *result);

/*
 * ---- vectors whose type is an argument --------------------------------------
 *
 * Either x and y have type CUDA_R_16F or CUDA_R_16BF and the execution type is
 * CUDA_R_32F, or all are CUDA_R_32F or all CUDA_R_64F. A scalar or result has
 * the type of x or the execution type.
 */
cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void *alpha,
                            cudaDataType alphaType, const void *x,
                            cudaDataType xType, int incx, void *y,
                            cudaDataType yType, int incy,
                            cudaDataType executiontype);
cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void *alpha,
                            cudaDataType alphaType, void *x, cudaDataType xType,
                            int incx, cudaDataType executionType);
cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void *x,
                           cudaDataType xType, int incx, const void *y,
                           cudaDataType yType, int incy, void *result,
                           cudaDataType resultType, cudaDataType executionType);
cublasStatus_t cublasDotcEx(cublasHandle_t handle, int n, const void *x,
                            cudaDataType xType, int incx, const void *y,
                            cudaDataType yType, int incy, void *result,
                            cudaDataType resultType,
                            cudaDataType executionType);
cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void *x,
                            cudaDataType xType, int incx, void *result,
                            cudaDataType resultType,
                            cudaDataType executionType);

/*
 * ---- matrices, stored by columns, which are ld elements apart ---------------
 *
 * Of a symmetric or triangular matrix, only the triangle uplo is touched.
 */

/* y = alpha op(A) x + beta y; A is (m, n) */
cublasStatus_t cublasSgemv_v2(cublasHandle_t handle, cublasOperation_t trans,
                              int m, int n, const float *alpha, const float *A,
                              int lda, const float *x, int incx,
                              const float *beta, float *y, int incy);
cublasStatus_t cublasDgemv_v2(cublasHandle_t handle, cublasOperation_t trans,
                              int m, int n, const double *alpha,
                              const double *A, int lda, const double *x,
                              int incx, const double *beta, double *y,
                              int incy);
/* A += alpha x y^T */
cublasStatus_t cublasSger_v2(cublasHandle_t handle, int m, int n,
                             const float *alpha, const float *x, int incx,
                             const float *y, int incy, float *A, int lda);
cublasStatus_t cublasDger_v2(cublasHandle_t handle, int m, int n,
                             const double *alpha, const double *x, int incx,
                             const double *y, int incy, double *A, int lda);
/* y = alpha A x + beta y; A symmetric */
cublasStatus_t cublasSsymv_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                              int n, const float *alpha, const float *A,
                              int lda, const float *x, int incx,
                              const float *beta, float *y, int incy);
cublasStatus_t cublasDsymv_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                              int n, const double *alpha, const double *A,
                              int lda, const double *x, int incx,
                              const double *beta, double *y, int incy);
/* solve op(A) x = b, in place; A triangular */
cublasStatus_t cublasStrsv_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                              cublasOperation_t trans, cublasDiagType_t diag,
                              int n, const float *A, int lda, float *x,
                              int incx);
cublasStatus_t cublasDtrsv_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                              cublasOperation_t trans, cublasDiagType_t diag,
                              int n, const double *A, int lda, double *x,
                              int incx);
/* x = op(A) x; A triangular */
cublasStatus_t cublasStrmv_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                              cublasOperation_t trans, cublasDiagType_t diag,
                              int n, const float *A, int lda, float *x,
                              int incx);
cublasStatus_t cublasDtrmv_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                              cublasOperation_t trans, cublasDiagType_t diag,
                              int n, const double *A, int lda, double *x,
                              int incx);
/* A += alpha x x^T; A symmetric */
cublasStatus_t cublasSsyr_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                             int n, const float *alpha, const float *x,
                             int incx, float *A, int lda);
cublasStatus_t cublasDsyr_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                             int n, const double *alpha, const double *x,
                             int incx, double *A, int lda);
/* A += alpha (x y^T + y x^T); A symmetric */
cublasStatus_t cublasSsyr2_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                              int n, const float *alpha, const float *x,
                              int incx, const float *y, int incy, float *A,
                              int lda);
cublasStatus_t cublasDsyr2_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                              int n, const double *alpha, const double *x,
                              int incx, const double *y, int incy, double *A,
                              int lda);
/* C = alpha A B + beta C, or B A; A symmetric, C (m, n) */
cublasStatus_t cublasSsymm_v2(cublasHandle_t handle, cublasSideMode_t side,
                              cublasFillMode_t uplo, int m, int n,
                              const float *alpha, const float *A, int lda,
                              const float *B, int ldb, const float *beta,
                              float *C, int ldc);
cublasStatus_t cublasDsymm_v2(cublasHandle_t handle, cublasSideMode_t side,
                              cublasFillMode_t uplo, int m, int n,
                              const double *alpha, const double *A, int lda,
                              const double *B, int ldb, const double *beta,
                              double *C, int ldc);
/* C = alpha op(A) op(A)^T + beta C; C symmetric (n, n) */
cublasStatus_t cublasSsyrk_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                              cublasOperation_t trans, int n, int k,
                              const float *alpha, const float *A, int lda,
                              const float *beta, float *C, int ldc);
cublasStatus_t cublasDsyrk_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                              cublasOperation_t trans, int n, int k,
                              const double *alpha, const double *A, int lda,
                              const double *beta, double *C, int ldc);
/* C = alpha (op(A) op(B)^T + op(B) op(A)^T) + beta C; C symmetric (n, n) */
cublasStatus_t cublasSsyr2k_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                               cublasOperation_t trans, int n, int k,
                               const float *alpha, const float *A, int lda,
                               const float *B, int ldb, const float *beta,
                               float *C, int ldc);
cublasStatus_t cublasDsyr2k_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                               cublasOperation_t trans, int n, int k,
                               const double *alpha, const double *A, int lda,
                               const double *B, int ldb, const double *beta,
                               double *C, int ldc);
/* solve op(A) X = alpha B, or X op(A), in place; A triangular */
cublasStatus_t cublasStrsm_v2(cublasHandle_t handle, cublasSideMode_t side,
                              cublasFillMode_t uplo, cublasOperation_t trans,
                              cublasDiagType_t diag, int m, int n,
                              const float *alpha, const float *A, int lda,
                              float *B, int ldb);
cublasStatus_t cublasDtrsm_v2(cublasHandle_t handle, cublasSideMode_t side,
                              cublasFillMode_t uplo, cublasOperation_t trans,
                              cublasDiagType_t diag, int m, int n,
                              const double *alpha, const double *A, int lda,
                              double *B, int ldb);
/* C = alpha op(A) B, or B op(A); A triangular, C (m, n) may be B */
cublasStatus_t cublasStrmm_v2(cublasHandle_t handle, cublasSideMode_t side,
                              cublasFillMode_t uplo, cublasOperation_t trans,
                              cublasDiagType_t diag, int m, int n,
                              const float *alpha, const float *A, int lda,
                              const float *B, int ldb, float *C, int ldc);
cublasStatus_t cublasDtrmm_v2(cublasHandle_t handle, cublasSideMode_t side,
                              cublasFillMode_t uplo, cublasOperation_t trans,
                              cublasDiagType_t diag, int m, int n,
                              const double *alpha, const double *A, int lda,
                              const double *B, int ldb, double *C, int ldc);
/* C = diag(x) A, or A diag(x); C (m, n) may be A, and incx 0 */
cublasStatus_t cublasSdgmm(cublasHandle_t handle, cublasSideMode_t mode, int m,
                           int n, const float *A, int lda, const float *x,
                           int incx, float *C, int ldc);
cublasStatus_t cublasDdgmm(cublasHandle_t handle, cublasSideMode_t mode, int m,
                           int n, const double *A, int lda, const double *x,
                           int incx, double *C, int ldc);
/* C = alpha op(A) + beta op(B); C (m, n) may be A or B */
cublasStatus_t cublasSgeam(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n,
                           const float *alpha, const float *A, int lda,
                           const float *beta, const float *B, int ldb, float *C,
                           int ldc);
cublasStatus_t cublasDgeam(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n,
                           const double *alpha, const double *A, int lda,
                           const double *beta, const double *B, int ldb,
                           double *C, int ldc);

/*
 * C (m, n) = alpha op(A) (m, k) op(B) (k, n) + beta C. S is for float, D for
 * double, H for __half, whose sums are fp32 here and rounded once.
 */
cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t transa,
                              cublasOperation_t transb, int m, int n, int k,
                              const float *alpha, const float *A, int lda,
                              const float *B, int ldb, const float *beta,
                              float *C, int ldc);
cublasStatus_t cublasDgemm_v2(cublasHandle_t handle, cublasOperation_t transa,
                              cublasOperation_t transb, int m, int n, int k,
                              const double *alpha, const double *A, int lda,
                              const double *B, int ldb, const double *beta,
                              double *C, int ldc);
cublasStatus_t
cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                          cublasOperation_t transb, int m, int n, int k,
                          const float *alpha, const float *A, int lda,
                          long long int strideA, const float *B, int ldb,
                          long long int strideB, const float *beta, float *C,
                          int ldc, long long int strideC, int batchCount);
cublasStatus_t
cublasDgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                          cublasOperation_t transb, int m, int n, int k,
                          const double *alpha, const double *A, int lda,
                          long long int strideA, const double *B, int ldb,
                          long long int strideB, const double *beta, double *C,
                          int ldc, long long int strideC, int batchCount);
/* The arrays of pointers are in device memory, and are read
 * when the product runs. */
cublasStatus_t
cublasSgemmBatched(cublasHandle_t handle, cublasOperation_t transa,
                   cublasOperation_t transb, int m, int n, int k,
                   const float *alpha, const float *const Aarray[], int lda,
                   const float *const Barray[], int ldb, const float *beta,
                   float *const Carray[], int ldc, int batchCount);
cublasStatus_t
cublasDgemmBatched(cublasHandle_t handle, cublasOperation_t transa,
                   cublasOperation_t transb, int m, int n, int k,
                   const double *alpha, const double *const Aarray[], int lda,
                   const double *const Barray[], int ldb, const double *beta,
                   double *const Carray[], int ldc, int batchCount);
#ifdef __cplusplus /* C has no __half */
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k,
                           const __half *alpha, const __half *A, int lda,
                           const __half *B, int ldb, const __half *beta,
                           __half *C, int ldc);
cublasStatus_t
cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                          cublasOperation_t transb, int m, int n, int k,
                          const __half *alpha, const __half *A, int lda,
                          long long int strideA, const __half *B, int ldb,
                          long long int strideB, const __half *beta, __half *C,
                          int ldc, long long int strideC, int batchCount);
cublasStatus_t
cublasHgemmBatched(cublasHandle_t handle, cublasOperation_t transa,
                   cublasOperation_t transb, int m, int n, int k,
                   const __half *alpha, const __half *const Aarray[], int lda,
                   const __half *const Barray[], int ldb, const __half *beta,
                   __half *const Carray[], int ldc, int batchCount);
#endif
/*
 * A and B have one type among CUDA_R_32F, CUDA_R_16F and CUDA_R_16BF; C has
 * that type or CUDA_R_32F. Or all three are CUDA_C_32F. Sums are then fp32:
 * computeType is CUBLAS_COMPUTE_32F or one of its variants, or
 * CUBLAS_COMPUTE_16F if all are CUDA_R_16F. Or A and B are CUDA_R_8I, and C and
 * the scalars are CUDA_R_32I, with CUBLAS_COMPUTE_32I. Or all are CUDA_R_64F or
 * CUDA_C_64F, with CUBLAS_COMPUTE_64F. alpha and beta have the type of the
 * sums, or A's complex type.
 */
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k,
                            const void *alpha, const void *A,
                            cudaDataType Atype, int lda, const void *B,
                            cudaDataType Btype, int ldb, const void *beta,
                            void *C, cudaDataType Ctype, int ldc,
                            cublasComputeType_t computeType,
                            cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
    int m, int n, int k, const void *alpha, const void *A, cudaDataType Atype,
    int lda, long long int strideA, const void *B, cudaDataType Btype, int ldb,
    long long int strideB, const void *beta, void *C, cudaDataType Ctype,
    int ldc, long long int strideC, int batchCount,
    cublasComputeType_t computeType, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmBatchedEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
    int m, int n, int k, const void *alpha, const void *const Aarray[],
    cudaDataType Atype, int lda, const void *const Barray[], cudaDataType Btype,
    int ldb, const void *beta, void *const Carray[], cudaDataType Ctype,
    int ldc, int batchCount, cublasComputeType_t computeType,
    cublasGemmAlgo_t algo);

/*
 * ---- complex numbers; C: float, Z: double -----------------------------------
 *
 * Like the functions above. CUBLAS_OP_C conjugates op(A).
 */

/* vectors: dotc conjugates x; asum and amax use |re| + |im| */
cublasStatus_t cublasCaxpy_v2(cublasHandle_t handle, int n,
                              const cuComplex *alpha, const cuComplex *x,
                              int incx, cuComplex *y, int incy);
cublasStatus_t cublasZaxpy_v2(cublasHandle_t handle, int n,
                              const cuDoubleComplex *alpha,
                              const cuDoubleComplex *x, int incx,
                              cuDoubleComplex *y, int incy);
cublasStatus_t cublasCscal_v2(cublasHandle_t handle, int n,
                              const cuComplex *alpha, cuComplex *x, int incx);
cublasStatus_t cublasZscal_v2(cublasHandle_t handle, int n,
                              const cuDoubleComplex *alpha, cuDoubleComplex *x,
                              int incx);
cublasStatus_t cublasCcopy_v2(cublasHandle_t handle, int n, const cuComplex *x,
                              int incx, cuComplex *y, int incy);
cublasStatus_t cublasZcopy_v2(cublasHandle_t handle, int n,
                              const cuDoubleComplex *x, int incx,
                              cuDoubleComplex *y, int incy);
cublasStatus_t cublasCswap_v2(cublasHandle_t handle, int n, cuComplex *x,
                              int incx, cuComplex *y, int incy);
cublasStatus_t cublasZswap_v2(cublasHandle_t handle, int n, cuDoubleComplex *x,
                              int incx, cuDoubleComplex *y, int incy);
cublasStatus_t cublasCsscal_v2(cublasHandle_t handle, int n, const float *alpha,
                               cuComplex *x, int incx);
cublasStatus_t cublasZdscal_v2(cublasHandle_t handle, int n,
                               const double *alpha, cuDoubleComplex *x,
                               int incx);
cublasStatus_t cublasCdotu_v2(cublasHandle_t handle, int n, const cuComplex *x,
                              int incx, const cuComplex *y, int incy,
                              cuComplex *result);
cublasStatus_t cublasZdotu_v2(cublasHandle_t handle, int n,
                              const cuDoubleComplex *x, int incx,
                              const cuDoubleComplex *y, int incy,
                              cuDoubleComplex *result);
cublasStatus_t cublasCdotc_v2(cublasHandle_t handle, int n, const cuComplex *x,
                              int incx, const cuComplex *y, int incy,
                              cuComplex *result);
cublasStatus_t cublasZdotc_v2(cublasHandle_t handle, int n,
                              const cuDoubleComplex *x, int incx,
                              const cuDoubleComplex *y, int incy,
                              cuDoubleComplex *result);
cublasStatus_t cublasScnrm2_v2(cublasHandle_t handle, int n, const cuComplex *x,
                               int incx, float *result);
cublasStatus_t cublasDznrm2_v2(cublasHandle_t handle, int n,
                               const cuDoubleComplex *x, int incx,
                               double *result);
cublasStatus_t cublasScasum_v2(cublasHandle_t handle, int n, const cuComplex *x,
                               int incx, float *result);
cublasStatus_t cublasDzasum_v2(cublasHandle_t handle, int n,
                               const cuDoubleComplex *x, int incx,
                               double *result);
cublasStatus_t cublasIcamax_v2(cublasHandle_t handle, int n, const cuComplex *x,
                               int incx, int *result);
cublasStatus_t cublasIzamax_v2(cublasHandle_t handle, int n,
                               const cuDoubleComplex *x, int incx, int *result);
cublasStatus_t cublasIcamin_v2(cublasHandle_t handle, int n, const cuComplex *x,
                               int incx, int *result);
cublasStatus_t cublasIzamin_v2(cublasHandle_t handle, int n,
                               const cuDoubleComplex *x, int incx, int *result);
/* matrices: gerc conjugates y, herk op(A); hemv's and hemm's A is Hermitian */
cublasStatus_t cublasCgemv_v2(cublasHandle_t handle, cublasOperation_t trans,
                              int m, int n, const cuComplex *alpha,
                              const cuComplex *A, int lda, const cuComplex *x,
                              int incx, const cuComplex *beta, cuComplex *y,
                              int incy);
cublasStatus_t cublasZgemv_v2(cublasHandle_t handle, cublasOperation_t trans,
                              int m, int n, const cuDoubleComplex *alpha,
                              const cuDoubleComplex *A, int lda,
                              const cuDoubleComplex *x, int incx,
                              const cuDoubleComplex *beta, cuDoubleComplex *y,
                              int incy);
cublasStatus_t cublasCgeru_v2(cublasHandle_t handle, int m, int n,
                              const cuComplex *alpha, const cuComplex *x,
                              int incx, const cuComplex *y, int incy,
                              cuComplex *A, int lda);
cublasStatus_t cublasZgeru_v2(cublasHandle_t handle, int m, int n,
                              const cuDoubleComplex *alpha,
                              const cuDoubleComplex *x, int incx,
                              const cuDoubleComplex *y, int incy,
                              cuDoubleComplex *A, int lda);
cublasStatus_t cublasCgerc_v2(cublasHandle_t handle, int m, int n,
                              const cuComplex *alpha, const cuComplex *x,
                              int incx, const cuComplex *y, int incy,
                              cuComplex *A, int lda);
cublasStatus_t cublasZgerc_v2(cublasHandle_t handle, int m, int n,
                              const cuDoubleComplex *alpha,
                              const cuDoubleComplex *x, int incx,
                              const cuDoubleComplex *y, int incy,
                              cuDoubleComplex *A, int lda);
cublasStatus_t cublasChemv_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                              int n, const cuComplex *alpha, const cuComplex *A,
                              int lda, const cuComplex *x, int incx,
                              const cuComplex *beta, cuComplex *y, int incy);
cublasStatus_t cublasZhemv_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                              int n, const cuDoubleComplex *alpha,
                              const cuDoubleComplex *A, int lda,
                              const cuDoubleComplex *x, int incx,
                              const cuDoubleComplex *beta, cuDoubleComplex *y,
                              int incy);
cublasStatus_t cublasCtrsv_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                              cublasOperation_t trans, cublasDiagType_t diag,
                              int n, const cuComplex *A, int lda, cuComplex *x,
                              int incx);
cublasStatus_t cublasZtrsv_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                              cublasOperation_t trans, cublasDiagType_t diag,
                              int n, const cuDoubleComplex *A, int lda,
                              cuDoubleComplex *x, int incx);
cublasStatus_t cublasCsymm_v2(cublasHandle_t handle, cublasSideMode_t side,
                              cublasFillMode_t uplo, int m, int n,
                              const cuComplex *alpha, const cuComplex *A,
                              int lda, const cuComplex *B, int ldb,
                              const cuComplex *beta, cuComplex *C, int ldc);
cublasStatus_t cublasZsymm_v2(cublasHandle_t handle, cublasSideMode_t side,
                              cublasFillMode_t uplo, int m, int n,
                              const cuDoubleComplex *alpha,
                              const cuDoubleComplex *A, int lda,
                              const cuDoubleComplex *B, int ldb,
                              const cuDoubleComplex *beta, cuDoubleComplex *C,
                              int ldc);
cublasStatus_t cublasChemm_v2(cublasHandle_t handle, cublasSideMode_t side,
                              cublasFillMode_t uplo, int m, int n,
                              const cuComplex *alpha, const cuComplex *A,
                              int lda, const cuComplex *B, int ldb,
                              const cuComplex *beta, cuComplex *C, int ldc);
cublasStatus_t cublasZhemm_v2(cublasHandle_t handle, cublasSideMode_t side,
                              cublasFillMode_t uplo, int m, int n,
                              const cuDoubleComplex *alpha,
                              const cuDoubleComplex *A, int lda,
                              const cuDoubleComplex *B, int ldb,
                              const cuDoubleComplex *beta, cuDoubleComplex *C,
                              int ldc);
cublasStatus_t cublasCsyrk_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                              cublasOperation_t trans, int n, int k,
                              const cuComplex *alpha, const cuComplex *A,
                              int lda, const cuComplex *beta, cuComplex *C,
                              int ldc);
cublasStatus_t cublasZsyrk_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                              cublasOperation_t trans, int n, int k,
                              const cuDoubleComplex *alpha,
                              const cuDoubleComplex *A, int lda,
                              const cuDoubleComplex *beta, cuDoubleComplex *C,
                              int ldc);
cublasStatus_t cublasCherk_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                              cublasOperation_t trans, int n, int k,
                              const float *alpha, const cuComplex *A, int lda,
                              const float *beta, cuComplex *C, int ldc);
cublasStatus_t cublasZherk_v2(cublasHandle_t handle, cublasFillMode_t uplo,
                              cublasOperation_t trans, int n, int k,
                              const double *alpha, const cuDoubleComplex *A,
                              int lda, const double *beta, cuDoubleComplex *C,
                              int ldc);
cublasStatus_t cublasCtrsm_v2(cublasHandle_t handle, cublasSideMode_t side,
                              cublasFillMode_t uplo, cublasOperation_t trans,
                              cublasDiagType_t diag, int m, int n,
                              const cuComplex *alpha, const cuComplex *A,
                              int lda, cuComplex *B, int ldb);
cublasStatus_t cublasZtrsm_v2(cublasHandle_t handle, cublasSideMode_t side,
                              cublasFillMode_t uplo, cublasOperation_t trans,
                              cublasDiagType_t diag, int m, int n,
                              const cuDoubleComplex *alpha,
                              const cuDoubleComplex *A, int lda,
                              cuDoubleComplex *B, int ldb);
cublasStatus_t cublasCgeam(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n,
                           const cuComplex *alpha, const cuComplex *A, int lda,
                           const cuComplex *beta, const cuComplex *B, int ldb,
                           cuComplex *C, int ldc);
cublasStatus_t cublasZgeam(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n,
                           const cuDoubleComplex *alpha,
                           const cuDoubleComplex *A, int lda,
                           const cuDoubleComplex *beta,
                           const cuDoubleComplex *B, int ldb,
                           cuDoubleComplex *C, int ldc);
/* products: gemm3m uses three real products instead of
 * four; same result here */
cublasStatus_t cublasCgemm_v2(cublasHandle_t handle, cublasOperation_t transa,
                              cublasOperation_t transb, int m, int n, int k,
                              const cuComplex *alpha, const cuComplex *A,
                              int lda, const cuComplex *B, int ldb,
                              const cuComplex *beta, cuComplex *C, int ldc);
cublasStatus_t cublasZgemm_v2(cublasHandle_t handle, cublasOperation_t transa,
                              cublasOperation_t transb, int m, int n, int k,
                              const cuDoubleComplex *alpha,
                              const cuDoubleComplex *A, int lda,
                              const cuDoubleComplex *B, int ldb,
                              const cuDoubleComplex *beta, cuDoubleComplex *C,
                              int ldc);
cublasStatus_t cublasCgemm3m(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, int m, int n, int k,
                             const cuComplex *alpha, const cuComplex *A,
                             int lda, const cuComplex *B, int ldb,
                             const cuComplex *beta, cuComplex *C, int ldc);
cublasStatus_t cublasZgemm3m(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, int m, int n, int k,
                             const cuDoubleComplex *alpha,
                             const cuDoubleComplex *A, int lda,
                             const cuDoubleComplex *B, int ldb,
                             const cuDoubleComplex *beta, cuDoubleComplex *C,
                             int ldc);
cublasStatus_t cublasCgemmStridedBatched(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
    int m, int n, int k, const cuComplex *alpha, const cuComplex *A, int lda,
    long long int strideA, const cuComplex *B, int ldb, long long int strideB,
    const cuComplex *beta, cuComplex *C, int ldc, long long int strideC,
    int batchCount);
cublasStatus_t cublasZgemmStridedBatched(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
    int m, int n, int k, const cuDoubleComplex *alpha, const cuDoubleComplex *A,
    int lda, long long int strideA, const cuDoubleComplex *B, int ldb,
    long long int strideB, const cuDoubleComplex *beta, cuDoubleComplex *C,
    int ldc, long long int strideC, int batchCount);
cublasStatus_t
cublasCgemmBatched(cublasHandle_t handle, cublasOperation_t transa,
                   cublasOperation_t transb, int m, int n, int k,
                   const cuComplex *alpha, const cuComplex *const Aarray[],
                   int lda, const cuComplex *const Barray[], int ldb,
                   const cuComplex *beta, cuComplex *const Carray[], int ldc,
                   int batchCount);
cublasStatus_t cublasZgemmBatched(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
    int m, int n, int k, const cuDoubleComplex *alpha,
    const cuDoubleComplex *const Aarray[], int lda,
    const cuDoubleComplex *const Barray[], int ldb, const cuDoubleComplex *beta,
    cuDoubleComplex *const Carray[], int ldc, int batchCount);

/*
 * ---- factors of many small matrices -----------------------------------------
 *
 * Arrays of pointers are in device memory, as for gemmBatched. getrf computes A
 * = P L U in place; P has n rows per matrix, or is NULL. info is in device
 * memory, with one number per matrix; getrs's info is in host memory.
 */
cublasStatus_t cublasSgetrfBatched(cublasHandle_t handle, int n,
                                   float *const A[], int lda, int *P, int *info,
                                   int batchSize);
cublasStatus_t cublasSgetrsBatched(cublasHandle_t handle,
                                   cublasOperation_t trans, int n, int nrhs,
                                   const float *const Aarray[], int lda,
                                   const int *devIpiv, float *const Barray[],
                                   int ldb, int *info, int batchSize);
cublasStatus_t cublasSgetriBatched(cublasHandle_t handle, int n,
                                   const float *const A[], int lda,
                                   const int *P, float *const C[], int ldc,
                                   int *info, int batchSize);
cublasStatus_t cublasSmatinvBatched(cublasHandle_t handle, int n,
                                    const float *const A[], int lda,
                                    float *const Ainv[], int lda_inv, int *info,
                                    int batchSize);
cublasStatus_t cublasDgetrfBatched(cublasHandle_t handle, int n,
                                   double *const A[], int lda, int *P,
                                   int *info, int batchSize);
cublasStatus_t cublasDgetrsBatched(cublasHandle_t handle,
                                   cublasOperation_t trans, int n, int nrhs,
                                   const double *const Aarray[], int lda,
                                   const int *devIpiv, double *const Barray[],
                                   int ldb, int *info, int batchSize);
cublasStatus_t cublasDgetriBatched(cublasHandle_t handle, int n,
                                   const double *const A[], int lda,
                                   const int *P, double *const C[], int ldc,
                                   int *info, int batchSize);
cublasStatus_t cublasDmatinvBatched(cublasHandle_t handle, int n,
                                    const double *const A[], int lda,
                                    double *const Ainv[], int lda_inv,
                                    int *info, int batchSize);

#ifdef __cplusplus
}
#include "cublas_migrate.h"
#endif
#endif
