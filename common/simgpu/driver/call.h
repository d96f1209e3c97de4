/*
 * call.h: driver functions that are the runtime's under another name
 *
 * The runtime's errors have the driver's numbers, except those below 100 that
 * the driver does not know.
 */
#ifndef SIMGPU_DRIVER_CALL_H
#define SIMGPU_DRIVER_CALL_H

#include <cuda_runtime_api.h>

#include "core/site.h"
#include "cudart/api.h"
#include "driver/context.h"

static inline CUresult result_of(cudaError_t err)
{
    switch ((int)err) {
    case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidChannelDescriptor:
    case cudaErrorInvalidFilterSetting:
    case cudaErrorInvalidNormSetting:
    case cudaErrorInvalidConfiguration: return CUDA_ERROR_INVALID_VALUE;
    default: return (CUresult)err;
    }
}

/* err = call, of the runtime's, which leaves the program's last error alone. */
#define DRIVER_ASK(err, call)                                                  \
    do {                                                                       \
        simgpu_errors_aside(1);                                                \
        (err) = (call);                                                        \
        simgpu_errors_aside(-1);                                               \
    } while (0)

/* Return what the runtime's function gives, or the error of a call without a
 * context. What it records happened where the driver's function was called. */
#define DRIVER_CALL(call)                                                      \
    do {                                                                       \
        const CUresult current = context_current();                            \
        if (current != CUDA_SUCCESS)                                           \
            return current;                                                    \
        cudaError_t err;                                                       \
        simgpu_site_caller = __builtin_return_address(0);                      \
        DRIVER_ASK(err, call);                                                 \
        simgpu_site_caller = NULL;                                             \
        return result_of(err);                                                 \
    } while (0)

#endif
