/*
 * Part 5: gradients that arrive late.
 *
 * A synchronous step ends with a wait for all ranks' gradients. A step that
 * applies the gradients of `late` steps ago already has them, and its own
 * travel while the next steps are computed; `late` bounds how stale they get.
 * With late = 1:
 *
 *     compute   | gradients 0 | gradients 1 | apply 0 | gradients 2 | apply 1 |
 *     puts                    | 0 to all    |         | 1 to all    |
 */
#include "lab5.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

/* Rank r's gradients of a step, in this rank's heap. */
static float *slot_of(const struct late *l, unsigned step, int r)
{
    const size_t slot = step % ((unsigned)l->late + 1);
    return l->slots + (slot * (size_t)l->s->view.nranks + (size_t)r) * l->count;
}

/* Send this rank's gradients of a step to all ranks; the network's stream does
 * not wait for the puts. */
static ncclResult_t send_gradients(struct late *l, unsigned step,
                                   cudaStream_t stream)
{
    // Yours to write: part 5: send gradients (about 16 lines)
    // copy l->grads to your own slot first: the next step overwrites
    // them. The slot held those of step - (late + 1): which values must
    // l->freed have reached, and on which stream do you wait?
    LAB_HOLE("part 5: send gradients");
}

/* Set l->grads to the sum of all ranks' gradients of a step, and release the
 * slots of that step on this rank. */
static ncclResult_t collect_gradients(struct late *l, unsigned step,
                                      cudaStream_t stream)
{
    // Yours to write: part 5: collect gradients (about 16 lines)
    // wait for each rank's; add in rank order (nn_add() in nn/ops.h). All
    // ranks must learn that this one is done with its slots.
    LAB_HOLE("part 5: collect gradients");
}

ncclResult_t late_step(struct late *l, struct nn *m,
                       const struct nn_batch *batch, struct nn_optimizer *o)
{
    // Yours to write: part 5: late step (about 12 lines)
    // as gradsync_step(); which step's gradients are due?
    LAB_HOLE("part 5: late step");
}
