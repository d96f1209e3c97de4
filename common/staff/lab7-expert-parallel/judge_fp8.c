/*
 * judge_fp8.c: the judge of lab 7's part 8
 *
 * Quotients are compared with the nearest numbers of e4m3. A program may round
 * a quotient once more than another does, or multiply by the scale's inverse,
 * so of two numbers that are equally near, up to NEAR of the quotient, both are
 * right. A token that has arrived may differ from the one that was sent by as
 * much, and a result by what follows from that. Between two GPUs no more may
 * move than the packets of the choices there and floats back (judge_direct.c).
 */
#include <math.h>   /* fabs */
#include <stdlib.h> /* malloc */
#include <string.h> /* memcpy */

#include "base/narrow.h"
#include "judge7.h"

static const double LARGEST = 448, NEAR = 1e-6;

/* A group's scale. */
static float scale_of(const float *group)
{
    float most = 0;
    for (int i = 0; i < TOKENS_GROUP; i++)
        most = fmaxf(most, fabsf(group[i]));
    return most > 0 ? most / (float)LARGEST : 1;
}

/* How far from x the nearest number of e4m3, times the scale, may be. */
static double error_of(double x, double scale)
{
    const unsigned nearest =
        narrow_encode(x / scale, NARROW_E4M3, NARROW_NEAREST);
    return fabs(narrow_decode(nearest, NARROW_E4M3) * scale - x) +
           NEAR * fabs(x);
}

/* ---- quantise ------------------------------------------------------------ */

/* Compare a group's bytes and scale, whose number on its rank is g. */
static void judge_group(const float *x, const unsigned char *bytes, float scale,
                        int rank, size_t g, struct judge_verdict *v)
{
    const double want = scale_of(x);
    if (!(fabs(scale - want) <= NEAR * want))
        judge_fail(v, "the scale of group %zu on rank %d is %g, should be %g",
                   g, rank, scale, want);
    for (int i = 0; i < TOKENS_GROUP && v->pass; i++) {
        const double got = narrow_decode(bytes[i], NARROW_E4M3);
        if (!(fabs(got * want - x[i]) <= error_of(x[i], want)))
            judge_fail(v,
                       "element %d of group %zu on rank %d is %g, its byte "
                       "%g; the number of e4m3 nearest to %g is %g",
                       i, g, rank, x[i], got, x[i] / want,
                       narrow_decode(narrow_encode(x[i] / want, NARROW_E4M3,
                                                   NARROW_NEAREST),
                                     NARROW_E4M3));
    }
}

static void judge_packets(const struct judge_task *t, int rank, int it,
                          struct judge_verdict *v)
{
    const struct judge7_problem p = judge7_problem(t);
    const size_t dim = (size_t)p.dim, nbytes = tokens_packet(dim);
    const size_t groups = dim / TOKENS_GROUP;
    const uint64_t seed = judge_input_seed(t, rank, it);
    const unsigned char *const got =
        judge_output(t, rank, it, "packets", (size_t)p.ntokens * nbytes, v);
    for (size_t g = 0; got && g < groups * (size_t)p.ntokens && v->pass; g++) {
        const unsigned char *const packet = got + g / groups * nbytes;
        float x[TOKENS_GROUP], scale;
        for (size_t i = 0; i < TOKENS_GROUP; i++)
            x[i] = tokens_element(seed, g * TOKENS_GROUP + i);
        memcpy(&scale, packet + dim + g % groups * sizeof scale, sizeof scale);
        judge_group(x, packet + g % groups * TOKENS_GROUP, scale, rank, g, v);
    }
    judge_descent(t, rank, it, "packets", 0, (size_t)p.ntokens * nbytes,
                  rank_set_of(rank), v);
}

void judge7_quantise(const struct judge_task *t, struct judge_verdict *v)
{
    for (int it = 0; it < t->iterations; it++)
        for (int r = 0; r < t->nranks && v->pass; r++)
            judge_packets(t, r, it, v);
}

/* ---- dispatch ------------------------------------------------------------ */

struct layer { /* on all ranks, in an iteration */
    const struct judge_task *t;
    struct judge7_choices c; /* all rounds' */
    int it, rounds, most;    /* most: tokens of a rank in a round */
    size_t dim;
    float *x;      /* (nranks, ntokens, dim) */
    float *error;  /* likewise: how far off an element may arrive */
    float *weight; /* (nexperts, dim) */
};

static void layer_init(struct layer *l, const struct judge_task *t, int it)
{
    l->t = t;
    l->it = it;
    l->c = judge7_choices(t, it);
    l->rounds = (int)plan_int(t->c, "rounds", 1);
    l->most = l->c.ntokens / l->rounds;
    l->dim = (size_t)l->c.dim;
    l->c.diagonal = 1;
    l->weight = judge7_weights(t, &l->c, it);
    const size_t floats = (size_t)l->c.ntokens * l->dim;
    l->x = malloc((size_t)t->nranks * floats * sizeof *l->x);
    l->error = malloc((size_t)t->nranks * floats * sizeof *l->error);
    for (size_t i = 0; i < (size_t)t->nranks * floats; i++)
        l->x[i] = tokens_element(judge_input_seed(t, (int)(i / floats), it),
                                 i % floats);
    for (size_t i = 0; i < (size_t)t->nranks * floats; i++)
        l->error[i] = (float)error_of(
            l->x[i], scale_of(l->x + i / TOKENS_GROUP * TOKENS_GROUP));
}

