#include "device/cluster.h"

#include <stdlib.h> /* calloc */

#include "core/flag.h" /* flag_nap */
#include "core/proc.h"
#include "core/report.h"
#include "core/site.h"
#include "device/runner.h"
#include "device/sync.h"
#include "simgpu/kernel.h"

struct cluster {
    struct cluster *next;
    uint64_t index;           /* in the grid */
    unsigned ended;           /* blocks */
    uint64_t arrived, exited; /* threads: at the barrier; at their end */
    uint64_t generation;      /* of the barrier */
};

/* Thread-local memory lies within this distance of the thread pointer: below it
 * on x86-64, above it on arm64. */
enum { REACH = 1 << 20 };

int cluster_nstale;

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

struct simgpu_uint3 simgpu_cluster_dim(void)
{
    const unsigned *const c = grid_runner()->grid->launch->cluster;
    return (struct simgpu_uint3){c[0], c[1], c[2]};
}

/* ---- blocks begin and end ------------------------------------------------ */

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
    free(c);
}

/* May this runner, whose block has ended, begin the next block? Only then is
 * its shared memory free. */
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
                cluster_nstale -= g->runner[i]->mapped && g->runner[i] != me;
                g->runner[i]->cluster = NULL;
            }
        free_cluster(g, mine);
        g->progress++;
        return;
    }
    cluster_nstale += me->mapped;
    while (!is_free(me) && (me->cluster || g->next < g->n)) {
        const uint64_t progress = g->progress;
        grid_pass_turn(me);
        if (me->index == 0 && g->progress == progress)
            flag_nap(NULL, 0, 0); // the thread that the watchdog knows
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

static void complete(struct grid *g, struct cluster *c)
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
    struct runner *const me = grid_runner();
    me->cluster->exited++;
    complete(me->grid, me->cluster);
}

/* The generation in which a thread of the block has arrived. */
static __thread uint64_t arrived_in[1024];

static uint64_t *my_arrival(void)
{
    const struct simgpu_uint3 t = simgpu_thread_idx, n = simgpu_block_dim;
    return &arrived_in[t.x + n.x * (t.y + n.y * t.z)];
}

void simgpu_cluster_arrive(void)
{
    struct runner *const me = grid_runner();
    struct cluster *const c = me->cluster;
    if (!c) // the block is alone
        return;
    sync_commit();
    *my_arrival() = c->generation;
    c->arrived++;
    complete(me->grid, c);
}

void simgpu_cluster_wait(void)
{
    const struct cluster *const c = grid_runner()->cluster;
    if (!c) {
        simgpu_syncthreads();
        return;
    }
    while (c->generation == *my_arrival())
        simgpu_yield();
}

/* ---- distributed shared memory ------------------------------------------- */

static int is_shared_of(const char *thread, const void *p)
{
    const ptrdiff_t at = (const char *)p - thread;
#if defined(__x86_64__)
    return -REACH < at && at < 0;
#else
    return 0 <= at && at < REACH;
#endif
}

int simgpu_is_shared(const volatile void *p)
{
    return is_shared_of(__builtin_thread_pointer(), (const void *)p);
}

int simgpu_cluster_has(const void *p)
{
    const struct runner *const me = grid_runner();
    for (int i = 0; me->cluster && i < me->grid->nrunners; i++)
        if (me->grid->runner[i]->cluster == me->cluster &&
            is_shared_of(me->grid->runner[i]->shared, p))
            return 1;
    return 0;
}

static struct runner *runner_of(struct grid *g, uint64_t block)
{
    for (int i = 0; i < g->nrunners; i++)
        if (g->runner[i]->cluster && g->runner[i]->block == block)
            return g->runner[i];
    return NULL;
}

/* What is wrong with a use of another block's shared memory, at pc. */
static _Noreturn void bad_use(const char *what, const void *pc)
{
    const struct grid *const g = grid_runner()->grid;
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

void *simgpu_cluster_map(const void *p, unsigned rank)
{
    struct runner *const me = grid_runner();
    struct grid *const g = me->grid;
    const uint64_t first = me->block / g->cluster_size * g->cluster_size;
    const void *const pc = __builtin_return_address(0);
    if (!me->cluster && rank == 0)
        return (void *)p;
    if (rank >= g->cluster_size)
        bad_use("asks for the shared memory of a rank that the cluster does "
                "not have: ranks are below cluster.num_blocks().",
                pc);
    if (!is_shared_of(me->shared, p))
        bad_use("maps an address that is not in this block's shared memory: "
                "map_shared_rank() takes the address of a __shared__ variable.",
                pc);
    struct runner *other = runner_of(g, first + rank);
    while (!other && first + rank >= g->next) {
        simgpu_yield();
        other = runner_of(g, first + rank);
    }
    if (!other || !other->busy)
        bad_use("asks for the shared memory of a block that has ended.\nEvery "
                "block of a cluster has to stay until the others have used its "
                "memory: call cluster.sync() at the kernel's end.",
                pc);
    other->mapped |= other != me;
    return other->shared + ((const char *)p - me->shared);
}

unsigned simgpu_cluster_rank_of(const void *p)
{
    struct runner *const me = grid_runner();
    struct grid *const g = me->grid;
    for (int i = 0; i < g->nrunners && me->cluster; i++)
        if (g->runner[i]->cluster == me->cluster &&
            is_shared_of(g->runner[i]->shared, p))
            return (unsigned)(g->runner[i]->block % g->cluster_size);
    return (unsigned)(me->block % g->cluster_size);
}

void cluster_check(const void *p, const void *pc)
{
    struct runner *const me = grid_runner();
    for (int i = 0; me && me->cluster && i < me->grid->nrunners; i++) {
        const struct runner *const r = me->grid->runner[i];
        if (r != me && r->cluster == me->cluster && r->mapped && !r->busy &&
            is_shared_of(r->shared, p))
            bad_use("uses the shared memory of a block that has ended.\nEvery "
                    "block of a cluster has to stay until the others have used "
                    "its memory: call cluster.sync() at the kernel's end.",
                    pc);
    }
}
