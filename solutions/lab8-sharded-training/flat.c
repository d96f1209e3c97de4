/*
 * Part 1: flat parameters.
 *
 * A unit is one vector, cut without regard to where one matrix ends and the
 * next begins. So a unit takes one collective instead of one for each matrix,
 * and all shares have the same size, regardless of the matrices' shapes.
 */
#include "lab8.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

void flat_plan(const struct nn_shape *shape, int nranks, int per_unit,
               struct shard_plan *plan)
{
    // BEGIN HOLE part 1: plan (about 18 lines)
    // HINT: a share is count / nranks, rounded up.
    const size_t n = (size_t)nranks;
    *plan = (struct shard_plan){.nranks = nranks};
    for (int l = 0; l < shape->depth; l += per_unit) {
        struct shard_unit *const u = &plan->unit[plan->nunits++];
        const int left = shape->depth - l;
        u->first = l;
        u->nlayers = left < per_unit ? left : per_unit;
        for (int i = 0; i < u->nlayers; i++)
            u->count += nn_layer_count(shape, l + i);
        u->share = (u->count + n - 1) / n;
        u->begin = plan->total;
        plan->total += u->share;
        if (n * u->share > plan->widest)
            plan->widest = n * u->share;
    }
    // END HOLE
}

void flat_views(struct shard *s, int unit, float *value, float *grad)
{
    // BEGIN HOLE part 1: views (about 8 lines)
    const struct shard_unit *const u = &s->plan.unit[unit];
    size_t at = 0;
    for (int l = u->first; l < u->first + u->nlayers; l++) {
        s->m->param[l].value = value ? value + at : NULL;
        s->m->param[l].grad = grad ? grad + at : NULL;
        at += s->m->param[l].count;
    }
    // END HOLE
}

ncclResult_t flat_take(struct shard *s, int unit)
{
    // BEGIN HOLE part 1: take (about 20 lines)
    // HINT: the share is floats [from, to) of the unit, and a matrix is floats
    // HINT: [at, end): what have they in common?
    const struct shard_unit *const u = &s->plan.unit[unit];
    const size_t from = (size_t)s->rank * u->share, to = from + u->share;
    float *const mine = s->value + u->begin;
    size_t at = 0;
    LAB_TRY_CUDA(cudaMemsetAsync(mine, 0, u->share * sizeof *mine, s->compute));
    for (int l = u->first; l < u->first + u->nlayers; l++) {
        const struct nn_param *const p = &s->m->param[l];
        const size_t end = at + p->count;
        const size_t low = at > from ? at : from, high = end < to ? end : to;
        if (low < high)
            LAB_TRY_CUDA(cudaMemcpyAsync(mine + (low - from),
                                         p->value + (low - at),
                                         (high - low) * sizeof *mine,
                                         cudaMemcpyDeviceToDevice, s->compute));
        at = end;
    }
    return ncclSuccess;
    // END HOLE
}
