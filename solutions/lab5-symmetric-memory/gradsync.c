/*
 * Part 4: gradients of a small model.
 *
 * A model of a megabyte has gradients that an all-reduce of NCCL's takes longer to
 * begin with than to send. Views, as in lab 3, put all of them into one symmetric
 * buffer, where peers can read them.
 */
#include "lab5.h"

#include "lab/lab.h" /* LAB_HOLE, LAB_TRY */

ncclResult_t gradsync_open(struct gradsync *g, struct symm_reducer *a,
                           struct nn *m)
{
    // BEGIN HOLE part 4: views (about 18 lines)
    // USES g a m
    // HINT: count first, allocate, then point p->grad into g->grads. p->tied names
    // HINT: the parameter whose gradient another shares; a frozen one has none.
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
                           const struct nn_batch *b, struct nn_optimizer *o)
{
    // BEGIN HOLE part 4: step (about 12 lines)
    // USES g m b o
    // HINT: the optimizer reads p->grad, the sums come into g->sums. nn_backward()
    // HINT: takes a scale: where do you divide by the number of ranks?
    const size_t nbytes = g->count * sizeof *g->grads;
    const float share = 1.0f / (float)g->a->s->view.nranks;
    LAB_TRY_CUDA(nn_zero_grad(m));
    LAB_TRY_CUDA(nn_forward(m, b));
    LAB_TRY_CUDA(nn_backward(m, share, NULL, NULL));
    LAB_TRY(symm_all_reduce(g->a, g->grads, g->sums, g->count, m->stream));
    LAB_TRY_CUDA(cudaMemcpyAsync(g->grads, g->sums, nbytes,
                                 cudaMemcpyDeviceToDevice, m->stream));
    LAB_TRY_CUDA(nn_optimizer_step(o, m));
    return ncclSuccess;
    // END HOLE
}
