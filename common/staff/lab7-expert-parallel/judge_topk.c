/*
 * judge_topk.c: the judges of lab 7's part 5
 *
 * The router's probabilities follow from the seeds (tokens.h), and everything
 * else from them: which experts a token has, with which gates, and which of its
 * choices are dropped. Gates are quotients, so results are compared within a
 * tolerance; of large tokens, elements that no rank can foresee.
 */
#include <limits.h> /* INT_MAX */
#include <math.h>   /* fabs */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */

#include "graph/record/read.h"
#include "judge/graph/calls.h"
#include "judge/graph/counts.h"
#include "judge/graph/links.h"
#include "judge/graph/spans.h"
#include "judge7.h"

enum { WHOLE = 64, SAMPLE = 8 }; /* elements of a token that are compared */

void judge7_choices_free(struct judge7_choices *c)
{
    free(c->expert);
    free(c->gate);
    free(c->kept);
    free(c->count);
    free(c->sent);
    free(c->prob);
}

/* Choose for rank r's tokens. prob: (ntokens, nexperts) to write to. */
static void choose(const struct judge_task *t, int r, int iteration,
                   float *prob, struct judge7_choices *c)
{
    const int n = c->nexperts;
    tokens_probs(t->c, judge_input_seed(t, r, iteration), r, t->nranks, prob,
                 c->ntokens);
    for (int i = 0; i < c->ntokens; i++) {
        const float *const p = prob + (size_t)i * (size_t)n;
        const int at = (r * c->ntokens + i) * c->k;
        tokens_best(p, n, c->k, c->expert + at);
        tokens_shares(p, c->k, c->expert + at, c->gate + at);
        for (int e = 0; e < n; e++)
            c->prob[e] += p[e];
    }
}

/* Rank by rank, token by token: a choice is kept if its expert is not full. */
static void drop(const struct judge_task *t, struct judge7_choices *c)
{
    int *const full = calloc((size_t)c->nexperts, sizeof *full);
    for (int i = 0; i < t->nranks * c->ntokens * c->k; i++) {
        const int e = c->expert[i];
        const int at = i / (c->ntokens * c->k) * c->nexperts + e;
        c->count[at]++;
        c->kept[i] = full[e] < c->capacity;
        c->sent[at] += c->kept[i];
        full[e] += c->kept[i];
    }
    free(full);
}

struct judge7_choices judge7_choices(const struct judge_task *t, int iteration)
{
    struct judge7_choices c = {.ntokens = (int)plan_int(t->c, "tokens", 64) *
                                          (int)plan_int(t->c, "rounds", 1),
                               .dim = (int)plan_int(t->c, "dim", 8),
                               .each = (int)plan_int(t->c, "each", 1),
                               .k = (int)plan_int(t->c, "k", 1),
                               .capacity =
                                   (int)plan_int(t->c, "capacity", INT_MAX),
                               .diagonal = (int)plan_int(t->c, "diagonal", 0)};
    c.nexperts = t->nranks * c.each;
    const size_t n = (size_t)(t->nranks * c.ntokens * c.k);
    const size_t table = (size_t)(t->nranks * c.nexperts);
    float *const prob = malloc((size_t)(c.ntokens * c.nexperts) * sizeof *prob);
    c.expert = malloc(n * sizeof *c.expert);
    c.gate = malloc(n * sizeof *c.gate);
    c.kept = malloc(n);
    c.count = calloc(table, sizeof *c.count);
    c.sent = calloc(table, sizeof *c.sent);
    c.prob = calloc((size_t)c.nexperts, sizeof *c.prob);
    for (int r = 0; r < t->nranks; r++)
        choose(t, r, iteration, prob, &c);
    drop(t, &c);
    free(prob);
    return c;
}

/* ---- one function each --------------------------------------------------- */

