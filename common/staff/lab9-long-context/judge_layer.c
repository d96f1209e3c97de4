#include "judge_layer.h"

#include <math.h>   /* erf */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */

#include "judge/blocks.h"
#include "judge/data.h"
#include "judge/graph/spans.h"
#include "judge_cost.h"
#include "judge_order.h"
#include "nn/lm_shape.h" /* LM_EPS */

struct layers layers_of(const struct plan_case *c, int nranks)
{
    return (struct layers){.nlayers = (int)plan_int(c, "layers", 2),
                           .width = (int)plan_int(c, "width", 8),
                           .hidden =
                               nranks * (int)plan_int(c, "hidden_each", 6),
                           .rows = (int)plan_int(c, "rows", 6)};
}

float layer_weight(enum layer_weights which, int layer, size_t i)
{
    const uint64_t seed = judge_seed((uint64_t)which + 1, (uint64_t)layer);
    const float x = (float)data_value(seed, i, DATA_FLOAT);
    return which == LAYER_GAIN ? 1 + x / 8 : x / 16;
}

/* ---- all rows on one device ---------------------------------------------- */

struct whole { /* rows: of all ranks */
    struct layers k;
    size_t rows, width, hidden;
    double *x[NORMS_LAYERS + 1], *dx; /* (rows, width) */
    double *z[NORMS_LAYERS];          /* (rows, hidden) */
    double *dgain[NORMS_LAYERS];      /* (width) */
    double *dup[NORMS_LAYERS];        /* (width, hidden) */
};

static double *numbers(size_t n)
{
    return calloc(n, sizeof(double));
}

static double inverse(const struct whole *w, const double *x)
{
    double squares = 0;
    for (size_t c = 0; c < w->width; c++)
        squares += x[c] * x[c];
    return 1 / sqrt(squares / (double)w->width + LM_EPS);
}

static double gelu(double z)
{
    return z * 0.5 * (1 + erf(z / sqrt(2)));
}

static double gelu_slope(double z)
{
    static const double pi = 3.14159265358979323846;
    return 0.5 * (1 + erf(z / sqrt(2))) + z * exp(-z * z / 2) / sqrt(2 * pi);
}

static void forward_row(struct whole *w, int l, size_t r)
{
    const double *const x = w->x[l] + r * w->width;
    double *const out = w->x[l + 1] + r * w->width;
    double *const z = w->z[l] + r * w->hidden;
    const double inv = inverse(w, x);
    for (size_t c = 0; c < w->width; c++)
        for (size_t h = 0; h < w->hidden; h++)
            z[h] += x[c] * inv * layer_weight(LAYER_GAIN, l, c) *
                    layer_weight(LAYER_UP, l, c * w->hidden + h);
    for (size_t c = 0; c < w->width; c++) {
        out[c] = x[c];
        for (size_t h = 0; h < w->hidden; h++)
            out[c] +=
                gelu(z[h]) * layer_weight(LAYER_DOWN, l, h * w->width + c);
    }
}

/* dn: scratch memory for a row. */
static void backward_row(struct whole *w, int l, size_t r, double *dn)
{
    const double *const x = w->x[l] + r * w->width;
    const double inv = inverse(w, x);
    double *const dx = w->dx + r * w->width, mean = 0;
    for (size_t c = 0; c < w->width; c++)
        dn[c] = 0;
    for (size_t h = 0; h < w->hidden; h++) {
        double dz = 0;
        for (size_t c = 0; c < w->width; c++)
            dz += dx[c] * layer_weight(LAYER_DOWN, l, h * w->width + c);
        dz *= gelu_slope(w->z[l][r * w->hidden + h]);
        for (size_t c = 0; c < w->width; c++) {
            const size_t i = c * w->hidden + h;
            dn[c] += dz * layer_weight(LAYER_UP, l, i);
            w->dup[l][i] += dz * x[c] * inv * layer_weight(LAYER_GAIN, l, c);
        }
    }
    for (size_t c = 0; c < w->width; c++) {
        w->dgain[l][c] += dn[c] * x[c] * inv;
        dn[c] *= layer_weight(LAYER_GAIN, l, c);
        mean += dn[c] * x[c] * inv / (double)w->width;
    }
    for (size_t c = 0; c < w->width; c++)
        dx[c] += inv * (dn[c] - x[c] * inv * mean);
}

/* Rows and their derivatives are the ranks' inputs, one after the other. */
static void fill(const struct judge_task *t, int iteration, struct whole *w)
{
    const size_t each = (size_t)w->k.rows * w->width;
    float *const in = malloc(2 * each * sizeof *in);
    for (int r = 0; r < t->nranks; r++) {
        order_fill(in, 2 * each, judge_input_seed(t, r, iteration));
        for (size_t i = 0; i < each; i++) {
            w->x[0][(size_t)r * each + i] = in[i];
            w->dx[(size_t)r * each + i] = in[each + i];
        }
    }
    free(in);
}

