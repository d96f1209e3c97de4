/*
 * named.c: the named barriers of a block
 *
 * A named barrier is like __syncthreads() for the `count` threads that call it
 * with the same number. The threads of a block are fibers of one worker, which
 * has one set of barriers; every block leaves them as it found them.
 */
#include "device/block.h" /* MAX_THREADS */
#include "device/poll.h"
#include "device/sharing/ordering.h"
#include "device/sync.h" /* sync_commit */

enum { NAMED = 16, MIN_TILE = 64, TILES = 2 * MAX_THREADS / MIN_TILE };

/* First the barriers with numbers, then those of tiles: a tile of size s and
 * rank k has the one at MAX_THREADS / s + k. */
static __thread struct {
    unsigned arrived;
    uint64_t phase;
} named[NAMED + TILES];

static void meet(unsigned i, unsigned count)
{
    const uint64_t phase = named[i].phase;
    const int is_checked = block_live->checked != NULL;
    // small numbers, which are not addresses, for two phases in turn
    const void *const name = (const void *)(uintptr_t)(2 * i + phase % 2 + 1);
    sync_commit();
    if (is_checked)
        ordering_release(name);
    if (++named[i].arrived == count) {
        named[i].arrived = 0;
        named[i].phase++;
    }
    poll_meeting(&named[i].phase, phase);
    if (is_checked)
        ordering_acquire(name);
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
