/*
 * try.h: the three macros of the code that students write
 *
 *   LAB_TRY(call)       a NCCL call: on an error, return it to the caller
 *   LAB_TRY_CUDA(call)  a CUDA call: on an error, return ncclUnhandledCudaError
 *   LAB_HOLE("what")    marks code that is not written yet: ends the case as
 *                       NOT IMPLEMENTED
 *
 * The first two record the call, its place and the error's text for the report;
 * the function that uses them returns an ncclResult_t. Device code has
 * lab/hole.cuh.
 */
#ifndef COMMLAB_LAB_TRY_H
#define COMMLAB_LAB_TRY_H

#include <cuda_runtime.h>
#include <nccl.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LAB_TRY(call)                                                          \
    do {                                                                       \
        const ncclResult_t lab_try_ = (call);                                  \
        if (lab_try_ != ncclSuccess)                                           \
            return lab_note_error(lab_try_, #call, __FILE__, __LINE__);        \
    } while (0)

#define LAB_TRY_CUDA(call)                                                     \
    do {                                                                       \
        const cudaError_t lab_try_ = (call);                                   \
        if (lab_try_ != cudaSuccess)                                           \
            return lab_note_cuda_error(lab_try_, #call, __FILE__, __LINE__);   \
    } while (0)

#define LAB_HOLE(what) lab_hole(what)

/* Keep the error's text for the report. Return err, or
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
