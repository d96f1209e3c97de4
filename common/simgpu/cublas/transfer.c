/*
 * transfer.c: copying vectors and matrices from the host to a device, and back
 *
 * An increment of n elements is a pitch: each element, or each column, is a row
 * of cudaMemcpy2D.
 */
#include <cublas_v2.h>

#include "cublas/handle.h"

static cublasStatus_t status_of(cudaError_t err)
{
    return err == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                              : CUBLAS_STATUS_MAPPING_ERROR;
}

struct way {
    enum cudaMemcpyKind kind;
    int async;           /* 0: block until the copy is done */
    cudaStream_t stream; /* used if async */
};

static cublasStatus_t copy(const struct way *w, void *to, size_t to_pitch,
                           const void *from, size_t from_pitch, size_t width,
                           size_t height)
{
    if (width == 0 || height == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (w->async)
        return status_of(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch,
                                           width, height, w->kind, w->stream));
    return status_of(
        cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, w->kind));
}

static cublasStatus_t vector(const struct way *w, int n, int nbytes,
                             const void *x, int incx, void *y, int incy)
{
    if (nbytes <= 0 || incx <= 0 || incy <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (n < 0) // cuBLAS starts to copy, which fails
        return CUBLAS_STATUS_MAPPING_ERROR;
    const size_t size = (size_t)nbytes;
    if (incx == 1 && incy == 1)
        return copy(w, y, (size_t)n * size, x, (size_t)n * size,
                    (size_t)n * size, 1);
    return copy(w, y, (size_t)incy * size, x, (size_t)incx * size, size,
                (size_t)n);
}

/* Only the copy notices a leading dimension that is too short. */
static cublasStatus_t matrix(const struct way *w, int rows, int cols,
                             int nbytes, const void *a, int lda, void *b,
                             int ldb)
{
    if (rows < 0 || cols < 0 || nbytes <= 0 || lda <= 0 || ldb <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    const size_t size = (size_t)nbytes;
    return copy(w, b, (size_t)ldb * size, a, (size_t)lda * size,
                (size_t)rows * size, (size_t)cols);
}

static const struct way to_device = {cudaMemcpyHostToDevice, 0, NULL},
                        to_host = {cudaMemcpyDeviceToHost, 0, NULL};

cublasStatus_t cublasSetVector(int n, int elemSize, const void *x, int incx,
                               void *devicePtr, int incy)
{
    return RETURN(vector(&to_device, n, elemSize, x, incx, devicePtr, incy));
}

cublasStatus_t cublasGetVector(int n, int elemSize, const void *x, int incx,
                               void *y, int incy)
{
    return RETURN(vector(&to_host, n, elemSize, x, incx, y, incy));
}

cublasStatus_t cublasSetMatrix(int rows, int cols, int elemSize, const void *A,
                               int lda, void *B, int ldb)
{
    return RETURN(matrix(&to_device, rows, cols, elemSize, A, lda, B, ldb));
}

cublasStatus_t cublasGetMatrix(int rows, int cols, int elemSize, const void *A,
                               int lda, void *B, int ldb)
{
    return RETURN(matrix(&to_host, rows, cols, elemSize, A, lda, B, ldb));
}

cublasStatus_t cublasSetVectorAsync(int n, int elemSize, const void *hostPtr,
                                    int incx, void *devicePtr, int incy,
                                    cudaStream_t stream)
{
    const struct way w = {cudaMemcpyHostToDevice, 1, stream};
    return RETURN(vector(&w, n, elemSize, hostPtr, incx, devicePtr, incy));
}

cublasStatus_t cublasGetVectorAsync(int n, int elemSize, const void *devicePtr,
                                    int incx, void *hostPtr, int incy,
                                    cudaStream_t stream)
{
    const struct way w = {cudaMemcpyDeviceToHost, 1, stream};
    return RETURN(vector(&w, n, elemSize, devicePtr, incx, hostPtr, incy));
}

cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int elemSize,
                                    const void *A, int lda, void *B, int ldb,
                                    cudaStream_t stream)
{
    const struct way w = {cudaMemcpyHostToDevice, 1, stream};
    return RETURN(matrix(&w, rows, cols, elemSize, A, lda, B, ldb));
}

cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int elemSize,
                                    const void *A, int lda, void *B, int ldb,
                                    cudaStream_t stream)
{
    const struct way w = {cudaMemcpyDeviceToHost, 1, stream};
    return RETURN(matrix(&w, rows, cols, elemSize, A, lda, B, ldb));
}
