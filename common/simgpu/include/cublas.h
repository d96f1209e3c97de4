/*
 * cublas.h: cuBLAS's interface from before CUDA 4, for float and double
 *
 * The program has one handle, created at its first use. Scalars and results are
 * passed by value, and letters replace CUBLAS_OP_T and the like.
 * cublasGetError() returns the first error since the previous call. Complex
 * numbers, packed matrices and banded matrices are missing.
 */
#ifndef CUBLAS_H_
#define CUBLAS_H_
#ifdef CUBLAS_V2_H_
#error "cublas.h and cublas_v2.h exclude each other: include one of them"
#endif

#include <stdlib.h> /* size_t */

#include "cublas_api.h"

#define cublasStatus cublasStatus_t

/* One handle for the whole program, however many of its
 * files include this one. */
struct simgpu_cublas_state {
    cublasHandle_t handle;
    cublasStatus_t error;
};
__attribute__((weak)) struct simgpu_cublas_state simgpu_cublas;

/* Inlined, so that messages name the caller's line. */
#define SIMGPU_CUBLAS static inline __attribute__((always_inline))

SIMGPU_CUBLAS cublasStatus simgpu_cublas_note(cublasStatus_t status)
{
    if (simgpu_cublas.error == CUBLAS_STATUS_SUCCESS)
        simgpu_cublas.error = status;
    return status;
}
SIMGPU_CUBLAS cublasHandle_t simgpu_cublas_handle(void)
{
    if (!simgpu_cublas.handle)
        simgpu_cublas_note(cublasCreate_v2(&simgpu_cublas.handle));
    return simgpu_cublas.handle;
}
SIMGPU_CUBLAS cublasOperation_t simgpu_cublas_op(char c)
{
    return c == 'N' || c == 'n'   ? CUBLAS_OP_N
           : c == 'T' || c == 't' ? CUBLAS_OP_T
                                  : CUBLAS_OP_C;
}
SIMGPU_CUBLAS cublasFillMode_t simgpu_cublas_fill(char c)
{
    return c == 'U' || c == 'u' ? CUBLAS_FILL_MODE_UPPER
                                : CUBLAS_FILL_MODE_LOWER;
}
SIMGPU_CUBLAS cublasSideMode_t simgpu_cublas_side(char c)
{
    return c == 'R' || c == 'r' ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
}
SIMGPU_CUBLAS cublasDiagType_t simgpu_cublas_diag(char c)
{
    return c == 'U' || c == 'u' ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
}

SIMGPU_CUBLAS cublasStatus cublasInit(void)
{
    return simgpu_cublas_handle() ? CUBLAS_STATUS_SUCCESS
                                  : CUBLAS_STATUS_NOT_INITIALIZED;
}
SIMGPU_CUBLAS cublasStatus cublasShutdown(void)
{
    const cublasHandle_t handle = simgpu_cublas.handle;
    simgpu_cublas.handle = NULL;
    return handle ? cublasDestroy_v2(handle) : CUBLAS_STATUS_NOT_INITIALIZED;
}
SIMGPU_CUBLAS cublasStatus cublasGetError(void)
{
    const cublasStatus_t error = simgpu_cublas.error;
    simgpu_cublas.error = CUBLAS_STATUS_SUCCESS;
    return error;
}
SIMGPU_CUBLAS cublasStatus cublasGetVersion(int *version)
{
    return cublasGetVersion_v2(simgpu_cublas_handle(), version);
}
SIMGPU_CUBLAS cublasStatus cublasSetKernelStream(cudaStream_t stream)
{
    return simgpu_cublas_note(
        cublasSetStream_v2(simgpu_cublas_handle(), stream));
}
SIMGPU_CUBLAS cublasStatus cublasAlloc(int n, int elemSize, void **devicePtr)
{
    return n <= 0 || elemSize <= 0 ? CUBLAS_STATUS_INVALID_VALUE
           : cudaMalloc(devicePtr, (size_t)n * (size_t)elemSize)
               ? CUBLAS_STATUS_ALLOC_FAILED
               : CUBLAS_STATUS_SUCCESS;
}
SIMGPU_CUBLAS cublasStatus cublasFree(void *devicePtr)
{
    return cudaFree(devicePtr) ? CUBLAS_STATUS_INTERNAL_ERROR
                               : CUBLAS_STATUS_SUCCESS;
}

