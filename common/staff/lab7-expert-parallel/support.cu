/*
 * support.cu: sorting tokens, and the expert. Given: nothing to edit here.
 *
 *     kernel       computes                                     called by
 *     gather<N>    packed[i] = in[order[i]], (ntokens, dim)     moe_gather()
 *     scatter<N>   out[order[i]] = gate * packed[i], likewise   moe_scatter()
 *     combine<N>   out[t] = sum of gate * packed[place[i]]      moe_combine()
 *     spread<N>    packed[place[i]] = gate * dout               moe_spread()
 *     dots         dgate[i] = dout . returned[place[i]]         moe_dots()
 *     experts      processed = arrived @ weight, by slots      direct_experts()
 *     diagonals    the same, by diagonals                      direct_experts()
 *
 * Each thread handles a pack of N floats at a time; in dots a warp handles a
 * choice. Launch: vector_blocks() of VECTOR_THREADS.
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
__global__ void combine(const vector_pack<N, float> *packed, const int *place,
                        const float *gate, size_t n, int k, int dim,
                        vector_pack<N, float> *out)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += step) {
        vector_pack<N, float> sum = {};
        for (size_t c = i / dim * k; c < (i / dim + 1) * k; c++) {
            if (place[c] < 0)
                continue;
            const vector_pack<N, float> v =
                packed[(size_t)place[c] * dim + i % dim];
            for (int j = 0; j < N; j++)
                sum.at[j] += (gate ? gate[c] : 1) * v.at[j];
        }
        out[i] = sum;
    }
}

/* n packs of choices' gradients. */
template <int N>
__global__ void spread(const vector_pack<N, float> *dout, const int *place,
                       const float *gate, size_t n, int k, int dim,
                       vector_pack<N, float> *packed)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += step) {
        const size_t c = i / dim;
        if (place[c] < 0)
            continue;
        vector_pack<N, float> v = dout[c / k * dim + i % dim];
        for (int j = 0; j < N; j++)
            v.at[j] *= gate[c];
        packed[(size_t)place[c] * dim + i % dim] = v;
    }
}

enum { WARP = 32 };

