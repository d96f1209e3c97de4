/*
 * judge.c: the judges of lab 1's cases
 *
 * Expected outputs are computed here from all ranks' seeds, by the plainest
 * possible loop. Values are exact in every type, so the comparison is bit for
 * bit. A case is also judged by the cost of its algorithm, in steps and in
 * bytes that each rank sends, and must not call the NCCL collective that it
 * implements.
 */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */
#include <string.h> /* memcpy */

#include "judge/advice.h"
#include "judge/graph/calls.h"
#include "judge/graph/counts.h"
#include "judge/graph/links.h"
#include "judge/guess.h"
#include "judge1.h"

static struct judge1_problem problem_of(const struct judge_task *t)
{
    const struct plan_case *const c = t->c;
    struct judge1_problem p = {
        .count = (size_t)plan_int(c, "count", 1024),
        .type = (enum data_type)data_type(plan_text(c, "type", "float")),
        .op = (enum data_op)data_op(plan_text(c, "op", "sum")),
        .root = (int)plan_int(c, "root", 0) % t->nranks,
    };
    p.size = data_size(p.type);
    return p;
}

/* All ranks' inputs of one iteration: count elements of each, in rank order. */
static char *inputs(const struct judge_task *t, const struct judge1_problem *p,
                    size_t count, int iteration)
{
    char *const in = malloc((size_t)t->nranks * count * p->size + 1);
    for (int r = 0; r < t->nranks; r++) {
        char *const own = in + (size_t)r * count * p->size;
        const uint64_t seed = judge_input_seed(t, r, iteration);
        if (p->op == DATA_PROD)
            data_fill(own, count, p->type, seed);
        else
            data_fill_sum(own, count, p->type, t->nranks, seed);
    }
    return in;
}

/* out = reduction over ranks of `count` elements, stride elements apart. */
static void reduced(const struct judge_task *t, const struct judge1_problem *p,
                    const char *in, size_t stride, size_t count, char *out)
{
    memcpy(out, in, count * p->size);
    for (int r = 1; r < t->nranks; r++)
        data_combine(out, in + (size_t)r * stride * p->size, count, p->type,
                     p->op);
}

static void compare(const struct judge_task *t, const struct judge1_problem *p,
                    int rank, int iteration, const char *want, size_t count,
                    struct judge_verdict *v)
{
    const void *const got =
        judge_output(t, rank, iteration, "recvbuf", count * p->size, v);
    if (got)
        data_compare(got, want, count, p->type, rank, v);
}

/* Like compare(), for a collective in which each rank has one input. */
static void compare_one(const struct judge_task *t,
                        const struct judge1_problem *p, int rank, int iteration,
                        const char *want, const char *in, int op,
                        struct judge_verdict *v)
{
    const struct guess g = {.in = in,
                            .count = p->count,
                            .type = p->type,
                            .nranks = t->nranks,
                            .root = op < 0 ? p->root : -1,
                            .op = op};
    const void *const got =
        judge_output(t, rank, iteration, "recvbuf", p->count * p->size, v);
    if (!got || !v->pass)
        return;
    data_compare(got, want, p->count, p->type, rank, v);
    if (!v->pass)
        guess_explain(&g, got, rank, v);
}

/* If the root's output is wrong, check whether another rank has it. */
static void look_for_root(const struct judge_task *t,
                          const struct judge1_problem *p, int iteration,
                          const char *want, size_t count,
                          struct judge_verdict *v)
{
    const size_t nbytes = count * p->size + 2 * JUDGE_RED_ZONE;
    for (int r = 0; r < t->nranks && !v->pass; r++) {
        size_t have;
        char text[128];
        const char *const got = evidence_output(
            t->evidence, r, t->case_no, (unsigned)iteration, "recvbuf", &have);
        if (r != p->root && got && have == nbytes &&
            memcmp(got + JUDGE_RED_ZONE, want, count * p->size) == 0) {
            snprintf(text, sizeof text,
                     "Rank %d has the right result, but the root is rank %d: "
                     "is `root` used everywhere?",
                     r, p->root);
            guess_replace_advice(v, text);
            return;
        }
    }
}

/* Elements [begin, end) of an output have to descend from the inputs of these
 * ranks. */
static void descend(const struct judge_task *t, const struct judge1_problem *p,
                    int rank, int iteration, size_t begin, size_t end,
                    struct rank_set need, struct judge_verdict *v)
{
    judge_origin(t, rank, iteration, "recvbuf", begin * p->size, end * p->size,
                 need, v);
}

/* ---- part 1 -------------------------------------------------------------- */