void judge7_choose(const struct judge_task *t, struct judge_verdict *v)
{
    for (int it = 0; it < t->iterations; it++) {
        struct judge7_choices c = judge7_choices(t, it);
        const int n = c.ntokens * c.k;
        for (int r = 0; r < t->nranks; r++) {
            judge7_compare_ints(t, r, it, "expert", c.expert + r * n, n, v);
            const void *const gate =
                judge_output(t, r, it, "gate", (size_t)n * sizeof *c.gate, v);
            if (gate && v->pass)
                data_compare_near(gate, c.gate + r * n, (size_t)n, DATA_FLOAT,
                                  1e-5, 0, r, v);
        }
        judge7_choices_free(&c);
    }
}

/* What rank r has to find out. */
struct kept {
    int *token, *place;                                     /* ntokens * k */
    int *send_count, *send_begin, *recv_count, *recv_begin; /* nexperts */
    int nsend, nrecv;
};

static void kept_of(const struct judge_task *t, const struct judge7_choices *c,
                    int r, struct kept *w)
{
    const int n = c->ntokens * c->k, first = r * n;
    w->nsend = w->nrecv = 0;
    for (int e = 0; e < c->nexperts; e++) {
        w->send_count[e] = c->sent[r * c->nexperts + e];
        w->send_begin[e] = w->nsend;
        for (int i = 0; i < n; i++)
            if (c->expert[first + i] == e && c->kept[first + i]) {
                w->token[w->nsend] = i / c->k;
                w->place[i] = w->nsend++;
            }
    }
    for (int i = 0; i < c->each * t->nranks; i++) {
        const int e = r * c->each + i / t->nranks;
        w->recv_count[i] = c->sent[i % t->nranks * c->nexperts + e];
        w->recv_begin[i] = w->nrecv;
        w->nrecv += w->recv_count[i];
    }
}

static void judge_kept(const struct judge_task *t,
                       const struct judge7_choices *c, int r, int it,
                       struct judge_verdict *v)
{
    const int n = c->ntokens * c->k, ne = c->nexperts;
    int *const all = calloc((size_t)(2 * n + 4 * ne), sizeof *all);
    struct kept w = {.token = all, .place = all + n};
    int **const lists[] = {&w.send_count, &w.send_begin, &w.recv_count,
                           &w.recv_begin};
    static const char *const names[] = {"send_count", "send_begin",
                                        "recv_count", "recv_begin"};
    for (int i = 0; i < 4; i++)
        *lists[i] = all + 2 * n + i * ne;
    for (int i = 0; i < n; i++)
        w.place[i] = -1;
    kept_of(t, c, r, &w);
    judge7_compare_ints(t, r, it, "place", w.place, n, v);
    for (int i = 0; i < 4; i++)
        judge7_compare_ints(t, r, it, names[i], *lists[i], ne, v);
    const int *const token =
        judge_output(t, r, it, "token", (size_t)n * sizeof *token, v);
    if (token && data_differ(token, w.token, (size_t)w.nsend, DATA_INT32) > 0)
        judge_fail(v, "token is wrong on rank %d", r);
    const double nsend =
        evidence_metric(t->evidence, r, t->case_no, (unsigned)it, "nsend");
    const double nrecv =
        evidence_metric(t->evidence, r, t->case_no, (unsigned)it, "nrecv");
    if (nsend != w.nsend || nrecv != w.nrecv)
        judge_fail(v, "rank %d: nsend is %g, nrecv %g, should be %d, %d", r,
                   nsend, nrecv, w.nsend, w.nrecv);
    free(all);
}

void judge7_keep(const struct judge_task *t, struct judge_verdict *v)
{
    for (int it = 0; it < t->iterations; it++) {
        struct judge7_choices c = judge7_choices(t, it);
        for (int r = 0; r < t->nranks; r++)
            judge_kept(t, &c, r, it, v);
        judge7_choices_free(&c);
    }
    judge7_one_exchange(t, "counts", v);
}

