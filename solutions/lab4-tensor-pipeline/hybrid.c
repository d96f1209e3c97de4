/*
 * Part 3: all three at once.
 *
 * Ranks form a box of tp by dp by pp, with communicators along its three
 * dimensions. Consecutive ranks are tensor-parallel neighbours: tensor
 * parallelism sends the most and has to stay inside a node.
 *
 *     rank = (pp_rank * dp + dp_rank) * tp + tp_rank
 *
 *     tp = pp = dp = 2     stage 0: (0 1) (2 3)   stage 1: (4 5) (6 7)
 *                          tp: 0-1 2-3 4-5 6-7    dp: 0-2 1-3 4-6 5-7
 *                          pp: 0-4 1-5 2-6 3-7
 */
#include "lab4.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

struct grid grid_of(int rank, int nranks, int tp, int pp)
{
    struct grid g = {.tp = tp, .pp = pp, .dp = nranks / tp / pp};
    // BEGIN HOLE part 3: coordinates (about 4 lines)
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
    // HINT: ncclCommSplit(): ranks of one colour stay together, ordered by
    // HINT: key. Along a dimension, the other two coordinates are constant.
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
    // in a stage, db follows da in memory
    const size_t count = matrix_count(b->da) + matrix_count(b->db);
    // BEGIN HOLE part 3: reduce behind the backward pass (about 7 lines)
    // HINT: lab 3's ddp_launch(). h->ready[] has an event for each block.
    if (h->grid.dp == 1)
        return ncclSuccess;
    LAB_TRY_CUDA(cudaEventRecord(h->ready[block], h->stage.stream));
    LAB_TRY_CUDA(cudaStreamWaitEvent(h->comm_stream, h->ready[block], 0));
    LAB_TRY(ncclAllReduce(b->da.data, b->da.data, count, ncclFloat, ncclAvg,
                          h->dp_comm, h->comm_stream));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t hybrid_finish(struct hybrid *h)
{
    // BEGIN HOLE part 3: finish (about 4 lines)
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
    // HINT: stage_begin(), hybrid_run(), hybrid_finish(), hybrid_update().
    LAB_TRY(stage_begin(&h->stage, batch));
    LAB_TRY(hybrid_run(h, &pipe, action, n));
    LAB_TRY(hybrid_finish(h));
    return hybrid_update(h);
    // END HOLE
}
