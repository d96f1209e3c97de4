/*
 * judge.c: the judges of lab 7's cases
 *
 * The route follows from the seeds (tokens.h), so the judge knows where every
 * token has to be at each step, and computes the layer token by token, as on
 * one rank. Numbers are small and exact: results are compared bit for bit.
 */
#include <stdlib.h> /* malloc */
#include <string.h> /* memcpy */

#include "judge/counts.h"
#include "judge/links.h"
#include "judge/spans.h"
#include "tokens.h"

struct problem {
    int ntokens, dim, skew;
    size_t floats; /* in a rank's tokens */
};

static struct problem problem_of(const struct judge_task *t)
{
    struct problem p = {
        .ntokens = (int)plan_int(t->c, "tokens", 64),
        .dim = (int)plan_int(t->c, "dim", 8),
        .skew = (int)plan_int(t->c, "skew", 0),
    };
    p.floats = (size_t)p.ntokens * (size_t)p.dim;
    return p;
}

static int expert_of(const struct judge_task *t, const struct problem *p,
                     int rank, int iteration, int token)
{
    const uint64_t seed = judge_input_seed(t, rank, iteration);
    return tokens_expert(tokens_route_seed(t->c, seed, rank), token, t->nranks,
                         p->skew);
}

/* The number of a rank's tokens that go to an expert; *begin: the number that
 * go to lower-numbered experts. */
static int count_of(const struct judge_task *t, const struct problem *p,
                    int rank, int iteration, int expert, int *begin)
{
    int n = 0;
    *begin = 0;
    for (int i = 0; i < p->ntokens; i++) {
        const int e = expert_of(t, p, rank, iteration, i);
        n += e == expert;
        *begin += e < expert;
    }
    return n;
}

static void compare_ints(const struct judge_task *t, int rank, int iteration,
                         const char *name, const int *want, int n,
                         struct judge_verdict *v)
{
    const void *const got =
        judge_output(t, rank, iteration, name, (size_t)n * sizeof *want, v);
    if (got && data_differ(got, want, (size_t)n, DATA_INT32) > 0)
        judge_fail(v, "%s is wrong on rank %d: element 0 is %d, should be %d",
                   name, rank, ((const int *)got)[0], want[0]);
}

/* ---- part 1 -------------------------------------------------------------- */

static void judge_sort(const struct judge_task *t, struct judge_verdict *v)
{
    const struct problem p = problem_of(t);
    int *const order = malloc((size_t)p.ntokens * sizeof *order);
    int *const count = malloc(2 * (size_t)t->nranks * sizeof *count);
    int *const begin = count + t->nranks;
    for (int i = 0; i < t->iterations; i++)
        for (int r = 0; r < t->nranks; r++) {
            int at = 0;
            for (int e = 0; e < t->nranks; e++) {
                count[e] = count_of(t, &p, r, i, e, &begin[e]);
                for (int k = 0; k < p.ntokens; k++)
                    if (expert_of(t, &p, r, i, k) == e)
                        order[at++] = k;
            }
            compare_ints(t, r, i, "order", order, p.ntokens, v);
            compare_ints(t, r, i, "send_count", count, t->nranks, v);
            compare_ints(t, r, i, "send_begin", begin, t->nranks, v);
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
            judge_fail(v,
                       "the result is right, but rank %d uses %.0f "
                       "collectives; one is enough",
                       r, used);
    }
}

/* The counts have to travel between devices, whose links have a cost, and not
 * by MPI. */
static void judge_by_devices(const struct judge_task *t,
                             struct judge_verdict *v)
{
    for (int r = 0; r < t->nranks && t->nranks > 1; r++)
        if (judge_count(t, r, 0, "collectives", v) +
                judge_count(t, r, 0, "messages", v) <
            1)
            judge_fail(v,
                       "the result is right, but rank %d does not exchange "
                       "counts by NCCL: m->counts is device memory for it",
                       r);
}

