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
    // BEGIN HOLE part 5: views (about 18 lines)
    // HINT: count first, allocate, then make p->grad point into g->grads.
    // HINT: p->tied is the parameter whose gradient p shares; a frozen one has
    // HINT: none.
    *g = (struct gradsync){.a = a};
    for (int i = 0; i < m->nparams; i++)
        g->count += nn_is_trained(m, i) ? m->param[i].count : 0;
    const size_t nbytes = g->count * sizeof *g->grads;
    LAB_TRY(symm_alloc(a->s, nbytes, (void **)&g->grads));
    LAB_TRY(symm_alloc(a->s, nbytes, (void **)&g->sums));
    float *at = g->grads;
    for (int i = 0; i < m->nparams; i++) {
        if (!nn_is_trained(m, i))
            continue;
        m->param[i].grad = at;
        for (int k = 0; k < m->nparams; k++)
            if (m->param[k].tied == i)
                m->param[k].grad = at;
        at += m->param[i].count;
    }
    return ncclSuccess;
    // END HOLE
}

ncclResult_t gradsync_step(struct gradsync *g, struct nn *m,
                           const struct nn_batch *batch, struct nn_optimizer *o)
{
    // BEGIN HOLE part 5: step (about 12 lines)
    // HINT: the optimizer reads p->grad, but the sums are in g->sums.
    // HINT: nn_backward() takes a scale: where do you divide by the number of
    // HINT: ranks?
    const size_t nbytes = g->count * sizeof *g->grads;
    const float share = 1.0f / (float)g->a->s->view.nranks;
    LAB_TRY_CUDA(nn_zero_grad(m));
    LAB_TRY_CUDA(nn_forward(m, batch));
    LAB_TRY_CUDA(nn_backward(m, share, NULL, NULL));
    LAB_TRY(symm_all_reduce(g->a, g->grads, g->sums, g->count, m->stream));
    LAB_TRY_CUDA(cudaMemcpyAsync(g->grads, g->sums, nbytes,
                                 cudaMemcpyDeviceToDevice, m->stream));
    LAB_TRY_CUDA(nn_optimizer_step(o, m));
    return ncclSuccess;
    // END HOLE
}
