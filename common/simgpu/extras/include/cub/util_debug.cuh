/* cub/util_debug.cuh: handling errors */
#ifndef SIMGPU_CUB_UTIL_DEBUG_CUH
#define SIMGPU_CUB_UTIL_DEBUG_CUH

#include <stdio.h>
#include <stdlib.h>

#include "cuda_runtime.h"

namespace cub
{
/* Returns the error; host code also prints it. */
static inline cudaError_t Debug(cudaError_t error, const char *file, int line)
{
    if (error != cudaSuccess)
        fprintf(stderr, "CUDA error %d [%s, %d]: %s\n", (int)error, file, line,
                cudaGetErrorString(error));
    return error;
}
} // namespace cub
#define CubDebug(e) ::cub::Debug((cudaError_t)(e), __FILE__, __LINE__)
#define CubDebugExit(e)                                                        \
    do {                                                                       \
        if (CubDebug(e))                                                       \
            exit(1);                                                           \
    } while (0)
#endif
