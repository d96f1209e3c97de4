/*
 * Parts 2 and 3: all-reduces that start while the backward pass goes on.
 *
 * Two streams know nothing of each other. An event that is recorded on the
 * compute stream behind the last gradient of a bucket, and waited for on the comm
 * stream, is what makes the all-reduce come after it; another, the other way
 * round, makes the update come after the all-reduce. The host waits for neither.
 */
#include "lab3.h"

#include "lab/lab.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

ncclResult_t ddp_launch(struct ddp *d, int b)
{
    // BEGIN HOLE part 2: launch (about 9 lines)
    // USES d b
    // HINT: cudaEventRecord, cudaStreamWaitEvent; NCCL has a mean.
    struct ddp_bucket *const k = &d->bucket[b];
    float *const buf = d->grads + k->begin;
    LAB_TRY_CUDA(cudaEventRecord(k->ready, d->compute));
    LAB_TRY_CUDA(cudaStreamWaitEvent(d->comm_stream, k->ready, 0));
    LAB_TRY(ncclAllReduce(buf, buf, k->count, ncclFloat, ncclAvg, d->comm,
                          d->comm_stream));
    LAB_TRY_CUDA(cudaEventRecord(k->done, d->comm_stream));
    return ncclSuccess;
    // END HOLE
}

int ddp_ready(void *arg, int param)
{
    struct ddp *const d = arg;
    // BEGIN HOLE part 2: ready (about 9 lines)
    // USES d param
    // HINT: one call may let several buckets go, or none.
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
    // USES d
    // HINT: a stream is in order: is one wait enough?
    if (d->no_sync)
        return ncclSuccess;
    for (; d->launched < d->nbuckets; d->launched++)
        LAB_TRY(ddp_launch(d, d->launched));
    for (int b = 0; b < d->nbuckets; b++) {
        LAB_TRY_CUDA(cudaStreamWaitEvent(d->compute, d->bucket[b].done, 0));
        d->bucket[b].nready = 0;
    }
    d->launched = 0;
    return ncclSuccess;
    // END HOLE
}

ncclResult_t ddp_step(struct ddp *d, const struct nn_batch *b,
                      struct nn_optimizer *o)
{
    // BEGIN HOLE part 2: a step (about 7 lines)
    // USES d b o
    LAB_TRY_CUDA(nn_zero_grad(d->m));
    LAB_TRY_CUDA(nn_forward(d->m, b));
    LAB_TRY_CUDA(nn_backward(d->m, 1, ddp_ready, d));
    LAB_TRY(ddp_finish(d));
    LAB_TRY_CUDA(nn_optimizer_step(o, d->m));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t ddp_accumulate(struct ddp *d, const struct nn_batch *b, int micro,
                            struct nn_optimizer *o)
{
    // BEGIN HOLE part 3: accumulation (about 12 lines)
    // USES d b micro o
    // HINT: the last pass launches what all passes have added up.
    LAB_TRY_CUDA(nn_zero_grad(d->m));
    for (int j = 0; j < micro; j++) {
        d->no_sync = j < micro - 1;
        LAB_TRY_CUDA(nn_forward(d->m, &b[j]));
        LAB_TRY_CUDA(nn_backward(d->m, 1.0f / (float)micro, ddp_ready, d));
    }
    LAB_TRY(ddp_finish(d));
    LAB_TRY_CUDA(nn_optimizer_step(o, d->m));
    return ncclSuccess;
    // END HOLE
}
