/*
 * Parts 2 and 3: all-reduces that start while the backward pass is running.
 *
 * Two streams are not ordered. One event, recorded on the compute stream after
 * the last gradient of a bucket and waited on by the comm stream, orders the
 * all-reduce after the gradient; a second one, in the other direction, orders
 * the update after the all-reduce. The host blocks on neither.
 */
#include "lab3.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

ncclResult_t ddp_launch(struct ddp *d, int bucket)
{
    // Yours to write: part 2: launch (about 9 lines)
    // cudaEventRecord, cudaStreamWaitEvent; NCCL can reduce to a mean.
    LAB_HOLE("part 2: launch");
}

int ddp_ready(void *arg, int param)
{
    struct ddp *const d = arg;
    // Yours to write: part 2: ready (about 9 lines)
    // one call may launch several buckets, or none.
    LAB_HOLE("part 2: ready");
}

ncclResult_t ddp_finish(struct ddp *d)
{
    // Yours to write: part 2: finish (about 14 lines)
    // the compute stream waits on every bucket's `done`. (All-reduces of
    // one stream finish in order, so the last event alone would do.)
    LAB_HOLE("part 2: finish");
}

ncclResult_t ddp_step(struct ddp *d, const struct nn_batch *batch,
                      struct nn_optimizer *o)
{
    // Yours to write: part 2: a step (about 7 lines)
    LAB_HOLE("part 2: a step");
}

ncclResult_t ddp_accumulate(struct ddp *d, const struct nn_batch *batch,
                            int micro, struct nn_optimizer *o)
{
    // Yours to write: part 3: accumulation (about 12 lines)
    // the last pass launches the buckets, which then hold the sums of all
    // passes.
    LAB_HOLE("part 3: accumulation");
}
