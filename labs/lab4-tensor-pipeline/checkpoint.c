/*
 * Part 3: trade time for memory.
 *
 * A micro-batch in flight keeps each block's x, z, h and u until its backward
 * pass. With checkpointing it keeps only the stage's input; its backward pass
 * starts by repeating the forward pass. Then only one micro-batch at a time
 * needs anything but x[0], and all slots can share it:
 *
 *     slots   x[0]   x[0]   x[0]   x[0]
 *                \     \     /     /
 *     work        x[1] ..  z  h  u  of every block
 */
#include "lab4.h"

#include <string.h> /* memcpy */

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

ncclResult_t checkpoint_slot(struct stage *s, struct slot *k)
{
    // Yours to write: part 3: what a slot keeps (about 10 lines)
    // slot_make_input(); slot_make_rest() once, for s->work. A stage
    // with checkpointing has one chunk.
    LAB_HOLE("part 3: what a slot keeps");
}

ncclResult_t checkpoint_backward(struct stage *s, struct slot *k)
{
    // Yours to write: part 3: forward again (about 3 lines)
    // the output of slot_forward() has already been sent. Which buffer
    // may it overwrite?
    LAB_HOLE("part 3: forward again");
}
