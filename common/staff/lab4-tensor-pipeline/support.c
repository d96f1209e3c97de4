/*
 * support.c: functions for hybrid.c: initialisation of the grid and its stage,
 * a step's actions, and the weight update. Given: nothing to edit here.
 */
#include <string.h> /* memset */

#include "lab/try.h" /* LAB_TRY, LAB_TRY_CUDA */
#include "lab4.h"

ncclResult_t hybrid_init(struct hybrid *h, const struct hybrid_config *c,
                         int rank, int nranks, ncclComm_t comm,
                         cudaStream_t stream)
{
    memset(h, 0, sizeof *h);
    h->c = *c;
    h->grid = grid_of(rank, nranks, c->tp, c->pp);
    LAB_TRY(grid_split(&h->grid, comm, &h->tp_comm, &h->dp_comm, &h->pp_comm));
    const struct stage_config stage = {
        .shape = c->shape,
        .tp = {h->tp_comm, h->grid.tp_rank, c->tp, NULL, stream},
        .index = h->grid.pp_rank,
        .nstages = c->pp,
        .nchunks =
            c->schedule == HYBRID_INTERLEAVED && c->pp > 1 ? c->nchunks : 1,
        .nmicro = c->nmicro,
        .checkpoint = c->checkpoint};
    LAB_TRY(stage_init(&h->stage, &stage));
    h->stage.hook = hybrid_reduce;
    h->stage.hook_arg = h;
    LAB_TRY_CUDA(
        cudaStreamCreateWithFlags(&h->comm_stream, cudaStreamNonBlocking));
    LAB_TRY_CUDA(cudaEventCreateWithFlags(&h->done, cudaEventDisableTiming));
    for (int i = 0; i < h->stage.nblocks; i++)
        LAB_TRY_CUDA(
            cudaEventCreateWithFlags(&h->ready[i], cudaEventDisableTiming));
    if (c->optimizer == NN_SGD)
        return ncclSuccess;
    const size_t nbytes = 2 * h->stage.count * sizeof(float);
    LAB_TRY_CUDA(cudaMalloc((void **)&h->state, nbytes));
    LAB_TRY_CUDA(cudaMemsetAsync(h->state, 0, nbytes, stream));
    return ncclSuccess;
}

void hybrid_release(struct hybrid *h)
{
    ncclComm_t *const comm[] = {&h->tp_comm, &h->dp_comm, &h->pp_comm};
    const int nblocks = h->stage.nblocks;
    stage_release(&h->stage);
    for (int i = 0; i < nblocks; i++)
        if (h->ready[i])
            cudaEventDestroy(h->ready[i]);
    if (h->done)
        cudaEventDestroy(h->done);
    if (h->comm_stream)
        cudaStreamDestroy(h->comm_stream);
    for (int i = 0; i < 3; i++)
        if (*comm[i])
            ncclCommDestroy(*comm[i]);
    cudaFree(h->state);
    memset(h, 0, sizeof *h);
}

int hybrid_schedule(const struct hybrid *h, struct pipe_action *out)
{
    const struct stage_config *const c = &h->stage.c;
    if (h->c.schedule == HYBRID_FILL_DRAIN)
        return schedule_fill_drain(c->nstages, c->index, c->nmicro, out);
    if (c->nchunks == 1)
        return schedule_1f1b(c->nstages, c->index, c->nmicro, out);
    return schedule_interleaved(c->nstages, c->index, c->nmicro, c->nchunks,
                                out);
}

ncclResult_t hybrid_run(const struct hybrid *h, const struct pipe *p,
                        const struct pipe_action *a, int n)
{
    return h->stage.c.nchunks == 1 ? pipe_run(p, a, n)
                                   : pipe_run_interleaved(p, a, n);
}

ncclResult_t hybrid_update(struct hybrid *h)
{
    const struct stage *const s = &h->stage;
    h->step++;
    LAB_TRY_CUDA(
        h->c.optimizer == NN_SGD
            ? nn_sgd(s->weights, s->grads, &h->c.hyper, s->count, s->stream)
            : nn_adamw(s->weights, s->grads, h->state, h->state + s->count,
                       h->step, &h->c.hyper, s->count, s->stream));
    return ncclSuccess;
}
