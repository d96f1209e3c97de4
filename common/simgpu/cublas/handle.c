#include "cublas/handle.h"

#include <stdlib.h> /* calloc */

#include "core/device.h"
#include "core/heap/heap.h"
#include "core/host.h"
#include "core/site.h"
#include "core/stream/deferred.h"
#include "core/watch/check.h"
#include "cublas/blas.h"

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
    if (!handle)
        return RETURN(CUBLAS_STATUS_INVALID_VALUE);
    simgpu_host_call("cublasCreate", CALLER_SITE());
    blas();
    *handle = calloc(1, sizeof **handle);
    if (!*handle)
        return RETURN(CUBLAS_STATUS_ALLOC_FAILED);
    (*handle)->magic = HANDLE_MAGIC;
    (*handle)->device = simgpu_device_current();
    return CUBLAS_STATUS_SUCCESS;
}

/* True for a handle. The use of a destroyed one, by the call at this site, is
 * reported. */
static int check_handle(cublasHandle_t handle, const struct site *at)
{
    char use[256], end[256], name[64];
    if (handle && handle->magic == HANDLE_DEAD) {
        const uint32_t site = at->site ? at->site : simgpu_site(at->from);
        simgpu_check_note(site,
                          "use after destroy: %s at %s uses the cuBLAS handle "
                          "that cublasDestroy at %s has destroyed",
                          handle_call_name(at->name, name),
                          simgpu_site_text(site, use, sizeof use),
                          simgpu_site_text(handle->site, end, sizeof end));
    }
    return handle && handle->magic == HANDLE_MAGIC;
}

/* check_handle() in the API function that uses this macro */
#define IS_HANDLE(handle)                                                      \
    check_handle(handle, &(struct site){__func__, 0, FROM()})

/* Waits for the device, as cuBLAS does. */
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    if (!IS_HANDLE(handle))
        return RETURN(CUBLAS_STATUS_NOT_INITIALIZED);
    handle->magic = HANDLE_DEAD;
    handle->site = CALLER_SITE();
    return cudaDeviceSynchronize() == cudaSuccess
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t handle_stream(cublasHandle_t handle, const struct site *at,
                             struct stream **out)
{
    if (!check_handle(handle, at))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    *out = simgpu_stream_of(handle->stream);
    if (!*out || simgpu_device_current() != handle->device ||
        simgpu_stream_device(*out) != handle->device ||
        simgpu_device_error(handle->device) || simgpu_stream_refuses(*out, 0))
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
        return RETURN(CUBLAS_STATUS_INVALID_VALUE);
    *value = version[type];
    return CUBLAS_STATUS_SUCCESS;
}

/* Returns the library's version; like cuBLAS, ignores the handle. */
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
    (void)handle;
    if (!version)
        return RETURN(CUBLAS_STATUS_INVALID_VALUE);
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t streamId)
{
    if (!IS_HANDLE(handle))
        return RETURN(CUBLAS_STATUS_NOT_INITIALIZED);
    handle->stream = streamId;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *streamId)
{
    if (!IS_HANDLE(handle))
        return RETURN(CUBLAS_STATUS_NOT_INITIALIZED);
    if (!streamId)
        return RETURN(CUBLAS_STATUS_INVALID_VALUE);
    *streamId = handle->stream;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle,
                                       cublasPointerMode_t *mode)
{
    if (!IS_HANDLE(handle))
        return RETURN(CUBLAS_STATUS_NOT_INITIALIZED);
    if (!mode)
        return RETURN(CUBLAS_STATUS_INVALID_VALUE);
    *mode = handle->pointer_mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle,
                                       cublasPointerMode_t mode)
{
    if (!IS_HANDLE(handle))
        return RETURN(CUBLAS_STATUS_NOT_INITIALIZED);
    if (mode != CUBLAS_POINTER_MODE_HOST && mode != CUBLAS_POINTER_MODE_DEVICE)
        return RETURN(CUBLAS_STATUS_INVALID_VALUE);
    handle->pointer_mode = mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode)
{
    if (!IS_HANDLE(handle))
        return RETURN(CUBLAS_STATUS_NOT_INITIALIZED);
    if (!mode)
        return RETURN(CUBLAS_STATUS_INVALID_VALUE);
    *mode = handle->math_mode;
    return CUBLAS_STATUS_SUCCESS;
}

/* A mode is a set of flags, which may include flags without a name. */
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
    const unsigned flags = 2 * CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
    if (!IS_HANDLE(handle))
        return RETURN(CUBLAS_STATUS_NOT_INITIALIZED);
    if ((unsigned)mode >= flags)
        return RETURN(CUBLAS_STATUS_INVALID_VALUE);
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
    if (!IS_HANDLE(handle))
        return RETURN(CUBLAS_STATUS_NOT_INITIALIZED);
    if (!workspace || workspaceSizeInBytes == 0)
        return CUBLAS_STATUS_SUCCESS;
    const char *const p = workspace;
    return RETURN(simgpu_heap_find(p, &b) == 0 && b.device != HEAP_PINNED &&
                          workspaceSizeInBytes <=
                              b.nbytes - (size_t)(p - b.base)
                      ? CUBLAS_STATUS_SUCCESS
                      : CUBLAS_STATUS_INVALID_VALUE);
}

cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle,
                                    cublasAtomicsMode_t *mode)
{
    if (!IS_HANDLE(handle))
        return RETURN(CUBLAS_STATUS_NOT_INITIALIZED);
    if (!mode)
        return RETURN(CUBLAS_STATUS_INVALID_VALUE);
    *mode = handle->atomics_mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle,
                                    cublasAtomicsMode_t mode)
{
    if (!IS_HANDLE(handle))
        return RETURN(CUBLAS_STATUS_NOT_INITIALIZED);
    if ((unsigned)mode > CUBLAS_ATOMICS_ALLOWED)
        return RETURN(CUBLAS_STATUS_INVALID_VALUE);
    handle->atomics_mode = mode;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int *smCountTarget)
{
    if (!IS_HANDLE(handle))
        return RETURN(CUBLAS_STATUS_NOT_INITIALIZED);
    if (!smCountTarget)
        return RETURN(CUBLAS_STATUS_INVALID_VALUE);
    *smCountTarget = handle->sm_count_target;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int smCountTarget)
{
    struct cudaDeviceProp p;
    if (!IS_HANDLE(handle))
        return RETURN(CUBLAS_STATUS_NOT_INITIALIZED);
    if (smCountTarget < 0 ||
        cudaGetDeviceProperties(&p, handle->device) != cudaSuccess ||
        smCountTarget > p.multiProcessorCount)
        return RETURN(CUBLAS_STATUS_INVALID_VALUE);
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
