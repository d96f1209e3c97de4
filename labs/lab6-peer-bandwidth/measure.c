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
    // Yours to write: part 1: peer access (about 15 lines)
    // cudaDeviceCanAccessPeer, cudaSetDevice, then
    // cudaDeviceEnablePeerAccess or cudaDeviceDisablePeerAccess; two of
    // their errors mean that access was already as wanted.
    LAB_HOLE("part 1: peer access");
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
    // Yours to write: part 1: one way (about 14 lines)
    // cudaEventRecord on p->link[from][to] before and after
    // cudaMemcpyPeerAsync, elapsed().
    LAB_HOLE("part 1: one way");
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
    // Yours to write: part 1: both ways (about 24 lines)
    // record the begin on one link; the other link waits for it before
    // its copy (cudaStreamWaitEvent), and the first waits for that copy,
    // by `done`, before the end.
    LAB_HOLE("part 1: both ways");
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
    // Yours to write: part 1: latency (about 10 lines)
    // first the copy of nbytes, then `begin`; put the two events around
    // all of the small copies, not around each.
    LAB_HOLE("part 1: latency");
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
    // Yours to write: part 2: three copies at once (about 10 lines)
    // do not block before all copies have been enqueued.
    LAB_HOLE("part 2: three copies at once");
out:
    for (int i = 0; i < n; i++) {
        drop(begin[i]);
        drop(end[i]);
    }
    return err;
}
