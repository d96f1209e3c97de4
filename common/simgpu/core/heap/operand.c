#include "core/heap/operand.h"

#include "core/heap/reach.h"
#include "core/report.h"
#include "core/site.h"

struct heap_block simgpu_operand_block(const struct operand *o, const void *p,
                                       size_t nbytes)
{
    struct heap_block b;
    char site[256], where[512], what[REACH_TEXT];
    if (simgpu_heap_find(p, &b) != 0)
        simgpu_report_fault(
            NULL,
            "%s at %s: %s is %s, memory that the GPU cannot reach.\n"
            "Allocate it with cudaMalloc%s.",
            o->call, simgpu_site_text(o->site, site, sizeof site), o->name,
            simgpu_pointer_text(p).text, o->remedy);
    if (!simgpu_heap_reaches(o->device, &b))
        simgpu_report_fault(NULL, "%s at %s: %s is %s", o->call,
                            simgpu_site_text(o->site, site, sizeof site),
                            o->name,
                            simgpu_heap_unreached(o->device, &b, what));
    if ((const char *)p + nbytes > b.base + b.nbytes)
        simgpu_report_fault(
            NULL, "%s at %s: %s needs %zu bytes, but starts at %s.\n%s",
            o->call, simgpu_site_text(o->site, site, sizeof site), o->name,
            nbytes, simgpu_heap_describe(p, where, sizeof where), o->check);
    return b;
}
