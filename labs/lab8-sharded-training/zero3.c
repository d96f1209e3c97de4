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
    // Yours to write: part 3: memory (about 1 line)
    LAB_HOLE("part 3: memory");
}

/* Gather unit u into the slot, unless it is there, and point its layers at
 * it. */
static ncclResult_t bring(struct shard *s, int u)
{
    // Yours to write: part 3: bring (about 8 lines)
    // slot->unit says whose values are there.
    LAB_HOLE("part 3: bring");
}

/* Forward and backward pass of one micro-batch. Adds its gradients to s->grad
 * or, if `first`, stores them there. */
static ncclResult_t passes(struct shard *s, const struct nn_batch *b,
                           float scale, int first)
{
    // Yours to write: part 3: passes (about 16 lines)
    // gradients of a whole unit, zeros included, begin at 0.
    LAB_HOLE("part 3: passes");
}

ncclResult_t zero3_step(struct shard *s, const struct nn_batch *batch,
                        int micro)
{
    // Yours to write: part 3: a step (about 5 lines)
    // after the update, what is in the slot?
    LAB_HOLE("part 3: a step");
}
