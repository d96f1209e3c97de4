/*
 * Parts 1 and 2: measure copies between GPUs.
 *
 * A copy is timed where it runs: by two events on its stream, read once both
 * have completed. The host's time to enqueue it is not included.
 */
#include "lab6.h"

#include "lab/try.h" /* LAB_HOLE, LAB_OUT, LAB_TRY_CUDA */

enum { MOST = 64 }; /* most iterations of a measurement */

ncclResult_t peer_access(const struct peers *p, int on)
{
    // BEGIN HOLE part 1: peer access (about 15 lines)
    // HINT: cudaDeviceCanAccessPeer, cudaSetDevice, then
    // HINT: cudaDeviceEnablePeerAccess or cudaDeviceDisablePeerAccess; two of
    // HINT: their errors mean that access was already as wanted.
    for (int a = 0; a < p->n; a++)
        for (int b = 0; b < p->n; b++) {
            int can = 0;
            if (a != b)
                LAB_TRY_CUDA(cudaDeviceCanAccessPeer(&can, a, b));
            if (!can)
                continue;
            LAB_TRY_CUDA(cudaSetDevice(a));
            const cudaError_t err = on ? cudaDeviceEnablePeerAccess(b, 0)
                                       : cudaDeviceDisablePeerAccess(b);
            if (err == cudaErrorPeerAccessAlreadyEnabled ||
                err == cudaErrorPeerAccessNotEnabled)
                cudaGetLastError();
            else
                LAB_TRY_CUDA(err);
        }
    LAB_TRY_CUDA(cudaSetDevice(0));
    return ncclSuccess;
    // END HOLE
}

/* Create two events on a GPU, which becomes the current device. Given. */
static ncclResult_t two_events(int gpu, cudaEvent_t *begin, cudaEvent_t *end)
{
    LAB_TRY_CUDA(cudaSetDevice(gpu));
    LAB_TRY_CUDA(cudaEventCreate(begin));
    LAB_TRY_CUDA(cudaEventCreate(end));
    return ncclSuccess;
}

/* Wait for `end`, and set *ms to the milliseconds since `begin`. Blocks.
 * Given. */
static ncclResult_t elapsed(cudaEvent_t begin, cudaEvent_t end, double *ms)
{
    float value;
    LAB_TRY_CUDA(cudaEventSynchronize(end));
    LAB_TRY_CUDA(cudaEventElapsedTime(&value, begin, end));
    *ms = value;
    return ncclSuccess;
}

/* Destroy an event, if it was created. Given. */
static void drop(cudaEvent_t event)
{
    if (event)
        cudaEventDestroy(event);
}

ncclResult_t measure_one_way(const struct peers *p, int from, int to, void *dst,
                             const void *src, size_t nbytes, int warmup,
                             int iterations, double *ms)
{
    double each[MOST];
    if (iterations < 1 || iterations > MOST)
        return ncclInvalidArgument;
    ncclResult_t err = ncclSuccess;
    cudaEvent_t begin = NULL, end = NULL;
    LAB_OUT(two_events(from, &begin, &end));
    // BEGIN HOLE part 1: one way (about 14 lines)
    // HINT: cudaEventRecord on p->link[from][to] before and after
    // HINT: cudaMemcpyPeerAsync, elapsed().
    const cudaStream_t link = p->link[from][to];
    for (int i = -warmup; i < iterations; i++) {
        double now;
        LAB_OUT_CUDA(cudaEventRecord(begin, link));
        LAB_OUT_CUDA(cudaMemcpyPeerAsync(dst, to, src, from, nbytes, link));
        LAB_OUT_CUDA(cudaEventRecord(end, link));
        LAB_OUT(elapsed(begin, end, &now));
        if (i >= 0)
            each[i] = now;
    }
    // END HOLE
    *ms = peers_median(each, iterations);
out:
    drop(begin);
    drop(end);
    return err;
}

