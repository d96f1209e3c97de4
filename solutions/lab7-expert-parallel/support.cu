/*
 * support.cu: sorting tokens, and the expert. Given: nothing to edit here.
 */
#include "lab7.h"

#include "lab/lab.h" /* LAB_TRY_CUDA */

static const unsigned THREADS = 256, MAX_BLOCKS = 1024;

static unsigned blocks_for(size_t n)
{
    const size_t full = (n + THREADS - 1) / THREADS;
    return full < MAX_BLOCKS ? (unsigned)full : MAX_BLOCKS;
}

__global__ void gather(const float *in, const int *order, size_t n, int dim,
                       float *packed)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += step)
        packed[i] = in[(size_t)order[i / dim] * dim + i % dim];
}

__global__ void scatter(const float *packed, const int *order,
                        const float *gate, size_t n, int dim, float *out)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += step) {
        const int t = order[i / dim];
        out[(size_t)t * dim + i % dim] = gate[t] * packed[i];
    }
}

ncclResult_t moe_gather(const float *in, const int *order, int n, int dim,
                        float *packed, cudaStream_t stream)
{
    const size_t count = (size_t)n * dim;
    if (count == 0)
        return ncclSuccess;
    gather<<<blocks_for(count), THREADS, 0, stream>>>(in, order, count, dim,
                                                      packed);
    LAB_TRY_CUDA(cudaPeekAtLastError());
    return ncclSuccess;
}

ncclResult_t moe_scatter(const float *packed, const int *order,
                         const float *gate, int n, int dim, float *out,
                         cudaStream_t stream)
{
    const size_t count = (size_t)n * dim;
    if (count == 0)
        return ncclSuccess;
    scatter<<<blocks_for(count), THREADS, 0, stream>>>(packed, order, gate,
                                                       count, dim, out);
    LAB_TRY_CUDA(cudaPeekAtLastError());
    return ncclSuccess;
}

/* cuBLAS counts columns first: row-major (n, dim) is its (dim, n). */
ncclResult_t moe_expert(const struct moe *m, const float *x, int n, float *y)
{
    const float one = 1, zero = 0;
    if (n == 0)
        return ncclSuccess;
    const cublasStatus_t status =
        cublasSgemm(m->blas, CUBLAS_OP_N, CUBLAS_OP_N, m->dim, n, m->dim, &one,
                    m->weight, m->dim, x, m->dim, &zero, y, m->dim);
    return status == CUBLAS_STATUS_SUCCESS ? ncclSuccess
                                           : ncclUnhandledCudaError;
}
