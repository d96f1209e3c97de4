/*
 * Part 4: FSDP, communication behind computation.
 *
 *     compute   .. F0  F1  F2  F3  B3  B2  B1  B0 ..
 *     comm      G0 G1 | G2  G3 |      G1 R3 G0 R2 R1  R0
 *
 * Two slots: while one unit is being computed in its slot, the next one arrives
 * in the other. Unit u is always in slot u % 2, so u + 2 may arrive there once
 * u has been computed. After the forward pass the last two units are still in
 * their slots. In the backward pass an all-gather is enqueued before the
 * reduce-scatter that could start at the same time, because computation waits
 * for it sooner.
 */
#include "lab8.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

enum { SLOTS = 2 };

ncclResult_t fsdp_open(struct shard *s)
{
    return shard_slots(s, SLOTS);
}

/*
 * Gather unit u into its slot, on s->comm_stream, after the work on s->compute
 * so far, which may use the slot. Does nothing if the slot already holds u, or
 * if there is no unit u.
 */
static ncclResult_t fetch(struct shard *s, int u)
{
    // BEGIN HOLE part 4: fetch (about 10 lines)
    // HINT: shard_after, and the slot's event `gathered`.
    if (u < 0 || u >= s->plan.nunits || s->slot[u % SLOTS].unit == u)
        return ncclSuccess;
    struct shard_slot *const slot = &s->slot[u % SLOTS];
    LAB_TRY(shard_after(s->comm_stream, s->compute));
    LAB_TRY(shard_gather(s, u, slot->value, s->comm_stream));
    LAB_TRY_CUDA(cudaEventRecord(slot->gathered, s->comm_stream));
    slot->unit = u;
    return ncclSuccess;
    // END HOLE
}

static ncclResult_t forward(struct shard *s, const struct nn_batch *b)
{
    nn_begin(s->m, b);
    // BEGIN HOLE part 4: forward (about 12 lines)
    // HINT: when may unit u + 2 be fetched, and what must the compute stream
    // HINT: wait for before unit u?
    LAB_TRY(fetch(s, 0));
    LAB_TRY(fetch(s, 1));
    for (int u = 0; u < s->plan.nunits; u++) {
        const struct shard_slot *const slot = &s->slot[u % SLOTS];
        LAB_TRY_CUDA(cudaStreamWaitEvent(s->compute, slot->gathered, 0));
        flat_views(s, u, slot->value, NULL);
        LAB_TRY(shard_forward(s, u));
        LAB_TRY(fetch(s, u + SLOTS));
    }
    return ncclSuccess;
    // END HOLE
}

static ncclResult_t backward(struct shard *s, float scale, int first)
{
    LAB_TRY_CUDA(nn_loss_backward(s->m, scale));
    // BEGIN HOLE part 4: backward (about 18 lines)
    // HINT: a slot's gradients may be zeroed once the unit that had them before
    // HINT: has been reduced: event `reduced`.
    for (int u = s->plan.nunits - 1; u >= 0; u--) {
        const struct shard_slot *const slot = &s->slot[u % SLOTS];
        LAB_TRY_CUDA(cudaStreamWaitEvent(s->compute, slot->gathered, 0));
        LAB_TRY_CUDA(cudaStreamWaitEvent(s->compute, slot->reduced, 0));
        flat_views(s, u, slot->value, slot->grad);
        LAB_TRY_CUDA(cudaMemsetAsync(
            slot->grad, 0, s->plan.widest * sizeof *slot->grad, s->compute));
        LAB_TRY(shard_backward(s, u));
        LAB_TRY(fetch(s, u - SLOTS));
        LAB_TRY(shard_after(s->comm_stream, s->compute));
        LAB_TRY(shard_reduce(s, u, slot->grad, first, s->comm_stream));
        LAB_TRY_CUDA(cudaEventRecord(slot->reduced, s->comm_stream));
    }
    return ncclSuccess;
    // END HOLE
}

ncclResult_t fsdp_step(struct shard *s, const struct nn_batch *batch, int micro)
{
    // BEGIN HOLE part 4: a step (about 9 lines)
    for (int j = 0; j < micro; j++) {
        LAB_TRY(forward(s, &batch[j]));
        LAB_TRY(backward(s, 1.0f / (float)micro, j == 0));
    }
    for (int i = 0; i < SLOTS; i++)
        s->slot[i].unit = -1; // values are about to change
    LAB_TRY(shard_after(s->compute, s->comm_stream));
    return shard_update(s);
    // END HOLE
}
