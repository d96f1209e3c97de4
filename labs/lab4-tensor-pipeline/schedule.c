/*
 * Part 2: the order of a stage's passes.
 *
 * A schedule lists the forward and backward passes of micro-batches in the
 * order in which a stage runs them. Three micro-batches on three stages, with
 * time to the right; a backward pass takes twice as long as a forward pass:
 *
 *     fill-drain
 *       stage 0  F0F1F2............B0--B1--B2--
 *       stage 1  ..F0F1F2......B0--B1--B2--....
 *       stage 2  ....F0F1F2B0--B1--B2--........
 *
 *     1F1B
 *       stage 0  F0F1F2........B0--..B1--..B2--
 *       stage 1  ..F0F1....B0--F2B1--..B2--....
 *       stage 2  ....F0B0--F1B1--F2B2--........
 *
 * Both take the same time. But under fill-drain all micro-batches are in flight
 * at once, each with its activations; under 1F1B at most one per stage.
 */
#include "lab4.h"

#include "lab/try.h" /* LAB_HOLE */

int schedule_fill_drain(int nstages, int stage, int nmicro,
                        struct pipe_action *out)
{
    // Yours to write: part 2: fill-drain (about 6 lines)
    LAB_HOLE("part 2: fill-drain");
}

int schedule_1f1b(int nstages, int stage, int nmicro, struct pipe_action *out)
{
    // Yours to write: part 2: 1F1B (about 12 lines)
    // how many micro-batches can be in flight in later stages before the
    // first one comes back? The last stage turns each round at once.
    LAB_HOLE("part 2: 1F1B");
}

int schedule_interleaved(int nstages, int stage, int nmicro, int nchunks,
                         struct pipe_action *out)
{
    // Yours to write: part 4: interleaved (about 16 lines)
    // backward pass number b comes after forward pass b + warm-up.
    LAB_HOLE("part 4: interleaved");
}
