/*
 * Part 4: one process drives all devices.
 *
 *        device 0          device 1   ...   device n-1
 *   1    parameters -----> copy ----------> copy           in every step
 *   2    rows -----------> rows ----------> rows
 *   3    forward, backward on all of them
 *   4    gradients <------ gradients <----- gradients      to device 0
 *   5    update
 *
 * Streams of different devices are not ordered. Work that reads what another
 * stream writes has to be ordered after it, with an event. A copy between two
 * devices may be enqueued on a stream of either.
 */
#include "lab2.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

ncclResult_t dp_replicate(struct replica *r, int n)
{
    // Yours to write: part 4: replicate (about 15 lines)
    // cudaMemcpyPeerAsync; r[0]'s last update has to complete first.
    LAB_HOLE("part 4: replicate");
}

ncclResult_t dp_scatter(struct replica *r, int n, const float *x,
                        const void *target)
{
    const struct nn_shape *const shape = &r[0].m.shape;
    const size_t count = (size_t)shape->rows * (size_t)shape->in;
    const size_t target_nbytes = nn_target_count(shape) * nn_target_size(shape);
    // Yours to write: part 4: scatter (about 15 lines)
    // replica 0 also gets a copy of its rows.
    LAB_HOLE("part 4: scatter");
}

ncclResult_t dp_reduce(struct replica *r, int n, float *scratch)
{
    // Yours to write: part 4: reduce (about 20 lines)
    // nn_add() and nn_scale() run on the current device: which one is
    // that after dp_after()?
    LAB_HOLE("part 4: reduce");
}
