#include "core/host.h"

#include "core/called.h"
#include "core/issuer.h"
#include "core/polls.h"
#include "core/proc.h"
#include "core/report.h"
#include "core/site.h"
#include "core/thread.h"

uint16_t host_ndeps(int n)
{
    if (n > UINT16_MAX)
        simgpu_report_fault(
            NULL,
            "an operation depends on %d others; the execution graph "
            "allows %d.\nUse fewer streams on one device.",
            n, UINT16_MAX);
    return (uint16_t)n;
}

static struct graph_node host_node(const char *call, uint32_t site)
{
    return (struct graph_node){
        .kind = GRAPH_HOST,
        .thread = thread_number(),
        .place = TOPO_HOST_PLACE(simgpu_proc()->node),
        .name = graph_string(simgpu_proc()->graph, site_call(call)),
        .site = site,
    };
}

/* Add a node for the calling thread, and note that the
 * thread has made this call. Returns the node. */
static uint32_t add(const char *call, const struct graph_node *node,
                    const struct graph_ref *deps,
                    const struct graph_access *access)
{
    poll_over();
    simgpu_called(CONTROL_CALL, site_call(call), node->site);
    const uint32_t index =
        graph_add(simgpu_proc()->graph, node, deps, NULL, access);
    issuer_called(index);
    return index;
}

void simgpu_host_record(const char *call, uint32_t site, uint64_t latency_ps,
                        const struct graph_ref *deps, int ndeps)
{
    struct graph_node node = host_node(call, site);
    node.host_ps = simgpu_proc()->costs->api_host_ps;
    node.latency_ps = latency_ps;
    node.ndeps = host_ndeps(ndeps);
    add(call, &node, deps, NULL);
}

void host_begin_again(const char *call, uint32_t site, struct graph_ref at)
{
    struct graph_node node = host_node(call, site);
    node.flags = GRAPH_AGAIN;
    node.ndeps = 1;
    add(call, &node, &at, NULL);
}

uint32_t host_touch(const char *call, uint32_t site,
                    const struct graph_access *access)
{
    struct graph_node node = host_node(call, site);
    node.naccesses = 1;
    return add(call, &node, NULL, access);
}

void simgpu_host_call(const char *name, uint32_t site)
{
    simgpu_host_busy(name, site, simgpu_proc()->costs->api_host_ps);
}

void simgpu_host_busy(const char *name, uint32_t site, uint64_t host_ps)
{
    struct graph_node node = host_node(name, site);
    node.host_ps = host_ps;
    add(name, &node, NULL, NULL);
}