static void judge_bootstrap(const struct judge_task *t, struct judge_verdict *v)
{
    for (int r = 0; r < t->nranks; r++) {
        const double rank =
            evidence_metric(t->evidence, r, t->case_no, 0, "comm_rank");
        const double n =
            evidence_metric(t->evidence, r, t->case_no, 0, "comm_size");
        if (rank != r || n != t->nranks)
            judge_fail(v,
                       "rank %d is rank %.0f of %.0f in your communicator, "
                       "should be %d of %d",
                       r, rank, n, r, t->nranks);
    }
}

static void judge_sum(const struct judge_task *t, struct judge_verdict *v)
{
    for (int i = 0; i < t->iterations; i++) {
        double want = 0, in[64];
        const struct guess g = {.in = in,
                                .count = 1,
                                .type = DATA_DOUBLE,
                                .nranks = t->nranks < 64 ? t->nranks : 64,
                                .root = -1,
                                .op = DATA_SUM};
        for (int r = 0; r < t->nranks; r++) {
            const int value =
                data_value(judge_input_seed(t, r, i), 0, DATA_DOUBLE);
            want += value;
            in[r % 64] = value;
        }
        for (int r = 0; r < t->nranks; r++) {
            const double got =
                evidence_metric(t->evidence, r, t->case_no, (unsigned)i, "sum");
            if (got == want)
                continue;
            struct advice a = {.n = 0};
            char advice[256];
            advice_see(&a, got, want, &got, sizeof got);
            if (!v->pass)
                return;
            judge_fail(v, "the sum on rank %d is %g, should be %g%s", r, got,
                       want, advice_text(&a, advice, sizeof advice));
            guess_explain(&g, &got, r, v);
        }
    }
    struct calls_coll one = {TOPO_OP_ALLREDUCE, sizeof(double)};
    judge_no_mpi(t, "sum with ncclAllReduce on c->comm", v);
    if (v->pass)
        judge_collectives(t, &one, 1, v);
}

/* ---- parts 2 and 3 ------------------------------------------------------- */

static void judge_broadcast(const struct judge_task *t, struct judge_verdict *v)
{
    const struct judge1_problem p = problem_of(t);
    const int steps = judge1_doublings(t->nranks);
    for (int i = 0; i < t->iterations; i++) {
        char *const in = inputs(t, &p, p.count, i);
        for (int r = 0; r < t->nranks; r++)
            compare_one(t, &p, r, i, in + (size_t)p.root * p.count * p.size, in,
                        -1, v);
        for (int r = 0; r < t->nranks; r++)
            if (r != p.root)
                descend(t, &p, r, i, 0, p.count, rank_set_of(p.root), v);
        free(in);
    }
    judge1_keep_promise(t, &(struct judge1_promise){steps, steps, -1}, v);
    judge1_keep_least(t, (t->nranks - 1.0) * (double)(p.count * p.size), v);
}

static void judge_scatter(const struct judge_task *t, struct judge_verdict *v)
{
    const struct judge1_problem p = problem_of(t);
    const size_t n = (size_t)t->nranks, all = n * p.count;
    for (int i = 0; i < t->iterations; i++) {
        char *const in = inputs(t, &p, all, i);
        const char *const root = in + (size_t)p.root * all * p.size;
        for (int r = 0; r < t->nranks; r++)
            compare(t, &p, r, i, root + (size_t)r * p.count * p.size, p.count,
                    v);
        for (int r = 0; r < t->nranks; r++)
            if (!p.in_place)
                descend(t, &p, r, i, 0, p.count, rank_set_of(p.root), v);
        free(in);
    }
    judge1_keep_promise(
        t,
        &(struct judge1_promise){1, t->nranks - 1,
                                 (double)((n - 1) * p.count * p.size)},
        v);
    judge1_keep_least(t, (double)((n - 1) * p.count * p.size), v);
}

static void judge_gather(const struct judge_task *t, struct judge_verdict *v)
{
    const struct judge1_problem p = problem_of(t);
    for (int i = 0; i < t->iterations; i++) {
        char *const in = inputs(t, &p, p.count, i);
        compare(t, &p, p.root, i, in, (size_t)t->nranks * p.count, v);
        look_for_root(t, &p, i, in, (size_t)t->nranks * p.count, v);
        for (size_t b = 0; b < (size_t)t->nranks; b++)
            descend(t, &p, p.root, i, b * p.count, (b + 1) * p.count,
                    rank_set_of((int)b), v);
        free(in);
    }
    judge1_keep_promise(
        t, &(struct judge1_promise){1, 1, (double)(p.count * p.size)}, v);
    judge1_keep_least(t, (t->nranks - 1.0) * (double)(p.count * p.size), v);
}

