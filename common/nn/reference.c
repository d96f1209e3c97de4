#include "nn/reference.h"

#include <math.h>   /* erf */
#include <stdlib.h> /* calloc */
#include <string.h> /* memset */

#include "base/widest.h"
#include "nn/lm_reference.h"

struct reference *reference_new(const struct nn_shape *shape, uint64_t seed)
{
    if (nn_shape_problem(shape))
        return NULL;
    struct reference *const r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->shape = *shape;
    r->count = nn_param_count(shape);
    r->w = calloc(r->count, sizeof *r->w);
    r->grad = calloc(r->count, sizeof *r->grad);
    r->m = calloc(r->count, sizeof *r->m);
    r->v = calloc(r->count, sizeof *r->v);
    if (!r->w || !r->grad || !r->m || !r->v) {
        reference_free(r);
        return NULL;
    }
    for (int l = 0; l < shape->depth; l++)
        for (size_t i = 0; i < nn_layer_count(shape, l); i++)
            r->w[reference_at(r, l) + i] = nn_weight(shape, seed, l, i);
    return r;
}

void reference_free(struct reference *r)
{
    if (!r)
        return;
    free(r->w);
    free(r->grad);
    free(r->m);
    free(r->v);
    free(r);
}

size_t reference_at(const struct reference *r, int l)
{
    size_t at = 0;
    for (int i = 0; i < nn_layer_param(&r->shape, l); i++)
        if (nn_layer_param(&r->shape, i) == i)
            at += nn_layer_count(&r->shape, i);
    return at;
}

void reference_zero_grad(struct reference *r)
{
    memset(r->grad, 0, r->count * sizeof *r->grad);
}

/* ---- forward ------------------------------------------------------------- */

static double phi(double x)
{
    return 0.5 * (1 + erf(x / sqrt(2)));
}

static double gelu_slope(double x)
{
    return phi(x) + x * exp(-0.5 * x * x) / sqrt(2 * acos(-1));
}

struct layer { /* a layer that isn't skipped */
    int number, in, out;
    const double *w;
    double *a, *z; /* (rows, in), (rows, out) */
};

/*
 * y += the sum over j of scale * a[j * stride] * x[j], for vectors of n
 * numbers. Taking four rows of x at a time reads and writes y less often; each
 * number of y is still summed in the order of j.
 */
WIDEST static void add_rows(double *restrict y, double scale, const double *a,
                            size_t stride, size_t count,
                            const double *restrict x, size_t n)
{
    size_t j = 0;
    for (; j + 4 <= count; j += 4, x += 4 * n) {
        double f[4];
        for (size_t k = 0; k < 4; k++)
            f[k] = scale * a[(j + k) * stride];
        for (size_t i = 0; i < n; i++)
            y[i] = y[i] + f[0] * x[i] + f[1] * x[n + i] + f[2] * x[2 * n + i] +
                   f[3] * x[3 * n + i];
    }
    for (; j < count; j++, x += n)
        for (size_t i = 0; i < n; i++)
            y[i] += scale * a[j * stride] * x[i];
}

struct factor { /* element (i, j) of a matrix is at[i * row + j * col] */
    const double *at;
    size_t row, col;
};

/*
 * y (m, n) += scale * a (m, count) @ x (count, n). A few rows of x at a time
 * stay in the cache for all rows of y. Each number of y is summed in the order
 * of x's rows.
 */
static void add_product(double *y, double scale, struct factor a, size_t m,
                        size_t count, const double *x, size_t n)
{
    enum { AT_ONCE = 16 };
    for (size_t j = 0; j < count; j += AT_ONCE) {
        const size_t nrows = count - j < AT_ONCE ? count - j : AT_ONCE;
        for (size_t i = 0; i < m; i++)
            add_rows(y + i * n, scale, a.at + i * a.row + j * a.col, a.col,
                     nrows, x + j * n, n);
    }
}

/* z = a @ W, and the next layer's a = gelu(z). */
static void forward(const struct layer *k, size_t rows, double *next_a)
{
    const size_t in = (size_t)k->in, out = (size_t)k->out;
    memset(k->z, 0, rows * out * sizeof *k->z);
    add_product(k->z, 1, (struct factor){k->a, in, 1}, rows, in, k->w, out);
    for (size_t i = 0; next_a && i < rows * out; i++)
        next_a[i] = k->z[i] * phi(k->z[i]);
}

