/* judge_nccl.c: a communicator and its collectives */
#include <stdlib.h> /* malloc */
#include <string.h> /* strcmp */

#include "judge/data.h"
#include "judge/graph/calls.h"
#include "judge/graph/counts.h"
#include "judge0.h"

/* The sum of all ranks' inputs, exact since they are small integers. The caller
 * frees it. */
static float *sum_of_all(const struct judge_task *t, int iteration, size_t n)
{
    float *const sum = calloc(2 * n, sizeof *sum), *const in = sum + n;
    for (int r = 0; r < t->nranks; r++) {
        data_fill(in, n, DATA_FLOAT, judge_input_seed(t, r, iteration));
        for (size_t k = 0; k < n; k++)
            sum[k] += in[k];
    }
    return sum;
}

/* Fail if a rank's count (judge/graph/counts.h) exceeds `most`. */
static void judge_most(const struct judge_task *t, int rank, const char *count,
                       double most, const char *unit, struct judge_verdict *v)
{
    const double used = judge_count(t, rank, 0, count, v);
    if (!(used <= most))
        judge_fail_method(
            v,
            "the result is right, but rank %d uses %.0f %s; %.0f are "
            "enough",
            rank, used, unit, most);
}

void judge0_comm(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t n = judge0_count(t);
    for (int i = 0; i < t->iterations; i++) {
        float *const want = sum_of_all(t, i, n);
        for (int r = 0; r < t->nranks; r++) {
            const double rank = evidence_metric(t->evidence, r, t->case_no,
                                                (unsigned)i, "rank");
            const double nranks = evidence_metric(t->evidence, r, t->case_no,
                                                  (unsigned)i, "nranks");
            if (rank != r || nranks != t->nranks)
                judge_fail(v,
                           "rank %d of %d has number %.0f of %.0f in the "
                           "communicator",
                           r, t->nranks, rank, nranks);
            judge0_floats(t, r, i, "sum", want, n, v);
            judge_most(t, r, "comms", 1, "communicators", v);
        }
        free(want);
    }
}

void judge0_swap(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t n = judge0_count(t);
    float *const want = malloc(n * sizeof *want);
    for (int i = 0; i < t->iterations; i++)
        for (int r = 0; r < t->nranks; r++) {
            const int partner = (r ^ 1) < t->nranks ? r ^ 1 : r;
            data_fill(want, n, DATA_FLOAT, judge_input_seed(t, partner, i));
            judge0_floats(t, r, i, "recvbuf", want, n, v);
            judge_origin(t, r, i, "recvbuf", 0, n * sizeof *want,
                         rank_set_of(partner), v);
            judge_most(t, r, "messages", 1, "messages", v);
            judge_most(t, r, "rounds", 1, "groups", v);
            judge_most(t, r, "collectives", 0, "collectives", v);
        }
    free(want);
}

/* The result of a collective on rank r: its elements, and the ranks that they
 * come from. The caller frees it. */
static float *result_of(const struct judge_task *t, const char *which, int r,
                        int iteration, size_t *count, struct rank_set *from)
{
    const size_t each = judge0_count(t), n = each * (size_t)t->nranks;
    const int root = judge0_rank(t, "root", 0);
    *from = judge_everybody(t);
    *count = n;
    if (strcmp(which, "broadcast") == 0) {
        float *const out = malloc(n * sizeof *out);
        data_fill(out, n, DATA_FLOAT, judge_input_seed(t, root, iteration));
        *from = rank_set_of(root);
        return out;
    }
    if (strcmp(which, "all_gather") == 0) {
        float *const out = malloc(n * (size_t)t->nranks * sizeof *out);
        for (int s = 0; s < t->nranks; s++)
            data_fill(out + (size_t)s * n, n, DATA_FLOAT,
                      judge_input_seed(t, s, iteration));
        *count = n * (size_t)t->nranks;
        return out;
    }
    float *const sum = sum_of_all(t, iteration, n);
    if (strcmp(which, "reduce_scatter") == 0) {
        memmove(sum, sum + (size_t)r * each, each * sizeof *sum);
        *count = each;
    }
    return sum;
}

/* Each result has a collective of its own, with the bytes of its own. */
static void judge_own(const struct judge_task *t, const char *which,
                      struct judge_verdict *v)
{
    const uint64_t n = judge0_count(t) * (uint64_t)t->nranks * sizeof(float);
    const struct {
        const char *which;
        struct calls_coll call;
    } own[] = {{"broadcast", {TOPO_OP_BROADCAST, n}},
               {"all_gather", {TOPO_OP_ALLGATHER, n * (uint64_t)t->nranks}},
               {"reduce_scatter", {TOPO_OP_REDUCESCATTER, n}},
               {"all_reduce", {TOPO_OP_ALLREDUCE, n}}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i].which, which) == 0)
            judge_has_collective(t, own[i].call, v);
}

/* `which: NAME` selects the collective whose result the case judges. */
void judge0_collectives(const struct judge_task *t, struct judge_verdict *v)
{
    const char *const which = plan_text(t->c, "which", "all_reduce");
    for (int i = 0; i < t->iterations; i++)
        for (int r = 0; r < t->nranks; r++) {
            size_t n;
            struct rank_set from;
            float *const want = result_of(t, which, r, i, &n, &from);
            judge0_floats(t, r, i, which, want, n, v);
            judge_origin(t, r, i, which, 0, n * sizeof *want, from, v);
            judge_most(t, r, "messages", 0, "messages", v);
            free(want);
        }
    judge_own(t, which, v);
}
