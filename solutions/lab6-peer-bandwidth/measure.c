/*
 * Parts 1 and 2: measure copies between GPUs.
 *
 * A copy is timed where it runs: by two events on its stream, read once both
 * have completed. The host's time to enqueue it is not included.
 */
#include "lab6.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY_CUDA */

enum { MOST = 64 }; /* most iterations of a measurement */

ncclResult_t peer_access(const struct peers *p, int on)
{
    // BEGIN HOLE part 1: peer access (about 15 lines)
    // USES p on
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

/* Block until `end` has completed; milliseconds since `begin`. Frees both.
 * Given. */
static ncclResult_t elapsed(cudaEvent_t begin, cudaEvent_t end, double *ms)
{
    float value;
    LAB_TRY_CUDA(cudaEventSynchronize(end));
    LAB_TRY_CUDA(cudaEventElapsedTime(&value, begin, end));
    LAB_TRY_CUDA(cudaEventDestroy(begin));
    LAB_TRY_CUDA(cudaEventDestroy(end));
    *ms = value;
    return ncclSuccess;
}

ncclResult_t measure_one_way(const struct peers *p, int from, int to, void *dst,
                             const void *src, size_t nbytes, int warmup,
                             int iterations, double *ms)
{
    double each[MOST];
    if (iterations < 1 || iterations > MOST)
        return ncclInvalidArgument;
    // BEGIN HOLE part 1: one way (about 14 lines)
    // USES p from to dst src nbytes warmup elapsed
    // HINT: two_events(), cudaEventRecord on p->link[from][to] before and
    // HINT: after cudaMemcpyPeerAsync, elapsed().
    const cudaStream_t link = p->link[from][to];
    for (int i = -warmup; i < iterations; i++) {
        cudaEvent_t begin, end;
        double now;
        LAB_TRY(two_events(from, &begin, &end));
        LAB_TRY_CUDA(cudaEventRecord(begin, link));
        LAB_TRY_CUDA(cudaMemcpyPeerAsync(dst, to, src, from, nbytes, link));
        LAB_TRY_CUDA(cudaEventRecord(end, link));
        LAB_TRY(elapsed(begin, end, &now));
        if (i >= 0)
            each[i] = now;
    }
    // END HOLE
    *ms = peers_median(each, iterations);
    return ncclSuccess;
}

ncclResult_t measure_both_ways(const struct peers *p, int a, int b,
                               void *const in[2], const void *const out[2],
                               size_t nbytes, int warmup, int iterations,
                               double *ms)
{
    double each[MOST];
    if (iterations < 1 || iterations > MOST)
        return ncclInvalidArgument;
    // BEGIN HOLE part 1: both ways (about 24 lines)
    // USES p a b in out nbytes warmup
    // HINT: record the begin on one link; the other link waits for it before
    // HINT: its copy (cudaStreamWaitEvent), and the first waits for that copy,
    // HINT: by an event of GPU b, before the end.
    const cudaStream_t forth = p->link[a][b], back = p->link[b][a];
    for (int i = -warmup; i < iterations; i++) {
        cudaEvent_t begin, end, done;
        double now;
        LAB_TRY_CUDA(cudaSetDevice(b));
        LAB_TRY_CUDA(cudaEventCreate(&done));
        LAB_TRY(two_events(a, &begin, &end));
        LAB_TRY_CUDA(cudaEventRecord(begin, forth));
        LAB_TRY_CUDA(cudaStreamWaitEvent(back, begin, 0));
        LAB_TRY_CUDA(cudaMemcpyPeerAsync(in[1], b, out[0], a, nbytes, forth));
        LAB_TRY_CUDA(cudaMemcpyPeerAsync(in[0], a, out[1], b, nbytes, back));
        LAB_TRY_CUDA(cudaEventRecord(done, back));
        LAB_TRY_CUDA(cudaStreamWaitEvent(forth, done, 0));
        LAB_TRY_CUDA(cudaEventRecord(end, forth));
        LAB_TRY(elapsed(begin, end, &now));
        LAB_TRY_CUDA(cudaEventDestroy(done));
        if (i >= 0)
            each[i] = now;
    }
    // END HOLE
    *ms = peers_median(each, iterations);
    return ncclSuccess;
}

ncclResult_t measure_latency(const struct peers *p, int from, int to, void *dst,
                             const void *src, size_t nbytes, int iterations,
                             double *us)
{
    enum { SMALL = 16 };
    cudaEvent_t begin, end;
    double ms = 0;
    LAB_TRY(two_events(from, &begin, &end));
    // BEGIN HOLE part 1: latency (about 10 lines)
    // USES p from to dst src nbytes iterations SMALL begin end
    // HINT: first the copy of nbytes, then `begin`; put the two events around
    // HINT: all of the small copies, not around each.
    const cudaStream_t link = p->link[from][to];
    LAB_TRY_CUDA(cudaMemcpyPeerAsync(dst, to, src, from, nbytes, link));
    LAB_TRY_CUDA(cudaEventRecord(begin, link));
    for (int i = 0; i < iterations; i++)
        LAB_TRY_CUDA(cudaMemcpyPeerAsync(dst, to, src, from, SMALL, link));
    LAB_TRY_CUDA(cudaEventRecord(end, link));
    LAB_TRY(elapsed(begin, end, &ms));
    // END HOLE
    *us = 1000 * ms / iterations;
    return ncclSuccess;
}

ncclResult_t measure_at_once(const struct peers *p, int from, const int *to,
                             int n, void *const *dst, const void *src,
                             size_t nbytes, double *ms)
{
    cudaEvent_t begin[PEERS], end[PEERS];
    for (int i = 0; i < n; i++)
        LAB_TRY(two_events(from, &begin[i], &end[i]));
    // BEGIN HOLE part 2: three copies at once (about 10 lines)
    // USES p from to n dst src nbytes ms begin end
    // HINT: do not block before all copies have been enqueued.
    for (int i = 0; i < n; i++) {
        const cudaStream_t link = p->link[from][to[i]];
        LAB_TRY_CUDA(cudaEventRecord(begin[i], link));
        LAB_TRY_CUDA(
            cudaMemcpyPeerAsync(dst[i], to[i], src, from, nbytes, link));
        LAB_TRY_CUDA(cudaEventRecord(end[i], link));
    }
    for (int i = 0; i < n; i++)
        LAB_TRY(elapsed(begin[i], end[i], &ms[i]));
    return ncclSuccess;
    // END HOLE
}
