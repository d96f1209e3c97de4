/*
 * judge_rough.c: sums that depend on their order
 *
 * A program may add in any order, but in the same one on all ranks, so that
 * all of them get the same bits.
 */
#include <stdlib.h> /* malloc */
#include <string.h> /* memcmp */

#include "drawn.h" /* drawn_rough */
#include "judge5.h"

static double want_rough_sum(const struct judge_task *t, const uint64_t *seed,
                             size_t i)
{
    const size_t count = (size_t)plan_int(t->c, "count", 1000);
    double sum = 0;
    for (int k = 0; k < t->nranks; k++)
        sum += drawn_rough(seed[k], i % count);
    return sum * (double)(i / count + 1);
}

/* The bits of a rank's n sums are those of rank 0's. */
static void compare_bits(const float *got, const float *first, size_t n,
                         int rank, struct judge_verdict *v)
{
    size_t i = 0;
    while (i < n && memcmp(&got[i], &first[i], sizeof *got) == 0)
        i++;
    if (i < n)
        judge_fail(v,
                   "element %zu is %.9g on rank 0, but %.9g on rank %d: right "
                   "up to roundings, but\nthe bits must be the same. Add in "
                   "the same order on all ranks.",
                   i, first[i], got[i], rank);
}

void judge5_compare_rough(const struct judge_task *t, size_t calls,
                          struct judge_verdict *v)
{
    const size_t n = calls * (size_t)plan_int(t->c, "count", 1000);
    const double roundings = t->nranks + (double)calls;
    const double most = // inputs are below 1
        roundings * roundings * data_epsilon(DATA_FLOAT) * (double)calls;
    const size_t nbytes = n * sizeof(float);
    float *const want = malloc(nbytes + 1);
    for (int it = 0; it < t->iterations && v->pass; it++) {
        uint64_t *const seed = judge5_seeds(t, it);
        for (size_t i = 0; i < n; i++)
            want[i] = (float)want_rough_sum(t, seed, i);
        const float *const first = judge_output(t, 0, it, "out", nbytes, v);
        for (int r = 0; r < t->nranks && first; r++) {
            const float *const got = judge_output(t, r, it, "out", nbytes, v);
            if (!got)
                break;
            data_compare_near(got, want, n, DATA_FLOAT, 0, most, r, v);
            compare_bits(got, first, n, r, v);
            judge5_descend(t, r, it, "out", n, judge5_from_all, seed, v);
        }
        free(seed);
    }
    free(want);
}