static void layer_release(struct layer *l)
{
    judge7_choices_free(&l->c);
    free(l->x);
    free(l->error);
    free(l->weight);
}

/* The number, among all ranks' tokens, of the token that block b of rank r has
 * in each of its rows after the last round; -1 if none has arrived there. */
static void rows_of(const struct layer *l, int r, int b, int *row)
{
    const int s = b % l->t->nranks, e = r * l->c.each + b / l->t->nranks;
    for (int i = 0; i < l->most; i++)
        row[i] = -1;
    for (int round = 0; round < l->rounds; round++) {
        const int first = s * l->c.ntokens + round * l->most;
        int n = 0;
        for (int a = first * l->c.k; a < (first + l->most) * l->c.k; a++)
            if (l->c.expert[a] == e)
                row[n++] = a / l->c.k;
    }
}

static void judge_poison(const struct layer *l, const float *got, int r, int b,
                         int row, struct judge_verdict *v)
{
    const unsigned char *const bytes = (const unsigned char *)got;
    for (size_t i = 0; i < l->dim * sizeof *got && v->pass; i++)
        if (bytes[i] != TOKENS_POISON)
            judge_fail(v,
                       "on rank %d, row %d of block %d has changed, where no "
                       "token has arrived",
                       r, row, b);
}

static void judge_token(const struct layer *l, const float *got, int r, int b,
                        int token, struct judge_verdict *v)
{
    const size_t at = (size_t)token * l->dim;
    for (size_t i = 0; i < l->dim && v->pass; i++)
        if (!(fabs((double)got[i] - l->x[at + i]) <= l->error[at + i]))
            judge_fail(v,
                       "on rank %d, element %zu of a token in block %d is %g, "
                       "should be %g, give or take %g",
                       r, i, b, got[i], l->x[at + i], l->error[at + i]);
}

static void judge_arrived(const struct layer *l, int r, struct judge_verdict *v)
{
    const int nblocks = l->c.each * l->t->nranks;
    const size_t row_bytes = l->dim * sizeof(float);
    int *const row = malloc((size_t)l->most * sizeof *row);
    const float *const got = judge_output(
        l->t, r, l->it, "tokens", (size_t)(nblocks * l->most) * row_bytes, v);
    for (int b = 0; got && b < nblocks && v->pass; b++) {
        rows_of(l, r, b, row);
        for (int i = 0; i < l->most && v->pass; i++) {
            const size_t at = (size_t)(b * l->most + i);
            if (row[i] < 0) {
                judge_poison(l, got + at * l->dim, r, b, i, v);
                continue;
            }
            judge_token(l, got + at * l->dim, r, b, row[i], v);
            judge_descent(l->t, r, l->it, "tokens", at * row_bytes,
                          (at + 1) * row_bytes, rank_set_of(b % l->t->nranks),
                          v);
        }
    }
    free(row);
}

/* Compare the result of token i, among all ranks'. */
static void judge_result(const struct layer *l, const float *got, int i,
                         struct judge_verdict *v)
{
    for (size_t j = 0; j < l->dim && v->pass; j++) {
        const double x = l->x[(size_t)i * l->dim + j];
        const double error = l->error[(size_t)i * l->dim + j];
        double sum = 0, size = 0;
        for (int a = i * l->c.k; a < (i + 1) * l->c.k; a++) {
            const double factor =
                l->c.gate[a] * l->weight[(size_t)l->c.expert[a] * l->dim + j];
            sum += factor * x;
            size += fabs(factor);
        }
        if (!(fabs(got[j] - sum) <= size * (error + 1e-5 * fabs(x))))
            judge_fail(v,
                       "element %zu of token %d on rank %d is %g, should be "
                       "%g, give or take %g",
                       j, i % l->c.ntokens, i / l->c.ntokens, got[j], sum,
                       size * error);
    }
}

static void judge_results(const struct layer *l, int r, struct judge_verdict *v)
{
    const size_t n = (size_t)l->c.ntokens;
    const float *const got =
        judge_output(l->t, r, l->it, "out", n * l->dim * sizeof *got, v);
    for (size_t i = 0; got && i < n && v->pass; i++) {
        const int token = r * l->c.ntokens + (int)i;
        struct rank_set need = rank_set_of(r);
        judge_result(l, got + i * l->dim, token, v);
        for (int a = token * l->c.k; a < (token + 1) * l->c.k; a++)
            rank_set_add(&need, l->c.expert[a] / l->c.each);
        judge_descent(l->t, r, l->it, "out", i * l->dim * sizeof *got,
                      (i + 1) * l->dim * sizeof *got, need, v);
    }
}

/* whole: rows that have arrived, and the way back, are judged, too */
static void judge_layer(const struct judge_task *t, int whole,
                        struct judge_verdict *v)
{
    for (int it = 0; it < t->iterations && v->pass; it++) {
        struct layer l;
        layer_init(&l, t, it);
        for (int r = 0; r < t->nranks && v->pass; r++) {
            if (whole)
                judge_arrived(&l, r, v);
            judge_results(&l, r, v);
        }
        if (v->pass)
            judge7_moved(t, &l.c, it, (double)tokens_packet(l.dim),
                         whole ? (double)(l.dim * sizeof(float)) : 0, v);
        layer_release(&l);
    }
    if (v->pass)
        judge7_no_host(t, v);
}

void judge7_fp8(const struct judge_task *t, struct judge_verdict *v)
{
    judge_layer(t, 1, v);
}

void judge7_fp8_dispatch(const struct judge_task *t, struct judge_verdict *v)
{
    judge_layer(t, 0, v);
}
