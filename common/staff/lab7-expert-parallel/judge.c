/*
 * judge.c: the judges of lab 7's cases
 *
 * The route follows from the seeds (tokens.h), so the judge knows where every
 * token has to be at each step, and what the layer makes of it. Numbers are
 * small and exact: results are compared bit for bit, or by exact sums.
 */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */
#include <string.h> /* memcpy */

#include "judge/graph/calls.h"
#include "judge/graph/counts.h"
#include "judge7.h"

struct judge7_problem judge7_problem(const struct judge_task *t)
{
    struct judge7_problem p = {
        .ntokens = (int)plan_int(t->c, "tokens", 64),
        .dim = (int)plan_int(t->c, "dim", 8),
    };
    p.floats = (size_t)p.ntokens * (size_t)p.dim;
    return p;
}

int *judge7_experts(const struct judge_task *t, const struct judge7_problem *p,
                    int iteration)
{
    int *const all = malloc((size_t)(t->nranks * p->ntokens) * sizeof *all);
    for (int r = 0; r < t->nranks; r++)
        tokens_experts(t->c, judge_input_seed(t, r, iteration), r, t->nranks,
                       all + r * p->ntokens, p->ntokens);
    return all;
}

int judge7_count(const struct judge7_problem *p, const int *experts, int rank,
                 int expert, int *begin)
{
    int n = 0;
    *begin = 0;
    for (int i = 0; i < p->ntokens; i++) {
        const int e = experts[rank * p->ntokens + i];
        n += e == expert;
        *begin += e < expert;
    }
    return n;
}

void judge7_compare_ints(const struct judge_task *t, int rank, int iteration,
                         const char *name, const int *want, int n,
                         struct judge_verdict *v)
{
    const int *const got =
        judge_output(t, rank, iteration, name, (size_t)n * sizeof *want, v);
    for (int i = 0; got && i < n && v->pass; i++)
        if (got[i] != want[i])
            judge_fail(v,
                       "%s is wrong on rank %d: element %d is %d, should be %d",
                       name, rank, i, got[i], want[i]);
}

/* ---- part 1 -------------------------------------------------------------- */

static void judge_sort(const struct judge_task *t, struct judge_verdict *v)
{
    const struct judge7_problem p = judge7_problem(t);
    int *const order = malloc((size_t)p.ntokens * sizeof *order);
    int *const count = malloc(2 * (size_t)t->nranks * sizeof *count);
    int *const begin = count + t->nranks;
    for (int i = 0; i < t->iterations; i++) {
        int *const experts = judge7_experts(t, &p, i);
        for (int r = 0; r < t->nranks; r++) {
            int at = 0;
            for (int e = 0; e < t->nranks; e++) {
                count[e] = judge7_count(&p, experts, r, e, &begin[e]);
                for (int k = 0; k < p.ntokens; k++)
                    if (experts[r * p.ntokens + k] == e)
                        order[at++] = k;
            }
            judge7_compare_ints(t, r, i, "order", order, p.ntokens, v);
            judge7_compare_ints(t, r, i, "send_count", count, t->nranks, v);
            judge7_compare_ints(t, r, i, "send_begin", begin, t->nranks, v);
        }
        free(experts);
    }
    free(order);
    free(count);
}

/* One collective for any number of routes. */
static void judge_exchanges(const struct judge_task *t, struct judge_verdict *v)
{
    for (int r = 0; r < t->nranks; r++) {
        const double used = judge_count(t, r, 0, "collectives", v);
        if (!(used <= 1))
            judge_fail_method(v,
                              "the result is right, but rank %d uses %.0f "
                              "collectives; one is enough",
                              r, used);
    }
}

/* The counts have to travel between devices, whose links have a cost, and not
 * by MPI. */
static void judge_by_devices(const struct judge_task *t, const char *what,
                             struct judge_verdict *v)
{
    for (int r = 0; r < t->nranks && t->nranks > 1; r++)
        if (judge_count(t, r, 0, "collectives", v) +
                judge_count(t, r, 0, "messages", v) <
            1)
            judge_fail_method(
                v,
                "the result is right, but rank %d does not exchange "
                "%s by NCCL: m->counts is device memory for it",
                r, what);
}

