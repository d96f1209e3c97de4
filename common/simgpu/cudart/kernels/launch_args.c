#include "cudart/kernels/launch_args.h"

#include <stdlib.h> /* free */
#include <string.h> /* memcpy */

#include "core/device.h"
#include "core/report.h"
#include "cudart/kernels/function.h"
#include "cudart/kernels/image.h"
#include "device/launch.h"

enum { MAX_THREADS = 1024 };

/* Copy the parameters, which may change after the call. */
void **launch_copy_params(const struct simgpu_kernel *k, void **args)
{
    static const char of[] = "a kernel's parameters";
    void **const copies =
        simgpu_need(calloc(k->nparams + 1, sizeof *copies), of);
    for (uint32_t i = 0; i < k->nparams; i++) {
        copies[i] = simgpu_need(malloc(k->param_nbytes[i]), of);
        memcpy(copies[i], args[i], k->param_nbytes[i]);
    }
    return copies;
}

void **launch_copy_args(const void *func, void **args, unsigned *nargs)
{
    const struct simgpu_kernel *const k = kernel_find(function_of(func));
    *nargs = k->nparams;
    return launch_copy_params(k, args);
}

void launch_free_args(void **args, unsigned nargs)
{
    for (unsigned i = 0; args && i < nargs; i++)
        free(args[i]);
    free(args);
}

int launch_has_args(const void *func)
{
    const struct simgpu_kernel *const k = kernel_find(function_of(func));
    return k && k->nparams > 0;
}

const char *launch_name(const void *func)
{
    const struct simgpu_kernel *const k = kernel_find(function_of(func));
    return k ? k->name : "kernel";
}

static int fits(dim3 grid, dim3 block)
{
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    return grid.x && grid.y && grid.z && threads && threads <= MAX_THREADS &&
           block.z <= 64 && grid.x <= 0x7fffffff && grid.y <= 65535 &&
           grid.z <= 65535;
}

cudaError_t launch_check_on(const void *func, dim3 grid, dim3 block,
                            size_t shared_nbytes, int device)
{
    const struct simgpu_kernel *const k = kernel_find(func);
    if (!k)
        return image_missing(func, 0);
    const int in_bounds =
        !k->max_threads ||
        (uint64_t)block.x * block.y * block.z <= k->max_threads;
    return fits(grid, block) && in_bounds &&
                   (int64_t)shared_nbytes <= function_shared(func, device)
               ? cudaSuccess
               : cudaErrorInvalidValue; // ...Configuration until CUDA 12
}

cudaError_t launch_check(const void *func, dim3 grid, dim3 block,
                         size_t shared_nbytes)
{
    return launch_check_on(function_of(func), grid, block, shared_nbytes,
                           simgpu_device_current());
}
