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
    // BEGIN HOLE part 2: launch (about 9 lines)
    // HINT: cudaEventRecord, cudaStreamWaitEvent; NCCL can reduce to a mean.
    const struct ddp_bucket *const b = &d->bucket[bucket];
    float *const buf = d->grads + b->begin;
    LAB_TRY_CUDA(cudaEventRecord(b->ready, d->compute));
    LAB_TRY_CUDA(cudaStreamWaitEvent(d->comm_stream, b->ready, 0));
    LAB_TRY(ncclAllReduce(buf, buf, b->count, ncclFloat, ncclAvg, d->comm,
                          d->comm_stream));
    LAB_TRY_CUDA(cudaEventRecord(b->done, d->comm_stream));
    return ncclSuccess;
    // END HOLE
}

int ddp_ready(void *arg, int param)
{
    struct ddp *const d = arg;
    // BEGIN HOLE part 2: ready (about 9 lines)
    // HINT: one call may launch several buckets, or none.
    if (d->no_sync)
        return ncclSuccess;
    d->bucket[d->bucket_of[param]].nready++;
    while (d->launched < d->nbuckets &&
           d->bucket[d->launched].nready == d->bucket[d->launched].nparams) {
        LAB_TRY(ddp_launch(d, d->launched));
        d->launched++;
    }
    return ncclSuccess;
    // END HOLE
}

ncclResult_t ddp_finish(struct ddp *d)
{
    // BEGIN HOLE part 2: finish (about 14 lines)
    // HINT: the compute stream waits on every bucket's `done`. (All-reduces of
    // HINT: one stream finish in order, so the last event alone would do.)
    if (d->no_sync)
        return ncclSuccess;
    for (; d->launched < d->nbuckets; d->launched++)
        LAB_TRY(ddp_launch(d, d->launched));
    for (int i = 0; i < d->nbuckets; i++) {
        LAB_TRY_CUDA(cudaStreamWaitEvent(d->compute, d->bucket[i].done, 0));
        d->bucket[i].nready = 0;
    }
    d->launched = 0;
    return ncclSuccess;
    // END HOLE
}

ncclResult_t ddp_step(struct ddp *d, const struct nn_batch *batch,
                      struct nn_optimizer *o)
{
    // BEGIN HOLE part 2: a step (about 7 lines)
    LAB_TRY_CUDA(nn_zero_grad(d->m));
    LAB_TRY_CUDA(nn_forward(d->m, batch));
    LAB_TRY_CUDA(nn_backward(d->m, 1, ddp_ready, d));
    LAB_TRY(ddp_finish(d));
    LAB_TRY_CUDA(nn_optimizer_step(o, d->m));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t ddp_accumulate(struct ddp *d, const struct nn_batch *batch,
                            int micro, struct nn_optimizer *o)
{
    // BEGIN HOLE part 3: accumulation (about 12 lines)
    // HINT: the last pass launches the buckets, which then hold the sums of all
    // HINT: passes.
    LAB_TRY_CUDA(nn_zero_grad(d->m));
    for (int j = 0; j < micro; j++) {
        d->no_sync = j < micro - 1;
        LAB_TRY_CUDA(nn_forward(d->m, &batch[j]));
        LAB_TRY_CUDA(nn_backward(d->m, 1.0f / (float)micro, ddp_ready, d));
    }
    LAB_TRY(ddp_finish(d));
    LAB_TRY_CUDA(nn_optimizer_step(o, d->m));
    return ncclSuccess;
    // END HOLE
}
