/*
 * Part 2: one-sided operations on a stream.
 *
 * A put is a copy to an address in another rank's device memory. The copy does
 * not tell that rank, whose streams are not ordered with ours. With the driver
 * API, a stream can write a flag after all its earlier work, and another
 * stream, also one of another process, can wait on the flag.
 */
#include "lab5.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

/* A driver call; its error is returned as one of the runtime. */
#define TRY_DRIVER(call)                                                       \
    LAB_TRY((call) == CUDA_SUCCESS ? ncclSuccess : ncclUnhandledCudaError)

ncclResult_t symm_put(const struct symm *s, void *dst, const void *src,
                      size_t nbytes, int rank, cudaStream_t stream)
{
    // Yours to write: part 2: put (about 3 lines)
    // cudaMemcpyAsync, cudaMemcpyDefault.
    LAB_HOLE("part 2: put");
}

ncclResult_t symm_get(const struct symm *s, void *dst, const void *src,
                      size_t nbytes, int rank, cudaStream_t stream)
{
    // Yours to write: part 2: get (about 3 lines)
    LAB_HOLE("part 2: get");
}

ncclResult_t symm_signal(const struct symm *s, unsigned *signal, unsigned value,
                         int rank, cudaStream_t stream)
{
    // Yours to write: part 2: signal (about 4 lines)
    // cuStreamWriteValue32; a CUdeviceptr is an address as a number.
    LAB_HOLE("part 2: signal");
}

ncclResult_t symm_wait(const struct symm *s, unsigned *signal, unsigned value,
                       cudaStream_t stream)
{
    (void)s;
    // Yours to write: part 2: wait (about 3 lines)
    // cuStreamWaitValue32; which of its conditions loses no signal?
    LAB_HOLE("part 2: wait");
}

ncclResult_t symm_barrier(struct symm *s, cudaStream_t stream)
{
    // Yours to write: part 2: barrier (about 8 lines)
    // s->arrived has a flag for each rank. Every rank signals all ranks,
    // then waits for all of them; s->barriers counts the barriers.
    LAB_HOLE("part 2: barrier");
}
