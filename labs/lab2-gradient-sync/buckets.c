/*
 * Part 3: fewer, larger all-reduces.
 *
 * An all-reduce of M bytes takes a + M/B: a startup time a, plus M bytes at
 * bandwidth B. Many small ones pay `a` many times. So gradients are packed next
 * to each other:
 *
 *   parameter   0      1       2     3    4      registered in this order
 *   gradient   [====] [=====] [==]  [=]  [===]   completed in reverse
 *
 *   bucket 0 = | 4   | 3 | 2  |      cap      bucket 1 = | 1     | 0    |
 */
#include "lab2.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

int bucket_assign(const struct nn *m, size_t cap_nbytes, size_t size_nbytes,
                  int *bucket)
{
    // Yours to write: part 3: assign (about 14 lines)
    // keep track of the bytes in the last bucket so far.
    LAB_HOLE("part 3: assign");
}

/* Bytes of one element as sent. */
static size_t size_of(ncclDataType_t type)
{
    return type == ncclFloat ? 4 : 2;
}

static enum nn_half half_of(ncclDataType_t type)
{
    return type == ncclHalf ? NN_FP16 : NN_BF16;
}

ncclResult_t bucket_pack(size_t at, const float *grad, size_t count,
                         ncclDataType_t type, const struct sync *s)
{
    if (type == ncclFloat)
        LAB_TRY_CUDA(cudaMemcpyAsync(s->scratch + at, grad,
                                     count * sizeof *grad,
                                     cudaMemcpyDeviceToDevice, s->stream));
    else
        LAB_TRY_CUDA(nn_narrow((uint16_t *)s->scratch + at, grad, count,
                               half_of(type), s->stream));
    return ncclSuccess;
}

ncclResult_t bucket_unpack(size_t at, float *grad, size_t count,
                           ncclDataType_t type, const struct sync *s)
{
    if (type == ncclFloat)
        LAB_TRY_CUDA(cudaMemcpyAsync(grad, s->scratch + at,
                                     count * sizeof *grad,
                                     cudaMemcpyDeviceToDevice, s->stream));
    else
        LAB_TRY_CUDA(nn_widen(grad, (const uint16_t *)s->scratch + at, count,
                              half_of(type), s->stream));
    return ncclSuccess;
}

ncclResult_t bucket_sync(struct nn *m, size_t cap_nbytes, ncclDataType_t type,
                         const struct sync *s)
{
    int bucket[NN_MAX_DEPTH];
    const int nbuckets = bucket_assign(m, cap_nbytes, size_of(type), bucket);
    // Yours to write: part 3: one all-reduce a bucket (about 25 lines)
    // packed in order, the buckets follow one another in s->scratch:
    // where does each begin, and where does the last one end?
    LAB_HOLE("part 3: one all-reduce a bucket");
}
