#include "core/site.h"

#include "core/proc.h"
#include "graph/site.h"

__thread const void *simgpu_site_caller;

uint32_t simgpu_site(const void *return_address)
{
    return graph_site(simgpu_proc()->graph, return_address);
}

const char *simgpu_site_text(uint32_t site, char *out, size_t nbytes)
{
    return graph_site_text(simgpu_proc()->graph, site, out, nbytes);
}

void simgpu_site_locate(const void *return_address, struct site_location *out)
{
    site_locate(return_address, out->module, sizeof out->module, &out->offset);
}

const char *simgpu_site_location_text(const struct site_location *where,
                                      char *out, size_t nbytes)
{
    return site_text(where->module, where->offset, out, nbytes);
}
