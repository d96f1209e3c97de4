/*
 * @N@.h: @TITLE@
 *
 * The functions that you write, and their contracts. All of them are
 * *collective*: every rank calls them in the same order with the same count.
 * They enqueue work on the stream and return without blocking; the caller
 * synchronises.
 */
#ifndef @NUPPER@_H
#define @NUPPER@_H

#include <cuda_runtime.h> /* cudaStream_t */
#include <nccl.h>         /* ncclComm_t */
#include <stddef.h>       /* size_t */

#ifdef __cplusplus
extern "C" {
#endif

/* The context of every function of this lab. */
struct ring {
    ncclComm_t comm;
    int rank, nranks;
    cudaStream_t stream;
};

/*
 * Part 1. Pass a vector around the ring: rank r's sendbuf goes to recvbuf of
 * rank (r + 1) mod nranks. Both are count floats of device memory and do not
 * overlap. Every rank sends one message and receives one; a single rank keeps
 * its own vector.
 *
 *     0 -> 1 -> 2 -> 3
 *     ^______________|
 */
ncclResult_t ring_shift(const float *sendbuf, float *recvbuf, size_t count,
                        const struct ring *ring);

#ifdef __cplusplus
}
#endif
#endif
