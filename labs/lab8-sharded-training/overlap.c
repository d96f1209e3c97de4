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
    // Yours to write: part 4: fetch (about 10 lines)
    // shard_after, and the slot's event `gathered`.
    LAB_HOLE("part 4: fetch");
}

static ncclResult_t forward(struct shard *s, const struct nn_batch *b)
{
    nn_begin(s->m, b);
    // Yours to write: part 4: forward (about 12 lines)
    // when may unit u + 2 be fetched, and what must the compute stream
    // wait for before unit u?
    LAB_HOLE("part 4: forward");
}

static ncclResult_t backward(struct shard *s, float scale, int first)
{
    LAB_TRY_CUDA(nn_loss_backward(s->m, scale));
    // Yours to write: part 4: backward (about 18 lines)
    // a slot's gradients may be zeroed once the unit that had them before
    // has been reduced: event `reduced`.
    LAB_HOLE("part 4: backward");
}

ncclResult_t fsdp_step(struct shard *s, const struct nn_batch *batch, int micro)
{
    // Yours to write: part 4: a step (about 9 lines)
    LAB_HOLE("part 4: a step");
}
