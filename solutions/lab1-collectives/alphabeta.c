/*
 * Parts 4 to 6: sum in three ways, measure each, and explain what you see.
 *
 * A measurement is only useful if it covers the work and nothing else. Warm up
 * first (the first calls of a collective set up its buffers), record events on
 * the stream around the call, wait for the second event before reading the
 * time, and take the median of the slowest rank.
 */
#include "lab1.h"

#include "lab/try.h" /* LAB_HOLE, LAB_OUT, LAB_TRY */

ncclResult_t sum_by(enum sum_way way, const float *sendbuf, float *recvbuf,
                    size_t count, const struct coll *c)
{
    // BEGIN HOLE part 4: three ways (about 15 lines)
    // HINT: the counts of reduce-scatter and all-gather are per rank; this
    // HINT: rank's block of recvbuf can hold the intermediate result.
    const size_t block = count / c->nranks;
    float *const mine = recvbuf + c->rank * block;
    switch (way) {
    case SUM_ALLREDUCE:
        return ncclAllReduce(sendbuf, recvbuf, count, ncclFloat, ncclSum,
                             c->comm, c->stream);
    case SUM_REDUCE_BROADCAST:
        LAB_TRY(ncclReduce(sendbuf, recvbuf, count, ncclFloat, ncclSum, 0,
                           c->comm, c->stream));
        return ncclBroadcast(recvbuf, recvbuf, count, ncclFloat, 0, c->comm,
                             c->stream);
    case SUM_SCATTER_GATHER:
        LAB_TRY(ncclReduceScatter(sendbuf, mine, block, ncclFloat, ncclSum,
                                  c->comm, c->stream));
        return ncclAllGather(mine, recvbuf, block, ncclFloat, c->comm,
                             c->stream);
    }
    return ncclInvalidArgument;
    // END HOLE
}

ncclResult_t measure_sum(enum sum_way way, const float *sendbuf, float *recvbuf,
                         size_t count, int warmup, int iterations,
                         const struct coll *c, double *us)
{
    double each[64];
    if (iterations < 1 || iterations > 64)
        return ncclInvalidArgument;
    ncclResult_t err = ncclSuccess;
    cudaEvent_t begin = NULL, end = NULL;
    LAB_OUT_CUDA(cudaEventCreate(&begin));
    LAB_OUT_CUDA(cudaEventCreate(&end));
    // BEGIN HOLE part 5: a fair clock (about 12 lines)
    // HINT: cudaEventRecord, cudaEventSynchronize, cudaEventElapsedTime
    // HINT: (which gives milliseconds).
    for (int i = -warmup; i < iterations; i++) {
        LAB_OUT_CUDA(cudaEventRecord(begin, c->stream));
        LAB_OUT(sum_by(way, sendbuf, recvbuf, count, c));
        LAB_OUT_CUDA(cudaEventRecord(end, c->stream));
        LAB_OUT_CUDA(cudaEventSynchronize(end));
        float ms;
        LAB_OUT_CUDA(cudaEventElapsedTime(&ms, begin, end));
        if (i >= 0)
            each[i] = ms * 1000.0;
    }
    // END HOLE
    *us = measure_median(each, iterations);
out:
    if (begin)
        cudaEventDestroy(begin);
    if (end)
        cudaEventDestroy(end);
    return err == ncclSuccess ? measure_slowest(us, c) : err;
}

void fit_alpha_beta(const double *bytes, const double *us, int n, double *alpha,
                    double *beta)
{
    // BEGIN HOLE part 6: fit (about 14 lines)
    // HINT: us = alpha + slope * bytes is linear in its unknowns. With weights
    // HINT: w, the two normal equations need sums of w, wx, wy, wxx and wxy.
    double sw = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < n; i++) {
        const double w = 1 / (us[i] * us[i]);
        sw += w;
        sx += w * bytes[i];
        sy += w * us[i];
        sxx += w * bytes[i] * bytes[i];
        sxy += w * bytes[i] * us[i];
    }
    const double slope = (sw * sxy - sx * sy) / (sw * sxx - sx * sx);
    *alpha = (sy - slope * sx) / sw;
    *beta = 1 / slope;
    // END HOLE
}
