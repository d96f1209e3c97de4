/*
 * judge_layer.c: the judges of lab 7's parts 3 and 4
 */
#include <stdlib.h> /* malloc */

#include "graph/record/read.h"
#include "judge/graph/calls.h"
#include "judge/graph/links.h"
#include "judge/graph/spans.h"
#include "judge7.h"

/* The weights of rank e's expert in an iteration. */
static void fill_weight(const struct judge_task *t,
                        const struct judge7_problem *p, int e, int iteration,
                        float *weight)
{
    data_fill(weight, (size_t)p->dim * (size_t)p->dim, DATA_FLOAT,
              judge_seed(judge_input_seed(t, e, iteration), TOKENS_WEIGHTS));
}

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

/* The product of an output with a secret vector (struct shadow). */
static double dot(const float *x, const double *y, int dim)
{
    double sum = 0;
    for (int i = 0; i < dim; i++)
        sum += (double)x[i] * y[i];
    return sum;
}

/*
 * To compute a large layer again takes dim products for each element. Instead,
 * each token is projected onto a vector that no rank knows: y = x @ w implies
 * y . secret = x . (w @ secret), and a wrong y has the same projection by
 * chance alone, once in 65536 times.
 */
struct shadow {
    double *secret, *through; /* dim; by expert, w @ secret */
};

static struct shadow shadow_new(const struct judge_task *t,
                                const struct judge7_problem *p, int iteration)
{
    const size_t dim = (size_t)p->dim;
    struct shadow s = {
        .secret = malloc((size_t)(t->nranks + 1) * dim * sizeof *s.secret)};
    float *const weight = malloc(dim * dim * sizeof *weight);
    s.through = s.secret + dim;
    for (size_t j = 0; j < dim; j++)
        s.secret[j] = (double)(judge_seed(judge_input_seed(t, 0, iteration),
                                          j + (UINT64_C(5) << 40)) >>
                               48);
    for (int e = 0; e < t->nranks; e++) {
        fill_weight(t, p, e, iteration, weight);
        for (size_t i = 0; i < dim; i++)
            s.through[(size_t)e * dim + i] =
                dot(weight + i * dim, s.secret, p->dim);
    }
    free(weight);
    return s;
}

/* Fail with the first element of a token that is wrong. */
static void explain_token(const struct judge_task *t,
                          const struct judge7_problem *p, const float *in,
                          const float *got, int r, int iteration, int e,
                          float gate, struct judge_verdict *v)
{
    const size_t dim = (size_t)p->dim;
    float *const weight = malloc((dim + 1) * dim * sizeof *weight);
    float *const want = weight + dim * dim;
    fill_weight(t, p, e, iteration, weight);
    expert(in, weight, p->dim, gate, want);
    data_compare(got, want, dim, DATA_FLOAT, r, v);
    free(weight);
}

/* Expect all tokens of rank r to be right, and each to come from rank r and
 * from its expert's rank. */
static void judge_tokens(const struct judge_task *t,
                         const struct judge7_problem *p, const struct shadow *s,
                         const int *experts, int r, int iteration,
                         struct judge_verdict *v)
{
    const size_t dim = (size_t)p->dim;
    const uint64_t seed = judge_input_seed(t, r, iteration);
    float *const in = malloc(p->floats * sizeof *in);
    const float *const got = (const float *)judge_output(
        t, r, iteration, "out", p->floats * sizeof *got, v);
    data_fill(in, p->floats, DATA_FLOAT, seed);
    for (int k = 0; got && k < p->ntokens && v->pass; k++) {
        const int e = experts[r * p->ntokens + k];
        const size_t at = (size_t)k * dim;
        const float gate = tokens_gate(seed, k);
        struct rank_set need = rank_set_of(r);
        rank_set_add(&need, e);
        if (!(dot(got + at, s->secret, p->dim) ==
              gate * dot(in + at, s->through + (size_t)e * dim, p->dim)))
            explain_token(t, p, in + at, got + at, r, iteration, e, gate, v);
        judge_descent(t, r, iteration, "out", at * sizeof *got,
                      (at + dim) * sizeof *got, need, v);
    }
    free(in);
}

/* An expert's rank multiplies every token that is sent to it by its weights. */
static void judge_products(const struct judge_task *t,
                           const struct judge7_problem *p, const int *experts,
                           int iteration, struct judge_verdict *v)
{
    struct spans_window w;
    for (int r = 0; r < t->nranks && v->pass; r++) {
        double tokens = 0, flops = 0;
        int unused;
        if (spans_window(t, r, iteration, &w) != 0)
            return;
        for (uint32_t at = w.first; at <= w.last; at++)
            flops += t->graph->nodes[at].node.flops;
        for (int s = 0; s < t->nranks; s++)
            tokens += judge7_count(p, experts, s, r, &unused);
        const double each = 2.0 * p->dim * p->dim;
        if (flops < tokens * each)
            judge_fail_method(
                v,
                "the result is right, but rank %d's expert processes "
                "%.0f tokens, and %.0f are routed to it",
                r, flops / each, tokens);
    }
}

void judge7_layer(const struct judge_task *t, struct judge_verdict *v)
{
    const struct judge7_problem p = judge7_problem(t);
    for (int i = 0; i < t->iterations; i++) {
        int *const experts = judge7_experts(t, &p, i);
        const struct shadow s = shadow_new(t, &p, i);
        for (int r = 0; r < t->nranks; r++)
            judge_tokens(t, &p, &s, experts, r, i, v);
        if (v->pass)
            judge7_sent(t, &p, experts, i, JUDGE7_OUT | JUDGE7_BACK, v);
        judge_products(t, &p, experts, i, v);
        free(s.secret);
        free(experts);
    }
    judge_full_precision(t, v);
}

/*
 * A rank sends its tokens to other ranks' experts and returns the tokens of
 * others. The layer takes at least as long as the busiest rank needs to send
 * both over all its links.
 */
double judge7_limit_us(const struct judge_task *t)
{
    const struct judge7_problem p = judge7_problem(t);
    int *const experts = judge7_experts(t, &p, 0);
    int most = 0, unused;
    for (int r = 0; r < t->nranks; r++) {
        int sent = 0;
        for (int s = 0; s < t->nranks; s++)
            if (s != r)
                sent += judge7_count(&p, experts, r, s, &unused) +
                        judge7_count(&p, experts, s, r, &unused);
        most = sent > most ? sent : most;
    }
    free(experts);
    const double nbytes = (double)most * p.dim * (double)sizeof(float);
    return nbytes / links_out_rate(t) * 1e6;
}
