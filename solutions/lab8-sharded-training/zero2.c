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
    // BEGIN HOLE part 2: gather (about 4 lines)
    const struct shard_unit *const u = &s->plan.unit[unit];
    LAB_TRY(ncclAllGather(s->value + u->begin, whole, u->share, ncclFloat,
                          s->comm, stream));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t shard_reduce(struct shard *s, int unit, float *whole, int first,
                          cudaStream_t stream)
{
    if (s->replicas)
        return hybrid_reduce(s, unit, whole, first, stream);
    // BEGIN HOLE part 2: reduce (about 10 lines)
    // HINT: a reduce-scatter may work in place, with its result where this
    // HINT: rank's share of `whole` is.
    const struct shard_unit *const u = &s->plan.unit[unit];
    float *const sum = s->grad + u->begin;
    float *const mine = first ? sum : whole + (size_t)s->rank * u->share;
    LAB_TRY(ncclReduceScatter(whole, mine, u->share, ncclFloat, ncclAvg,
                              s->comm, stream));
    if (!first)
        LAB_TRY_CUDA(nn_add(sum, mine, u->share, stream));
    return ncclSuccess;
    // END HOLE
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
    // BEGIN HOLE part 2: memory (about 8 lines)
    // HINT: s->whole has count floats; s->slot[0].grad is free for one unit's
    // HINT: gradients, of plan.widest floats. shard_release() frees both.
    LAB_TRY_CUDA(cudaMalloc((void **)&s->whole, count * sizeof *s->whole));
    LAB_TRY_CUDA(cudaMalloc((void **)&s->slot[0].grad,
                            s->plan.widest * sizeof *s->slot[0].grad));
    return gather_all(s);
    // END HOLE
}

/* The backward pass of unit u, with its gradients in s->slot[0].grad. */
static ncclResult_t backward(struct shard *s, int u, int first)
{
    // BEGIN HOLE part 2: a unit's backward pass (about 8 lines)
    // HINT: flat_views, shard_backward, shard_reduce. The backward pass adds to
    // HINT: what is in its gradients.
    float *const grad = s->slot[0].grad;
    const size_t count = (size_t)s->plan.nranks * s->plan.unit[u].share;
    LAB_TRY_CUDA(cudaMemsetAsync(grad, 0, count * sizeof *grad, s->compute));
    flat_views(s, u, values_of(s, u), grad);
    LAB_TRY(shard_backward(s, u));
    return shard_reduce(s, u, grad, first, s->compute);
    // END HOLE
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
