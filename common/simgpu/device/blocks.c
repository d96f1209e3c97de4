#include "device/blocks.h"

#include "device/access.h"
#include "device/cluster.h"
#include "simgpu/kernel.h"

void blocks_run(struct runner *me)
{
    struct grid *const g = me->grid;
    while (g->next < g->n && !access_slice_is_full()) {
        access_yield();
        me->block = g->next++;
        if (g->cluster_size > 1)
            cluster_enter(me);
        g->run_one(me->block);
        if (g->cluster_size > 1)
            cluster_leave(me);
    }
}

void blocks_enter(const struct launch *l)
{
    simgpu_grid_dim = (struct simgpu_uint3){l->grid[0], l->grid[1], l->grid[2]};
    simgpu_block_dim =
        (struct simgpu_uint3){l->block[0], l->block[1], l->block[2]};
    simgpu_outside = 0;
}

void blocks_run_alone(struct runner *r)
{
    struct runner *const before = runner_me;
    const int was_outside = simgpu_outside;
    runner_me = r;
    blocks_enter(r->grid->launch);
    blocks_run(r);
    simgpu_outside = was_outside;
    runner_me = before;
}
