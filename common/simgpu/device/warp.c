/*
 * warp.c: what threads of a block, or a warp, exchange when they meet
 */
#include <string.h> /* memcpy */

#include "device/block.h"
#include "device/sync.h"

/* Wait for the threads of the warp in the mask. */
static void wait_warp(uint32_t mask)
{
    struct carrier *const me = block_live->current;
    sync_commit();
    me->mask = mask | UINT32_C(1) << me->thread % WARP;
    carrier_wait(AT_WARP);
}

uint64_t simgpu_shuffle(uint64_t value, int lane, unsigned mask)
{
    struct block *const b = block_live;
    const unsigned me = b->current->thread;
    const unsigned from = me / WARP * WARP + (unsigned)lane;
    b->posted[me] = value;
    wait_warp(mask);
    const uint64_t got = b->posted[from < b->nthreads ? from : me];
    wait_warp(mask);
    return got;
}

unsigned simgpu_ballot(int predicate, unsigned mask)
{
    struct block *const b = block_live;
    const unsigned me = b->current->thread, first = me / WARP * WARP;
    b->posted[me] = predicate != 0;
    wait_warp(mask);
    const uint32_t there = b->alive[me / WARP] & mask; // the others have ended
    unsigned bits = 0;
    for (unsigned i = 0; i < WARP; i++)
        if (there >> i & 1)
            bits |= (unsigned)b->posted[first + i] << i;
    wait_warp(mask);
    return bits;
}

unsigned simgpu_gather(uint64_t value, unsigned mask, uint64_t all[32])
{
    struct block *const b = block_live;
    const unsigned me = b->current->thread, first = me / WARP * WARP;
    b->posted[me] = value;
    wait_warp(mask);
    const uint32_t there = b->alive[me / WARP] & mask;
    memcpy(all, &b->posted[first], WARP * sizeof *all);
    wait_warp(mask);
    return there;
}

unsigned simgpu_converged(void)
{
    struct carrier *const c = block_live->current;
    sync_commit();
    c->pc = __builtin_return_address(0);
    carrier_wait(CONVERGES);
    return c->mask;
}

unsigned simgpu_count(int predicate)
{
    struct block *const b = block_live;
    unsigned n = 0;
    b->posted[b->current->thread] = predicate != 0;
    simgpu_syncthreads();
    for (unsigned i = 0; i < b->nthreads; i++)
        n += b->posted[i] && (b->alive[i / WARP] >> i % WARP & 1);
    simgpu_syncthreads();
    return n;
}
