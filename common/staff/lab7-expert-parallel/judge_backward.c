/*
 * judge_backward.c: the judge of lab 7's part 7
 *
 * With x a token, e a choice's expert, g its gate and dy the gradient of the
 * token's result, the gradients are
 *
 *     of x          the sum of g * dy @ weight[e]^T over its kept choices
 *     of g          dy . (x @ weight[e])
 *     of weight[e]  the sum of x^T @ (g * dy) over the choices it has accepted
 *
 * Elements are computed in double precision; of large layers, elements that no
 * rank can foresee.
 */
#include <math.h>   /* fabs */
#include <stdlib.h> /* malloc */

#include "judge/graph/calls.h"
#include "judge/graph/counts.h"
#include "judge/graph/spans.h"
#include "judge7.h"

enum { WHOLE = 64, SAMPLE = 8 }; /* elements that are compared */

struct layer { /* on all ranks, in an iteration */
    const struct judge_task *t;
    struct judge7_choices c;
    int it;
    size_t dim;
    float *x, *dy; /* (nranks * ntokens, dim) */
    float *weight; /* (nexperts, dim, dim) */
};

struct sum { /* an element, and the sum of its terms' sizes */
    double value, size;
};

static void add(struct sum *s, double term)
{
    s->value += term;
    s->size += fabs(term);
}

static void layer_init(struct layer *l, const struct judge_task *t, int it)
{
    l->t = t;
    l->it = it;
    l->c = judge7_choices(t, it);
    l->dim = (size_t)l->c.dim;
    const size_t floats = (size_t)l->c.ntokens * l->dim;
    l->weight = judge7_weights(t, &l->c, it);
    l->x = malloc((size_t)t->nranks * floats * sizeof *l->x);
    l->dy = malloc((size_t)t->nranks * floats * sizeof *l->dy);
    for (int r = 0; r < t->nranks; r++) {
        const uint64_t seed = judge_input_seed(t, r, it);
        data_fill(l->x + (size_t)r * floats, floats, DATA_FLOAT, seed);
        data_fill(l->dy + (size_t)r * floats, floats, DATA_FLOAT,
                  judge_seed(seed, TOKENS_GRADIENTS));
    }
}

static void layer_release(struct layer *l)
{
    judge7_choices_free(&l->c);
    free(l->weight);
    free(l->x);
    free(l->dy);
}

static const float *token_of(const struct layer *l, const float *rows, int a)
{
    return rows + (size_t)(a / l->c.k) * l->dim;
}

/* Element (i, j) of the weights of choice a's expert. */
static double weight_of(const struct layer *l, int a, size_t i, size_t j)
{
    return l->weight[((size_t)l->c.expert[a] * l->dim + i) * l->dim + j];
}

/* The number of the s-th element to compare, of n, and how many there are. */
static size_t sampled(const struct layer *l, size_t n, size_t s, uint64_t what)
{
    const uint64_t seed = judge_input_seed(l->t, 0, l->it);
    return l->dim <= WHOLE ? s : judge_seed(judge_seed(seed, what), s) % n;
}

static size_t samples(const struct layer *l, size_t n, size_t few)
{
    return l->dim <= WHOLE ? n : few;
}

static void compare(const char *what, int rank, size_t at, float got,
                    struct sum want, struct judge_verdict *v)
{
    if (!(fabs(got - want.value) <= 1e-5 * want.size))
        judge_fail(v, "element %zu of %s on rank %d is %g, should be %g", at,
                   what, rank, got, want.value);
}

/* The ranks of a token's experts, and its own. */
static struct rank_set ranks_of(const struct layer *l, int r, int first, int n)
{
    struct rank_set need = {0};
    for (int a = first; a < first + n; a++)
        if (l->c.kept[a]) {
            rank_set_add(&need, r);
            rank_set_add(&need, l->c.expert[a] / l->c.each);
        }
    return need;
}

static void judge_inputs(const struct layer *l, int r, struct judge_verdict *v)
{
    const size_t ntokens = (size_t)l->c.ntokens, k = (size_t)l->c.k;
    const size_t n = samples(l, l->dim, SAMPLE);
    const float *const got =
        judge_output(l->t, r, l->it, "din", ntokens * l->dim * sizeof *got, v);
    for (size_t i = 0; got && i < ntokens * n && v->pass; i++) {
        const int first = (int)(((size_t)r * ntokens + i / n) * k);
        const float *const dy = token_of(l, l->dy, first);
        const size_t j = sampled(l, l->dim, i % n, i / n);
        const size_t at = i / n * l->dim;
        struct sum want = {0, 0};
        for (int a = first; a < first + l->c.k; a++)
            for (size_t m = 0; l->c.kept[a] && m < l->dim; m++)
                add(&want, l->c.gate[a] * dy[m] * weight_of(l, a, j, m));
        compare("din", r, at + j, got[at + j], want, v);
        if (i % n == 0)
            judge_descent(l->t, r, l->it, "din", at * sizeof *got,
                          (at + l->dim) * sizeof *got,
                          ranks_of(l, r, first, l->c.k), v);
    }
}

