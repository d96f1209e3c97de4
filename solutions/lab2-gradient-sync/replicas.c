/*
 * Parts 1 and 2: n networks that stay identical.
 *
 *   rank 0   W ---broadcast---> W        W - lr mean(g)
 *   rank 1   W'            \--> W  g_1       |
 *   rank 2   W''            \-> W  g_2   all-reduce of g, mean
 *
 * Equal weights and equal gradients give equal weights: nothing else ever has
 * to be exchanged. A replica that starts with other weights, or misses one
 * mean, drifts away from the others, and only the loss shows it.
 */
#include "lab2.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

ncclResult_t sync_broadcast(struct nn *m, const struct sync *s)
{
    // BEGIN HOLE part 1: broadcast (about 8 lines)
    // HINT: p->tied tells whether a parameter shares another's memory.
    for (int i = 0; i < m->nparams; i++) {
        const struct nn_param *const p = &m->param[i];
        if (p->tied < 0)
            LAB_TRY(ncclBroadcast(p->value, p->value, p->count, ncclFloat, 0,
                                  s->comm, s->stream));
    }
    return ncclSuccess;
    // END HOLE
}

ncclResult_t sync_gradients(struct nn *m, const struct sync *s)
{
    // BEGIN HOLE part 1: mean of the gradients (about 8 lines)
    // HINT: one of NCCL's reduction operations is the mean.
    for (int i = 0; i < m->nparams; i++) {
        const struct nn_param *const p = &m->param[i];
        if (nn_is_trained(m, i))
            LAB_TRY(ncclAllReduce(p->grad, p->grad, p->count, ncclFloat,
                                  ncclAvg, s->comm, s->stream));
    }
    return ncclSuccess;
    // END HOLE
}

ncclResult_t sync_step(struct nn *m, const struct nn_batch *batch,
                       struct nn_optimizer *o, const struct sync *s)
{
    // BEGIN HOLE part 1: a step (about 6 lines)
    // HINT: the head of nn/mlp.h shows the order of a step.
    LAB_TRY_CUDA(nn_zero_grad(m));
    LAB_TRY_CUDA(nn_forward(m, batch));
    LAB_TRY_CUDA(nn_backward(m, 1, NULL, NULL));
    LAB_TRY(sync_gradients(m, s));
    LAB_TRY_CUDA(nn_optimizer_step(o, m));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t sync_accumulate(struct nn *m, const struct nn_batch *batch,
                             int micro, struct nn_optimizer *o,
                             const struct sync *s)
{
    // BEGIN HOLE part 2: accumulation (about 9 lines)
    // HINT: a backward pass adds `scale` times its gradients to those there.
    LAB_TRY_CUDA(nn_zero_grad(m));
    for (int j = 0; j < micro; j++) {
        LAB_TRY_CUDA(nn_forward(m, &batch[j]));
        LAB_TRY_CUDA(nn_backward(m, 1.0f / (float)micro, NULL, NULL));
    }
    LAB_TRY(sync_gradients(m, s));
    LAB_TRY_CUDA(nn_optimizer_step(o, m));
    return ncclSuccess;
    // END HOLE
}