void judge7_balance(const struct judge_task *t, struct judge_verdict *v)
{
    for (int it = 0; it < t->iterations; it++) {
        struct judge7_choices c = judge7_choices(t, it);
        const double all = (double)t->nranks * c.ntokens;
        double loss = 0;
        for (int e = 0; e < c.nexperts; e++) {
            int n = 0;
            for (int r = 0; r < t->nranks; r++)
                n += c.count[r * c.nexperts + e];
            loss += c.nexperts * (n / (all * c.k)) * (c.prob[e] / all);
        }
        const float want = (float)loss;
        for (int r = 0; r < t->nranks; r++) {
            const void *const got =
                judge_output(t, r, it, "loss", sizeof want, v);
            if (got)
                data_compare_near(got, &want, 1, DATA_FLOAT, 1e-4, 0, r, v);
        }
        judge7_choices_free(&c);
    }
    judge7_one_exchange(t, "sums", v);
}

/* ---- the layer ----------------------------------------------------------- */

float *judge7_weights(const struct judge_task *t,
                      const struct judge7_choices *c, int iteration)
{
    const size_t floats =
        (size_t)c->each * (size_t)c->dim * (c->diagonal ? 1 : (size_t)c->dim);
    float *const w = malloc((size_t)t->nranks * floats * sizeof *w);
    for (int r = 0; r < t->nranks; r++)
        data_fill(
            w + (size_t)r * floats, floats, DATA_FLOAT,
            judge_seed(judge_input_seed(t, r, iteration), TOKENS_WEIGHTS));
    return w;
}

/* Element j of token i's result, x being the token; *size: the sum of its
 * terms' sizes, for the tolerance. */
static double element(const struct judge7_choices *c, const float *weight,
                      int i, const float *x, size_t j, double *size)
{
    const size_t dim = (size_t)c->dim;
    double sum = 0;
    *size = 0;
    for (int a = i * c->k; a < (i + 1) * c->k; a++) {
        double y = 0;
        if (!c->kept[a])
            continue;
        if (c->diagonal)
            y = (double)x[j] * weight[(size_t)c->expert[a] * dim + j];
        for (size_t l = 0; l < dim && !c->diagonal; l++)
            y += (double)x[l] *
                 weight[((size_t)c->expert[a] * dim + l) * dim + j];
        sum += c->gate[a] * y;
        *size += fabs(c->gate[a] * y);
    }
    return sum;
}

/* Compare token i of rank r, whose result is y: all of it, or elements that
 * follow from the seed. */
static void judge_token(const struct judge7_choices *c, const float *weight,
                        int r, int i, uint64_t seed, const float *x,
                        const float *y, struct judge_verdict *v)
{
    const size_t dim = (size_t)c->dim;
    const size_t n = dim <= WHOLE ? dim : SAMPLE;
    for (size_t s = 0; s < n && v->pass; s++) {
        const size_t j =
            dim <= WHOLE ? s : judge_seed(seed, (uint64_t)i * n + s) % dim;
        double size;
        const double want = element(c, weight, r * c->ntokens + i, x, j, &size);
        if (!(fabs(y[j] - want) <= 1e-5 * size))
            judge_fail(v,
                       "element %zu of token %d on rank %d is %g, should be "
                       "%g",
                       j, i, r, y[j], want);
    }
}

void judge7_outputs(const struct judge_task *t, const struct judge7_choices *c,
                    int it, struct judge_verdict *v)
{
    const size_t dim = (size_t)c->dim, floats = (size_t)c->ntokens * dim;
    float *const in = malloc(floats * sizeof *in);
    float *const weight = judge7_weights(t, c, it);
    for (int r = 0; r < t->nranks && v->pass; r++) {
        const uint64_t seed = judge_input_seed(t, r, it);
        const float *const got =
            judge_output(t, r, it, "out", floats * sizeof *got, v);
        data_fill(in, floats, DATA_FLOAT, seed);
        for (int i = 0; got && i < c->ntokens && v->pass; i++) {
            const size_t at = (size_t)i * dim;
            struct rank_set need = {0};
            for (int a = (r * c->ntokens + i) * c->k, j = 0; j < c->k; j++)
                if (c->kept[a + j]) {
                    rank_set_add(&need, r);
                    rank_set_add(&need, c->expert[a + j] / c->each);
                }
            judge_token(c, weight, r, i, judge_seed(seed, UINT64_C(9) << 40),
                        in + at, got + at, v);
            judge_descent(t, r, it, "out", at * sizeof *got,
                          (at + dim) * sizeof *got, need, v);
        }
    }
    free(weight);
    free(in);
}