static void judge_counts(const struct judge_task *t, struct judge_verdict *v)
{
    const struct problem p = problem_of(t);
    int *const count = malloc(2 * (size_t)t->nranks * sizeof *count);
    int *const begin = count + t->nranks;
    for (int i = 0; i < t->iterations; i++)
        for (int r = 0; r < t->nranks; r++) {
            int n = 0, unused;
            for (int s = 0; s < t->nranks; s++) {
                count[s] = count_of(t, &p, s, i, r, &unused);
                begin[s] = n;
                n += count[s];
            }
            compare_ints(t, r, i, "recv_count", count, t->nranks, v);
            compare_ints(t, r, i, "recv_begin", begin, t->nranks, v);
            const double got = evidence_metric(t->evidence, r, t->case_no,
                                               (unsigned)i, "nrecv");
            if (got != n)
                judge_fail(v, "nrecv is %g on rank %d, should be %d", got, r,
                           n);
        }
    judge_exchanges(t, v);
    judge_by_devices(t, v);
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
                judge_fail(v,
                           "the result is right, but rank %d uses %.0f %s; "
                           "%.0f are enough",
                           r, used, limits[i].unit, limits[i].most);
        }
}

/* The tokens that arrive at rank r, in rank order; *n: their floats. */
static void arrived(const struct judge_task *t, const struct problem *p, int r,
                    int iteration, float *out, size_t *n)
{
    float *const in = malloc(p->floats * sizeof *in);
    *n = 0;
    for (int s = 0; s < t->nranks; s++) {
        int begin;
        const int count = count_of(t, p, s, iteration, r, &begin);
        const size_t dim = (size_t)p->dim, floats = (size_t)count * dim;
        data_fill(in, p->floats, DATA_FLOAT, judge_input_seed(t, s, iteration));
        memcpy(out + *n, in + (size_t)begin * dim, floats * sizeof *in);
        *n += floats;
    }
    free(in);
}

/* Tokens that arrived at rank r descend from the inputs of their ranks. */
static void judge_arrivals(const struct judge_task *t, const struct problem *p,
                           int r, int iteration, struct judge_verdict *v)
{
    size_t at = 0;
    for (int s = 0; s < t->nranks; s++) {
        int unused;
        const size_t begin = at;
        at += (size_t)count_of(t, p, s, iteration, r, &unused) *
              (size_t)p->dim * sizeof(float);
        judge_descent(t, r, iteration, "arrived", begin, at, rank_set_of(s), v);
    }
}

static void judge_dispatch(const struct judge_task *t, struct judge_verdict *v)
{
    const struct problem p = problem_of(t);
    const size_t room = (size_t)t->nranks * p.floats;
    float *const want = malloc(room * sizeof *want);
    for (int i = 0; i < t->iterations; i++)
        for (int r = 0; r < t->nranks; r++) {
            size_t n;
            arrived(t, &p, r, i, want, &n);
            const void *const got =
                judge_output(t, r, i, "arrived", room * sizeof *want, v);
            if (got)
                data_compare(got, want, n, DATA_FLOAT, r, v);
            judge_arrivals(t, &p, r, i, v);
        }
    judge_messages(t, v);
    free(want);
}

/* Every token that was processed elsewhere is sent back: rank r has to send
 * those that it received from others. */
static void judge_returned(const struct judge_task *t, const struct problem *p,
                           int r, int iteration, struct judge_verdict *v)
{
    double want = 0;
    int unused;
    for (int s = 0; s < t->nranks; s++)
        want += s == r ? 0 : count_of(t, p, s, iteration, r, &unused);
    want *= (double)p->dim * (double)sizeof(float);
    const double sent = judge_count(t, r, iteration, "sent_bytes", v);
    if (sent < want)
        judge_fail(v,
                   "the result is right, but rank %d sends back %.0f bytes of "
                   "%.0f that it received: return what the expert processed",
                   r, sent, want);
}

static void judge_return(const struct judge_task *t, struct judge_verdict *v)
{
    const struct problem p = problem_of(t);
    float *const want = malloc(p.floats * sizeof *want);
    for (int i = 0; i < t->iterations; i++)
        for (int r = 0; r < t->nranks; r++) {
            data_fill(want, p.floats, DATA_FLOAT, judge_input_seed(t, r, i));
            const void *const got =
                judge_output(t, r, i, "packed", p.floats * sizeof *want, v);
            if (got)
                data_compare(got, want, p.floats, DATA_FLOAT, r, v);
            judge_returned(t, &p, r, i, v);
        }
    judge_messages(t, v);
    free(want);
}

/* ---- parts 3 and 4 ------------------------------------------------------- */

/* y = gate * (x @ weight) for one token. Sums of small integers are exact. */
static void expert(const float *x, const float *weight, int dim, float gate,
                   float *y)
{
    for (int j = 0; j < dim; j++)
        y[j] = 0;
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++)
            y[j] += x[i] * weight[(size_t)i * (size_t)dim + (size_t)j];
    for (int j = 0; j < dim; j++)
        y[j] *= gate;
}

