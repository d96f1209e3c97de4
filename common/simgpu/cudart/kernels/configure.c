/*
 * configure.c: k<<<grid, block>>>(x), in two steps
 *
 * First the configuration is stored; then the kernel's prologue launches with
 * it. In device code the thread counts as outside of a kernel between the two
 * steps, because a kernel called there must be launched.
 */
#include "core/proc.h"
#include "core/report.h"
#include "core/site.h"
#include "cudart/kernels/launch.h"
#include "cudart/kernels/launch_args.h"
#include "device/child.h"
#include "device/grid.h"
#include "device/launch.h"

enum { MAX_PENDING = 16 }; /* launches nested in arguments */
enum { IN_DEVICE_CODE = 2 };

/* cudaStreamTailLaunch, which CUDA's own headers define only in C++. */
static const uintptr_t tail_launch = 0x3;

static _Thread_local struct pending {
    const char *text;
    dim3 grid, block;
    size_t shared_nbytes;
    cudaStream_t stream;
    uint32_t site; /* taken while its callers are on the stack */
} pending[MAX_PENDING];
static _Thread_local int npending;

void simgpu_configure(const char *text, const unsigned grid[3],
                      const unsigned block[3], size_t shared_nbytes,
                      cudaStream_t stream)
{
    if (npending == MAX_PENDING)
        npending = 0; // left by expressions that launched nothing
    if (!simgpu_outside)
        simgpu_outside = IN_DEVICE_CODE;
    pending[npending++] = (struct pending){text,
                                           {grid[0], grid[1], grid[2]},
                                           {block[0], block[1], block[2]},
                                           shared_nbytes,
                                           stream,
                                           CALLER_SITE()};
}

static cudaError_t launch(const void *func, const struct pending *p,
                          void **params)
{
    struct launch_call c = {.func = func,
                            .grid = p->grid,
                            .block = p->block,
                            .args = params,
                            .shared_nbytes = p->shared_nbytes,
                            .site = p->site};
    return launch_on(&c, p->stream);
}

static void release(const struct launch *l)
{
    launch_free_args(l->params, l->kernel->nparams);
}

/* Launch a kernel from device code. */
static cudaError_t launch_child(const void *func, const struct pending *p,
                                void **params)
{
    const struct launch *const parent = grid_launch();
    const cudaError_t err =
        launch_check(func, p->grid, p->block, p->shared_nbytes);
    unsigned nargs;
    if (err != cudaSuccess)
        return err;
    const struct launch l = {
        .kernel = kernel_find(func),
        .grid = {p->grid.x, p->grid.y, p->grid.z},
        .block = {p->block.x, p->block.y, p->block.z},
        .cluster = {1, 1, 1},
        .shared_nbytes = p->shared_nbytes,
        .params = launch_copy_args(func, params, &nargs),
        .op = parent->op,
        .device = parent->device,
        .site = p->site,
    };
    return child_launch(&l, (uintptr_t)p->stream == tail_launch, release)
               ? cudaSuccess
               : cudaErrorLaunchOutOfResources;
}

void simgpu_launch(const void *host_stub, void **params)
{
    if (!npending) {
        const struct simgpu_kernel *const k = kernel_find(host_stub);
        simgpu_report_fault(NULL,
                            "kernel %s is called like a function. Launch it: "
                            "%s<<<grid, block>>>(...)",
                            k->name, k->name);
    }
    const struct pending p = pending[--npending];
    if (simgpu_outside == IN_DEVICE_CODE) {
        simgpu_outside = 0;
        api_launched(launch_child(host_stub, &p, params), "cudaLaunchKernel",
                     p.site);
        return;
    }
    kernel_rename(host_stub, p.text);
    api_launched(api_inside_host_function() ? cudaErrorNotPermitted
                                            : launch(host_stub, &p, params),
                 "cudaLaunchKernel", p.site);
}
