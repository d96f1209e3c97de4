/*
 * Part 1: flat parameters.
 *
 * One collective for a unit instead of one for each matrix, and shares of equal
 * size whatever the matrices' shapes: a unit is a vector, cut without regard
 * to where one matrix ends and the next begins.
 */
#include "lab8.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

void flat_plan(const struct nn_shape *shape, int nranks, int per_unit,
               struct shard_plan *plan)
{
    // Yours to write: part 1: plan (about 18 lines)
    // a share is count / nranks, rounded up.
    (void)shape, (void)nranks, (void)per_unit, (void)plan;
    LAB_HOLE("part 1: plan");
}

void flat_views(struct shard *s, int unit, float *value, float *grad)
{
    // Yours to write: part 1: views (about 8 lines)
    (void)s, (void)unit, (void)value, (void)grad;
    LAB_HOLE("part 1: views");
}

ncclResult_t flat_take(struct shard *s, int unit)
{
    // Yours to write: part 1: take (about 20 lines)
    // the share is floats [from, to) of the unit, and a matrix is floats
    // [at, end): what have they in common?
    (void)s, (void)unit;
    LAB_HOLE("part 1: take");
}
