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
    // BEGIN HOLE part 5: oldest (about 6 lines)
    int slot = 0;
    for (int i = 1; i < PCACHE_SLOTS; i++)
        if (c->used[i] < c->used[slot])
            slot = i;
    return slot;
    // END HOLE
}

ncclResult_t pcache_fetch(struct pcache *c, int id, int *slot)
{
    // BEGIN HOLE part 5: fetch (about 15 lines)
    // HINT: used[] starts at 0, c->uses counts from 1. Waiting on an event that
    // HINT: was never recorded does nothing.
    const int n = c->s->view.nranks;
    *slot = slot_with(c, id);
    if (*slot < 0) {
        *slot = oldest(c);
        LAB_TRY_CUDA(cudaStreamWaitEvent(c->fetch, c->idle[*slot], 0));
        LAB_TRY(symm_get(c->s, c->slots + (size_t)*slot * c->count,
                         c->home + (size_t)(id / n) * c->count,
                         c->count * sizeof *c->home, id % n, c->fetch));
        LAB_TRY_CUDA(cudaEventRecord(c->here[*slot], c->fetch));
        c->id[*slot] = id;
        c->fetches++;
    }
    c->used[*slot] = ++c->uses;
    return ncclSuccess;
    // END HOLE
}

ncclResult_t pcache_begin(struct pcache *c, int slot, cudaStream_t stream)
{
    // BEGIN HOLE part 5: begin (about 2 lines)
    LAB_TRY_CUDA(cudaStreamWaitEvent(stream, c->here[slot], 0));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t pcache_end(struct pcache *c, int slot, cudaStream_t stream)
{
    // BEGIN HOLE part 5: end (about 2 lines)
    LAB_TRY_CUDA(cudaEventRecord(c->idle[slot], stream));
    return ncclSuccess;
    // END HOLE
}
