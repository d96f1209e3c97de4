/*
 * judge.c: judges the output of the lab's cases
 *
 * Expected outputs are computed from all ranks' seeds, by the plainest possible
 * loop. A case may also judge its cost: messages, bytes, steps, time
 * (judge/judge.h, lab/lab.h).
 */
#include <stdlib.h> /* malloc */

#include "judge/data.h"
#include "judge/graph/counts.h"

/* A right result is not enough: the part's idea is a single group. */
static void judge_rounds(const struct judge_task *t, int rank, int iteration,
                         struct judge_verdict *v)
{
    const double used = judge_count(t, rank, iteration, "rounds", v);
    if (used > 1)
        judge_fail_method(v,
                          "the result is right, but rank %d uses %.0f groups; "
                          "one is enough",
                          rank, used);
}

static void judge_shift(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t count = (size_t)plan_int(t->c, "count", 1024);
    const size_t nbytes = count * data_size(DATA_FLOAT);
    float *const want = malloc(nbytes);
    for (int i = 0; i < t->iterations; i++)
        for (int r = 0; r < t->nranks; r++) {
            const int left = (r - 1 + t->nranks) % t->nranks;
            data_fill(want, count, DATA_FLOAT, judge_input_seed(t, left, i));
            const void *const got = judge_output(t, r, i, "recvbuf", nbytes, v);
            if (got)
                data_compare(got, want, count, DATA_FLOAT, r, v);
            judge_rounds(t, r, i, v);
        }
    free(want);
}

static const struct judge_kind kinds[] = {
    {.name = "shift", .judge = judge_shift}, {.name = NULL}};

/* Where a student should look when a case fails. */
static const struct judge_student students[] = {
    {"shift", "ring_shift() in shift.c", NULL, NULL}, {NULL, NULL, NULL, NULL}};

extern const struct judge_lab judge_@N@;
const struct judge_lab judge_@N@ = {
    .lab = "@LAB@", .kinds = kinds, .students = students};
