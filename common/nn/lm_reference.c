#include "nn/lm_reference.h"

#include <math.h>   /* exp */
#include <stdlib.h> /* calloc */
#include <string.h> /* memset */

struct lm_reference *lm_reference_new(const struct lm_shape *shape,
                                      uint64_t seed)
{
    if (lm_shape_problem(shape))
        return NULL;
    struct lm_reference *const r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->shape = *shape;
    r->count = lm_count(shape);
    r->w = calloc(4 * r->count, sizeof *r->w);
    if (!r->w) {
        lm_reference_free(r);
        return NULL;
    }
    r->grad = r->w + r->count;
    r->m = r->grad + r->count;
    r->v = r->m + r->count;
    for (int p = 0; p < lm_params(shape); p++)
        for (size_t i = 0; i < lm_param_count(shape, p); i++)
            r->w[lm_param_at(shape, p) + i] = lm_weight(shape, seed, p, i);
    return r;
}

void lm_reference_free(struct lm_reference *r)
{
    if (r)
        free(r->w);
    free(r);
}

void lm_reference_zero_grad(struct lm_reference *r)
{
    memset(r->grad, 0, r->count * sizeof *r->grad);
}

/* ---- a pass and its memory ----------------------------------------------- */

struct kept { /* what a layer keeps; see struct lm_kept */
    double *n1, *inv1, *qkv, *prob, *y, *h, *n2, *inv2, *z, *a;
};

struct pass {
    struct lm_reference *r;
    size_t rows, width, hidden, vocabulary, context, heads;
    double *memory, *next; /* next: the first free element */
    double *w;             /* parameters as the passes read them */
    struct kept kept[LM_MAX_LAYERS];
    double *x[LM_MAX_LAYERS + 1];
    double *last, *inv, *logits;
    double *dx, *wide[2];
};

/* Round to 8 significant bits, ties to even. */
static double bf16(double x)
{
    int exponent;
    const double m = frexp(x, &exponent);
    return ldexp(rint(m * 256) / 256, exponent);
}

static double *take(struct pass *p, size_t count)
{
    double *const at = p->next;
    p->next += count;
    return at;
}

static void lay_out(struct pass *p)
{
    const size_t rows = p->rows, c = p->width;
    const size_t most = 3 * c + p->hidden + p->vocabulary;
    p->w = take(p, p->r->count);
    for (int l = 0; l <= p->r->shape.layers; l++)
        p->x[l] = take(p, rows * c);
    for (int l = 0; l < p->r->shape.layers; l++) {
        struct kept *const k = &p->kept[l];
        *k = (struct kept){.n1 = take(p, rows * c),
                           .inv1 = take(p, rows),
                           .qkv = take(p, 3 * rows * c),
                           .prob = take(p, rows * p->heads * p->context),
                           .y = take(p, rows * c),
                           .h = take(p, rows * c),
                           .n2 = take(p, rows * c),
                           .inv2 = take(p, rows),
                           .z = take(p, rows * p->hidden),
                           .a = take(p, rows * p->hidden)};
    }
    p->last = take(p, rows * c);
    p->inv = take(p, rows);
    p->logits = take(p, rows * p->vocabulary);
    p->dx = take(p, rows * c);
    for (int i = 0; i < 2; i++)
        p->wide[i] = take(p, rows * most);
}

static int begin(struct pass *p, struct lm_reference *r)
{
    const struct lm_shape *const s = &r->shape;
    const size_t rows = (size_t)lm_rows(s), c = (size_t)s->width;
    *p = (struct pass){.r = r,
                       .rows = rows,
                       .width = c,
                       .hidden = (size_t)s->hidden,
                       .vocabulary = (size_t)s->vocabulary,
                       .context = (size_t)s->context,
                       .heads = (size_t)s->heads};
    const size_t layer =
        // x to a, for one row
        7 * c + 2 + 2 * p->hidden + p->heads * p->context;
    const size_t row = (size_t)s->layers * (layer + c) + 9 * c + 2 * p->hidden +
                       3 * p->vocabulary + 1;
    p->next = p->memory = calloc(r->count + rows * row, sizeof *p->memory);
    if (!p->memory)
        return 0;
    lay_out(p);
    for (size_t i = 0; i < r->count; i++)
        p->w[i] = s->precision == LM_BF16 ? bf16(r->w[i]) : r->w[i];
    return 1;
}

