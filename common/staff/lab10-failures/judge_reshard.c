/*
 * judge_reshard.c: the judge of part 4: new shares from old ones, in few bytes
 */
#include <stdlib.h> /* malloc */

#include "judge/graph/calls.h"
#include "judge/graph/counts.h"
#include "judge10.h"

struct reshard {
    size_t total, each, to_each; /* elements of an old and a new share */
    int nranks, lost;
};

static struct reshard reshard_of(const struct judge_task *t)
{
    const size_t n = (size_t)t->nranks;
    struct reshard s = {.total = (size_t)plan_int(t->c, "total", 12),
                        .nranks = t->nranks,
                        .lost = (int)plan_int(t->c, "lost", 1) % t->nranks};
    s.each = (s.total + n - 1) / n;
    s.to_each = (s.total + n - 2) / (n - 1);
    return s;
}

/* Elements that an old rank has to send, or to receive. */
static void fewest(const struct reshard *s, int rank, size_t *sent,
                   size_t *received)
{
    *sent = *received = 0;
    for (size_t i = 0; i < s->total; i++) {
        const int share = (int)(i / s->each);
        const int copy = (share + 1) % s->nranks;
        const int owner = share == s->lost ? copy : share;
        const int to = (int)(i / s->to_each);
        const int old_to = to + (to >= s->lost);
        if (old_to == share || old_to == copy)
            continue;
        *sent += owner == rank;
        *received += old_to == rank;
    }
}

/* The elements of the vector that are where others should be: a run of them
 * that occurs once. */
static void judge_elements(const struct reshard *s, int rank, int array,
                           size_t begin, const float *got, uint64_t seed,
                           struct judge_verdict *v)
{
    size_t k = 0, n = 0, found = 0, at = 0;
    while (k < s->to_each && begin + k < s->total &&
           got[k] == drawn_float(seed, begin + k))
        k++;
    while (k + n < s->to_each && begin + k + n < s->total &&
           got[k + n] != drawn_float(seed, begin + k + n))
        n++;
    for (size_t j = 0; n > 0 && j + n <= s->total; j++) {
        size_t same = 0;
        while (same < n && got[k + same] == drawn_float(seed, j + same))
            same++;
        found += same == n;
        at = same == n ? j : at;
    }
    if (found == 1)
        judge_fail(v,
                   "out[%d] of old rank %d has element %zu of the vector at "
                   "%zu, where element %zu should be (%zu element%s)",
                   array, rank, at, k, begin + k, n, n > 1 ? "s" : "");
}

/* What the new shares have. */
static void judge_shares(const struct judge_task *t, const struct reshard *s,
                         struct judge_verdict *v)
{
    float *const want = malloc(s->to_each * sizeof *want);
    for (int n = 0; n < t->iterations * t->nranks * 2; n++) {
        const int i = n / 2 / t->nranks, r = n / 2 % t->nranks, array = n % 2;
        const size_t begin = (size_t)(r - (r > s->lost)) * s->to_each;
        const uint64_t seed =
            judge_seed(judge_input_seed(t, 0, i), (uint64_t)array);
        for (size_t k = 0; k < s->to_each; k++)
            want[k] = begin + k < s->total ? drawn_float(seed, begin + k) : 0;
        const char *const name = array ? "out.1" : "out.0";
        const float *const got =
            r == s->lost
                ? NULL
                : judge_output(t, r, i, name, s->to_each * sizeof *got, v);
        if (!got)
            continue;
        judge_elements(s, r, array, begin, got, seed, v);
        data_compare(got, want, s->to_each, DATA_FLOAT, r, v);
    }
    free(want);
}

/* How an old rank gets and sends elements. */
static void judge_messages(const struct judge_task *t, const struct reshard *s,
                           int r, struct judge_verdict *v)
{
    size_t sent, received;
    fewest(s, r, &sent, &received);
    const double bytes = judge_count(t, r, 0, "sent_bytes", v);
    const double least = 2.0 * sizeof(float) * (double)sent;
    if (bytes > least)
        judge_fail_method(v,
                          "the result is right, but rank %d sends %.0f bytes; "
                          "%.0f are enough: an owner copies what it has in its "
                          "old share or its copy, and sets zeros itself",
                          r, bytes, least);
    if (bytes < least)
        judge_fail_method(
            v,
            "the result is right, but rank %d sends %.0f bytes, less "
            "than the %.0f of what others lack: NCCL's messages don't "
            "carry all of it as floats",
            r, bytes, least);
    if (judge_count(t, r, 0, "collectives", v) > 0)
        judge_fail_method(
            v,
            "the result is right, but rank %d calls a collective: "
            "messages can carry what its receiver lacks, and no "
            "more",
            r);
    if (judge_count(t, r, 0, "rounds", v) > 1)
        judge_fail_method(v,
                          "the result is right, but rank %d sends and receives "
                          "in %.0f groups, should in one",
                          r, judge_count(t, r, 0, "rounds", v));
}

void judge10_rebuild(const struct judge_task *t, struct judge_verdict *v)
{
    const struct reshard s = reshard_of(t);
    judge_shares(t, &s, v);
    for (int r = 0; r < t->nranks && v->pass; r++)
        judge_messages(t, &s, r, v);
    judge_no_mpi(t, "NCCL moves what is in device memory", v);
}
