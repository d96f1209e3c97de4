#include "device/cluster.h"

#include <stdlib.h> /* calloc */

#include "core/report.h"
#include "core/stream/flag.h" /* flag_nap */
#include "device/shared.h"
#include "device/sharing/words.h"

/* ---- places -------------------------------------------------------------- */

struct simgpu_uint3 cluster_block(const struct launch *l, uint64_t n)
{
    const unsigned *const c = l->cluster;
    const unsigned size = c[0] * c[1] * c[2], rank = (unsigned)(n % size);
    const uint64_t k = n / size, x = l->grid[0] / c[0], y = l->grid[1] / c[1];
    return (struct simgpu_uint3){
        (unsigned)(k % x) * c[0] + rank % c[0],
        (unsigned)(k / x % y) * c[1] + rank / c[0] % c[1],
        (unsigned)(k / x / y) * c[2] + rank / c[0] / c[1]};
}

/* ---- starting and ending blocks ------------------------------------------ */

void cluster_enter(struct runner *me)
{
    struct grid *const g = me->grid;
    const uint64_t index = me->block / g->cluster_size;
    struct cluster *c = g->clusters;
    while (c && c->index != index)
        c = c->next;
    if (!c) {
        c = calloc(1, sizeof *c);
        if (!c)
            simgpu_report_fault(NULL, "out of host memory for a cluster");
        c->index = index;
        c->next = g->clusters;
        g->clusters = c;
    }
    me->cluster = c;
    me->busy = 1;
    me->mapped = 0;
    me->shared = __builtin_thread_pointer();
}

static void free_cluster(struct grid *g, struct cluster *c)
{
    struct cluster **at = &g->clusters;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    words_free(c->words);
    free(c);
}

/* True if this runner, whose block has ended, may start the next block: its
 * shared memory must be free. */
static int is_free(const struct runner *r)
{
    const struct grid *const g = r->grid;
    if (r->busy || (r->mapped && r->cluster))
        return 0;
    return g->launch->cooperative || !g->clusters ||
           (g->next < g->n && g->next % g->cluster_size != 0);
}

void cluster_leave(struct runner *me)
{
    struct grid *const g = me->grid;
    struct cluster *const mine = me->cluster;
    me->busy = 0;
    if (++mine->ended == g->cluster_size) {
        for (int i = 0; i < g->nrunners; i++)
            if (g->runner[i]->cluster == mine) {
                shared_nstale -= g->runner[i]->mapped && g->runner[i] != me;
                g->runner[i]->cluster = NULL;
            }
        free_cluster(g, mine);
        g->progress++;
        return;
    }
    shared_nstale += me->mapped;
    while (!is_free(me) && (me->cluster || g->next < g->n)) {
        const uint64_t progress = g->progress;
        runner_pass_turn(me);
        if (me->index == 0 && g->progress == progress)
            flag_nap(NULL, 0, 0); // the watchdog watches this thread only
    }
}

int cluster_wants_runner(const struct grid *g)
{
    if (g->next >= g->n || g->next % g->cluster_size == 0)
        return 0;
    for (int i = 0; i < g->nrunners; i++)
        if (!g->runner[i]->ended && is_free(g->runner[i]))
            return 0;
    return 1;
}

/* ---- the barrier --------------------------------------------------------- */

void cluster_complete(struct grid *g, struct cluster *c)
{
    const unsigned *const b = g->launch->block;
    const uint64_t all = (uint64_t)g->cluster_size * b[0] * b[1] * b[2];
    if (!c->arrived || c->arrived + c->exited < all)
        return;
    c->arrived = 0;
    c->generation++;
    g->progress++;
}

void cluster_thread_ended(void)
{
    struct runner *const me = runner_me;
    me->cluster->exited++;
    cluster_complete(me->grid, me->cluster);
}