static struct whole whole_new(const struct judge_task *t, int iteration)
{
    struct whole w = {.k = layers_of(t->c, t->nranks)};
    w.rows = (size_t)w.k.rows * (size_t)t->nranks;
    w.width = (size_t)w.k.width;
    w.hidden = (size_t)w.k.hidden;
    for (int l = 0; l <= w.k.nlayers; l++)
        w.x[l] = numbers(w.rows * w.width);
    w.dx = numbers(w.rows * w.width);
    for (int l = 0; l < w.k.nlayers; l++) {
        w.z[l] = numbers(w.rows * w.hidden);
        w.dgain[l] = numbers(w.width);
        w.dup[l] = numbers(w.width * w.hidden);
    }
    fill(t, iteration, &w);
    double *const dn = numbers(w.width);
    for (int l = 0; l < w.k.nlayers; l++)
        for (size_t r = 0; r < w.rows; r++)
            forward_row(&w, l, r);
    for (int l = w.k.nlayers - 1; l >= 0; l--)
        for (size_t r = 0; r < w.rows; r++)
            backward_row(&w, l, r, dn);
    free(dn);
    return w;
}

static void whole_free(struct whole *w)
{
    for (int l = 0; l < w->k.nlayers; l++) {
        free(w->x[l]);
        free(w->z[l]);
        free(w->dgain[l]);
        free(w->dup[l]);
    }
    free(w->x[w->k.nlayers]);
    free(w->dx);
}

/* ---- verdict ------------------------------------------------------------- */

/* The error of fp32: one rounding of the largest element for each term that is
 * added on the way to it. */
static double bound_of(const struct whole *w, const double *want, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(want[i]));
    const double terms =
        (double)(2 * w->width + w->hidden + w->rows) * 2 * w->k.nlayers;
    return terms * 0x1p-24 * most;
}

struct part { /* the ranks' parts (nrows, ncols) of a matrix (rows, cols) */
    const char *name;
    const double *want;
    size_t rows, cols, row, col; /* row, col: where rank 1's begins */
    size_t nrows, ncols;
};

/* The part of another rank begins `rank` times as far from that of rank 0. */
static size_t row_at(const void *arg, int rank, size_t row)
{
    const struct part *const p = arg;
    return (p->row * (size_t)rank + row) * p->cols + p->col * (size_t)rank;
}

static void write_place(const void *arg, int rank, size_t i, char *out,
                        size_t nbytes)
{
    const struct part *const p = arg;
    const size_t at = row_at(p, rank, i / p->ncols) + i % p->ncols;
    snprintf(out, nbytes, "%s: element (%zu, %zu) of the whole, on rank %d,",
             p->name, at / p->cols, at % p->cols, rank);
}

static void judge_part(const struct judge_task *t, const struct whole *w,
                       int rank, int iteration, const struct part *p,
                       struct judge_verdict *v)
{
    const size_t count = p->nrows * p->ncols, all = p->rows * p->cols;
    const float *const got =
        judge_output(t, rank, iteration, p->name, count * sizeof *got, v);
    double *const bound = malloc(all * sizeof *bound);
    bound[0] = bound_of(w, p->want, all);
    for (size_t i = 1; i < all; i++)
        bound[i] = bound[0];
    const struct blocks b = {.want = p->want,
                             .bound = bound,
                             .row = p->ncols,
                             .nrows = p->nrows,
                             .nranks = p->row || p->col ? t->nranks : 1,
                             .at = row_at,
                             .arg = p};
    if (got)
        blocks_compare(&b, got, rank, write_place, v);
    free(bound);
}

static void judge_rank(const struct judge_task *t, const struct whole *w,
                       int rank, int iteration, struct judge_verdict *v)
{
    const size_t rows = (size_t)w->k.rows;
    const size_t cols = w->hidden / (size_t)t->nranks;
    struct part own = {
        "x", w->x[w->k.nlayers], w->rows, w->width, rows, 0, rows, w->width};
    judge_part(t, w, rank, iteration, &own, v);
    own.name = "dx";
    own.want = w->dx;
    judge_part(t, w, rank, iteration, &own, v);
    for (int l = 0; l < w->k.nlayers; l++) {
        char name[EVIDENCE_NAME];
        const struct part gain = {name, w->dgain[l], 1, w->width,
                                  0,    0,           1, w->width};
        const struct part up = {name, w->dup[l], w->width, w->hidden,
                                0,    cols,      w->width, cols};
        snprintf(name, sizeof name, "dgain.%d", l);
        judge_part(t, w, rank, iteration, &gain, v);
        snprintf(name, sizeof name, "dup.%d", l);
        judge_part(t, w, rank, iteration, &up, v);
    }
    judge_descent(t, rank, iteration, "dx", 0, rows * w->width * sizeof(float),
                  judge_everybody(t), v);
}

void judge_norms(const struct judge_task *t, struct judge_verdict *v)
{
    const struct layers k = layers_of(t->c, t->nranks);
    const double others = t->nranks - 1;
    const double own = 4.0 * k.rows * k.width;
    for (int i = 0; i < t->iterations; i++) {
        struct whole w = whole_new(t, i);
        for (int r = 0; r < t->nranks; r++)
            judge_rank(t, &w, r, i, v);
        whole_free(&w);
    }
    cost_memory(t, own, v);
    cost_bytes(
        t, k.nlayers * (5 * others * own + 8.0 * k.width * others / t->nranks),
        "an all-gather and a reduce-scatter forward, two and one "
        "backward, and an all-reduce of dgain in each layer",
        v);
    cost_host(t, v);
}
