#include "cudart/api.h"

#include <stddef.h> /* NULL */

#include "core/device.h"

static _Thread_local cudaError_t last_error;

static const struct error {
    const char *name;
    int value;
    const char *text;
} errors[] = {
#define ERROR(name, value, text) {#name, value, text},
#include "simgpu/errors.def"
#undef ERROR
};

static const struct error *find(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].value == (int)error)
            return &errors[i];
    return NULL;
}

const char *cudaGetErrorName(cudaError_t error)
{
    const struct error *const e = find(error);
    return e ? e->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    const struct error *const e = find(error);
    return e ? e->text : "unrecognized error code";
}

cudaError_t api_return(cudaError_t err)
{
    device_bind();
    const cudaError_t sticky =
        (cudaError_t)simgpu_device_error(simgpu_device_current());
    if (sticky)
        err = sticky;
    if (err)
        last_error = err;
    return err;
}

cudaError_t api_last_error(int clear)
{
    const cudaError_t sticky =
        (cudaError_t)simgpu_device_error(simgpu_device_current());
    const cudaError_t err = sticky ? sticky : last_error;
    if (clear)
        last_error = cudaSuccess;
    return err;
}

cudaError_t cudaGetLastError(void)
{
    return api_last_error(1);
}

cudaError_t cudaPeekAtLastError(void)
{
    return api_last_error(0);
}