struct judge7_flow judge7_flow(const struct judge7_choices *c, int from, int to)
{
    struct judge7_flow f = {0, 0};
    for (int i = from * c->ntokens; i < (from + 1) * c->ntokens; i++) {
        int n = 0;
        for (int a = i * c->k; a < (i + 1) * c->k; a++)
            n += c->kept[a] && c->expert[a] / c->each == to;
        f.choices += n;
        f.tokens += n > 0;
    }
    return f;
}

/* Kept choices travel there and back, dropped ones don't. A token may travel
 * once for several experts of a rank; a gate may travel with it. */
void judge7_choices_sent(const struct judge_task *t,
                         const struct judge7_choices *c, int it,
                         struct judge_verdict *v)
{
    const double token = c->dim * (double)sizeof(float);
    const double gate = 2 * sizeof(float);
    for (int i = 0; i < t->nranks * t->nranks && v->pass; i++) {
        const int r = i / t->nranks, s = i % t->nranks;
        const struct judge7_flow out = judge7_flow(c, r, s),
                                 back = judge7_flow(c, s, r);
        const double least = (out.tokens + back.tokens) * token;
        const double most =
            (out.choices + back.choices) * (token + gate) + token;
        char name[24];
        snprintf(name, sizeof name, "sent_to.%d", s);
        const double sent = judge_count(t, r, it, name, v);
        if (r != s && (sent < least || sent >= most))
            judge_fail_method(
                v,
                "the result is right, but rank %d sends %.0f bytes to "
                "rank %d, where the choices that are kept take %.0f",
                r, sent, s, (out.choices + back.choices) * token);
    }
}

int judge7_accepted(const struct judge_task *t, const struct judge7_choices *c,
                    int rank)
{
    int n = 0;
    for (int i = 0; i < c->each * t->nranks; i++)
        n += c->sent[i / c->each * c->nexperts + rank * c->each + i % c->each];
    return n;
}

/* An expert processes what it has accepted, and at most its capacity. */
static void judge_products(const struct judge_task *t,
                           const struct judge7_choices *c, int it,
                           struct judge_verdict *v)
{
    const double each = 2.0 * c->dim * c->dim;
    for (int r = 0; r < t->nranks && v->pass; r++) {
        const double done = spans_flops(t, r, it, "") / each;
        const int accepted = judge7_accepted(t, c, r);
        if (done < accepted || done >= c->each * c->capacity + 1)
            judge_fail_method(
                v,
                "the result is right, but rank %d's experts process "
                "%.0f tokens; they accept %d, of at most %d",
                r, done, accepted, c->each * c->capacity);
    }
}

void judge7_topk(const struct judge_task *t, struct judge_verdict *v)
{
    for (int it = 0; it < t->iterations; it++) {
        struct judge7_choices c = judge7_choices(t, it);
        judge7_outputs(t, &c, it, v);
        if (v->pass)
            judge7_choices_sent(t, &c, it, v);
        judge_products(t, &c, it, v);
        judge7_choices_free(&c);
    }
    judge_no_mpi(t, "NCCL moves counts and tokens", v);
}

double judge7_topk_limit_us(const struct judge_task *t)
{
    struct judge7_choices c = judge7_choices(t, 0);
    int most = 0;
    for (int r = 0; r < t->nranks; r++) {
        int sent = 0;
        for (int s = 0; s < t->nranks; s++)
            if (s != r)
                sent +=
                    judge7_flow(&c, r, s).tokens + judge7_flow(&c, s, r).tokens;
        most = sent > most ? sent : most;
    }
    judge7_choices_free(&c);
    const double nbytes = (double)most * c.dim * (double)sizeof(float);
    return nbytes / links_out_rate(t) * 1e6;
}