void judge7_one_exchange(const struct judge_task *t, const char *what,
                         struct judge_verdict *v)
{
    judge_exchanges(t, v);
    judge_by_devices(t, what, v);
    judge_no_mpi(t, "m->counts is device memory for NCCL to send", v);
}

static void judge_counts(const struct judge_task *t, struct judge_verdict *v)
{
    const struct judge7_problem p = judge7_problem(t);
    int *const count = malloc(2 * (size_t)t->nranks * sizeof *count);
    int *const begin = count + t->nranks;
    for (int i = 0; i < t->iterations; i++) {
        int *const experts = judge7_experts(t, &p, i);
        for (int r = 0; r < t->nranks; r++) {
            int n = 0, unused;
            for (int s = 0; s < t->nranks; s++) {
                count[s] = judge7_count(&p, experts, s, r, &unused);
                begin[s] = n;
                n += count[s];
            }
            judge7_compare_ints(t, r, i, "recv_count", count, t->nranks, v);
            judge7_compare_ints(t, r, i, "recv_begin", begin, t->nranks, v);
            const double got = evidence_metric(t->evidence, r, t->case_no,
                                               (unsigned)i, "nrecv");
            if (got != n)
                judge_fail(v, "nrecv is %g on rank %d, should be %d", got, r,
                           n);
        }
        free(experts);
    }
    judge7_one_exchange(t, "counts", v);
    free(count);
}

/* ---- part 2 -------------------------------------------------------------- */

/* At most one message to each other rank, in one step, and no collective. */
static void judge_messages(const struct judge_task *t, struct judge_verdict *v)
{
    const struct {
        const char *count, *unit;
        double most;
    } limits[] = {{"messages", "messages", t->nranks - 1},
                  {"rounds", "steps", t->nranks > 1},
                  {"collectives", "collectives", 0}};
    for (int r = 0; r < t->nranks; r++)
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
            const double used = judge_count(t, r, 0, limits[i].count, v);
            if (!(used <= limits[i].most))
                judge_fail_method(
                    v,
                    "the result is right, but rank %d uses %.0f %s; "
                    "%.0f are enough",
                    r, used, limits[i].unit, limits[i].most);
        }
}

/* The tokens that arrive at rank r, in rank order; *n: their floats. */
static void arrived(const struct judge_task *t, const struct judge7_problem *p,
                    const int *experts, int r, int iteration, float *out,
                    size_t *n)
{
    float *const in = malloc(p->floats * sizeof *in);
    *n = 0;
    for (int s = 0; s < t->nranks; s++) {
        int begin;
        const int count = judge7_count(p, experts, s, r, &begin);
        const size_t dim = (size_t)p->dim, floats = (size_t)count * dim;
        data_fill(in, p->floats, DATA_FLOAT, judge_input_seed(t, s, iteration));
        memcpy(out + *n, in + (size_t)begin * dim, floats * sizeof *in);
        *n += floats;
    }
    free(in);
}

/* Tokens that arrived at rank r descend from the inputs of their ranks. */
static void judge_arrivals(const struct judge_task *t,
                           const struct judge7_problem *p, const int *experts,
                           int r, int iteration, struct judge_verdict *v)
{
    size_t at = 0;
    for (int s = 0; s < t->nranks; s++) {
        int unused;
        const size_t begin = at;
        at += (size_t)judge7_count(p, experts, s, r, &unused) * (size_t)p->dim *
              sizeof(float);
        judge_descent(t, r, iteration, "arrived", begin, at, rank_set_of(s), v);
    }
}

static void judge_dispatch(const struct judge_task *t, struct judge_verdict *v)
{
    const struct judge7_problem p = judge7_problem(t);
    const size_t room = (size_t)t->nranks * p.floats;
    float *const want = malloc(room * sizeof *want);
    for (int i = 0; i < t->iterations; i++) {
        int *const experts = judge7_experts(t, &p, i);
        for (int r = 0; r < t->nranks; r++) {
            size_t n;
            arrived(t, &p, experts, r, i, want, &n);
            const void *const got =
                judge_output(t, r, i, "arrived", room * sizeof *want, v);
            if (got)
                data_compare(got, want, n, DATA_FLOAT, r, v);
            judge_arrivals(t, &p, experts, r, i, v);
        }
        free(experts);
    }
    judge_messages(t, v);
    free(want);
}

