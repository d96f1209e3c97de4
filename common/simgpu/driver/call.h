/*
 * call.h: driver functions that call functions of the runtime
 *
 * Errors have the same numbers in the runtime and in the driver, except for
 * some below 100, which the driver doesn't have.
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

/* err = call, a function of the runtime, without changing
 * the program's last error. */
#define DRIVER_ASK(err, call)                                                  \
    do {                                                                       \
        simgpu_errors_aside(1);                                                \
        (err) = (call);                                                        \
        simgpu_errors_aside(-1);                                               \
    } while (0)

/* Call a function of the runtime and return its error, or the error of a call
 * without a context. Operations are recorded with the line that calls the
 * driver's function. */
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
