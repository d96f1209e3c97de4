#include "cudart/graphs/locals.h"

#include "core/heap/host_memory.h"
#include "core/site.h"
#include "core/watch/check.h"

static struct check_sites told = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void check_copy(const struct CUgraphNode_st *n, const void *frame,
                       uint32_t site)
{
    const struct cudaMemcpy3DParms *const c = &n->params.memcpy.copyParams;
    const int writes = host_memory_has_returned(c->dstPtr.ptr, frame);
    char at[256], by[256];
    if ((!writes && !host_memory_has_returned(c->srcPtr.ptr, frame)) ||
        !check_is_new(&told, n->site))
        return;
    simgpu_check_note(
        n->site,
        "lifetime: the node of %s at %s %s a local variable, whose function "
        "has returned by cudaGraphLaunch at %s: others use that memory "
        "by now. Use memory that lives as long as the graph, such as a static "
        "variable's",
        n->name, simgpu_site_text(n->site, at, sizeof at),
        writes ? "writes" : "reads", simgpu_site_text(site, by, sizeof by));
}

static void check_argument(const struct CUgraphNode_st *n, const void *frame,
                           uint32_t site)
{
    char at[256], by[256];
    if (!host_memory_has_returned(n->params.host.userData, frame) ||
        !check_is_new(&told, n->site))
        return;
    simgpu_check_warn(
        n->site,
        "lifetime: the host function of %s at %s gets the address of a local "
        "variable, whose function has returned by cudaGraphLaunch at %s. Use "
        "memory that lives as long as the graph, such as a static variable's",
        n->name, simgpu_site_text(n->site, at, sizeof at),
        simgpu_site_text(site, by, sizeof by));
}

void locals_check(const struct CUgraph_st *g, const void *frame, uint32_t site)
{
    for (const struct CUgraphNode_st *n = g->first; n; n = n->next) {
        if (n->disabled)
            continue;
        if (n->params.type == cudaGraphNodeTypeMemcpy)
            check_copy(n, frame, site);
        if (n->params.type == cudaGraphNodeTypeHost)
            check_argument(n, frame, site);
        if (n->child)
            locals_check(n->child, frame, site);
        for (unsigned i = 0; n->body && i < n->body->n; i++)
            locals_check(n->body->graph[i], frame, site);
    }
}
