/*
 * Part 5: a cache of parameters that swaps adapters.
 *
 * Fine-tuned models often differ only in small *adapters*, of which there are
 * more than fit on a GPU. They are distributed over the ranks; each rank
 * fetches those that its requests name, while it works on the previous request.
 * Two streams use each slot, and two events order them:
 *
 *     fetch     | get 7 into slot 2 | ...wait idle[2]... | get 9 into slot 2 |
 *                          here[2] \                   / idle[2]
 *     compute                       | begin ... end |
 */
#include "lab5.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

/* The slot with adapter id, or -1. */
static int slot_with(const struct pcache *c, int id)
{
    for (int i = 0; i < PCACHE_SLOTS; i++)
        if (c->id[i] == id)
            return i;
    return -1;
}

/* The least recently used slot; empty slots come first. */
static int oldest(const struct pcache *c)
{
    // Yours to write: part 5: oldest (about 6 lines)
    LAB_HOLE("part 5: oldest");
}

ncclResult_t pcache_fetch(struct pcache *c, int id, int *slot)
{
    // Yours to write: part 5: fetch (about 15 lines)
    // used[] starts at 0, c->uses counts from 1. Waiting on an event that
    // was never recorded does nothing.
    LAB_HOLE("part 5: fetch");
}

ncclResult_t pcache_begin(struct pcache *c, int slot, cudaStream_t stream)
{
    // Yours to write: part 5: begin (about 2 lines)
    LAB_HOLE("part 5: begin");
}

ncclResult_t pcache_end(struct pcache *c, int slot, cudaStream_t stream)
{
    // Yours to write: part 5: end (about 2 lines)
    LAB_HOLE("part 5: end");
}