static size_t at(const struct pass *p, int param)
{
    return lm_param_at(&p->r->shape, param);
}

/* ---- products ------------------------------------------------------------ */

/* y (m, n) += a @ b. a is stored as (k, m) if ta, b as (n, k) if tb. In bf16
 * both are rounded. */
static void product(const struct pass *p, double *y, const double *a, int ta,
                    const double *b, int tb, size_t m, size_t n, size_t k)
{
    const int narrow = p->r->shape.precision == LM_BF16;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < k; j++) {
            const double f = a[ta ? j * m + i : i * k + j];
            const double first = narrow ? bf16(f) : f;
            for (size_t c = 0; c < n; c++) {
                const double g = b[tb ? c * k + j : j * n + c];
                y[i * n + c] += first * (narrow ? bf16(g) : g);
            }
        }
}

/* y = x @ W, or x @ W^T, for each row of x */
static void linear(const struct pass *p, double *y, const double *x, int param,
                   int transposed)
{
    const struct lm_shape *const s = &p->r->shape;
    const size_t rows = (size_t)lm_param_rows(s, param);
    const size_t cols = (size_t)lm_param_cols(s, param);
    const size_t n = transposed ? rows : cols;
    memset(y, 0, p->rows * n * sizeof *y);
    product(p, y, x, 0, p->w + at(p, param), transposed, p->rows, n,
            transposed ? cols : rows);
}

/* The parameter's gradient += x^T @ dy. */
static void linear_dw(const struct pass *p, const double *x, const double *dy,
                      int param)
{
    const struct lm_shape *const s = &p->r->shape;
    product(p, p->r->grad + at(p, param), x, 1, dy, 0,
            (size_t)lm_param_rows(s, param), (size_t)lm_param_cols(s, param),
            p->rows);
}

/* ---- norms --------------------------------------------------------------- */

static void norm(const struct pass *p, double *y, double *inv, const double *x,
                 int param)
{
    const double *const gain = p->w + at(p, param);
    for (size_t r = 0; r < p->rows; r++) {
        const size_t row = r * p->width;
        double squares = 0;
        for (size_t c = 0; c < p->width; c++)
            squares += x[row + c] * x[row + c];
        inv[r] = 1 / sqrt(squares / (double)p->width + LM_EPS);
        for (size_t c = 0; c < p->width; c++)
            y[row + c] = x[row + c] * inv[r] * gain[c];
    }
}

/* p->dx += the derivative of the loss with respect to x */
static void norm_back(const struct pass *p, const double *dy, const double *x,
                      const double *inv, int param)
{
    const double *const gain = p->w + at(p, param);
    double *const dgain = p->r->grad + at(p, param);
    for (size_t r = 0; r < p->rows; r++) {
        const size_t row = r * p->width;
        double mean = 0;
        for (size_t c = 0; c < p->width; c++) {
            mean += dy[row + c] * gain[c] * x[row + c] / (double)p->width;
            dgain[c] += dy[row + c] * x[row + c] * inv[r];
        }
        for (size_t c = 0; c < p->width; c++)
            p->dx[row + c] += inv[r] * dy[row + c] * gain[c] -
                              pow(inv[r], 3) * mean * x[row + c];
    }
}

/* ---- attention ----------------------------------------------------------- */

struct head { /* a head of one sequence; rows are `step` apart */
    const double *q, *k, *v;
    double *prob;
    size_t size, step, context;
    size_t y; /* its first element in (rows, width) */
};

