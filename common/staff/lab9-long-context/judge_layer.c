#include "judge_layer.h"

#include <math.h>   /* erf */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */

#include "judge/data.h"
#include "judge/spans.h"
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

/* dn: room for a row. */
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

/* fp32 is within as many roundings of the largest element as there are terms on
 * the way to it. */
static double bound_of(const struct whole *w, const double *want, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(want[i]));
    const double terms =
        (double)(2 * w->width + w->hidden + w->rows) * 2 * w->k.nlayers;
    return terms * 0x1p-24 * most;
}

struct part { /* of a whole (rows, cols): what a rank has */
    const double *want;
    size_t rows, cols, row, col, nrows, ncols;
};

static void judge_part(const struct judge_task *t, const struct whole *w,
                       int rank, int iteration, const char *name,
                       const struct part *p, struct judge_verdict *v)
{
    const size_t count = p->nrows * p->ncols;
    const double bound = bound_of(w, p->want, p->rows * p->cols);
    const float *const got =
        judge_output(t, rank, iteration, name, count * sizeof *got, v);
    for (size_t i = 0; got && i < count; i++) {
        const size_t row = p->row + i / p->ncols, col = p->col + i % p->ncols;
        const double want = p->want[row * p->cols + col];
        if (fabs(got[i] - want) <= bound)
            continue;
        judge_fail(v,
                   "%s: element (%zu, %zu) of the whole, on rank %d, is %.7g, "
                   "should be %.7g (within %.1g)",
                   name, row, col, rank, got[i], want, bound);
        return;
    }
}

static void judge_rank(const struct judge_task *t, const struct whole *w,
                       int rank, int iteration, struct judge_verdict *v)
{
    const size_t r = (size_t)rank, rows = (size_t)w->k.rows;
    const size_t cols = w->hidden / (size_t)t->nranks;
    const struct part own = {
        w->x[w->k.nlayers], w->rows, w->width, r * rows, 0, rows, w->width};
    struct part own_dx = own;
    own_dx.want = w->dx;
    judge_part(t, w, rank, iteration, "x", &own, v);
    judge_part(t, w, rank, iteration, "dx", &own_dx, v);
    for (int l = 0; l < w->k.nlayers; l++) {
        char name[EVIDENCE_NAME];
        const struct part gain = {w->dgain[l], 1, w->width, 0, 0, 1, w->width};
        const struct part up = {w->dup[l], w->width, w->hidden, 0,
                                r * cols,  w->width, cols};
        snprintf(name, sizeof name, "dgain.%d", l);
        judge_part(t, w, rank, iteration, name, &gain, v);
        snprintf(name, sizeof name, "dup.%d", l);
        judge_part(t, w, rank, iteration, name, &up, v);
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
