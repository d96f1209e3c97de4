/*
 * Part 7: a sharded optimizer.
 *
 * AdamW keeps two numbers for each parameter, and n ranks keep them n times.
 * That is unnecessary: every rank has all gradients, so each can update a part
 * of the parameters, keep state for those alone, and send them to the others.
 *
 *   rank 0   owns W0 W3     update W0 W3 --broadcast--> all
 *   rank 1   owns W1        update W1    --broadcast--> all
 *   rank 2   owns W2 W4     update W2 W4 --broadcast--> all
 */
#include "lab3.h"

#include <string.h> /* memset */

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

void zero_assign(const struct nn *m, int nranks, int *owner)
{
    // BEGIN HOLE part 7: assign (about 14 lines)
    size_t has[LAB_MAX_RANKS] = {0};
    for (int i = 0; i < m->nparams; i++) {
        owner[i] = -1;
        if (!nn_is_trained(m, i))
            continue;
        int least = 0;
        for (int r = 1; r < nranks; r++)
            if (has[r] < has[least])
                least = r;
        owner[i] = least;
        has[least] += m->param[i].count;
    }
    // END HOLE
}

ncclResult_t zero_init(struct zero *z, struct nn *m, int rank, int nranks,
                       const struct nn_hyper *hyper)
{
    memset(z, 0, sizeof *z);
    z->m = m;
    z->rank = rank;
    z->nranks = nranks;
    z->hyper = *hyper;
    zero_assign(m, nranks, z->owner);
    // BEGIN HOLE part 7: state (about 9 lines)
    // HINT: cudaMalloc what this rank needs and no more: memory is judged.
    for (int i = 0; i < m->nparams; i++)
        if (z->owner[i] == rank)
            z->count += m->param[i].count;
    if (z->count == 0)
        return ncclSuccess;
    LAB_TRY_CUDA(
        cudaMalloc((void **)&z->state, 2 * z->count * sizeof *z->state));
    LAB_TRY_CUDA(cudaMemsetAsync(z->state, 0, 2 * z->count * sizeof *z->state,
                                 m->stream));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t zero_step(struct zero *z, ncclComm_t comm)
{
    // BEGIN HOLE part 7: step (about 20 lines)
    // HINT: the broadcasts of one group run together.
    float *at = z->state;
    z->step++;
    for (int i = 0; i < z->m->nparams; i++) {
        const struct nn_param *const p = &z->m->param[i];
        if (z->owner[i] != z->rank)
            continue;
        LAB_TRY_CUDA(nn_adamw(p->value, p->grad, at, at + z->count, z->step,
                              &z->hyper, p->count, z->m->stream));
        at += p->count;
    }
    LAB_TRY(ncclGroupStart());
    for (int i = 0; i < z->m->nparams; i++) {
        const struct nn_param *const p = &z->m->param[i];
        if (z->owner[i] >= 0)
            LAB_TRY(ncclBroadcast(p->value, p->value, p->count, ncclFloat,
                                  z->owner[i], comm, z->m->stream));
    }
    return ncclGroupEnd();
    // END HOLE
}