static struct head head_of(const struct pass *p, const struct kept *k,
                           size_t sequence, size_t h)
{
    const size_t size = p->width / p->heads, step = 3 * p->width;
    const double *const q = k->qkv + sequence * p->context * step + h * size;
    return (struct head){
        .q = q,
        .k = q + p->width,
        .v = q + 2 * p->width,
        .prob = k->prob + (sequence * p->heads + h) * p->context * p->context,
        .size = size,
        .step = step,
        .context = p->context,
        .y = sequence * p->context * p->width + h * size,
    };
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* y = softmax(q @ k^T / sqrt(size)) @ v for token i */
static void attend(const struct head *h, size_t i, double *y)
{
    double *const prob = h->prob + i * h->context;
    double most = -INFINITY, sum = 0;
    for (size_t j = 0; j <= i; j++) {
        prob[j] = dot(h->q + i * h->step, h->k + j * h->step, h->size) /
                  sqrt((double)h->size);
        most = fmax(most, prob[j]);
    }
    for (size_t j = 0; j <= i; j++)
        sum += prob[j] = exp(prob[j] - most);
    for (size_t j = 0; j <= i; j++) {
        prob[j] /= sum;
        for (size_t c = 0; c < h->size; c++)
            y[c] += prob[j] * h->v[j * h->step + c];
    }
}

/* Add token i's contribution from its dy to dq, dk and dv, which are laid out
 * as q, k and v. */
static void attend_back(const struct head *h, size_t i, const double *dy,
                        double *dq, size_t width)
{
    const double *const prob = h->prob + i * h->context;
    double *const dk = dq + width, *const dv = dk + width;
    double mean = 0;
    for (size_t j = 0; j <= i; j++)
        mean += prob[j] * dot(dy, h->v + j * h->step, h->size);
    for (size_t j = 0; j <= i; j++) {
        const double dprob = dot(dy, h->v + j * h->step, h->size);
        const double ds = prob[j] * (dprob - mean) / sqrt((double)h->size);
        for (size_t c = 0; c < h->size; c++) {
            dv[j * h->step + c] += prob[j] * dy[c];
            dq[i * h->step + c] += ds * h->k[j * h->step + c];
            dk[j * h->step + c] += ds * h->q[i * h->step + c];
        }
    }
}

static void attention(const struct pass *p, const struct kept *k)
{
    for (size_t b = 0; b < p->rows / p->context; b++)
        for (size_t h = 0; h < p->heads; h++) {
            const struct head head = head_of(p, k, b, h);
            for (size_t i = 0; i < p->context; i++)
                attend(&head, i, k->y + head.y + i * p->width);
        }
}

static void attention_back(const struct pass *p, const struct kept *k,
                           double *dqkv, const double *dy)
{
    memset(dqkv, 0, p->rows * 3 * p->width * sizeof *dqkv);
    for (size_t b = 0; b < p->rows / p->context; b++)
        for (size_t h = 0; h < p->heads; h++) {
            const struct head head = head_of(p, k, b, h);
            for (size_t i = 0; i < p->context; i++)
                attend_back(&head, i, dy + head.y + i * p->width,
                            dqkv + (head.q - k->qkv), p->width);
        }
}

/* ---- layers -------------------------------------------------------------- */

static double gelu(double x)
{
    return x * 0.5 * (1 + erf(x / sqrt(2)));
}

static double gelu_slope(double x)
{
    return 0.5 * (1 + erf(x / sqrt(2))) +
           x * exp(-0.5 * x * x) / sqrt(2 * acos(-1));
}

static void forward_layer(const struct pass *p, int l)
{
    const struct kept *const k = &p->kept[l];
    norm(p, k->n1, k->inv1, p->x[l], lm_param_of(l, LM_NORM1));
    linear(p, k->qkv, k->n1, lm_param_of(l, LM_QKV), 0);
    attention(p, k);
    linear(p, k->h, k->y, lm_param_of(l, LM_OUT), 0);
    for (size_t i = 0; i < p->rows * p->width; i++)
        k->h[i] += p->x[l][i];
    norm(p, k->n2, k->inv2, k->h, lm_param_of(l, LM_NORM2));
    linear(p, k->z, k->n2, lm_param_of(l, LM_UP), 0);
    for (size_t i = 0; i < p->rows * p->hidden; i++)
        k->a[i] = gelu(k->z[i]);
    linear(p, p->x[l + 1], k->a, lm_param_of(l, LM_DOWN), 0);
    for (size_t i = 0; i < p->rows * p->width; i++)
        p->x[l + 1][i] += k->h[i];
}

static void backward_layer(const struct pass *p, int l)
{
    const struct kept *const k = &p->kept[l];
    double *const d = p->wide[0], *const dn = p->wide[1];
    linear_dw(p, k->a, p->dx, lm_param_of(l, LM_DOWN));
    linear(p, d, p->dx, lm_param_of(l, LM_DOWN), 1);
    for (size_t i = 0; i < p->rows * p->hidden; i++)
        d[i] *= gelu_slope(k->z[i]);
    linear_dw(p, k->n2, d, lm_param_of(l, LM_UP));
    linear(p, dn, d, lm_param_of(l, LM_UP), 1);
    norm_back(p, dn, k->h, k->inv2, lm_param_of(l, LM_NORM2));
    linear_dw(p, k->y, p->dx, lm_param_of(l, LM_OUT));
    linear(p, dn, p->dx, lm_param_of(l, LM_OUT), 1);
    attention_back(p, k, d, dn);
    linear_dw(p, k->n1, d, lm_param_of(l, LM_QKV));
    linear(p, dn, d, lm_param_of(l, LM_QKV), 1);
    norm_back(p, dn, p->x[l], k->inv1, lm_param_of(l, LM_NORM1));
}

/* ---- the ends ------------------------------------------------------------ */

static void embed(const struct pass *p, const uint8_t *token)
{
    const double *const e = p->w + at(p, LM_EMBED);
    const double *const place = p->w + at(p, LM_PLACE);
    for (size_t r = 0; r < p->rows; r++)
        for (size_t c = 0; c < p->width; c++)
            p->x[0][r * p->width + c] = e[token[r] * p->width + c] +
                                        place[r % p->context * p->width + c];
}

static void embed_back(const struct pass *p, const uint8_t *token)
{
    double *const de = p->r->grad + at(p, LM_EMBED);
    double *const dplace = p->r->grad + at(p, LM_PLACE);
    for (size_t r = 0; r < p->rows; r++)
        for (size_t c = 0; c < p->width; c++) {
            de[token[r] * p->width + c] += p->dx[r * p->width + c];
            dplace[r % p->context * p->width + c] += p->dx[r * p->width + c];
        }
}

/* The loss; dlogits gets `scale` times its derivative. */
static double cross_entropy(const struct pass *p, const uint8_t *target,
                            double scale, double *dlogits)
{
    const size_t v = p->vocabulary;
    double loss = 0;
    for (size_t r = 0; r < p->rows; r++) {
        const double *const in = p->logits + r * v;
        double sum = 0;
        for (size_t c = 0; c < v; c++)
            sum += exp(in[c]);
        for (size_t c = 0; c < v; c++)
            dlogits[r * v + c] =
                scale * (exp(in[c]) / sum - (c == target[r])) / (double)p->rows;
        loss += (log(sum) - in[target[r]]) / (double)p->rows;
    }
    return loss;
}

static double head(const struct pass *p, const uint8_t *target, double scale)
{
    const int last = lm_param_last(&p->r->shape), top = p->r->shape.layers;
    norm(p, p->last, p->inv, p->x[top], last);
    linear(p, p->logits, p->last, LM_EMBED, 1);
    const double loss = cross_entropy(p, target, scale, p->wide[0]);
    linear_dw(p, p->wide[0], p->last, LM_EMBED);
    linear(p, p->wide[1], p->wide[0], LM_EMBED, 0);
    norm_back(p, p->wide[1], p->x[top], p->inv, last);
    return loss;
}

double lm_reference_pass(struct lm_reference *r, const uint8_t *token,
                         const uint8_t *target, double scale)
{
    struct pass p;
    if (!begin(&p, r))
        return NAN;
    embed(&p, token);
    for (int l = 0; l < r->shape.layers; l++)
        forward_layer(&p, l);
    const double loss = head(&p, target, scale);
    for (int l = r->shape.layers - 1; l >= 0; l--)
        backward_layer(&p, l);
    embed_back(&p, token);
    free(p.memory);
    return loss;
}

double lm_reference_pass_seed(struct lm_reference *r, uint64_t seed,
                              double scale)
{
    const size_t rows = (size_t)lm_rows(&r->shape);
    uint8_t *const bytes = malloc(2 * rows);
    if (!bytes)
        return NAN;
    for (size_t i = 0; i < rows; i++) {
        bytes[i] = lm_token(&r->shape, seed, i);
        bytes[rows + i] = lm_target(&r->shape, seed, i);
    }
    const double loss = lm_reference_pass(r, bytes, bytes + rows, scale);
    free(bytes);
    return loss;
}

void lm_reference_adamw(struct lm_reference *r, double lr, double beta1,
                        double beta2, double eps, double decay)
{
    r->step++;
    const double correct1 = 1 - pow(beta1, r->step);
    const double correct2 = 1 - pow(beta2, r->step);
    for (size_t i = 0; i < r->count; i++) {
        const double g = r->grad[i];
        r->m[i] = beta1 * r->m[i] + (1 - beta1) * g;
        r->v[i] = beta2 * r->v[i] + (1 - beta2) * g * g;
        r->w[i] -= lr * (r->m[i] / correct1 / (sqrt(r->v[i] / correct2) + eps) +
                         decay * r->w[i]);
    }
}
