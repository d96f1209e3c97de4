/*
 * Part 2: ZeRO-2, which reduces gradients to the rank that owns them.
 *
 *     backward   | unit 3 | unit 2 | unit 1 | unit 0 |
 *     memory     | one unit's gradients, used again and again
 *                      \        \        \        \
 *     s->grad            3        2        1        0     an n-th of each
 *
 * An all-reduce is a reduce-scatter and an all-gather. The gradients need only
 * the reduce-scatter; after the update, the values take the all-gather. So a
 * step sends no more than in data parallel training.
 */
#include "lab8.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */
#include "nn/ops.h"  /* nn_add */

ncclResult_t shard_gather(struct shard *s, int unit, float *whole,
                          cudaStream_t stream)
{
    if (s->narrow)
        return mixed_gather(s, unit, whole, stream);
    // Yours to write: part 2: gather (about 4 lines)
    LAB_HOLE("part 2: gather");
}

ncclResult_t shard_reduce(struct shard *s, int unit, float *whole, int first,
                          cudaStream_t stream)
{
    if (s->replicas)
        return hybrid_reduce(s, unit, whole, first, stream);
    // Yours to write: part 2: reduce (about 10 lines)
    // a reduce-scatter may work in place, with its result where this
    // rank's share of `whole` is.
    LAB_HOLE("part 2: reduce");
}

/* Where unit u begins in s->whole. Given. */
static float *values_of(const struct shard *s, int u)
{
    return s->whole + (size_t)s->plan.nranks * s->plan.unit[u].begin;
}

/* Gather all values from all ranks' shares. Given. */
static ncclResult_t gather_all(struct shard *s)
{
    for (int u = 0; u < s->plan.nunits; u++)
        LAB_TRY(shard_gather(s, u, values_of(s, u), s->compute));
    return ncclSuccess;
}

ncclResult_t zero2_open(struct shard *s)
{
    const size_t count = (size_t)s->plan.nranks * s->plan.total;
    // Yours to write: part 2: memory (about 8 lines)
    // s->whole has count floats; s->slot[0].grad is free for one unit's
    // gradients, of plan.widest floats. shard_release() frees both.
    LAB_HOLE("part 2: memory");
}

/* The backward pass of unit u, with its gradients in s->slot[0].grad. */
static ncclResult_t backward(struct shard *s, int u, int first)
{
    // Yours to write: part 2: a unit's backward pass (about 8 lines)
    // flat_views, shard_backward, shard_reduce. The backward pass adds to
    // what is in its gradients.
    LAB_HOLE("part 2: a unit's backward pass");
}

ncclResult_t zero2_step(struct shard *s, const struct nn_batch *batch,
                        int micro)
{
    for (int j = 0; j < micro; j++) {
        nn_begin(s->m, &batch[j]);
        for (int u = 0; u < s->plan.nunits; u++) {
            flat_views(s, u, values_of(s, u), NULL);
            LAB_TRY(shard_forward(s, u));
        }
        LAB_TRY_CUDA(nn_loss_backward(s->m, 1.0f / (float)micro));
        for (int u = s->plan.nunits - 1; u >= 0; u--)
            LAB_TRY(backward(s, u, j == 0));
    }
    LAB_TRY(shard_update(s));
    return gather_all(s);
}
