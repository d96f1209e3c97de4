/*
 * configure.c: k<<<grid, block>>>(x), in two steps
 *
 * The configuration is noted; then the kernel's prologue launches it.
 */
#include "core/report.h"
#include "core/site.h"
#include "cudart/launch.h"
#include "device/launch.h"

enum { MAX_PENDING = 16 }; /* launches in the arguments of launches */

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
    if (api_inside_host_function())
        return;
    kernel_rename(host_stub, p.text);
    api_return_from(launch(host_stub, &p, params), "cudaLaunchKernel", p.from);
}
