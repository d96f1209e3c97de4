/*
 * named.c: the named barriers of a block
 *
 * Like __syncthreads(), for the `count` threads that call with one number. The
 * threads of a block are fibers of one worker, which has one set of barriers;
 * a block leaves each as it found it.
 */
#include "device/block.h" /* MAX_THREADS */
#include "device/sync.h"  /* sync_commit */

enum { NAMED = 16, MIN_TILE = 64, TILES = 2 * MAX_THREADS / MIN_TILE };

/* Those with numbers, then those of tiles: that of size s and rank k at
 * MAX_THREADS / s + k. */
static __thread struct {
    unsigned arrived, phase;
} named[NAMED + TILES];

static void meet(unsigned i, unsigned count)
{
    const unsigned phase = named[i].phase;
    sync_commit();
    if (++named[i].arrived == count) {
        named[i].arrived = 0;
        named[i].phase++;
        return;
    }
    while (named[i].phase == phase)
        run_yield();
}

void simgpu_barrier(unsigned id, unsigned count)
{
    meet(id % NAMED, count);
}

void simgpu_tile_barrier(unsigned size)
{
    const struct simgpu_uint3 t = simgpu_thread_idx, d = simgpu_block_dim;
    const unsigned k = (t.x + d.x * (t.y + d.y * t.z)) / size;
    const unsigned rest = d.x * d.y * d.z - k * size;
    meet(NAMED + MAX_THREADS / size + k, rest < size ? rest : size);
}
