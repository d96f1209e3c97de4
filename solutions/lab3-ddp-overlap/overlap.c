/*
 * Part 4: how much communication is hidden, and how large a bucket should be.
 *
 *     compute alone   |=================|
 *     comm alone      |--------|
 *     both            |==================--|
 *                                      ^exposed = both - compute
 *
 * Communication that isn't exposed is hidden.
 */
#include "lab3.h"

#include <math.h> /* sqrt */

#include "lab/try.h" /* LAB_HOLE, LAB_OUT, LAB_TRY */

ncclResult_t overlap_between(struct ddp *d, cudaEvent_t a, cudaEvent_t b,
                             double *ms)
{
    float mine;
    LAB_TRY_CUDA(cudaEventElapsedTime(&mine, a, b));
    LAB_TRY_CUDA(cudaMemcpyAsync(d->scratch, &mine, sizeof mine,
                                 cudaMemcpyHostToDevice, d->compute));
    LAB_TRY(ncclAllReduce(d->scratch, d->scratch, 1, ncclFloat, ncclMax,
                          d->comm, d->compute));
    LAB_TRY_CUDA(cudaMemcpyAsync(&mine, d->scratch, sizeof mine,
                                 cudaMemcpyDeviceToHost, d->compute));
    LAB_TRY_CUDA(cudaStreamSynchronize(d->compute));
    *ms = mine;
    return ncclSuccess;
}

/* The part of a step to measure. Given. */
enum part { COMPUTE, COMM, BOTH };

static ncclResult_t run_part(struct ddp *d, const struct nn_batch *batch,
                             enum part part)
{
    d->no_sync = part == COMPUTE;
    if (part != COMM) {
        LAB_TRY_CUDA(nn_zero_grad(d->m));
        LAB_TRY_CUDA(nn_forward(d->m, batch));
        LAB_TRY_CUDA(nn_backward(d->m, 1.0f, ddp_ready, d));
    }
    const ncclResult_t err = ddp_finish(d);
    d->no_sync = 0;
    return err;
}

ncclResult_t overlap_measure(struct ddp *d, const struct nn_batch *batch,
                             struct overlap_times *out)
{
    double ms[3] = {0, 0, 0};
    ncclResult_t err = ncclSuccess;
    cudaEvent_t begin = NULL, end = NULL;
    LAB_OUT_CUDA(cudaEventCreate(&begin));
    LAB_OUT_CUDA(cudaEventCreate(&end));
    // BEGIN HOLE part 4: measure (about 16 lines)
    // HINT: record events on the compute stream: ddp_finish() makes it wait
    // HINT: for the buckets.
    for (int part = COMPUTE; part <= BOTH; part++) {
        LAB_OUT(run_part(d, batch, part)); // warm-up
        LAB_OUT_CUDA(cudaEventRecord(begin, d->compute));
        LAB_OUT(run_part(d, batch, part));
        LAB_OUT_CUDA(cudaEventRecord(end, d->compute));
        LAB_OUT_CUDA(cudaEventSynchronize(end));
        LAB_OUT(overlap_between(d, begin, end, &ms[part]));
    }
    out->compute = ms[COMPUTE];
    out->comm = ms[COMM];
    out->both = ms[BOTH];
    out->exposed = out->both - out->compute;
    out->hidden = out->comm - out->exposed;
    // END HOLE
out:
    if (begin)
        cudaEventDestroy(begin);
    if (end)
        cudaEventDestroy(end);
    return err;
}

size_t overlap_cap(size_t nbytes, double a_us, double bytes_per_us)
{
    // BEGIN HOLE part 4: cap (about 3 lines)
    // HINT: nbytes / cap buckets pay a_us each, and the bytes of the last one
    // HINT: are exposed. Which cap minimises the sum of both?
    return (size_t)sqrt((double)nbytes * a_us * bytes_per_us);
    // END HOLE
}
