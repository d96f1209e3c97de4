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
    // BEGIN HOLE part 5: send gradients (about 16 lines)
    // HINT: copy l->grads to your own slot first: the next step overwrites
    // HINT: them. The slot held those of step - (late + 1): which values must
    // HINT: l->freed have reached, and on which stream do you wait?
    const struct symm_view *const v = &l->s->view;
    float *const own = slot_of(l, step, v->rank);
    const size_t nbytes = l->count * sizeof *own;
    for (int r = 0; r < v->nranks; r++)
        if (r != v->rank && step > (unsigned)l->late)
            LAB_TRY(symm_wait(l->s, &l->freed[r], step - (unsigned)l->late,
                              stream));
    LAB_TRY_CUDA(cudaMemcpyAsync(own, l->grads, nbytes,
                                 cudaMemcpyDeviceToDevice, stream));
    LAB_TRY(symm_after(l->puts, stream));
    for (int k = 1; k < v->nranks; k++) {
        const int to = (v->rank + k) % v->nranks;
        LAB_TRY(symm_put(l->s, own, own, nbytes, to, l->puts));
        LAB_TRY(symm_signal(l->s, &l->sent[v->rank], step + 1, to, l->puts));
    }
    return ncclSuccess;
    // END HOLE
}

/* Set l->grads to the sum of all ranks' gradients of a step, and release the
 * slots of that step on this rank. */
static ncclResult_t collect_gradients(struct late *l, unsigned step,
                                      cudaStream_t stream)
{
    // BEGIN HOLE part 5: collect gradients (about 16 lines)
    // HINT: wait for each rank's; add in rank order (nn_add() in nn/ops.h). All
    // HINT: ranks must learn that this one is done with its slots.
    const struct symm_view *const v = &l->s->view;
    for (int r = 0; r < v->nranks; r++) {
        if (r != v->rank)
            LAB_TRY(symm_wait(l->s, &l->sent[r], step + 1, stream));
        if (r == 0)
            LAB_TRY_CUDA(cudaMemcpyAsync(l->grads, slot_of(l, step, r),
                                         l->count * sizeof *l->grads,
                                         cudaMemcpyDeviceToDevice, stream));
        else
            LAB_TRY_CUDA(
                nn_add(l->grads, slot_of(l, step, r), l->count, stream));
    }
    for (int r = 0; r < v->nranks; r++)
        if (r != v->rank)
            LAB_TRY(symm_signal(l->s, &l->freed[v->rank], step + 1, r, stream));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t late_step(struct late *l, struct nn *m,
                       const struct nn_batch *batch, struct nn_optimizer *o)
{
    // BEGIN HOLE part 5: late step (about 12 lines)
    // HINT: as gradsync_step(); which step's gradients are due?
    const float share = 1.0f / (float)l->s->view.nranks;
    const unsigned step = l->steps++;
    LAB_TRY_CUDA(nn_zero_grad(m));
    LAB_TRY_CUDA(nn_forward(m, batch));
    LAB_TRY_CUDA(nn_backward(m, share, NULL, NULL));
    LAB_TRY(send_gradients(l, step, m->stream));
    if (step < (unsigned)l->late)
        return ncclSuccess;
    LAB_TRY(collect_gradients(l, step - (unsigned)l->late, m->stream));
    LAB_TRY_CUDA(nn_optimizer_step(o, m));
    return ncclSuccess;
    // END HOLE
}
