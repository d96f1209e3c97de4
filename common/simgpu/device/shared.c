#include "device/shared.h"

#include "core/proc.h"
#include "core/report.h"
#include "core/site.h"
#include "device/runner.h"
#include "simgpu/kernel.h"

int shared_nstale;

void shared_range(const char **begin, const char **end)
{
    const char *const thread = __builtin_thread_pointer();
#if defined(__x86_64__)
    *begin = thread - SHARED_REACH + 1;
    *end = thread;
#else
    *begin = thread;
    *end = thread + SHARED_REACH;
#endif
}

int simgpu_is_shared(const volatile void *p)
{
    return shared_is_own((const void *)p);
}

int simgpu_cluster_has(const void *p)
{
    const struct runner *const me = runner_me;
    for (int i = 0; me->cluster && i < me->grid->nrunners; i++)
        if (me->grid->runner[i]->cluster == me->cluster &&
            shared_holds(me->grid->runner[i]->shared, p))
            return 1;
    return 0;
}

_Noreturn void shared_bad_use(const char *what, const void *pc)
{
    const struct grid *const g = runner_me->grid;
    const struct simgpu_uint3 b = simgpu_block_idx, t = simgpu_thread_idx;
    char where[256], launch[256];
    graph_site_text(simgpu_proc()->graph, simgpu_site(pc), where, sizeof where);
    simgpu_report_fault(
        NULL,
        "kernel %s on device %d, at %s:\n  %s\nBlock (%u,%u,%u), thread "
        "(%u,%u,%u). The kernel was launched at %s.",
        g->launch->kernel->name, g->launch->device, where, what, b.x, b.y, b.z,
        t.x, t.y, t.z,
        simgpu_site_text(g->launch->site, launch, sizeof launch));
}

void shared_check(const void *p, const void *pc)
{
    struct runner *const me = runner_me;
    for (int i = 0; me && me->cluster && i < me->grid->nrunners; i++) {
        const struct runner *const r = me->grid->runner[i];
        if (r != me && r->cluster == me->cluster && r->mapped && !r->busy &&
            shared_holds(r->shared, p))
            shared_bad_use(
                "uses the shared memory of a block that has ended.\nEvery "
                "block of a cluster has to stay until the others have used "
                "its memory: call cluster.sync() at the kernel's end.",
                pc);
    }
}
