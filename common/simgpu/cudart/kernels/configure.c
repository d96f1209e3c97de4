/*
 * configure.c: k<<<grid, block>>>(x), in two steps
 *
 * The configuration is noted; then the kernel's prologue launches it. In device
 * code, too: it is outside until then, since a kernel that is called there is
 * launched.
 */
#include "core/proc.h"
#include "core/report.h"
#include "core/site.h"
#include "cudart/launch.h"
#include "device/child.h"
#include "device/grid.h"
#include "device/launch.h"

enum { MAX_PENDING = 16 }; /* launches in the arguments of launches */
enum { IN_DEVICE_CODE = 2 };

/* cudaStreamTailLaunch, which CUDA's own headers define in C++ alone. */
static const uintptr_t tail_launch = 0x3;

static _Thread_local struct pending {
    const char *text;
    dim3 grid, block;
    size_t shared_nbytes;
    cudaStream_t stream;
    const void *from; /* where in the program */
    uint32_t site;    /* the same, while the calls around it are known */
} pending[MAX_PENDING];
static _Thread_local int npending;

void simgpu_configure(const char *text, const unsigned grid[3],
                      const unsigned block[3], size_t shared_nbytes,
                      cudaStream_t stream)
{
    if (npending == MAX_PENDING)
        npending = 0; // of calls that launched nothing
    if (!simgpu_outside)
        simgpu_outside = IN_DEVICE_CODE;
    pending[npending++] = (struct pending){text,
                                           {grid[0], grid[1], grid[2]},
                                           {block[0], block[1], block[2]},
                                           shared_nbytes,
                                           stream,
                                           __builtin_return_address(0),
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
    const cudaError_t err = api_stream(p->stream, &c.stream);
    return err != cudaSuccess ? err : launch_run(&c);
}

static void release(const struct launch *l)
{
    launch_free_args(l->params, l->kernel->nparams);
}

/* A launch by device code. */
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
        const struct kernel *const k = kernel_find(host_stub);
        simgpu_report_fault(NULL,
                            "kernel %s is called like a function. Launch it: "
                            "%s<<<grid, block>>>(...)",
                            k->name, k->name);
    }
    const struct pending p = pending[--npending];
    if (simgpu_outside == IN_DEVICE_CODE) {
        simgpu_outside = 0;
        api_return_from(launch_child(host_stub, &p, params), "cudaLaunchKernel",
                        p.from);
        return;
    }
    if (api_inside_host_function())
        return;
    kernel_rename(host_stub, p.text);
    api_return_from(launch(host_stub, &p, params), "cudaLaunchKernel", p.from);
}

static void refuse(const char *call, const void *return_address,
                   const char *why)
{
    char where[256];
    if (simgpu_outside)
        return;
    const struct launch *const l = grid_launch();
    simgpu_report_fault(NULL, "kernel %s on device %d, at %s: calls %s().\n%s",
                        l->kernel->name, l->device,
                        graph_site_text(simgpu_proc()->graph,
                                        simgpu_site(return_address), where,
                                        sizeof where),
                        call, why);
}

void api_refuse_in_device_code(const char *call, const void *return_address)
{
    refuse(call, return_address,
           "Device code can't wait for the kernels that it launches: they run "
           "when it has ended, and it is complete when they are. What has to "
           "come after them: launch it into cudaStreamTailLaunch.");
}

void api_refuse_graphs_in_device_code(const void *return_address)
{
    refuse("cudaGraphLaunch", return_address,
           "simgpu launches graphs from host code only.");
}
