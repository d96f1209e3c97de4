/*
 * judge_from.c: which ranks' inputs a result comes from
 *
 * The lab's kernels read and write other ranks' memory, so origins pass through
 * them (judge/origin/origin.h). A result that no operation of the execution
 * graph has written was forged.
 */
#include "judge5.h"

struct rank_set judge5_from_all(const struct judge_task *t,
                                const uint64_t *seed, int rank, size_t i)
{
    (void)seed, (void)rank, (void)i;
    return judge_everybody(t);
}

struct rank_set judge5_from_first(const struct judge_task *t,
                                  const uint64_t *seed, int rank, size_t i)
{
    (void)seed, (void)i;
    return rank_set_first(rank < t->nranks ? rank + 1 : t->nranks);
}

void judge5_descend(const struct judge_task *t, int rank, int iteration,
                    const char *name, size_t count, judge5_from *from,
                    const uint64_t *seed, struct judge_verdict *v)
{
    enum { SIZE = 4 };
    for (size_t begin = 0, end; begin < count; begin = end) {
        const struct rank_set need = from(t, seed, rank, begin);
        for (end = begin + 1; end < count; end++) {
            const struct rank_set next = from(t, seed, rank, end);
            if (!rank_set_equal(&next, &need))
                break;
        }
        judge_origin(t, rank, iteration, name, begin * SIZE, end * SIZE, need,
                     v);
    }
}
