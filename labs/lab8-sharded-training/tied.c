/*
 * Part 9: a transformer, whose first and last units share a matrix.
 *
 *     forward    embed   block 0   block 1  ..   norm @ E^T      logits
 *                  E                                 E
 *     backward   dE +=   block 0   block 1  ..   dE +=           d(logits)
 *
 * E belongs to the first unit, but the last unit needs it when blocks have long
 * taken its slot; and its gradient is complete only when the backward pass
 * reaches the first unit, at the end. So E and its gradient stay in memory of
 * their own. It is gathered with its unit, and reduced with its unit, once.
 */
#include "lab8.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */
#include "nn/ops.h"  /* nn_add */

/* Floats in E, which is the beginning of the first layer's parameter. Given. */
static size_t count_of(const struct shard *s)
{
    return (size_t)s->m->shape.out * (size_t)s->m->shape.hidden;
}

ncclResult_t tied_open(struct shard *s)
{
    // Yours to write: part 9: memory (about 9 lines)
    // s->tied_value, s->tied_grad; shard_release() frees them. The last
    // layer adds to m->head_grad: what is in it before the first step?
    LAB_HOLE("part 9: memory");
}

ncclResult_t tied_keep(struct shard *s)
{
    // Yours to write: part 9: keep (about 4 lines)
    // the first unit is in its slot: m->param[0].value points into it.
    LAB_HOLE("part 9: keep");
}

ncclResult_t tied_add(struct shard *s)
{
    // Yours to write: part 9: add (about 6 lines)
    // nn_add. The next micro-batch begins with no gradient.
    LAB_HOLE("part 9: add");
}
