#include "device/sharing/distant.h"

#include <stdio.h> /* snprintf */

#include "core/proc.h"
#include "core/site.h"
#include "core/watch/check.h"
#include "device/cluster.h"
#include "device/shared.h"
#include "device/sharing/arrays.h"
#include "device/sharing/finding.h"
#include "device/sharing/words.h"
#include "simgpu/kernel.h"

int distant_applies(const struct launch *l)
{
    return l->cluster[0] * l->cluster[1] * l->cluster[2] > 1 &&
           (simgpu_check_is_on() || kernels_are_listed());
}

void distant_excuse(void)
{
    if (runner_me)
        runner_me->grid->signals = 1;
}

/* The runner of the cluster's block whose shared memory has p, or NULL. */
static const struct runner *owner_of(const char *p)
{
    const struct grid *const g = runner_me->grid;
    for (int i = 0; i < g->nrunners; i++)
        if (g->runner[i]->cluster == runner_me->cluster &&
            shared_holds(g->runner[i]->shared, p))
            return g->runner[i];
    return NULL;
}

/* "(0,0,0) of block (1,0,0) reads at a.cu:12". */
static const char *access_text(const struct launch *l,
                               const struct word_mark *m, char *out,
                               size_t nbytes)
{
    const struct simgpu_uint3 b = cluster_block(l, m->block);
    char thread[48], where[128];
    snprintf(out, nbytes, "%s of block (%u,%u,%u) %s at %s",
             finding_thread(m->thread, thread, sizeof thread), b.x, b.y, b.z,
             m->writes ? "writes" : "reads",
             simgpu_site_text(simgpu_site(m->pc), where, sizeof where));
    return out;
}

static void report(const struct launch *l, const struct runner *owner,
                   const char *p, size_t nbytes, const struct word_mark *a,
                   const struct word_mark *b)
{
    const struct simgpu_uint3 block = cluster_block(l, owner->block);
    const char *const own = runner_me->shared + (p - owner->shared);
    const struct shared_array *const array = arrays_find(l, own);
    const uint32_t site = simgpu_site(b->pc);
    char text[768], launch[128], what[128], by[2][256];
    if (!array || !finding_is_new(simgpu_site(a->pc), site))
        return;
    snprintf(text, sizeof text,
             "race in distributed shared memory in kernel %s, launched at %s\n"
             "  %s of block (%u,%u,%u):\n  thread %s\n  thread %s\n"
             "  No barrier of the cluster is between. Call cluster.sync().",
             l->kernel->name, simgpu_site_text(l->site, launch, sizeof launch),
             arrays_text(array, own, nbytes, what, sizeof what), block.x,
             block.y, block.z, access_text(l, a, by[0], sizeof by[0]),
             access_text(l, b, by[1], sizeof by[1]));
    finding_note(l, site, text);
}

void distant_touch(const struct launch *l, const char *p, size_t nbytes,
                   enum touch_kind kind, const void *pc)
{
    struct runner *const me = runner_me;
    struct grid *const g = me->grid;
    const struct simgpu_uint3 t = simgpu_thread_idx, n = simgpu_block_dim;
    struct word_mark with;
    if (kind > TOUCH_WRITE)
        g->signals = 1;
    if (g->signals || !me->cluster)
        return;
    const struct runner *const owner = owner_of(p);
    if (!owner)
        return;
    const struct word_mark m = {
        .epoch = me->cluster->generation + g->generation,
        .block = me->block,
        .thread = (uint16_t)(t.x + n.x * (t.y + n.y * t.z)),
        .writes = kind == TOUCH_WRITE,
        .pc = pc};
    if (words_touch(&me->cluster->words, p, nbytes, &m, &with) &&
        !(with.writes && m.writes))
        report(l, owner, p, nbytes, &with, &m);
}