/* ---- loss ---------------------------------------------------------------- */

/* The part of the loss for row `row`; dy gets its derivative
 * with respect to y. */
static double loss_of(const struct nn_shape *s, const double *y,
                      const void *target, int row, double *dy)
{
    double loss = 0;
    if (s->loss == NN_CROSS_ENTROPY) {
        double sum = exp(y[0]);
        const int t = ((const uint8_t *)target)[row];
        for (int c = 1; c < s->out; c++)
            sum += exp(y[c]);
        for (int c = 0; c < s->out; c++)
            dy[c] = (exp(y[c]) / sum - (c == t)) / s->rows;
        return (log(sum) - y[t]) / s->rows;
    }
    const float *const want =
        s->loss == NN_MSE ? (const float *)target + (size_t)row * (size_t)s->out
                          : NULL;
    const double share = 1.0 / ((double)s->rows * s->out);
    for (int c = 0; c < s->out; c++) {
        const double off = y[c] - (want ? want[c] : 0);
        loss += off * off * share;
        dy[c] = 2 * off * share;
    }
    return loss;
}

/* ---- backward ------------------------------------------------------------ */

/* to (cols, rows) = the transpose of from (rows, cols) */
static void transpose(const double *from, size_t rows, size_t cols, double *to)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            to[j * rows + i] = from[i * cols + j];
}

/* Add scale * a^T dz to the gradient, and set da = dz @ W^T. W is transposed
 * into wt first: sums over rows vectorise, sums within a row would not. */
static void backward(const struct layer *k, size_t rows, const double *dz,
                     double *grad, double scale, double *da, double *wt)
{
    const size_t in = (size_t)k->in, out = (size_t)k->out;
    if (grad)
        add_product(grad, scale, (struct factor){k->a, 1, in}, in, rows, dz,
                    out);
    transpose(k->w, in, out, wt);
    memset(da, 0, rows * in * sizeof *da);
    add_product(da, 1, (struct factor){dz, out, 1}, rows, out, wt, in);
}

/* Set up the layers that are not skipped, with their activations in `memory`.
 * Returns their number. */
static int layers_of(struct reference *r, uint64_t skip, double *memory,
                     struct layer *layer)
{
    const size_t rows = (size_t)r->shape.rows;
    int n = 0;
    for (int l = 0; l < r->shape.depth; l++) {
        const int in = nn_layer_in(&r->shape, l);
        const int out = nn_layer_out(&r->shape, l);
        if (skip >> l & 1 && nn_may_skip(&r->shape, l))
            continue;
        layer[n] = (struct layer){l,      in,
                                  out,    r->w + reference_at(r, l),
                                  memory, memory + rows * (size_t)in};
        memory += rows * (size_t)(in + out);
        n++;
    }
    return n;
}

/* Forward and backward pass for all rows. d is scratch memory for the
 * derivatives of two layers, wt for the weights of one. */
static double all_rows(struct reference *r, const struct layer *layer, int n,
                       const float *x, const void *target, double scale,
                       double *d[2], double *wt)
{
    const struct nn_shape *const s = &r->shape;
    const size_t rows = (size_t)s->rows, out = (size_t)s->out;
    double loss = 0;
    for (size_t i = 0; i < rows * (size_t)s->in; i++)
        layer[0].a[i] = x[i];
    for (int k = 0; k < n; k++)
        forward(&layer[k], rows, k < n - 1 ? layer[k + 1].a : NULL);
    for (size_t row = 0; row < rows; row++)
        loss += loss_of(s, layer[n - 1].z + row * out, target, (int)row,
                        d[0] + row * out);
    for (int k = n - 1; k >= 0; k--) {
        const int l = layer[k].number;
        backward(&layer[k], rows, d[0],
                 nn_is_frozen(s, l) ? NULL : r->grad + reference_at(r, l),
                 scale, d[1], wt);
        for (size_t i = 0; k > 0 && i < rows * (size_t)layer[k].in; i++)
            d[0][i] = d[1][i] * gelu_slope(layer[k - 1].z[i]);
    }
    return loss;
}

