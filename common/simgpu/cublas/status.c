/*
 * status.c: names of errors
 */
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
    STATUS(INVALID_VALUE, "an invalid value was used as an argument"),
    STATUS(ARCH_MISMATCH, "an absent device architectural feature is required"),
    STATUS(MAPPING_ERROR, "an access to GPU memory space failed"),
    STATUS(EXECUTION_FAILED, "the GPU program failed to execute"),
    STATUS(INTERNAL_ERROR, "an internal operation failed"),
    STATUS(NOT_SUPPORTED, "the function or the data type is not supported"),
    STATUS(LICENSE_ERROR, "the functionality requested requires some license"),
};
enum { STATUSES = sizeof statuses / sizeof *statuses };

const char *handle_status_name(cublasStatus_t status)
{
    for (int i = 0; i < STATUSES; i++)
        if (statuses[i].status == status)
            return statuses[i].name;
    return "<unknown>";
}

const char *handle_status_text(cublasStatus_t status)
{
    for (int i = 0; i < STATUSES; i++)
        if (statuses[i].status == status)
            return statuses[i].text;
    return "<unknown>";
}
