/*
 * Part 3: ZeRO-3, which holds values only while they are needed.
 *
 *     forward    G0 F0 G1 F1 G2 F2 G3 F3
 *     backward                           B3 R3 G2 B2 R2 G1 B1 R1 G0 B0 R0
 *
 * G gathers a unit's values, R reduces its gradients, F and B are its passes.
 * Unit 3 is still in its slot when its backward pass begins.
 */
#include "lab8.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

ncclResult_t zero3_open(struct shard *s)
{
    // BEGIN HOLE part 3: memory (about 1 line)
    return shard_slots(s, 1);
    // END HOLE
}

/* Gather unit u into the slot, unless it is there, and point its layers at
 * it. */
static ncclResult_t bring(struct shard *s, int u)
{
    // BEGIN HOLE part 3: bring (about 8 lines)
    // HINT: slot->unit says whose values are there.
    struct shard_slot *const slot = &s->slot[0];
    if (slot->unit != u)
        LAB_TRY(shard_gather(s, u, slot->value, s->compute));
    slot->unit = u;
    flat_views(s, u, slot->value, slot->grad);
    return ncclSuccess;
    // END HOLE
}

/* Forward and backward pass of one micro-batch. Adds its gradients to s->grad
 * or, if `first`, stores them there. */
static ncclResult_t passes(struct shard *s, const struct nn_batch *b,
                           float scale, int first)
{
    // BEGIN HOLE part 3: passes (about 16 lines)
    // HINT: gradients of a whole unit, zeros included, begin at 0.
    float *const grad = s->slot[0].grad;
    nn_begin(s->m, b);
    for (int u = 0; u < s->plan.nunits; u++) {
        LAB_TRY(bring(s, u));
        LAB_TRY(shard_forward(s, u));
    }
    LAB_TRY_CUDA(nn_loss_backward(s->m, scale));
    for (int u = s->plan.nunits - 1; u >= 0; u--) {
        LAB_TRY(bring(s, u));
        LAB_TRY_CUDA(cudaMemsetAsync(grad, 0, s->plan.widest * sizeof *grad,
                                     s->compute));
        LAB_TRY(shard_backward(s, u));
        LAB_TRY(shard_reduce(s, u, grad, first, s->compute));
    }
    return ncclSuccess;
    // END HOLE
}

ncclResult_t zero3_step(struct shard *s, const struct nn_batch *batch,
                        int micro)
{
    // BEGIN HOLE part 3: a step (about 5 lines)
    // HINT: after the update, what is in the slot?
    for (int j = 0; j < micro; j++)
        LAB_TRY(passes(s, &batch[j], 1.0f / (float)micro, j == 0));
    s->slot[0].unit = -1;
    return shard_update(s);
    // END HOLE
}
