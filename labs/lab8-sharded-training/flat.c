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
    // Yours to write: part 1: plan (about 18 lines)
    // a share is count / nranks, rounded up.
    LAB_HOLE("part 1: plan");
}

void flat_views(struct shard *s, int unit, float *value, float *grad)
{
    // Yours to write: part 1: views (about 8 lines)
    LAB_HOLE("part 1: views");
}

ncclResult_t flat_take(struct shard *s, int unit)
{
    // Yours to write: part 1: take (about 20 lines)
    // the share is floats [from, to) of the unit, and a matrix is floats
    // [at, end): what have they in common?
    LAB_HOLE("part 1: take");
}