void judge7_sent(const struct judge_task *t, const struct judge7_problem *p,
                 const int *experts, int iteration, unsigned ways,
                 struct judge_verdict *v)
{
    for (int k = 0; k < t->nranks * t->nranks && v->pass; k++) {
        const int r = k / t->nranks, s = k % t->nranks;
        char name[24];
        int unused, n = 0;
        if (ways & JUDGE7_OUT)
            n += judge7_count(p, experts, r, s, &unused);
        if (ways & JUDGE7_BACK)
            n += judge7_count(p, experts, s, r, &unused);
        const double token = (double)p->dim * sizeof(float);
        const double want = r == s ? 0 : n * token;
        snprintf(name, sizeof name, "sent_to.%d", s);
        const double sent = judge_count(t, r, iteration, name, v);
        // counts may be messages, too: they are less than a token
        if (sent < want || sent >= want + token)
            judge_fail_method(
                v,
                "the result is right, but rank %d sends %.0f bytes to "
                "rank %d, where %s takes %.0f",
                r, sent, s,
                ways == JUDGE7_BACK ? "returning what the expert processed"
                                    : "every token's way there and back",
                want);
    }
}

static void judge_return(const struct judge_task *t, struct judge_verdict *v)
{
    const struct judge7_problem p = judge7_problem(t);
    float *const want = malloc(p.floats * sizeof *want);
    for (int i = 0; i < t->iterations; i++) {
        int *const experts = judge7_experts(t, &p, i);
        for (int r = 0; r < t->nranks; r++) {
            data_fill(want, p.floats, DATA_FLOAT, judge_input_seed(t, r, i));
            const void *const got =
                judge_output(t, r, i, "packed", p.floats * sizeof *want, v);
            if (got)
                data_compare(got, want, p.floats, DATA_FLOAT, r, v);
        }
        judge7_sent(t, &p, experts, i, JUDGE7_BACK, v);
        free(experts);
    }
    judge_messages(t, v);
    free(want);
}

static const struct judge_kind kinds[] = {
    {.name = "sort", .judge = judge_sort},
    {.name = "counts", .judge = judge_counts},
    {.name = "dispatch", .judge = judge_dispatch},
    {.name = "return", .judge = judge_return},
    {.name = "layer", .judge = judge7_layer, .limit_us = judge7_limit_us},
    {.name = "overlap", .judge = judge7_layer, .limit_us = judge7_limit_us},
    {.name = "choose", .judge = judge7_choose},
    {.name = "keep", .judge = judge7_keep},
    {.name = "balance", .judge = judge7_balance},
    {.name = "topk", .judge = judge7_topk, .limit_us = judge7_topk_limit_us},
    {.name = "direct", .judge = judge7_direct},
    {.name = "direct-dispatch", .judge = judge7_direct},
    {.name = "direct-combine", .judge = judge7_direct},
    {.name = "backward",
     .judge = judge7_backward,
     .limit_us = judge7_topk_limit_us},
    {.name = "quantise", .judge = judge7_quantise},
    {.name = "fp8", .judge = judge7_fp8},
    {.name = "fp8-dispatch", .judge = judge7_fp8_dispatch},
    {.name = NULL},
};

/* Where a student should look when a case fails. */
static const struct judge_student students[] = {
    {"sort", "moe_sort() in route.c", NULL, NULL},
    {"counts", "moe_exchange_counts() in route.c", NULL, NULL},
    {"dispatch", "moe_dispatch() in travel.c", NULL, NULL},
    {"return", "moe_return() in travel.c", NULL, NULL},
    {"layer", "moe_layer() in layer.c", NULL, NULL},
    {"overlap", "moe_layer_overlapped() in overlap.c", NULL, NULL},
    {"choose", "moe_choose() in topk.c", NULL, NULL},
    {"keep", "moe_keep() in topk.c", NULL, NULL},
    {"balance", "moe_balance() in topk.c", NULL, NULL},
    {"topk", "moe_layer_topk() in topk.c", NULL, NULL},
    {"direct", "direct_dispatch() and direct_combine() in direct.cu", NULL,
     NULL},
    {"direct-dispatch", "direct_dispatch() in direct.cu", NULL, NULL},
    {"direct-combine", "direct_combine() in direct.cu", NULL, NULL},
    {"backward", "moe_layer_backward() in backward.c", NULL, NULL},
    {"quantise", "fp8_quantise() in fp8.cu", NULL, NULL},
    {"fp8", "fp8_quantise() and fp8_dequantise() in fp8.cu", NULL, NULL},
    {"fp8-dispatch", "fp8_quantise() and fp8_dequantise() in fp8.cu", NULL,
     NULL},
    {NULL, NULL, NULL, NULL},
};

