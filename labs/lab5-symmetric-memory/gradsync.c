/*
 * Part 5: gradients of a small model.
 *
 * For the gradients of a model of a megabyte, NCCL's all-reduce takes longer to
 * start than to send them. Views, as in lab 3, put all of them into one
 * symmetric buffer, where peers can read them.
 */
#include "lab5.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

ncclResult_t gradsync_open(struct gradsync *g, struct symm_reducer *a,
                           struct nn *m)
{
    // Yours to write: part 5: views (about 18 lines)
    // count first, allocate, then make p->grad point into g->grads.
    // p->tied is the parameter whose gradient p shares; a frozen one has
    // none.
    LAB_HOLE("part 5: views");
}

ncclResult_t gradsync_step(struct gradsync *g, struct nn *m,
                           const struct nn_batch *batch, struct nn_optimizer *o)
{
    // Yours to write: part 5: step (about 12 lines)
    // the optimizer reads p->grad, but the sums are in g->sums.
    // nn_backward() takes a scale: where do you divide by the number of
    // ranks?
    LAB_HOLE("part 5: step");
}