static void judge_all_gather(const struct judge_task *t,
                             struct judge_verdict *v)
{
    const struct judge1_problem p = problem_of(t);
    const size_t n = (size_t)t->nranks;
    for (int i = 0; i < t->iterations; i++) {
        char *const in = inputs(t, &p, p.count, i);
        for (int r = 0; r < t->nranks; r++)
            compare(t, &p, r, i, in, n * p.count, v);
        for (size_t k = 0; k < n * n; k++) // block k % n of rank k / n
            descend(t, &p, (int)(k / n), i, k % n * p.count,
                    (k % n + 1) * p.count, rank_set_of((int)(k % n)), v);
        free(in);
    }
    judge1_keep_promise(
        t,
        &(struct judge1_promise){t->nranks - 1, t->nranks - 1,
                                 (double)((n - 1) * p.count * p.size)},
        v);
    judge1_keep_least(t, (double)(n * (n - 1) * p.count * p.size), v);
}

static void judge_reduce(const struct judge_task *t, struct judge_verdict *v)
{
    const struct judge1_problem p = problem_of(t);
    char *const want = malloc(p.count * p.size + 1);
    for (int i = 0; i < t->iterations; i++) {
        char *const in = inputs(t, &p, p.count, i);
        reduced(t, &p, in, p.count, p.count, want);
        compare_one(t, &p, p.root, i, want, in, (int)p.op, v);
        look_for_root(t, &p, i, want, p.count, v);
        descend(t, &p, p.root, i, 0, p.count, judge_everybody(t), v);
        free(in);
    }
    free(want);
    judge1_keep_promise(t,
                        &(struct judge1_promise){judge1_doublings(t->nranks), 1,
                                                 (double)(p.count * p.size)},
                        v);
    judge1_keep_least(t, (t->nranks - 1.0) * (double)(p.count * p.size), v);
}

static void judge_reduce_scatter(const struct judge_task *t,
                                 struct judge_verdict *v)
{
    const struct judge1_problem p = problem_of(t);
    const size_t n = (size_t)t->nranks, all = n * p.count;
    char *const want = malloc(p.count * p.size + 1);
    for (int i = 0; i < t->iterations; i++) {
        char *const in = inputs(t, &p, all, i);
        for (int r = 0; r < t->nranks; r++) {
            reduced(t, &p, in + (size_t)r * p.count * p.size, all, p.count,
                    want);
            compare(t, &p, r, i, want, p.count, v);
            if (!p.in_place)
                descend(t, &p, r, i, 0, p.count, judge_everybody(t), v);
        }
        free(in);
    }
    free(want);
    judge1_keep_promise(
        t,
        &(struct judge1_promise){t->nranks - 1, t->nranks - 1,
                                 (double)((n - 1) * p.count * p.size)},
        v);
    judge1_keep_least(t, (double)(n * (n - 1) * p.count * p.size), v);
}

static void judge_all_reduce(const struct judge_task *t,
                             struct judge_verdict *v)
{
    const struct judge1_problem p = problem_of(t);
    const struct judge1_promise most = judge1_promise_of(t, &p);
    char *const want = malloc(p.count * p.size + 1);
    for (int i = 0; i < t->iterations; i++) {
        char *const in = inputs(t, &p, p.count, i);
        reduced(t, &p, in, p.count, p.count, want);
        for (int r = 0; r < t->nranks; r++)
            compare_one(t, &p, r, i, want, in, (int)p.op, v);
        for (int r = 0; r < t->nranks; r++)
            descend(t, &p, r, i, 0, p.count, judge_everybody(t), v);
        free(in);
    }
    free(want);
    judge1_keep_promise(t, &most, v);
    if (strcmp(plan_text(t->c, "algo", ""), "best") != 0)
        judge1_keep_least(t, 2.0 * (t->nranks - 1) * (double)(p.count * p.size),
                          v);
    if (strcmp(plan_text(t->c, "algo", ""), "ring") == 0)
        judge1_keep_link(t, "nvlink ", most.bytes, v);
    if (strcmp(plan_text(t->c, "algo", ""), "hierarchical") == 0)
        judge1_keep_link(t, "out ", judge1_across_bytes(t, &p), v);
}

/* ---- parts 4 to 6 -------------------------------------------------------- */

