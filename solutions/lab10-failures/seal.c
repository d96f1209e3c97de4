/*
 * Part 8: a sum that notices, and mends, what is damaged on its way.
 */
#include "lab10.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

/* Which blocks are bad on any rank: in s->found. Returns their number in *n.
 * Blocks. */
static ncclResult_t find_bad(struct team *t, struct seal *s, const float *sum,
                             size_t *n)
{
    // BEGIN HOLE part 8: find (about 14 lines)
    // HINT: a block that is bad on one rank is summed again by all.
    LAB_TRY(seal_compare(s, sum, s->total, s->bad, t->stream));
    LAB_TRY(ncclAllReduce(s->bad, s->bad, s->nblocks, ncclInt, ncclMax, t->comm,
                          t->stream));
    LAB_TRY_CUDA(cudaMemcpyAsync(s->found, s->bad, s->nblocks * sizeof *s->bad,
                                 cudaMemcpyDeviceToHost, t->stream));
    LAB_TRY_CUDA(cudaStreamSynchronize(t->stream));
    *n = 0;
    for (size_t b = 0; b < s->nblocks; b++)
        *n += s->found[b] != 0;
    return ncclSuccess;
    // END HOLE
}

/* Sum the bad blocks again. */
static ncclResult_t mend(struct team *t, struct seal *s, const float *grad,
                         float *sum)
{
    // BEGIN HOLE part 8: mend (about 14 lines)
    LAB_TRY(ncclGroupStart());
    for (size_t b = 0; b < s->nblocks; b++) {
        const size_t at = b * SEAL_BLOCK, left = s->count - at;
        if (s->found[b])
            LAB_TRY(ncclAllReduce(grad + at, sum + at,
                                  left < SEAL_BLOCK ? left : SEAL_BLOCK,
                                  ncclFloat, ncclSum, t->comm, t->stream));
    }
    LAB_TRY(ncclGroupEnd());
    return seal_transit(s, sum, t->stream);
    // END HOLE
}

ncclResult_t seal_sum(struct team *t, struct seal *s, const float *grad,
                      float *sum)
{
    // BEGIN HOLE part 8: sum (about 18 lines)
    // HINT: each block's sum over the ranks has two ways to be computed.
    size_t nbad;
    LAB_TRY(seal_blocks(s, grad, s->seal, t->stream));
    LAB_TRY(ncclGroupStart());
    LAB_TRY(ncclAllReduce(grad, sum, s->count, ncclFloat, ncclSum, t->comm,
                          t->stream));
    LAB_TRY(ncclAllReduce(s->seal, s->total, s->nblocks, ncclDouble, ncclSum,
                          t->comm, t->stream));
    LAB_TRY(ncclGroupEnd());
    LAB_TRY(seal_transit(s, sum, t->stream));
    for (int round = 1;; round++) {
        LAB_TRY(find_bad(t, s, sum, &nbad));
        if (nbad == 0)
            return ncclSuccess;
        if (round == SEAL_TRIES)
            return ncclRemoteError;
        LAB_TRY(mend(t, s, grad, sum));
    }
    // END HOLE
}