static void judge_gates(const struct layer *l, int r, struct judge_verdict *v)
{
    const size_t nchoices = (size_t)(l->c.ntokens * l->c.k);
    const float *const got =
        judge_output(l->t, r, l->it, "dgate", nchoices * sizeof *got, v);
    const size_t n = samples(l, nchoices, SAMPLE);
    for (size_t s = 0; got && s < n && v->pass; s++) {
        const size_t i = sampled(l, nchoices, s, UINT64_C(1) << 40);
        const int a = (int)((size_t)r * nchoices + i);
        const float *const x = token_of(l, l->x, a);
        const float *const dy = token_of(l, l->dy, a);
        struct sum want = {0, 0};
        for (size_t m = 0; l->c.kept[a] && m < l->dim; m++)
            for (size_t j = 0; j < l->dim; j++)
                add(&want, x[m] * weight_of(l, a, m, j) * dy[j]);
        compare("dgate", r, i, got[i], want, v);
        judge_descent(l->t, r, l->it, "dgate", i * sizeof *got,
                      (i + 1) * sizeof *got, ranks_of(l, r, a, 1), v);
    }
}

/* The gradient of expert e's weights. */
static void judge_weights(const struct layer *l, int e, struct judge_verdict *v)
{
    const int nchoices = l->t->nranks * l->c.ntokens * l->c.k;
    const size_t square = l->dim * l->dim;
    const size_t first = (size_t)(e % l->c.each) * square;
    const int r = e / l->c.each;
    const float *const got = judge_output(
        l->t, r, l->it, "dweight", (size_t)l->c.each * square * sizeof *got, v);
    const size_t n = samples(l, square, SAMPLE * SAMPLE);
    struct rank_set need = {0};
    for (size_t s = 0; got && s < n && v->pass; s++) {
        const size_t i = sampled(l, square, s, UINT64_C(2) << 40);
        struct sum want = {0, 0};
        for (int a = 0; a < nchoices; a++)
            if (l->c.kept[a] && l->c.expert[a] == e) {
                rank_set_add(&need, a / (l->c.ntokens * l->c.k));
                add(&want, l->c.gate[a] * token_of(l, l->x, a)[i / l->dim] *
                               token_of(l, l->dy, a)[i % l->dim]);
            }
        compare("dweight", r, first + i, got[first + i], want, v);
    }
    if (got)
        judge_descent(l->t, r, l->it, "dweight", first * sizeof *got,
                      (first + square) * sizeof *got, need, v);
}

/* Two products for each choice that has been accepted. */
static void judge_products(const struct layer *l, struct judge_verdict *v)
{
    const double each = 4.0 * (double)l->dim * (double)l->dim;
    for (int r = 0; r < l->t->nranks && v->pass; r++) {
        const double done = spans_flops(l->t, r, l->it, "") / each;
        const int accepted = judge7_accepted(l->t, &l->c, r);
        if (done < accepted)
            judge_fail_method(
                v,
                "the gradients are right, but rank %d computes those of %.0f "
                "tokens' experts; its experts have accepted %d",
                r, done, accepted);
    }
}

static void judge_calls(const struct judge_task *t, struct judge_verdict *v)
{
    static const char *const instead =
        "the counts are those of the forward pass";
    judge_no_waits(t, instead, v);
    judge_no_mpi(t, "NCCL moves the gradients", v);
    for (int r = 0; r < t->nranks; r++)
        if (!(judge_count(t, r, 0, "collectives", v) <= 0))
            judge_fail_method(
                v,
                "the gradients are right, but rank %d exchanges more than "
                "them: %s",
                r, instead);
}

void judge7_backward(const struct judge_task *t, struct judge_verdict *v)
{
    for (int it = 0; it < t->iterations; it++) {
        struct layer l;
        layer_init(&l, t, it);
        for (int r = 0; r < t->nranks && v->pass; r++) {
            judge_inputs(&l, r, v);
            judge_gates(&l, r, v);
        }
        for (int e = 0; e < l.c.nexperts && v->pass; e++)
            judge_weights(&l, e, v);
        if (v->pass)
            judge7_choices_sent(t, &l.c, it, v);
        judge_products(&l, v);
        layer_release(&l);
    }
    if (v->pass)
        judge_calls(t, v);
}
