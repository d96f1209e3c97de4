/*
 * cluster_calls.c: what device code asks of its cluster
 */
#include "device/block.h" /* carrier_barrier */
#include "device/cluster.h"
#include "device/poll.h"
#include "device/shared.h"
#include "device/sharing/behind.h"
#include "device/sync.h"
#include "simgpu/kernel.h"

struct simgpu_uint3 simgpu_cluster_dim(void)
{
    const unsigned *const c = runner_me->grid->launch->cluster;
    return (struct simgpu_uint3){c[0], c[1], c[2]};
}

/* By thread of the block: the barrier's generation when the thread arrived. */
static __thread uint64_t arrived_in[1024];

static uint64_t *my_arrival(void)
{
    const struct simgpu_uint3 t = simgpu_thread_idx, n = simgpu_block_dim;
    return &arrived_in[t.x + n.x * (t.y + n.y * t.z)];
}

void simgpu_cluster_arrive(void)
{
    struct runner *const me = runner_me;
    struct cluster *const c = me->cluster;
    if (!c) // without clusters a block is its own cluster
        return;
    sync_commit();
    *my_arrival() = c->generation;
    c->arrived++;
    cluster_complete(me->grid, c);
}

void simgpu_cluster_wait(void)
{
    const struct cluster *const c = runner_me->cluster;
    if (!c) {
        carrier_barrier(__builtin_return_address(0));
        return;
    }
    poll_meeting(&c->generation, *my_arrival());
    behind_look();
}

static struct runner *runner_of(struct grid *g, uint64_t block)
{
    for (int i = 0; i < g->nrunners; i++)
        if (g->runner[i]->cluster && g->runner[i]->block == block)
            return g->runner[i];
    return NULL;
}

void *simgpu_cluster_map(const void *p, unsigned rank)
{
    struct runner *const me = runner_me;
    struct grid *const g = me->grid;
    const uint64_t first = me->block / g->cluster_size * g->cluster_size;
    const void *const pc = __builtin_return_address(0);
    if (!me->cluster && rank == 0)
        return (void *)p;
    if (rank >= g->cluster_size)
        shared_bad_use(
            "asks for the shared memory of a rank that the cluster does "
            "not have: ranks are below cluster.num_blocks().",
            pc);
    if (!shared_holds(me->shared, p))
        shared_bad_use(
            "maps an address that is not in this block's shared memory: "
            "map_shared_rank() takes the address of a __shared__ variable.",
            pc);
    struct runner *other = runner_of(g, first + rank);
    while (!other && first + rank >= g->next) {
        simgpu_yield();
        other = runner_of(g, first + rank);
    }
    if (!other || !other->busy)
        shared_bad_use(
            "asks for the shared memory of a block that has ended.\nEvery "
            "block of a cluster has to stay until the others have used its "
            "memory: call cluster.sync() at the kernel's end.",
            pc);
    other->mapped |= other != me;
    return other->shared + ((const char *)p - me->shared);
}

unsigned simgpu_cluster_rank_of(const void *p)
{
    struct runner *const me = runner_me;
    struct grid *const g = me->grid;
    for (int i = 0; i < g->nrunners && me->cluster; i++)
        if (g->runner[i]->cluster == me->cluster &&
            shared_holds(g->runner[i]->shared, p))
            return (unsigned)(g->runner[i]->block % g->cluster_size);
    return (unsigned)(me->block % g->cluster_size);
}
