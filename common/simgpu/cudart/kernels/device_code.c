/*
 * device_code.c: what device code may not call
 */
#include "core/proc.h"
#include "core/report.h"
#include "core/site.h"
#include "cudart/api.h"
#include "device/grid.h"
#include "device/launch.h"

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
