#include "extras/nvml/library.h"

#include <cuda_runtime_api.h>
#include <stdatomic.h> /* atomic_int */
#include <string.h>    /* strlen */

static atomic_int users; /* calls of init minus calls of shutdown */

nvmlReturn_t library_ready(void)
{
    return atomic_load(&users) > 0 ? NVML_SUCCESS : NVML_ERROR_UNINITIALIZED;
}

nvmlReturn_t library_text(char *buffer, unsigned length, const char *text)
{
    if (!buffer)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (strlen(text) >= length)
        return NVML_ERROR_INSUFFICIENT_SIZE;
    strcpy(buffer, text);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlInit_v2(void)
{
    atomic_fetch_add(&users, 1);
    return NVML_SUCCESS;
}

#undef nvmlInit
nvmlReturn_t nvmlInit(void) __attribute__((alias("nvmlInit_v2")));

nvmlReturn_t nvmlInitWithFlags(unsigned int flags)
{
    (void)flags; // they concern machines without GPUs
    return nvmlInit_v2();
}

nvmlReturn_t nvmlShutdown(void)
{
    if (library_ready() != NVML_SUCCESS)
        return NVML_ERROR_UNINITIALIZED;
    atomic_fetch_sub(&users, 1);
    return NVML_SUCCESS;
}

/* The texts that nvidia-smi prints. */
const char *nvmlErrorString(nvmlReturn_t result)
{
    switch (result) {
    case NVML_SUCCESS: return "Success";
    case NVML_ERROR_UNINITIALIZED: return "Uninitialized";
    case NVML_ERROR_INVALID_ARGUMENT: return "Invalid Argument";
    case NVML_ERROR_NOT_SUPPORTED: return "Not Supported";
    case NVML_ERROR_NO_PERMISSION: return "Insufficient Permissions";
    case NVML_ERROR_ALREADY_INITIALIZED: return "Already Initialized";
    case NVML_ERROR_NOT_FOUND: return "Not Found";
    case NVML_ERROR_INSUFFICIENT_SIZE: return "Insufficient Size";
    case NVML_ERROR_DRIVER_NOT_LOADED: return "Driver Not Loaded";
    case NVML_ERROR_TIMEOUT: return "Timeout";
    case NVML_ERROR_LIBRARY_NOT_FOUND: return "NVML Shared Library Not Found";
    case NVML_ERROR_FUNCTION_NOT_FOUND: return "Function Not Found";
    case NVML_ERROR_GPU_IS_LOST: return "GPU is lost";
    case NVML_ERROR_IN_USE: return "In use by another client";
    case NVML_ERROR_MEMORY: return "Insufficient Memory";
    default: return "Unknown Error";
    }
}

/* ---- versions: those of the driver that came with simgpu's CUDA ---------- */

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length)
{
    const nvmlReturn_t status = library_ready();
    return status ? status : library_text(version, length, "580.65.06");
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned int length)
{
    const nvmlReturn_t status = library_ready();
    return status ? status : library_text(version, length, "13.580.65.06");
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *cudaDriverVersion)
{
    if (!cudaDriverVersion)
        return NVML_ERROR_INVALID_ARGUMENT;
    return cudaDriverGetVersion(cudaDriverVersion) == cudaSuccess
               ? NVML_SUCCESS
               : NVML_ERROR_UNKNOWN;
}