static double pass(struct reference *r, const float *x, const void *target,
                   double scale, uint64_t skip)
{
    const struct nn_shape *const s = &r->shape;
    struct layer layer[NN_MAX_DEPTH];
    const size_t most = (size_t)s->rows * (size_t)(s->in + s->hidden + s->out);
    double *const memory =
        calloc(2 * most * ((size_t)s->depth + 1), sizeof *memory);
    double *const back = calloc(2 * most + r->count, sizeof *back);
    double loss = NAN;
    if (memory && back) {
        double *d[2] = {back, back + most}, *const wt = back + 2 * most;
        const int n = layers_of(r, skip, memory, layer);
        loss = all_rows(r, layer, n, x, target, scale, d, wt);
    }
    free(memory);
    free(back);
    return loss;
}

/* The same for a transformer, whose reference has the parameters in the same
 * order. */
static double lm_pass_seed(struct reference *r, uint64_t seed, double scale)
{
    struct lm_reference lm = {.shape = nn_lm_shape(&r->shape),
                              .count = r->count,
                              .w = r->w,
                              .grad = r->grad};
    return lm_reference_pass_seed(&lm, seed, scale);
}

double reference_pass_seed(struct reference *r, uint64_t seed, double scale,
                           uint64_t skip)
{
    const struct nn_shape *const s = &r->shape;
    if (s->heads)
        return lm_pass_seed(r, seed, scale);
    const size_t nx = (size_t)s->rows * (size_t)s->in, nt = nn_target_count(s);
    float *const x = malloc(nx * sizeof *x);
    float *const target = malloc(nt * sizeof *target + 1);
    double loss = NAN;
    if (x && target) {
        for (size_t i = 0; i < nx; i++)
            x[i] = nn_input(seed, i);
        for (size_t i = 0; i < nt; i++)
            if (s->loss == NN_CROSS_ENTROPY)
                ((uint8_t *)target)[i] = nn_target_byte(s, seed, i);
            else
                target[i] = nn_target(seed, i);
        loss = pass(r, x, target, scale, skip);
    }
    free(x);
    free(target);
    return loss;
}

void reference_clip(struct reference *r, double most)
{
    double squares = 0;
    for (size_t i = 0; i < r->count; i++)
        squares += r->grad[i] * r->grad[i];
    for (size_t i = 0; squares > most * most && i < r->count; i++)
        r->grad[i] *= most / sqrt(squares);
}

/* ---- optimizers ---------------------------------------------------------- */

/* True if layer l has its own matrix and it is trained. A frozen matrix has no
 * gradient, but AdamW's decay would still change it. */
static int is_trained(const struct reference *r, int l)
{
    return nn_layer_param(&r->shape, l) == l && !nn_is_frozen(&r->shape, l);
}

void reference_sgd(struct reference *r, double lr)
{
    for (int l = 0; l < r->shape.depth; l++) {
        const size_t at = reference_at(r, l);
        for (size_t i = 0; is_trained(r, l) && i < nn_layer_count(&r->shape, l);
             i++)
            r->w[at + i] -= lr * r->grad[at + i];
    }
}

void reference_adamw(struct reference *r, double lr, double beta1, double beta2,
                     double eps, double decay)
{
    r->step++;
    const double correct1 = 1 - pow(beta1, r->step);
    const double correct2 = 1 - pow(beta2, r->step);
    for (int l = 0; l < r->shape.depth; l++) {
        const size_t begin = reference_at(r, l);
        if (!is_trained(r, l))
            continue;
        for (size_t i = begin; i < begin + nn_layer_count(&r->shape, l); i++) {
            const double g = r->grad[i];
            r->m[i] = beta1 * r->m[i] + (1 - beta1) * g;
            r->v[i] = beta2 * r->v[i] + (1 - beta2) * g * g;
            r->w[i] -=
                lr * (r->m[i] / correct1 / (sqrt(r->v[i] / correct2) + eps) +
                      decay * r->w[i]);
        }
    }
}
