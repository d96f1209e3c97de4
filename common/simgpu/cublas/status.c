/*
 * status.c: names and texts of errors
 */
#include <stdio.h>  /* snprintf */
#include <string.h> /* strlen */

#include "core/watch/ignored.h"
#include "cublas/handle.h"

static const struct {
    cublasStatus_t status;
    const char *name, *text;
} statuses[] = {
#define STATUS(name, text)                                                     \
    {                                                                          \
        CUBLAS_STATUS_##name, "CUBLAS_STATUS_" #name, text                     \
    }
    STATUS(SUCCESS, "success"),
    STATUS(NOT_INITIALIZED, "the library was not initialized"),
    STATUS(ALLOC_FAILED, "the resource allocation failed"),
    STATUS(INVALID_VALUE,
           "an unsupported value or parameter was passed to the function"),
    STATUS(ARCH_MISMATCH, "the function requires an architectural feature "
                          "absent from the device"),
    STATUS(MAPPING_ERROR, "an access to GPU memory space failed"),
    STATUS(EXECUTION_FAILED, "the function failed to launch on the GPU"),
    STATUS(INTERNAL_ERROR, "an internal operation failed"),
    STATUS(NOT_SUPPORTED, "the requested functionality is not supported"),
    STATUS(LICENSE_ERROR, "the license check failed"),
};
enum { STATUSES = sizeof statuses / sizeof *statuses };

const char *handle_status_name(cublasStatus_t status)
{
    for (int i = 0; i < STATUSES; i++)
        if (statuses[i].status == status)
            return statuses[i].name;
    return "unrecognized status";
}

const char *handle_status_text(cublasStatus_t status)
{
    for (int i = 0; i < STATUSES; i++)
        if (statuses[i].status == status)
            return statuses[i].text;
    return "unrecognized status";
}

const char *handle_call_name(const char *function, char out[64])
{
    const size_t n = strlen(function), suffix = strlen("_v2");
    const int has = n > suffix && strcmp(function + n - suffix, "_v2") == 0;
    snprintf(out, 64, "%.*s", (int)(n - (has ? suffix : 0)), function);
    return out;
}

cublasStatus_t handle_return(const struct site *at, cublasStatus_t status)
{
    char name[64];
    if (status != CUBLAS_STATUS_SUCCESS)
        simgpu_ignored_note_library(IGNORED_CUBLAS,
                                    handle_call_name(at->name, name),
                                    handle_status_name(status), at->from);
    return status;
}