/* Expect token k of rank r to be right, and to come from rank r and from its
 * expert's rank. */
static void judge_token(const struct judge_task *t, const struct problem *p,
                        const float *got, const float *want, int r,
                        int iteration, int k, struct judge_verdict *v)
{
    const size_t dim = (size_t)p->dim, at = (size_t)k * dim;
    data_compare(got + at, want + at, dim, DATA_FLOAT, r, v);
    struct rank_set need = rank_set_of(r);
    rank_set_add(&need, expert_of(t, p, r, iteration, k));
    judge_descent(t, r, iteration, "out", at * sizeof *got,
                  (at + dim) * sizeof *got, need, v);
}

/* `every: N`: of a large layer only every Nth token is recomputed. */
static void judge_layer(const struct judge_task *t, struct judge_verdict *v)
{
    const struct problem p = problem_of(t);
    const int every = (int)plan_int(t->c, "every", 1);
    const size_t dim = (size_t)p.dim, wfloats = dim * dim;
    float *const in = malloc(2 * p.floats * sizeof *in);
    float *const want = in + p.floats;
    float *const weight = malloc((size_t)t->nranks * wfloats * sizeof *weight);
    for (int e = 0; e < t->nranks; e++)
        data_fill(weight + (size_t)e * wfloats, wfloats, DATA_FLOAT,
                  tokens_weight_seed(e));
    for (int i = 0; i < t->iterations; i++)
        for (int r = 0; r < t->nranks; r++) {
            const uint64_t seed = judge_input_seed(t, r, i);
            const void *const got =
                judge_output(t, r, i, "out", p.floats * sizeof *want, v);
            if (!got)
                continue;
            data_fill(in, p.floats, DATA_FLOAT, seed);
            for (int k = 0; k < p.ntokens; k += every)
                expert(in + (size_t)k * dim,
                       weight + (size_t)expert_of(t, &p, r, i, k) * wfloats,
                       p.dim, tokens_gate(seed, k), want + (size_t)k * dim);
            for (int k = 0; k < p.ntokens && v->pass; k += every)
                judge_token(t, &p, (const float *)got, want, r, i, k, v);
        }
    free(in);
    free(weight);
}

/*
 * A rank sends its tokens to other ranks' experts and returns the tokens of
 * others. The layer takes at least as long as the busiest rank needs to send
 * both over all its links.
 */
static double layer_limit_us(const struct judge_task *t)
{
    const struct problem p = problem_of(t);
    int most = 0, unused;
    for (int r = 0; r < t->nranks; r++) {
        int sent = 0;
        for (int s = 0; s < t->nranks; s++)
            if (s != r)
                sent += count_of(t, &p, r, 0, s, &unused) +
                        count_of(t, &p, s, 0, r, &unused);
        most = sent > most ? sent : most;
    }
    const double nbytes = (double)most * p.dim * (double)sizeof(float);
    return nbytes / links_out_rate(t) * 1e6;
}

static const struct judge_kind kinds[] = {
    {.name = "sort", .judge = judge_sort},
    {.name = "counts", .judge = judge_counts},
    {.name = "dispatch", .judge = judge_dispatch},
    {.name = "return", .judge = judge_return},
    {.name = "layer", .judge = judge_layer, .limit_us = layer_limit_us},
    {.name = "overlap", .judge = judge_layer, .limit_us = layer_limit_us},
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
    {NULL, NULL, NULL, NULL},
};

static int draw_experts(const struct draw_from *from, const int64_t *arg,
                        void *out, size_t nbytes)
{
    int *const expert = out;
    const uint64_t seed = tokens_route_seed(from->c, from->seed, from->rank);
    for (size_t i = 0; i < nbytes / sizeof *expert; i++)
        expert[i] = tokens_expert(seed, (int)i, from->nranks, (int)arg[0]);
    return nbytes % sizeof *expert ? -1 : 0;
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

static const struct draw_row draws[] = {[TOKENS_EXPERTS] = {draw_experts, 0},
                                        [TOKENS_GATES] = {draw_gates, 0},
                                        {0}};

extern const struct judge_lab judge_lab7;
const struct judge_lab judge_lab7 = {.lab = "lab7-expert-parallel",
                                     .kinds = kinds,
                                     .students = students,
                                     .draws = draws};
