#include "core/host.h"

#include "core/stream.h" /* host_call */

uint16_t host_ndeps(int n)
{
    if (n > UINT16_MAX)
        proc_fault(NULL,
                   "an operation follows %d others; the execution graph has "
                   "room for %d.\nUse fewer streams of one device.",
                   n, UINT16_MAX);
    return (uint16_t)n;
}

static struct graph_node host_node(const char *call, uint32_t site)
{
    return (struct graph_node){
        .kind = GRAPH_HOST,
        .thread = proc_thread(),
        .place = GRAPH_HOST_PLACE(proc()->node),
        .name = graph_string(proc()->graph, call),
        .site = site,
    };
}

void host_record(const char *call, uint32_t site, uint64_t latency_ps,
                 const struct graph_ref *deps, int ndeps)
{
    struct graph_node node = host_node(call, site);
    node.host_ps = proc()->costs->api_host_ps;
    node.latency_ps = latency_ps;
    node.ndeps = host_ndeps(ndeps);
    graph_add(proc()->graph, &node, deps, NULL, NULL);
}

void host_touch(const char *call, uint32_t site,
                const struct graph_access *access)
{
    struct graph_node node = host_node(call, site);
    node.naccesses = 1;
    graph_add(proc()->graph, &node, NULL, NULL, access);
}

void host_call(const char *name, uint32_t site)
{
    host_record(name, site, 0, NULL, 0);
}
