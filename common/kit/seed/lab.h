/*
 * @N@.h: @TITLE@
 *
 * What you write, and what each function promises. All functions here are
 * *collective*: every rank calls them, in the same order, with the same count.
 * They enqueue work on the stream and return; the caller synchronises.
 */
#ifndef @NUPPER@_H
#define @NUPPER@_H

#include <cuda_runtime.h> /* cudaStream_t */
#include <nccl.h>         /* ncclComm_t */
#include <stddef.h>       /* size_t */

/* What every function of this lab works with. */
struct ring {
    ncclComm_t comm;
    int rank, nranks;
    cudaStream_t stream;
};

/*
 * Part 1. Pass a vector round the ring: rank r's sendbuf goes to recvbuf of
 * rank (r + 1) mod nranks. count floats each, device memory, no overlap. Every
 * rank sends one message and receives one; alone in the ring, it keeps its own.
 *
 *     0 -> 1 -> 2 -> 3
 *     ^______________|
 */
ncclResult_t ring_shift(const float *sendbuf, float *recvbuf, size_t count,
                        const struct ring *ring);

#endif