__global__ void dots(const float *dout, const float *returned, const int *place,
                     int nchoices, int k, int dim, float *dgate)
{
    const int lane = threadIdx.x % WARP, nwarps = blockDim.x / WARP;
    for (int c = blockIdx.x * nwarps + threadIdx.x / WARP; c < nchoices;
         c += gridDim.x * nwarps) {
        const float *const a = dout + (size_t)(c / k) * dim;
        const int at = place[c];
        float sum = 0;
        for (int j = lane; j < dim && at >= 0; j += WARP)
            sum += a[j] * returned[(size_t)at * dim + j];
        for (int step = WARP / 2; step > 0; step /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, step);
        if (lane == 0)
            dgate[c] = sum;
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

template <int N>
static void launch_combine(const float *packed, const int *place,
                           const float *gate, int n, int k, int dim, float *out,
                           cudaStream_t stream)
{
    const size_t npacks = (size_t)n * dim / N;
    combine<N><<<vector_blocks(npacks, 1), VECTOR_THREADS, 0, stream>>>(
        (const vector_pack<N, float> *)packed, place, gate, npacks, k, dim / N,
        (vector_pack<N, float> *)out);
}

template <int N>
static void launch_spread(const float *dout, const int *place,
                          const float *gate, int nchoices, int k, int dim,
                          float *packed, cudaStream_t stream)
{
    const size_t npacks = (size_t)nchoices * dim / N;
    spread<N><<<vector_blocks(npacks, 1), VECTOR_THREADS, 0, stream>>>(
        (const vector_pack<N, float> *)dout, place, gate, npacks, k, dim / N,
        (vector_pack<N, float> *)packed);
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

ncclResult_t moe_combine(const float *packed, const int *place,
                         const float *gate, int ntokens, int k, int dim,
                         float *out, cudaStream_t stream)
{
    if (ntokens == 0 || dim == 0)
        return ncclSuccess;
    if (goes_by_packs(packed, out, dim))
        launch_combine<4>(packed, place, gate, ntokens, k, dim, out, stream);
    else
        launch_combine<1>(packed, place, gate, ntokens, k, dim, out, stream);
    LAB_TRY_CUDA(cudaPeekAtLastError());
    return ncclSuccess;
}

ncclResult_t moe_spread(const float *dout, const int *place, const float *gate,
                        int ntokens, int k, int dim, float *packed,
                        cudaStream_t stream)
{
    if (ntokens == 0 || dim == 0)
        return ncclSuccess;
    if (goes_by_packs(dout, packed, dim))
        launch_spread<4>(dout, place, gate, ntokens * k, k, dim, packed,
                         stream);
    else
        launch_spread<1>(dout, place, gate, ntokens * k, k, dim, packed,
                         stream);
    LAB_TRY_CUDA(cudaPeekAtLastError());
    return ncclSuccess;
}

ncclResult_t moe_dots(const float *dout, const float *returned,
                      const int *place, int ntokens, int k, int dim,
                      float *dgate, cudaStream_t stream)
{
    if (ntokens == 0 || dim == 0)
        return ncclSuccess;
    const size_t nthreads = (size_t)ntokens * k * WARP;
    dots<<<vector_blocks(nthreads, 1), VECTOR_THREADS, 0, stream>>>(
        dout, returned, place, ntokens * k, k, dim, dgate);
    LAB_TRY_CUDA(cudaPeekAtLastError());
    return ncclSuccess;
}

/* y = x @ the weights of expert l, or @ their transpose. cuBLAS is
 * column-major: a row-major (n, dim) is its (dim, n). */
static ncclResult_t product(const struct moe *m, int l, cublasOperation_t op,
                            const float *x, int n, float *y)
{
    const float *const weight = m->weight + (size_t)l * m->dim * m->dim;
    const float one = 1, zero = 0;
    if (n == 0)
        return ncclSuccess;
    const cublasStatus_t status =
        cublasSgemm(m->blas, op, CUBLAS_OP_N, m->dim, n, m->dim, &one, weight,
                    m->dim, x, m->dim, &zero, y, m->dim);
    return status == CUBLAS_STATUS_SUCCESS ? ncclSuccess
                                           : ncclUnhandledCudaError;
}

ncclResult_t moe_expert_at(const struct moe *m, int l, const float *x, int n,
                           float *y)
{
    return product(m, l, CUBLAS_OP_N, x, n, y);
}

ncclResult_t moe_expert_inputs(const struct moe *m, int l, const float *dy,
                               int n, float *dx)
{
    return product(m, l, CUBLAS_OP_T, dy, n, dx);
}

ncclResult_t moe_expert_weights(const struct moe *m, const float *x,
                                const float *dy, int n, float *dweight)
{
    const size_t nbytes = (size_t)m->dim * m->dim * sizeof *dweight;
    const float one = 1, zero = 0;
    if (n == 0) {
        LAB_TRY_CUDA(cudaMemsetAsync(dweight, 0, nbytes, m->stream));
        return ncclSuccess;
    }
    const cublasStatus_t status =
        cublasSgemm(m->blas, CUBLAS_OP_N, CUBLAS_OP_T, m->dim, m->dim, n, &one,
                    dy, m->dim, x, m->dim, &zero, dweight, m->dim);
    return status == CUBLAS_STATUS_SUCCESS ? ncclSuccess
                                           : ncclUnhandledCudaError;
}

ncclResult_t moe_expert(const struct moe *m, const float *x, int n, float *y)
{
    return moe_expert_at(m, 0, x, n, y);
}

/* Block b: the tokens of block b of arrived, for expert b / nranks. */
__global__ void experts(const float *arrived, const int *count, int nranks,
                        int most, int dim, const float *weight,
                        float *processed)
{
    const size_t first = (size_t)blockIdx.x * most * dim;
    const float *const w = weight + (size_t)(blockIdx.x / nranks) * dim * dim;
    const size_t n = (size_t)count[blockIdx.x] * dim;
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) {
        const float *const x = arrived + first + i / dim * dim;
        float sum = 0;
        for (int j = 0; j < dim; j++)
            sum += x[j] * w[(size_t)j * dim + i % dim];
        processed[first + i] = sum;
    }
}

__global__ void diagonals(const float *arrived, const int *count, int nranks,
                          int most, int dim, const float *weight,
                          float *processed)
{
    const size_t first = (size_t)blockIdx.x * most * dim;
    const float *const w = weight + (size_t)(blockIdx.x / nranks) * dim;
    const size_t n = (size_t)count[blockIdx.x] * dim;
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        processed[first + i] = arrived[first + i] * w[i % dim];
}

ncclResult_t direct_experts(const struct direct *d, const float *weight,
                            int diagonal, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)(d->nranks * d->each);
    if (diagonal)
        diagonals<<<blocks, DIRECT_THREADS, 0, stream>>>(
            d->arrived, d->count, d->nranks, d->most, d->dim, weight,
            d->processed);
    else
        experts<<<blocks, DIRECT_THREADS, 0, stream>>>(
            d->arrived, d->count, d->nranks, d->most, d->dim, weight,
            d->processed);
    LAB_TRY_CUDA(cudaPeekAtLastError());
    return ncclSuccess;
}
