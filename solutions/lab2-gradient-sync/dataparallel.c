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
    // BEGIN HOLE part 4: replicate (about 15 lines)
    // HINT: cudaMemcpyPeerAsync; r[0]'s last update has to complete first.
    for (int d = 1; d < n; d++) {
        LAB_TRY(dp_after(&r[d], &r[0]));
        for (int i = 0; i < r[d].m.nparams; i++) {
            const struct nn_param *const from = &r[0].m.param[i];
            const struct nn_param *const to = &r[d].m.param[i];
            if (to->tied < 0)
                LAB_TRY_CUDA(cudaMemcpyPeerAsync(
                    to->value, r[d].device, from->value, r[0].device,
                    from->count * sizeof(float), r[d].stream));
        }
    }
    return ncclSuccess;
    // END HOLE
}

ncclResult_t dp_scatter(struct replica *r, int n, const float *x,
                        const void *target)
{
    const struct nn_shape *const shape = &r[0].m.shape;
    const size_t count = (size_t)shape->rows * (size_t)shape->in;
    const size_t target_nbytes = nn_target_count(shape) * nn_target_size(shape);
    // BEGIN HOLE part 4: scatter (about 15 lines)
    // HINT: replica 0 also gets a copy of its rows.
    for (int d = 0; d < n; d++) {
        const size_t at = (size_t)d;
        if (d > 0)
            LAB_TRY(dp_after(&r[d], &r[0]));
        LAB_TRY_CUDA(cudaMemcpyPeerAsync(r[d].x, r[d].device, x + at * count,
                                         r[0].device, count * sizeof *x,
                                         r[d].stream));
        if (r[d].target)
            LAB_TRY_CUDA(
                cudaMemcpyPeerAsync(r[d].target, r[d].device,
                                    (const char *)target + at * target_nbytes,
                                    r[0].device, target_nbytes, r[d].stream));
    }
    return ncclSuccess;
    // END HOLE
}

ncclResult_t dp_reduce(struct replica *r, int n, float *scratch)
{
    // BEGIN HOLE part 4: reduce (about 20 lines)
    // HINT: nn_add() and nn_scale() run on the current device: which one is
    // HINT: that after dp_after()?
    struct nn *const m = &r[0].m;
    for (int d = 1; d < n; d++) {
        LAB_TRY(dp_after(&r[0], &r[d]));
        for (int i = 0; i < m->nparams; i++) {
            const struct nn_param *const p = &m->param[i];
            if (!nn_is_trained(m, i))
                continue;
            LAB_TRY_CUDA(cudaMemcpyPeerAsync(
                scratch, r[0].device, r[d].m.param[i].grad, r[d].device,
                p->count * sizeof *scratch, r[0].stream));
            LAB_TRY_CUDA(nn_add(p->grad, scratch, p->count, r[0].stream));
        }
    }
    LAB_TRY_CUDA(cudaSetDevice(r[0].device));
    for (int i = 0; i < m->nparams; i++)
        if (nn_is_trained(m, i))
            LAB_TRY_CUDA(nn_scale(m->param[i].grad, 1.0f / (float)n,
                                  m->param[i].count, r[0].stream));
    return ncclSuccess;
    // END HOLE
}
