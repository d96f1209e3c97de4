/*
 * judge_from.c: which ranks' inputs a result comes from
 *
 * The lab's kernels read and write other ranks' memory, so origins pass them
 * (judge/origin.h): a result that nothing in the execution graph has brought
 * was written behind its back.
 */
#include "judge5.h"

uint64_t judge5_from_all(const struct judge_task *t, const uint64_t *seed,
                         int rank, size_t i)
{
    (void)seed, (void)rank, (void)i;
    return judge_everybody(t);
}

uint64_t judge5_from_first(const struct judge_task *t, const uint64_t *seed,
                           int rank, size_t i)
{
    (void)seed, (void)i;
    return judge_everybody(t) & ((UINT64_C(2) << rank) - 1);
}

void judge5_descend(const struct judge_task *t, int rank, int iteration,
                    const char *name, size_t count, judge5_from *from,
                    const uint64_t *seed, struct judge_verdict *v)
{
    enum { SIZE = 4 };
    for (size_t begin = 0, end; begin < count; begin = end) {
        const uint64_t need = from(t, seed, rank, begin);
        for (end = begin + 1; end < count && from(t, seed, rank, end) == need;)
            end++;
        judge_origin(t, rank, iteration, name, begin * SIZE, end * SIZE, need,
                     v);
    }
}
