/*
 * warp.c: what threads of a block, or of a warp, exchange at barriers
 */
#include "device/block.h"
#include "device/sync.h"

/*
 * Post a value and wait for the warp's threads in the mask. When all have come,
 * the thread gets n of the values that threads have posted, from that of thread
 * `from` on. Returns the mask without the threads that have ended.
 */
static uint32_t exchange(uint64_t value, uint32_t mask, unsigned from,
                         unsigned n, uint64_t *gets)
{
    struct block *const b = block_live;
    struct carrier *const me = b->current;
    struct carrier_rest *const rest = block_rest(b, me);
    sync_commit();
    b->posted[me->thread] = value;
    rest->from = from;
    rest->ngets = n;
    rest->gets = gets;
    me->mask = mask | UINT32_C(1) << me->thread % WARP;
    carrier_wait(AT_WARP);
    return me->mask & mask;
}

uint64_t simgpu_shuffle(uint64_t value, int lane, unsigned mask)
{
    struct block *const b = block_live;
    const unsigned me = b->current->thread;
    const unsigned from = me / WARP * WARP + (unsigned)lane;
    uint64_t got;
    exchange(value, mask, from < b->nthreads ? from : me, 1, &got);
    return got;
}

unsigned simgpu_gather(uint64_t value, unsigned mask, uint64_t all[32])
{
    const unsigned me = block_live->current->thread;
    return exchange(value, mask, me / WARP * WARP, WARP, all);
}

unsigned simgpu_ballot(int predicate, unsigned mask)
{
    uint64_t all[WARP];
    unsigned bits = 0;
    const uint32_t there = simgpu_gather(predicate != 0, mask, all);
    for (unsigned i = 0; i < WARP; i++)
        if (there >> i & 1)
            bits |= (unsigned)all[i] << i;
    return bits;
}

unsigned simgpu_converged(void)
{
    struct carrier *const c = block_live->current;
    sync_commit();
    block_rest(block_live, c)->pc = __builtin_return_address(0);
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
