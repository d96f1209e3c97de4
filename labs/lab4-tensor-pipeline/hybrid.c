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
    // Yours to write: part 3: coordinates (about 4 lines)
    LAB_HOLE("part 3: coordinates");
}

ncclResult_t grid_split(const struct grid *g, ncclComm_t comm,
                        ncclComm_t *tp_comm, ncclComm_t *dp_comm,
                        ncclComm_t *pp_comm)
{
    // Yours to write: part 3: communicators (about 8 lines)
    // ncclCommSplit(): ranks of one colour stay together, ordered by
    // key. Along a dimension, the other two coordinates are constant.
    LAB_HOLE("part 3: communicators");
}

ncclResult_t hybrid_reduce(void *arg, int block)
{
    struct hybrid *const h = arg;
    const struct block *const b = &h->stage.block[block];
    // in a stage, db follows da in memory
    const size_t count = matrix_count(b->da) + matrix_count(b->db);
    // Yours to write: part 3: reduce behind the backward pass (about 7 lines)
    // lab 3's ddp_launch(). h->ready[] has an event for each block.
    LAB_HOLE("part 3: reduce behind the backward pass");
}

ncclResult_t hybrid_finish(struct hybrid *h)
{
    // Yours to write: part 3: finish (about 4 lines)
    LAB_HOLE("part 3: finish");
}

ncclResult_t hybrid_step(struct hybrid *h, const struct nn_batch *batch)
{
    struct pipe_action action[2 * STAGE_MAX_MICRO * STAGE_MAX_CHUNKS];
    const int n = hybrid_schedule(h, action);
    const struct pipe pipe = {h->pp_comm, &h->stage};
    // Yours to write: part 3: a step (about 7 lines)
    // stage_begin(), hybrid_run(), hybrid_finish(), hybrid_update().
    LAB_HOLE("part 3: a step");
}
