/*
 * Part 2: ZeRO-2, gradients are reduced to the rank that owns them.
 *
 *     backward   | unit 3 | unit 2 | unit 1 | unit 0 |
 *     memory     | one unit's gradients, used again and again
 *                      \        \        \        \
 *     s->grad            3        2        1        0     an n-th of each
 *
 * An all-reduce is a reduce-scatter and an all-gather. Gradients need the first
 * half; the second comes after the update, for values. So nothing more is sent
 * than in data parallel training.
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
    (void)s, (void)unit, (void)whole, (void)stream;
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
    (void)s, (void)unit, (void)whole, (void)first, (void)stream;
    LAB_HOLE("part 2: reduce");
}

/* Where unit u begins in s->whole. Given. */
static float *values_of(const struct shard *s, int u)
{
    return s->whole + (size_t)s->plan.nranks * s->plan.unit[u].begin;
}

/* All values from all ranks' shares. Given. */
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
    (void)s, (void)count, (void)gather_all;
    LAB_HOLE("part 2: memory");
}

/* The backward pass of a unit, whose gradients s->slot[0].grad is for. */
static ncclResult_t backward(struct shard *s, int u, int first)
{
    // Yours to write: part 2: a unit's backward pass (about 8 lines)
    // flat_views, shard_backward, shard_reduce. The backward pass adds to
    // what is in its gradients.
    (void)s, (void)u, (void)first, (void)values_of;
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
