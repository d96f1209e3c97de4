/*
 * Part 4: new shares from old ones, of which one is lost.
 */
#include "lab10.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

/* Elements of old share `from` that belong to new share `to`: the first one's
 * number in the whole, and how many. */
static size_t common(const struct shares *old, size_t each, int from, int to,
                     size_t *first)
{
    // BEGIN HOLE part 4: common (about 8 lines)
    const size_t begin = (size_t)from * old->each, start = (size_t)to * each;
    size_t end =
        begin + old->each < start + each ? begin + old->each : start + each;
    end = end < old->total ? end : old->total;
    *first = begin > start ? begin : start;
    return end > *first ? end - *first : 0;
    // END HOLE
}

ncclResult_t shares_rebuild(struct team *t, const struct shares *old, int lost,
                            float *const out[SHARES_ARRAYS])
{
    // BEGIN HOLE part 4: rebuild (about 40 lines)
    // HINT: for every old share and every new one: who has it, who needs it?
    const int n = old->nranks;
    const size_t each = (old->total + (size_t)n - 2) / ((size_t)n - 1);
    for (int i = 0; i < SHARES_ARRAYS; i++)
        LAB_TRY_CUDA(
            cudaMemsetAsync(out[i], 0, each * sizeof *out[i], t->stream));
    LAB_TRY(ncclGroupStart());
    for (int share = 0; share < n; share++) {
        const int holder = share == lost ? (share + 1) % n : share;
        const int from = holder - (holder > lost);
        for (int to = 0; to < t->nranks; to++) {
            const int old_to = to + (to >= lost); // its old number
            const int has = old_to == share || old_to == (share + 1) % n;
            size_t first;
            const size_t count = common(old, each, share, to, &first);
            for (int i = 0; i < SHARES_ARRAYS && count > 0; i++) {
                const float *const p =
                    (old->rank == share ? old->own : old->copy)[i] +
                    (first - (size_t)share * old->each);
                float *const q = out[i] + (first - (size_t)to * each);
                if (has && t->rank == to)
                    LAB_TRY_CUDA(cudaMemcpyAsync(q, p, count * sizeof *q,
                                                 cudaMemcpyDeviceToDevice,
                                                 t->stream));
                else if (!has && t->rank == from)
                    LAB_TRY(
                        ncclSend(p, count, ncclFloat, to, t->comm, t->stream));
                else if (!has && t->rank == to)
                    LAB_TRY(ncclRecv(q, count, ncclFloat, from, t->comm,
                                     t->stream));
            }
        }
    }
    LAB_TRY(ncclGroupEnd());
    return ncclSuccess;
    // END HOLE
}
