/*
 * Part 3: all three at once.
 *
 * Ranks are a box: tp by dp by pp of them. Along each of its edges runs a
 * communicator. Neighbours in number are neighbours in tensor parallel: it sends
 * most, and has to stay inside a node.
 *
 *     rank = (pp_rank * dp + dp_rank) * tp + tp_rank
 *
 *     tp = pp = dp = 2     stage 0: (0 1) (2 3)   stage 1: (4 5) (6 7)
 *                          tp: 0-1 2-3 4-5 6-7    dp: 0-2 1-3 4-6 5-7
 *                          pp: 0-4 1-5 2-6 3-7
 */
#include "lab4.h"

#include <string.h> /* memset */

#include "lab/lab.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

struct grid grid_of(int rank, int nranks, int tp, int pp)
{
    struct grid g = {.tp = tp, .pp = pp, .dp = nranks / tp / pp};
    // BEGIN HOLE part 3: coordinates (about 4 lines)
    // USES rank g
    g.tp_rank = rank % tp;
    g.dp_rank = rank / tp % g.dp;
    g.pp_rank = rank / tp / g.dp;
    return g;
    // END HOLE
}

ncclResult_t grid_split(const struct grid *g, ncclComm_t comm,
                        ncclComm_t *tp_comm, ncclComm_t *dp_comm,
                        ncclComm_t *pp_comm)
{
    // BEGIN HOLE part 3: communicators (about 8 lines)
    // USES g comm tp_comm dp_comm pp_comm
    // HINT: ncclCommSplit(): a colour for those that stay together, a key for their
    // HINT: order. Along an edge, the other two coordinates are the same.
    LAB_TRY(ncclCommSplit(comm, g->pp_rank * g->dp + g->dp_rank, g->tp_rank,
                          tp_comm, NULL));
    LAB_TRY(ncclCommSplit(comm, g->pp_rank * g->tp + g->tp_rank, g->dp_rank,
                          dp_comm, NULL));
    LAB_TRY(ncclCommSplit(comm, g->dp_rank * g->tp + g->tp_rank, g->pp_rank,
                          pp_comm, NULL));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t hybrid_reduce(void *arg, int block)
{
    struct hybrid *const h = arg;
    const struct block *const b = &h->stage.block[block];
    const size_t count = (size_t)(b->hidden / h->grid.tp) *
                         (size_t)(b->in + b->out); // db lies behind da
    // BEGIN HOLE part 3: reduce behind the backward pass (about 7 lines)
    // USES h block b count
    // HINT: lab 3's ddp_launch(). h->ready[] has an event for each block.
    if (h->grid.dp == 1)
        return ncclSuccess;
    LAB_TRY_CUDA(cudaEventRecord(h->ready[block], h->stage.stream));
    LAB_TRY_CUDA(cudaStreamWaitEvent(h->comm_stream, h->ready[block], 0));
    LAB_TRY(ncclAllReduce(b->da, b->da, count, ncclFloat, ncclAvg, h->dp_comm,
                          h->comm_stream));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t hybrid_finish(struct hybrid *h)
{
    // BEGIN HOLE part 3: finish (about 4 lines)
    // USES h
    LAB_TRY_CUDA(cudaEventRecord(h->done, h->comm_stream));
    LAB_TRY_CUDA(cudaStreamWaitEvent(h->stage.stream, h->done, 0));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t hybrid_step(struct hybrid *h, const struct nn_batch *batch)
{
    struct pipe_action action[2 * STAGE_MAX_MICRO * STAGE_MAX_CHUNKS];
    const int n = hybrid_schedule(h, action);
    const struct pipe pipe = {h->pp_comm, &h->stage};
    // BEGIN HOLE part 3: a step (about 7 lines)
    // USES h batch action n pipe
    // HINT: stage_begin(), hybrid_run(), hybrid_finish(), hybrid_update().
    LAB_TRY(stage_begin(&h->stage, batch));
    LAB_TRY(hybrid_run(h, &pipe, action, n));
    LAB_TRY(hybrid_finish(h));
    return hybrid_update(h);
    // END HOLE
}

/* ---- given -------------------------------------------------------------------------- */

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
