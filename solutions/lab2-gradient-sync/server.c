/*
 * Part 6: a parameter server, to see its hot link.
 *
 *          rank 1 --g--\   /--W--> rank 1
 *          rank 2 --g---> 0 --W--> rank 2        everything goes through rank 0
 *          rank 3 --g--/   \--W--> rank 3
 *
 * The server receives n-1 gradients and sends n-1 sets of parameters; in a ring
 * all-reduce, every link carries 2(n-1)/n of one. So each additional rank makes
 * the server slower, but not the ring.
 */
#include "lab2.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

/* Add all workers' gradients to the server's, and take the mean. */
static ncclResult_t collect(struct nn *m, const struct sync *s)
{
    // BEGIN HOLE part 6: the server collects (about 18 lines)
    // HINT: receive all gradients of one worker in a single group, one after
    // HINT: the other in s->scratch; then add them.
    for (int from = 1; from < s->nranks; from++) {
        float *at = s->scratch;
        LAB_TRY(ncclGroupStart());
        for (int i = 0; i < m->nparams; i++)
            if (nn_is_trained(m, i)) {
                LAB_TRY(ncclRecv(at, m->param[i].count, ncclFloat, from,
                                 s->comm, s->stream));
                at += m->param[i].count;
            }
        LAB_TRY(ncclGroupEnd());
        at = s->scratch;
        for (int i = 0; i < m->nparams; i++)
            if (nn_is_trained(m, i)) {
                LAB_TRY_CUDA(
                    nn_add(m->param[i].grad, at, m->param[i].count, s->stream));
                at += m->param[i].count;
            }
    }
    for (int i = 0; i < m->nparams; i++)
        if (nn_is_trained(m, i))
            LAB_TRY_CUDA(nn_scale(m->param[i].grad, 1.0f / (float)s->nranks,
                                  m->param[i].count, s->stream));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t server_step(struct nn *m, const struct nn_batch *batch,
                         struct nn_optimizer *o, const struct sync *s)
{
    LAB_TRY(server_compute(m, batch));
    if (s->rank == 0) {
        LAB_TRY(collect(m, s));
        LAB_TRY_CUDA(nn_optimizer_step(o, m));
    }
    // BEGIN HOLE part 6: workers send, the server answers (about 20 lines)
    // HINT: a worker's sends are one group, its receives another.
    if (s->rank != 0) {
        LAB_TRY(ncclGroupStart());
        for (int i = 0; i < m->nparams; i++)
            if (nn_is_trained(m, i))
                LAB_TRY(ncclSend(m->param[i].grad, m->param[i].count, ncclFloat,
                                 0, s->comm, s->stream));
        LAB_TRY(ncclGroupEnd());
    }
    LAB_TRY(ncclGroupStart());
    for (int i = 0; i < m->nparams; i++) {
        const struct nn_param *const p = &m->param[i];
        if (!nn_is_trained(m, i))
            continue;
        for (int to = 1; s->rank == 0 && to < s->nranks; to++)
            LAB_TRY(ncclSend(p->value, p->count, ncclFloat, to, s->comm,
                             s->stream));
        if (s->rank != 0)
            LAB_TRY(
                ncclRecv(p->value, p->count, ncclFloat, 0, s->comm, s->stream));
    }
    return ncclGroupEnd();
    // END HOLE
}
