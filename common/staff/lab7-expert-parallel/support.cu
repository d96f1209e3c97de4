/*
 * support.cu: sorting tokens, and the expert. Given: nothing to edit here.
 *
 *     kernel       computes                                     called by
 *     gather<N>    packed[i] = in[order[i]], (ntokens, dim)     moe_gather()
 *     scatter<N>   out[order[i]] = gate * packed[i], likewise   moe_scatter()
 *
 * Each thread handles a pack of N floats at a time. Launch: vector_blocks() of
 * VECTOR_THREADS.
 */
#include "lab7.h"

#include "lab/try.h" /* LAB_TRY_CUDA */
#include "lab/vector.cuh"

/* Tokens are packs of N floats, dim packs each; n packs in all. */
template <int N>
__global__ void gather(const vector_pack<N, float> *in, const int *order,
                       size_t n, int dim, vector_pack<N, float> *packed)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += step)
        packed[i] = in[(size_t)order[i / dim] * dim + i % dim];
}

template <int N>
__global__ void scatter(const vector_pack<N, float> *packed, const int *order,
                        const float *gate, size_t n, int dim,
                        vector_pack<N, float> *out)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += step) {
        const int t = order[i / dim];
        vector_pack<N, float> v = packed[i];
        for (int k = 0; k < N; k++)
            v.at[k] *= gate[t];
        out[(size_t)t * dim + i % dim] = v;
    }
}

template <int N>
static void launch_gather(const float *in, const int *order, int n, int dim,
                          float *packed, cudaStream_t stream)
{
    const size_t npacks = (size_t)n * dim / N;
    gather<N><<<vector_blocks(npacks, 1), VECTOR_THREADS, 0, stream>>>(
        (const vector_pack<N, float> *)in, order, npacks, dim / N,
        (vector_pack<N, float> *)packed);
}

template <int N>
static void launch_scatter(const float *packed, const int *order,
                           const float *gate, int n, int dim, float *out,
                           cudaStream_t stream)
{
    const size_t npacks = (size_t)n * dim / N;
    scatter<N><<<vector_blocks(npacks, 1), VECTOR_THREADS, 0, stream>>>(
        (const vector_pack<N, float> *)packed, order, gate, npacks, dim / N,
        (vector_pack<N, float> *)out);
}

/* True if tokens of dim floats consist of aligned packs of 4. */
static int goes_by_packs(const float *a, const float *b, int dim)
{
    return dim % 4 == 0 && ((uintptr_t)a | (uintptr_t)b) % VECTOR_BYTES == 0;
}

ncclResult_t moe_gather(const float *in, const int *order, int n, int dim,
                        float *packed, cudaStream_t stream)
{
    if (n == 0 || dim == 0)
        return ncclSuccess;
    if (goes_by_packs(in, packed, dim))
        launch_gather<4>(in, order, n, dim, packed, stream);
    else
        launch_gather<1>(in, order, n, dim, packed, stream);
    LAB_TRY_CUDA(cudaPeekAtLastError());
    return ncclSuccess;
}

ncclResult_t moe_scatter(const float *packed, const int *order,
                         const float *gate, int n, int dim, float *out,
                         cudaStream_t stream)
{
    if (n == 0 || dim == 0)
        return ncclSuccess;
    if (goes_by_packs(packed, out, dim))
        launch_scatter<4>(packed, order, gate, n, dim, out, stream);
    else
        launch_scatter<1>(packed, order, gate, n, dim, out, stream);
    LAB_TRY_CUDA(cudaPeekAtLastError());
    return ncclSuccess;
}

/* cuBLAS is column-major: a row-major (n, dim) is its (dim, n). */
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