static int draw_experts(const struct draw_from *from, const int64_t *arg,
                        void *out, size_t nbytes)
{
    const size_t n = nbytes / sizeof(int);
    (void)arg;
    if (nbytes % sizeof(int) || n > 1 << 20)
        return -1;
    tokens_experts(from->c, from->seed, from->rank, from->nranks, out, (int)n);
    return 0;
}

static int draw_gates(const struct draw_from *from, const int64_t *arg,
                      void *out, size_t nbytes)
{
    float *const gate = out;
    (void)arg;
    for (size_t i = 0; i < nbytes / sizeof *gate; i++)
        gate[i] = tokens_gate(from->seed, (int)i);
    return nbytes % sizeof *gate ? -1 : 0;
}

static int draw_probs(const struct draw_from *from, const int64_t *arg,
                      void *out, size_t nbytes)
{
    const int n = from->nranks * (int)plan_int(from->c, "each", 1);
    const size_t row = (size_t)n * sizeof(float);
    (void)arg;
    if (n < 1 || nbytes % row || nbytes > 1 << 24)
        return -1;
    tokens_probs(from->c, from->seed, from->rank, from->nranks, out,
                 (int)(nbytes / row));
    return 0;
}

/* The experts or the gates of all choices of a rank. */
static int draw_choices(const struct draw_from *from, void *out, size_t nbytes,
                        int gates)
{
    const int n = from->nranks * (int)plan_int(from->c, "each", 1);
    const int k = (int)plan_int(from->c, "k", 1);
    if (n < 1 || k < 1 || k > n || nbytes > 1 << 20 ||
        nbytes % ((size_t)k * sizeof(int)))
        return -1;
    const int ntokens = (int)(nbytes / ((size_t)k * sizeof(int)));
    float *const prob = malloc((size_t)(ntokens * n) * sizeof *prob);
    int *const expert = malloc((size_t)(ntokens * k) * sizeof *expert);
    tokens_probs(from->c, from->seed, from->rank, from->nranks, prob, ntokens);
    for (int t = 0; t < ntokens; t++) {
        const float *const p = prob + (size_t)t * (size_t)n;
        tokens_best(p, n, k, expert + t * k);
        if (gates)
            tokens_shares(p, k, expert + t * k, (float *)out + t * k);
    }
    if (!gates)
        memcpy(out, expert, nbytes);
    free(expert);
    free(prob);
    return 0;
}

static int draw_chosen(const struct draw_from *from, const int64_t *arg,
                       void *out, size_t nbytes)
{
    (void)arg;
    return draw_choices(from, out, nbytes, 0);
}

static int draw_shares(const struct draw_from *from, const int64_t *arg,
                       void *out, size_t nbytes)
{
    (void)arg;
    return draw_choices(from, out, nbytes, 1);
}

static int draw_groups(const struct draw_from *from, const int64_t *arg,
                       void *out, size_t nbytes)
{
    float *const x = out;
    (void)arg;
    for (size_t i = 0; i < nbytes / sizeof *x; i++)
        x[i] = tokens_element(from->seed, i);
    return nbytes % sizeof *x ? -1 : 0;
}

static const struct draw_row draws[] = {[TOKENS_EXPERTS] = {draw_experts, 0},
                                        [TOKENS_GATES] = {draw_gates, 0},
                                        [TOKENS_PROBS] = {draw_probs, 0},
                                        [TOKENS_CHOICES] = {draw_chosen, 0},
                                        [TOKENS_SHARES] = {draw_shares, 0},
                                        [TOKENS_GROUPS] = {draw_groups, 0},
                                        {0}};

extern const struct judge_lab judge_lab7;
const struct judge_lab judge_lab7 = {.lab = "lab7-expert-parallel",
                                     .kinds = kinds,
                                     .students = students,
                                     .draws = draws,
                                     .reaches_peers = 1};
