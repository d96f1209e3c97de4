/*
 * Parts 5 and 6: how much communication is hidden, and how large a bucket
 * should be.
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

ncclResult_t overlap_measure(struct ddp *d, const struct nn_batch *batch,
                             struct overlap_times *out)
{
    double ms[3] = {0, 0, 0};
    ncclResult_t err = ncclSuccess;
    cudaEvent_t begin = NULL, end = NULL;
    LAB_OUT_CUDA(cudaEventCreate(&begin));
    LAB_OUT_CUDA(cudaEventCreate(&end));
    // BEGIN HOLE part 5: measure (about 16 lines)
    // HINT: record events on the compute stream: ddp_finish() makes it wait
    // HINT: for the buckets.
    for (enum overlap_part p = OVERLAP_COMPUTE; p <= OVERLAP_BOTH; p++) {
        LAB_OUT(overlap_run(d, batch, p)); // warm-up
        LAB_OUT_CUDA(cudaEventRecord(begin, d->compute));
        LAB_OUT(overlap_run(d, batch, p));
        LAB_OUT_CUDA(cudaEventRecord(end, d->compute));
        LAB_OUT_CUDA(cudaEventSynchronize(end));
        LAB_OUT(overlap_between(d, begin, end, &ms[p]));
    }
    out->compute = ms[OVERLAP_COMPUTE];
    out->comm = ms[OVERLAP_COMM];
    out->both = ms[OVERLAP_BOTH];
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
    // BEGIN HOLE part 6: cap (about 3 lines)
    // HINT: nbytes / cap buckets pay a_us each, and the bytes of the last one
    // HINT: are exposed. Which cap minimises the sum of both?
    return (size_t)sqrt((double)nbytes * a_us * bytes_per_us);
    // END HOLE
}
