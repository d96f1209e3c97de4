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
    // Yours to write: part 1: broadcast (about 8 lines)
    // p->tied tells whether a parameter shares another's memory.
    LAB_HOLE("part 1: broadcast");
}

ncclResult_t sync_gradients(struct nn *m, const struct sync *s)
{
    // Yours to write: part 1: mean of the gradients (about 8 lines)
    // one of NCCL's reduction operations is the mean.
    LAB_HOLE("part 1: mean of the gradients");
}

ncclResult_t sync_step(struct nn *m, const struct nn_batch *batch,
                       struct nn_optimizer *o, const struct sync *s)
{
    // Yours to write: part 1: a step (about 6 lines)
    // the head of nn/mlp.h shows the order of a step.
    LAB_HOLE("part 1: a step");
}

ncclResult_t sync_accumulate(struct nn *m, const struct nn_batch *batch,
                             int micro, struct nn_optimizer *o,
                             const struct sync *s)
{
    // Yours to write: part 2: accumulation (about 9 lines)
    // a backward pass adds `scale` times its gradients to those there.
    LAB_HOLE("part 2: accumulation");
}
