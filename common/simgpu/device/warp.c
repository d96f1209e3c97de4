/*
 * warp.c: what threads of a block, or of a warp, exchange at barriers
 */
#include <cuda_runtime_api.h> /* cudaErrorLaunchFailure */

#include "device/block.h"
#include "device/failure.h"
#include "device/sharing/meeting.h"
#include "device/sync.h"

/* End the kernel if the calling thread is missing from the mask: what it would
 * get is undefined, and on a GPU it may wait forever. Otherwise note where it
 * waits. */
static inline void check_mask(unsigned mask, const void *pc)
{
    const struct block *const b = block_live;
    const unsigned lane = b->current->thread % WARP;
    if (__builtin_expect(!(mask >> lane & 1), 0))
        failure_report(b->launch, cudaErrorLaunchFailure, pc,
                       "calls a warp's function",
                       "with the mask 0x%08x, in which bit %u, the thread's "
                       "own, is not set: the result is undefined.\nName the "
                       "threads that make the call, and no others.",
                       mask, lane);
    if (b->checked)
        meeting_wait(b->current->thread, pc);
}

uint64_t simgpu_shuffle(uint64_t value, int lane, unsigned mask)
{
    const struct block *const b = block_live;
    const unsigned me = b->current->thread;
    const unsigned from = me / WARP * WARP + (unsigned)lane;
    check_mask(mask, __builtin_return_address(0));
    return carrier_exchange(value, mask, from < b->nthreads ? from : me);
}

unsigned simgpu_gather(uint64_t value, unsigned mask, uint64_t all[32])
{
    struct block *const b = block_live;
    struct carrier *const me = b->current;
    check_mask(mask, __builtin_return_address(0));
    block_rest(b, me)->all = all;
    carrier_exchange(value, mask, WANTS_ALL);
    return me->mask & mask;
}

unsigned simgpu_ballot(int predicate, unsigned mask)
{
    check_mask(mask, __builtin_return_address(0));
    return (unsigned)carrier_exchange(predicate != 0, mask, WANTS_BITS) & mask;
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
    const void *const pc = __builtin_return_address(0);
    unsigned n = 0;
    b->posted[b->current->thread] = predicate != 0;
    carrier_barrier(pc);
    for (unsigned i = 0; i < b->nthreads; i++)
        n += b->posted[i] && (b->alive[i / WARP] >> i % WARP & 1);
    carrier_barrier(pc);
    return n;
}