ncclResult_t measure_both_ways(const struct peers *p, int a, int b,
                               void *const in[2], const void *const out[2],
                               size_t nbytes, int warmup, int iterations,
                               double *ms)
{
    double each[MOST];
    if (iterations < 1 || iterations > MOST)
        return ncclInvalidArgument;
    ncclResult_t err = ncclSuccess;
    cudaEvent_t begin = NULL, end = NULL, done = NULL; // done: of GPU b
    LAB_OUT_CUDA(cudaSetDevice(b));
    LAB_OUT_CUDA(cudaEventCreate(&done));
    LAB_OUT(two_events(a, &begin, &end));
    // BEGIN HOLE part 1: both ways (about 24 lines)
    // HINT: record the begin on one link; the other link waits for it before
    // HINT: its copy (cudaStreamWaitEvent), and the first waits for that copy,
    // HINT: by `done`, before the end.
    const cudaStream_t forth = p->link[a][b], back = p->link[b][a];
    for (int i = -warmup; i < iterations; i++) {
        double now;
        LAB_OUT_CUDA(cudaEventRecord(begin, forth));
        LAB_OUT_CUDA(cudaStreamWaitEvent(back, begin, 0));
        LAB_OUT_CUDA(cudaMemcpyPeerAsync(in[1], b, out[0], a, nbytes, forth));
        LAB_OUT_CUDA(cudaMemcpyPeerAsync(in[0], a, out[1], b, nbytes, back));
        LAB_OUT_CUDA(cudaEventRecord(done, back));
        LAB_OUT_CUDA(cudaStreamWaitEvent(forth, done, 0));
        LAB_OUT_CUDA(cudaEventRecord(end, forth));
        LAB_OUT(elapsed(begin, end, &now));
        if (i >= 0)
            each[i] = now;
    }
    // END HOLE
    *ms = peers_median(each, iterations);
out:
    drop(begin);
    drop(end);
    drop(done);
    return err;
}

ncclResult_t measure_latency(const struct peers *p, int from, int to, void *dst,
                             const void *src, size_t nbytes, int iterations,
                             double *us)
{
    enum { SMALL = 16 };
    ncclResult_t err = ncclSuccess;
    cudaEvent_t begin = NULL, end = NULL;
    double ms = 0;
    LAB_OUT(two_events(from, &begin, &end));
    // BEGIN HOLE part 1: latency (about 10 lines)
    // HINT: first the copy of nbytes, then `begin`; put the two events around
    // HINT: all of the small copies, not around each.
    const cudaStream_t link = p->link[from][to];
    LAB_OUT_CUDA(cudaMemcpyPeerAsync(dst, to, src, from, nbytes, link));
    LAB_OUT_CUDA(cudaEventRecord(begin, link));
    for (int i = 0; i < iterations; i++)
        LAB_OUT_CUDA(cudaMemcpyPeerAsync(dst, to, src, from, SMALL, link));
    LAB_OUT_CUDA(cudaEventRecord(end, link));
    LAB_OUT(elapsed(begin, end, &ms));
    // END HOLE
    *us = 1000 * ms / iterations;
out:
    drop(begin);
    drop(end);
    return err;
}

ncclResult_t measure_at_once(const struct peers *p, int from, const int *to,
                             int n, void *const *dst, const void *src,
                             size_t nbytes, double *ms)
{
    ncclResult_t err = ncclSuccess;
    cudaEvent_t begin[PEERS] = {NULL}, end[PEERS] = {NULL};
    for (int i = 0; i < n; i++)
        LAB_OUT(two_events(from, &begin[i], &end[i]));
    // BEGIN HOLE part 2: three copies at once (about 10 lines)
    // HINT: do not block before all copies have been enqueued.
    for (int i = 0; i < n; i++) {
        const cudaStream_t link = p->link[from][to[i]];
        LAB_OUT_CUDA(cudaEventRecord(begin[i], link));
        LAB_OUT_CUDA(
            cudaMemcpyPeerAsync(dst[i], to[i], src, from, nbytes, link));
        LAB_OUT_CUDA(cudaEventRecord(end[i], link));
    }
    for (int i = 0; i < n; i++)
        LAB_OUT(elapsed(begin[i], end[i], &ms[i]));
    // END HOLE
out:
    for (int i = 0; i < n; i++) {
        drop(begin[i]);
        drop(end[i]);
    }
    return err;
}