#define SIMGPU_CUBLAS_TYPE(S, s, T)                                            \
    SIMGPU_CUBLAS void cublas##S##axpy(int n, T alpha, const T *x, int incx,   \
                                       T *y, int incy)                         \
    {                                                                          \
        simgpu_cublas_note(cublas##S##axpy_v2(simgpu_cublas_handle(), n,       \
                                              &alpha, x, incx, y, incy));      \
    }                                                                          \
    SIMGPU_CUBLAS void cublas##S##scal(int n, T alpha, T *x, int incx)         \
    {                                                                          \
        simgpu_cublas_note(                                                    \
            cublas##S##scal_v2(simgpu_cublas_handle(), n, &alpha, x, incx));   \
    }                                                                          \
    SIMGPU_CUBLAS void cublas##S##copy(int n, const T *x, int incx, T *y,      \
                                       int incy)                               \
    {                                                                          \
        simgpu_cublas_note(                                                    \
            cublas##S##copy_v2(simgpu_cublas_handle(), n, x, incx, y, incy));  \
    }                                                                          \
    SIMGPU_CUBLAS void cublas##S##swap(int n, T *x, int incx, T *y, int incy)  \
    {                                                                          \
        simgpu_cublas_note(                                                    \
            cublas##S##swap_v2(simgpu_cublas_handle(), n, x, incx, y, incy));  \
    }                                                                          \
    SIMGPU_CUBLAS void cublas##S##rot(int n, T *x, int incx, T *y, int incy,   \
                                      T sc, T ss)                              \
    {                                                                          \
        simgpu_cublas_note(cublas##S##rot_v2(simgpu_cublas_handle(), n, x,     \
                                             incx, y, incy, &sc, &ss));        \
    }                                                                          \
    SIMGPU_CUBLAS T cublas##S##dot(int n, const T *x, int incx, const T *y,    \
                                   int incy)                                   \
    {                                                                          \
        T result = 0;                                                          \
        simgpu_cublas_note(cublas##S##dot_v2(simgpu_cublas_handle(), n, x,     \
                                             incx, y, incy, &result));         \
        return result;                                                         \
    }                                                                          \
    SIMGPU_CUBLAS T cublas##S##nrm2(int n, const T *x, int incx)               \
    {                                                                          \
        T result = 0;                                                          \
        simgpu_cublas_note(                                                    \
            cublas##S##nrm2_v2(simgpu_cublas_handle(), n, x, incx, &result));  \
        return result;                                                         \
    }                                                                          \
    SIMGPU_CUBLAS T cublas##S##asum(int n, const T *x, int incx)               \
    {                                                                          \
        T result = 0;                                                          \
        simgpu_cublas_note(                                                    \
            cublas##S##asum_v2(simgpu_cublas_handle(), n, x, incx, &result));  \
        return result;                                                         \
    }                                                                          \
    SIMGPU_CUBLAS void cublas##S##gemv(char trans, int m, int n, T alpha,      \
                                       const T *A, int lda, const T *x,        \
                                       int incx, T beta, T *y, int incy)       \
    {                                                                          \
        simgpu_cublas_note(cublas##S##gemv_v2(                                 \
            simgpu_cublas_handle(), simgpu_cublas_op(trans), m, n, &alpha, A,  \
            lda, x, incx, &beta, y, incy));                                    \
    }                                                                          \
    SIMGPU_CUBLAS void cublas##S##ger(int m, int n, T alpha, const T *x,       \
                                      int incx, const T *y, int incy, T *A,    \
                                      int lda)                                 \
    {                                                                          \
        simgpu_cublas_note(cublas##S##ger_v2(                                  \
            simgpu_cublas_handle(), m, n, &alpha, x, incx, y, incy, A, lda));  \
    }                                                                          \
    SIMGPU_CUBLAS void cublas##S##symv(char uplo, int n, T alpha, const T *A,  \
                                       int lda, const T *x, int incx, T beta,  \
                                       T *y, int incy)                         \
    {                                                                          \
        simgpu_cublas_note(cublas##S##symv_v2(                                 \
            simgpu_cublas_handle(), simgpu_cublas_fill(uplo), n, &alpha, A,    \
            lda, x, incx, &beta, y, incy));                                    \
    }                                                                          \
    SIMGPU_CUBLAS void cublas##S##trsv(char uplo, char trans, char diag,       \
                                       int n, const T *A, int lda, T *x,       \
                                       int incx)                               \
    {                                                                          \
        simgpu_cublas_note(cublas##S##trsv_v2(                                 \
            simgpu_cublas_handle(), simgpu_cublas_fill(uplo),                  \
            simgpu_cublas_op(trans), simgpu_cublas_diag(diag), n, A, lda, x,   \
            incx));                                                            \
    }                                                                          \
    SIMGPU_CUBLAS void cublas##S##trmv(char uplo, char trans, char diag,       \
                                       int n, const T *A, int lda, T *x,       \
                                       int incx)                               \
    {                                                                          \
        simgpu_cublas_note(cublas##S##trmv_v2(                                 \
            simgpu_cublas_handle(), simgpu_cublas_fill(uplo),                  \
            simgpu_cublas_op(trans), simgpu_cublas_diag(diag), n, A, lda, x,   \
            incx));                                                            \
    }                                                                          \
    SIMGPU_CUBLAS void cublas##S##syr(char uplo, int n, T alpha, const T *x,   \
                                      int incx, T *A, int lda)                 \
    {                                                                          \
        simgpu_cublas_note(cublas##S##syr_v2(simgpu_cublas_handle(),           \
                                             simgpu_cublas_fill(uplo), n,      \
                                             &alpha, x, incx, A, lda));        \
    }                                                                          \
    SIMGPU_CUBLAS void cublas##S##syr2(char uplo, int n, T alpha, const T *x,  \
                                       int incx, const T *y, int incy, T *A,   \
                                       int lda)                                \
    {                                                                          \
        simgpu_cublas_note(cublas##S##syr2_v2(                                 \
            simgpu_cublas_handle(), simgpu_cublas_fill(uplo), n, &alpha, x,    \
            incx, y, incy, A, lda));                                           \
    }                                                                          \
    SIMGPU_CUBLAS void cublas##S##gemm(                                        \
        char transa, char transb, int m, int n, int k, T alpha, const T *A,    \
        int lda, const T *B, int ldb, T beta, T *C, int ldc)                   \
    {                                                                          \
        simgpu_cublas_note(cublas##S##gemm_v2(                                 \
            simgpu_cublas_handle(), simgpu_cublas_op(transa),                  \
            simgpu_cublas_op(transb), m, n, k, &alpha, A, lda, B, ldb, &beta,  \
            C, ldc));                                                          \
    }                                                                          \
    SIMGPU_CUBLAS void cublas##S##symm(                                        \
        char side, char uplo, int m, int n, T alpha, const T *A, int lda,      \
        const T *B, int ldb, T beta, T *C, int ldc)                            \
    {                                                                          \
        simgpu_cublas_note(cublas##S##symm_v2(                                 \
            simgpu_cublas_handle(), simgpu_cublas_side(side),                  \
            simgpu_cublas_fill(uplo), m, n, &alpha, A, lda, B, ldb, &beta, C,  \
            ldc));                                                             \
    }                                                                          \
    SIMGPU_CUBLAS void cublas##S##syrk(char uplo, char trans, int n, int k,    \
                                       T alpha, const T *A, int lda, T beta,   \
                                       T *C, int ldc)                          \
    {                                                                          \
        simgpu_cublas_note(cublas##S##syrk_v2(                                 \
            simgpu_cublas_handle(), simgpu_cublas_fill(uplo),                  \
            simgpu_cublas_op(trans), n, k, &alpha, A, lda, &beta, C, ldc));    \
    }                                                                          \
    SIMGPU_CUBLAS void cublas##S##trsm(char side, char uplo, char transa,      \
                                       char diag, int m, int n, T alpha,       \
                                       const T *A, int lda, T *B, int ldb)     \
    {                                                                          \
        simgpu_cublas_note(cublas##S##trsm_v2(                                 \
            simgpu_cublas_handle(), simgpu_cublas_side(side),                  \
            simgpu_cublas_fill(uplo), simgpu_cublas_op(transa),                \
            simgpu_cublas_diag(diag), m, n, &alpha, A, lda, B, ldb));          \
    }                                                                          \
    SIMGPU_CUBLAS void cublas##S##syr2k(                                       \
        char uplo, char trans, int n, int k, T alpha, const T *A, int lda,     \
        const T *B, int ldb, T beta, T *C, int ldc)                            \
    {                                                                          \
        simgpu_cublas_note(cublas##S##syr2k_v2(                                \
            simgpu_cublas_handle(), simgpu_cublas_fill(uplo),                  \
            simgpu_cublas_op(trans), n, k, &alpha, A, lda, B, ldb, &beta, C,   \
            ldc));                                                             \
    }                                                                          \
    SIMGPU_CUBLAS void cublas##S##trmm(char side, char uplo, char transa,      \
                                       char diag, int m, int n, T alpha,       \
                                       const T *A, int lda, T *B, int ldb)     \
    {                                                                          \
        simgpu_cublas_note(cublas##S##trmm_v2(                                 \
            simgpu_cublas_handle(), simgpu_cublas_side(side),                  \
            simgpu_cublas_fill(uplo), simgpu_cublas_op(transa),                \
            simgpu_cublas_diag(diag), m, n, &alpha, A, lda, B, ldb, B, ldb));  \
    }                                                                          \
    SIMGPU_CUBLAS int cublasI##s##amax(int n, const T *x, int incx)            \
    {                                                                          \
        int result = 0;                                                        \
        simgpu_cublas_note(                                                    \
            cublasI##s##amax_v2(simgpu_cublas_handle(), n, x, incx, &result)); \
        return result;                                                         \
    }                                                                          \
    SIMGPU_CUBLAS int cublasI##s##amin(int n, const T *x, int incx)            \
    {                                                                          \
        int result = 0;                                                        \
        simgpu_cublas_note(                                                    \
            cublasI##s##amin_v2(simgpu_cublas_handle(), n, x, incx, &result)); \
        return result;                                                         \
    }
SIMGPU_CUBLAS_TYPE(S, s, float)
SIMGPU_CUBLAS_TYPE(D, d, double)
#undef SIMGPU_CUBLAS_TYPE
#undef SIMGPU_CUBLAS

#endif
