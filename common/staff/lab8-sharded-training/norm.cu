/*
 * norm.cu: the gradient's norm. Given: nothing to edit here.
 *
 *     kernel    computes                       called by
 *     squares   *out = sum of x^2, (count)     shard_squares()
 *     shrink    x *= min(1, max_norm / norm)   shard_shrink()
 *
 * Launch: squares is one block, whose threads take the elements in turn; shrink
 * is vector_blocks() of VECTOR_THREADS, each taking 16 bytes at a time.
 */
#include <math.h> /* sqrtf */

#include "lab8.h"

#include "lab/try.h" /* LAB_TRY_CUDA */
#include "lab/vector.cuh"

/* One block: the sum is added up in the same order on every run. */
__global__ void squares(size_t count, const float *x, float *out)
{
    __shared__ float part[VECTOR_THREADS];
    float sum = 0;
    for (size_t i = threadIdx.x; i < count; i += VECTOR_THREADS)
        sum += x[i] * x[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = VECTOR_THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < (unsigned)half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *out = part[0];
}

__global__ void shrink(size_t count, float *x, const float *squares,
                       float max_norm)
{
    const float norm = sqrtf(*squares);
    const float factor = norm > max_norm ? max_norm / norm : 1;
    vector_each(
        count, [=](float &x) { x *= factor; }, vector_inout(x));
}

ncclResult_t shard_squares(const float *x, size_t count, float *out,
                           cudaStream_t stream)
{
    squares<<<1, VECTOR_THREADS, 0, stream>>>(count, x, out);
    LAB_TRY_CUDA(cudaPeekAtLastError());
    return ncclSuccess;
}

ncclResult_t shard_shrink(float *x, size_t count, const float *squares,
                          float max_norm, cudaStream_t stream)
{
    enum { PACK = VECTOR_BYTES / sizeof(float) };
    shrink<<<vector_blocks(count, PACK), VECTOR_THREADS, 0, stream>>>(
        count, x, squares, max_norm);
    LAB_TRY_CUDA(cudaPeekAtLastError());
    return ncclSuccess;
}
