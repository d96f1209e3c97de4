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

ncclResult_t dp_after(struct replica *waits, struct replica *on)
{
    LAB_TRY_CUDA(cudaSetDevice(on->device));
    LAB_TRY_CUDA(cudaEventRecord(on->event, on->stream));
    LAB_TRY_CUDA(cudaSetDevice(waits->device));
    LAB_TRY_CUDA(cudaStreamWaitEvent(waits->stream, on->event, 0));
    return ncclSuccess;
}

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

ncclResult_t dp_step(struct replica *r, int n, const float *x,
                     const void *target, struct nn_optimizer *o, float *scratch)
{
    LAB_TRY(dp_replicate(r, n));
    LAB_TRY(dp_scatter(r, n, x, target));
    for (int d = 0; d < n; d++) {
        const struct nn_batch b = {r[d].x, r[d].target};
        LAB_TRY_CUDA(cudaSetDevice(r[d].device));
        LAB_TRY_CUDA(nn_zero_grad(&r[d].m));
        LAB_TRY_CUDA(nn_forward(&r[d].m, &b));
        LAB_TRY_CUDA(nn_backward(&r[d].m, 1, NULL, NULL));
    }
    LAB_TRY(dp_reduce(r, n, scratch));
    LAB_TRY_CUDA(cudaSetDevice(r[0].device));
    LAB_TRY_CUDA(nn_optimizer_step(o, &r[0].m));
    return ncclSuccess;
}
