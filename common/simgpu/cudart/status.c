#include "cudart/api.h"

#include <stddef.h> /* NULL */

#include "core/device.h"
#include "core/proc.h"
#include "core/site.h"
#include "core/watch/ignored.h"

static _Thread_local cudaError_t last_error;
static _Thread_local int errors_aside;

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

/* Failures that programs expect: answers to queries, and states that are
 * already as they should be. */
static int is_expected(cudaError_t err)
{
    return err == cudaErrorNotReady ||
           err == cudaErrorPeerAccessAlreadyEnabled ||
           err == cudaErrorPeerAccessNotEnabled;
}

/* The error that a call returns, which is the thread's last one from now on. */
static cudaError_t settle(cudaError_t err)
{
    device_bind();
    const cudaError_t sticky =
        (cudaError_t)simgpu_device_error(simgpu_device_current());
    if (sticky)
        err = sticky;
    else if (!err && simgpu_proc_started() && simgpu_proc()->ndevices == 0)
        err = cudaErrorNoDevice;
    if (err && !errors_aside)
        last_error = err;
    return err;
}

cudaError_t api_return_from(cudaError_t err, const char *call,
                            const void *return_address)
{
    err = settle(err);
    if (err && !is_expected(err))
        simgpu_ignored_note(IGNORED_CUDA, call, cudaGetErrorName(err),
                            simgpu_site_caller ? simgpu_site_caller
                                               : return_address);
    return err;
}

void api_launched(cudaError_t err, const char *call, uint32_t site)
{
    err = settle(err);
    if (err)
        ignored_note_launch(call, cudaGetErrorName(err), site);
}

void simgpu_errors_aside(int step)
{
    errors_aside += step;
}

cudaError_t cudaPeekAtLastError(void)
{
    if (last_error)
        simgpu_ignored_forget(IGNORED_CUDA);
    return last_error;
}

/* A device's sticky error counts only once a call has returned it. */
cudaError_t cudaGetLastError(void)
{
    const cudaError_t err = cudaPeekAtLastError();
    last_error = cudaSuccess;
    return err;
}
