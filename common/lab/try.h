/*
 * try.h: the macros in code that students write
 *
 *   LAB_TRY(call)       a NCCL call, or a function of the lab: on an error,
 *                       return it to the caller
 *   LAB_TRY_CUDA(call)  a CUDA call: on an error, return ncclUnhandledCudaError
 *   LAB_OUT(call)       like these two, but store the error in `err` and go to
 *   LAB_OUT_CUDA(call)  the label `out`
 *   LAB_HOLE("what")    marks code that is not written yet: ends the case as
 *                       NOT IMPLEMENTED
 *
 * The first four record the call, its place and the error's text for the
 * report. The function that uses them returns an ncclResult_t. Device code has
 * lab/hole.cuh.
 *
 * An early return leaks what the function has created so far. So a function
 * that creates an event, a stream, a buffer or a communicator for its own use
 * has a single exit, where it destroys all that exists:
 *
 *     ncclResult_t err = ncclSuccess;
 *     cudaEvent_t done = NULL;
 *     LAB_OUT_CUDA(cudaEventCreate(&done));
 *     LAB_OUT(ncclAllReduce(...));
 *     LAB_OUT_CUDA(cudaEventRecord(done, stream));
 * out:
 *     if (done)
 *         cudaEventDestroy(done);
 *     return err;
 *
 * In a .cu file, declare variables with initial values before the first LAB_OUT
 * or in an inner block: C++ has no goto past such a declaration.
 */
#ifndef COMMLAB_LAB_TRY_H
#define COMMLAB_LAB_TRY_H

#include <cuda_runtime.h>
#include <nccl.h>

#include "base/ranks.h" /* LAB_MAX_RANKS */

#ifdef __cplusplus
extern "C" {
#endif

/* These two return values that the compiler sees are errors. Otherwise it
 * would warn about variables that a failed call has left without a value. */
#define LAB_TRY(call)                                                          \
    do {                                                                       \
        const ncclResult_t lab_try_ = (call);                                  \
        if (lab_try_ != ncclSuccess) {                                         \
            lab_note_error(lab_try_, #call, __FILE__, __LINE__);               \
            return lab_try_;                                                   \
        }                                                                      \
    } while (0)

#define LAB_TRY_CUDA(call)                                                     \
    do {                                                                       \
        const cudaError_t lab_try_ = (call);                                   \
        if (lab_try_ != cudaSuccess) {                                         \
            lab_note_cuda_error(lab_try_, #call, __FILE__, __LINE__);          \
            return ncclUnhandledCudaError;                                     \
        }                                                                      \
    } while (0)

#define LAB_OUT(call)                                                          \
    do {                                                                       \
        err = (call);                                                          \
        if (err != ncclSuccess) {                                              \
            err = lab_note_error(err, #call, __FILE__, __LINE__);              \
            goto out;                                                          \
        }                                                                      \
    } while (0)

#define LAB_OUT_CUDA(call)                                                     \
    do {                                                                       \
        const cudaError_t lab_out_ = (call);                                   \
        if (lab_out_ != cudaSuccess) {                                         \
            err = lab_note_cuda_error(lab_out_, #call, __FILE__, __LINE__);    \
            goto out;                                                          \
        }                                                                      \
    } while (0)

#define LAB_HOLE(what) lab_hole(what)

/* Keep the error's text for the report. Returns err, or
 * ncclUnhandledCudaError. */
ncclResult_t lab_note_error(ncclResult_t err, const char *call,
                            const char *file, int line);
ncclResult_t lab_note_cuda_error(cudaError_t err, const char *call,
                                 const char *file, int line);

/* Leave the case as NOT IMPLEMENTED; `what` names the missing part. */
void lab_hole(const char *what) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif
#endif