static void judge_sum_by(const struct judge_task *t, struct judge_verdict *v)
{
    struct judge1_problem p = problem_of(t);
    p.count *= (size_t)t->nranks;
    char *const want = malloc(p.count * p.size + 1);
    for (int i = 0; i < t->iterations; i++) {
        char *const in = inputs(t, &p, p.count, i);
        reduced(t, &p, in, p.count, p.count, want);
        for (int r = 0; r < t->nranks; r++)
            compare_one(t, &p, r, i, want, in, (int)p.op, v);
        for (int r = 0; r < t->nranks; r++)
            descend(t, &p, r, i, 0, p.count, judge_everybody(t), v);
        free(in);
    }
    free(want);
    const uint64_t nbytes = p.count * p.size;
    struct calls_coll ways[][2] = {
        {{TOPO_OP_ALLREDUCE, nbytes}},
        {{TOPO_OP_REDUCE, nbytes}, {TOPO_OP_BROADCAST, nbytes}},
        {{TOPO_OP_REDUCESCATTER, nbytes}, {TOPO_OP_ALLGATHER, nbytes}}};
    const int64_t way = plan_int(t->c, "way", 0);
    if (v->pass)
        judge_collectives(t, ways[way % 3], way % 3 ? 2 : 1, v);
}

/* ---- physical limits ----------------------------------------------------- */

/* Some rank receives `bytes`, at most at the rate of all its links together. */
static double limit_of(const struct judge_task *t, double bytes)
{
    return bytes / links_out_rate(t) * 1e6;
}

static double broadcast_limit(const struct judge_task *t)
{
    const struct judge1_problem p = problem_of(t);
    return limit_of(t, (double)(p.count * p.size));
}

static double all_gather_limit(const struct judge_task *t)
{
    const struct judge1_problem p = problem_of(t);
    return limit_of(t, (double)((size_t)(t->nranks - 1) * p.count * p.size));
}

/*
 * Unless a switch reduces, some rank has to send 2(n-1)/n of the vector, at
 * most at the rate of all its links together.
 */
static double all_reduce_limit(const struct judge_task *t)
{
    const struct judge1_problem p = problem_of(t);
    const double n = t->nranks, bytes = (double)(p.count * p.size);
    return limit_of(t, 2 * (n - 1) / n * bytes);
}

static const struct judge_kind kinds[] = {
    {.name = "bootstrap", .judge = judge_bootstrap},
    {.name = "sum", .judge = judge_sum},
    {.name = "broadcast",
     .judge = judge_broadcast,
     .limit_us = broadcast_limit},
    {.name = "scatter", .judge = judge_scatter},
    {.name = "gather", .judge = judge_gather},
    {.name = "all_gather",
     .judge = judge_all_gather,
     .limit_us = all_gather_limit},
    {.name = "reduce", .judge = judge_reduce},
    {.name = "reduce_scatter", .judge = judge_reduce_scatter},
    {.name = "all_reduce",
     .judge = judge_all_reduce,
     .limit_us = all_reduce_limit},
    {.name = "sum_by", .judge = judge_sum_by},
    {.name = "measure", .judge = judge1_measure},
    {.name = "fit", .judge = judge1_fit},
    {.name = NULL},
};

/* Where a student should look when a case fails. */
static const struct judge_student students[] = {
    {"bootstrap", "boot_comm() in bootstrap.c", NULL, NULL},
    {"sum", "boot_sum() in bootstrap.c", NULL, NULL},
    {"broadcast", "p2p_broadcast() in p2p.c", NULL, NULL},
    {"scatter", "p2p_scatter() in p2p.c", NULL, NULL},
    {"gather", "p2p_gather() in p2p.c", NULL, NULL},
    {"all_gather", "p2p_all_gather() in p2p.c", NULL, NULL},
    {"reduce", "p2p_reduce() in p2p.c", NULL, NULL},
    {"reduce_scatter", "p2p_reduce_scatter() in p2p.c", NULL, NULL},
    {"all_reduce", "allreduce_ring() in allreduce.c", "algo", "ring"},
    {"all_reduce", "allreduce_tree() in allreduce.c", "algo", "tree"},
    {"all_reduce", "allreduce_halving_doubling() in allreduce.c", "algo",
     "halving_doubling"},
    {"all_reduce", "allreduce_hierarchical() in allreduce.c", "algo",
     "hierarchical"},
    {"all_reduce", "allreduce_best() in allreduce.c", NULL, NULL},
    {"sum_by", "sum_by() in alphabeta.c", NULL, NULL},
    {"measure", "measure_sum() in alphabeta.c", NULL, NULL},
    {"fit", "fit_alpha_beta() in alphabeta.c", NULL, NULL},
    {NULL, NULL, NULL, NULL},
};

extern const struct judge_lab judge_lab1;
const struct judge_lab judge_lab1 = {.lab = "lab1-collectives",
                                     .kinds = kinds,
                                     .students = students,
                                     .draws = judge1_draws};
