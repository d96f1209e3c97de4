#include "cublas/handle.h"

#include <stdlib.h> /* calloc */

#include "core/device.h"
#include "core/heap/heap.h"
#include "core/host.h"
#include "core/site.h"
#include "core/stream/stream.h"
#include "cublas/blas.h"

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
    if (!handle)
        return CUBLAS_STATUS_INVALID_VALUE;
    simgpu_host_call("cublasCreate", CALLER_SITE());
    blas();
    *handle = calloc(1, sizeof **handle);
    if (!*handle)
        return CUBLAS_STATUS_ALLOC_FAILED;
    (*handle)->magic = HANDLE_MAGIC;
    (*handle)->device = simgpu_device_current();
    return CUBLAS_STATUS_SUCCESS;
}

static int is_handle(cublasHandle_t handle)
{
    return handle && handle->magic == HANDLE_MAGIC;
}

/* Waits for the device, as cuBLAS does. */
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    if (!is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->magic = 0;
    free(handle);
    return cudaDeviceSynchronize() == cudaSuccess
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t handle_stream(cublasHandle_t handle, struct stream **out)
{
    if (!is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    *out = simgpu_stream_of(handle->stream);
    if (!*out || simgpu_device_current() != handle->device ||
        simgpu_stream_device(*out) != handle->device ||
        simgpu_device_error(handle->device))
        return CUBLAS_STATUS_EXECUTION_FAILED;
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- settings ------------------------------------------------------------ */

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
    static const int version[] = {[MAJOR_VERSION] = CUBLAS_VER_MAJOR,
                                  [MINOR_VERSION] = CUBLAS_VER_MINOR,
                                  [PATCH_LEVEL] = CUBLAS_VER_PATCH};
    if (!value || (unsigned)type > PATCH_LEVEL)
        return CUBLAS_STATUS_INVALID_VALUE;
    *value = version[type];
    return CUBLAS_STATUS_SUCCESS;
}

/* Returns the library's version; like cuBLAS, ignores the handle. */
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
    (void)handle;
    if (!version)
        return CUBLAS_STATUS_INVALID_VALUE;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t streamId)
{
    if (!is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->stream = streamId;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *streamId)
{
    if (!is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!streamId)
        return CUBLAS_STATUS_INVALID_VALUE;
    *streamId = handle->stream;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle,
                                       cublasPointerMode_t *mode)
{
    if (!is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!mode)
        return CUBLAS_STATUS_INVALID_VALUE;
    *mode = handle->pointer_mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle,
                                       cublasPointerMode_t mode)
{
    if (!is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (mode != CUBLAS_POINTER_MODE_HOST && mode != CUBLAS_POINTER_MODE_DEVICE)
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->pointer_mode = mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode)
{
    if (!is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!mode)
        return CUBLAS_STATUS_INVALID_VALUE;
    *mode = handle->math_mode;
    return CUBLAS_STATUS_SUCCESS;
}

/* A mode is a set of flags, which may include flags without a name. */
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
    const unsigned flags = 2 * CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
    if (!is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if ((unsigned)mode >= flags)
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->math_mode = mode;
    return CUBLAS_STATUS_SUCCESS;
}

size_t cublasGetCudartVersion(void)
{
    return CUDART_VERSION;
}

/* ---- settings that change nothing here ----------------------------------- */

/* cuBLAS accepts any address, and faults when it uses a workspace that isn't
 * device memory. simgpu refuses such a workspace. */
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace,
                                     size_t workspaceSizeInBytes)
{
    struct heap_block b;
    if (!is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!workspace || workspaceSizeInBytes == 0)
        return CUBLAS_STATUS_SUCCESS;
    const char *const p = workspace;
    return simgpu_heap_find(p, &b) == 0 && b.device != HEAP_PINNED &&
                   workspaceSizeInBytes <= b.nbytes - (size_t)(p - b.base)
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle,
                                    cublasAtomicsMode_t *mode)
{
    if (!is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!mode)
        return CUBLAS_STATUS_INVALID_VALUE;
    *mode = handle->atomics_mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle,
                                    cublasAtomicsMode_t mode)
{
    if (!is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if ((unsigned)mode > CUBLAS_ATOMICS_ALLOWED)
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->atomics_mode = mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int *smCountTarget)
{
    if (!is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!smCountTarget)
        return CUBLAS_STATUS_INVALID_VALUE;
    *smCountTarget = handle->sm_count_target;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int smCountTarget)
{
    struct cudaDeviceProp p;
    if (!is_handle(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (smCountTarget < 0 ||
        cudaGetDeviceProperties(&p, handle->device) != cudaSuccess ||
        smCountTarget > p.multiProcessorCount)
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->sm_count_target = smCountTarget;
    return CUBLAS_STATUS_SUCCESS;
}

const char *cublasGetStatusName(cublasStatus_t status)
{
    return handle_status_name(status);
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    return handle_status_text(status);
}
