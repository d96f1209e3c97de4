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
    // BEGIN HOLE part 2: put (about 3 lines)
    // HINT: cudaMemcpyAsync, cudaMemcpyDefault.
    LAB_TRY_CUDA(cudaMemcpyAsync(symm_at(&s->view, dst, rank), src, nbytes,
                                 cudaMemcpyDefault, stream));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t symm_get(const struct symm *s, void *dst, const void *src,
                      size_t nbytes, int rank, cudaStream_t stream)
{
    // BEGIN HOLE part 2: get (about 3 lines)
    LAB_TRY_CUDA(cudaMemcpyAsync(dst, symm_at(&s->view, src, rank), nbytes,
                                 cudaMemcpyDefault, stream));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t symm_signal(const struct symm *s, unsigned *signal, unsigned value,
                         int rank, cudaStream_t stream)
{
    // BEGIN HOLE part 2: signal (about 4 lines)
    // HINT: cuStreamWriteValue32; a CUdeviceptr is an address as a number.
    const CUdeviceptr there =
        (CUdeviceptr)(uintptr_t)symm_at(&s->view, signal, rank);
    TRY_DRIVER(cuStreamWriteValue32(stream, there, value,
                                    CU_STREAM_WRITE_VALUE_DEFAULT));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t symm_wait(const struct symm *s, unsigned *signal, unsigned value,
                       cudaStream_t stream)
{
    (void)s;
    // BEGIN HOLE part 2: wait (about 3 lines)
    // HINT: cuStreamWaitValue32; which of its conditions loses no signal?
    TRY_DRIVER(cuStreamWaitValue32(stream, (CUdeviceptr)(uintptr_t)signal,
                                   value, CU_STREAM_WAIT_VALUE_GEQ));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t symm_barrier(struct symm *s, cudaStream_t stream)
{
    // BEGIN HOLE part 2: barrier (about 8 lines)
    // HINT: s->arrived has a flag for each rank. Every rank signals all ranks,
    // HINT: then waits for all of them; s->barriers counts the barriers.
    const struct symm_view *const v = &s->view;
    s->barriers++;
    for (int r = 0; r < v->nranks; r++)
        LAB_TRY(symm_signal(s, &s->arrived[v->rank], s->barriers, r, stream));
    for (int r = 0; r < v->nranks; r++)
        LAB_TRY(symm_wait(s, &s->arrived[r], s->barriers, stream));
    return ncclSuccess;
    // END HOLE
}
