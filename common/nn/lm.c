#include "nn/lm.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* memset */

#include "nn/ops.h"
#include "nn/try.h"

/* ---- setup --------------------------------------------------------------- */

static void name_param(struct lm *m, int p)
{
    static const char *const of_layer[] = {"norm1", "qkv", "out",
                                           "norm2", "up",  "down"};
    struct lm_param *const q = &m->param[p];
    const int at = p - LM_FIRST_LAYER;
    if (p < LM_FIRST_LAYER)
        snprintf(q->name, sizeof q->name, p == LM_EMBED ? "embed" : "place");
    else if (p == lm_param_last(&m->shape))
        snprintf(q->name, sizeof q->name, "norm");
    else
        snprintf(q->name, sizeof q->name, "layer%d.%s", at / LM_OF_LAYER,
                 of_layer[at % LM_OF_LAYER]);
}

static void register_params(struct lm *m, float *values, float *grads)
{
    for (int p = 0; p < m->nparams; p++) {
        struct lm_param *const q = &m->param[p];
        const size_t at = lm_param_at(&m->shape, p);
        name_param(m, p);
        q->rows = lm_param_rows(&m->shape, p);
        q->cols = lm_param_cols(&m->shape, p);
        q->count = lm_param_count(&m->shape, p);
        q->value = values + at;
        q->half = m->halves ? m->halves + at : NULL;
        q->grad = grads + at;
    }
}

static size_t rows_of(const struct lm *m)
{
    return (size_t)lm_rows(&m->shape);
}

static size_t widest(const struct lm_shape *s)
{
    size_t most = 3 * (size_t)s->width;
    if ((size_t)s->hidden > most)
        most = (size_t)s->hidden;
    return (size_t)s->vocabulary > most ? (size_t)s->vocabulary : most;
}

/* The next `count` floats of the model's memory. If `memory` is NULL, it has
 * not been allocated yet, and only *used is advanced. */
static float *take(float *memory, size_t *used, size_t count)
{
    const size_t at = *used;
    *used += (count + 3) / 4 * 4; // keep packs of 16 bytes aligned
    return memory ? memory + at : NULL;
}

static struct lm_kept lay_out_layer(const struct lm *m, float *memory,
                                    size_t *n)
{
    const struct lm_shape *const s = &m->shape;
    const size_t rows = rows_of(m), c = (size_t)s->width;
    const size_t weights = rows * (size_t)s->heads * (size_t)s->context;
    return (struct lm_kept){
        .n1 = take(memory, n, rows * c),
        .inv1 = take(memory, n, rows),
        .qkv = take(memory, n, 3 * rows * c),
        .prob = m->how.attention ? NULL : take(memory, n, weights),
        .y = take(memory, n, rows * c),
        .h = take(memory, n, rows * c),
        .n2 = take(memory, n, rows * c),
        .inv2 = take(memory, n, rows),
        .z = take(memory, n, rows * (size_t)s->hidden),
        .a = take(memory, n, rows * (size_t)s->hidden),
    };
}

/* Lay out all floats from `memory` on. Returns their number. */
static size_t lay_out(struct lm *m, float *memory)
{
    const struct lm_shape *const s = &m->shape;
    const size_t rows = rows_of(m), c = (size_t)s->width;
    const size_t own = m->how.bare ? 0 : m->count;
    size_t n = 0;
    float *const values = take(memory, &n, own);
    float *const grads = take(memory, &n, own);
    for (int l = 0; l <= s->layers; l++)
        m->x[l] = take(memory, &n, rows * c);
    for (int l = 0; l < s->layers; l++)
        m->kept[l] = l > 0 && m->how.recompute ? m->kept[0]
                                               : lay_out_layer(m, memory, &n);
    m->last = take(memory, &n, rows * c);
    m->inv = take(memory, &n, rows);
    m->logits = take(memory, &n, rows * (size_t)s->vocabulary);
    m->dlogits = take(memory, &n, rows * (size_t)s->vocabulary);
    m->dx = take(memory, &n, rows * c);
    for (int i = 0; i < 2; i++)
        m->wide[i] = take(memory, &n, rows * widest(s));
    m->row_loss = take(memory, &n, rows);
    if (memory)
        register_params(m, values, grads);
    return n;
}

static cudaError_t make_buffers(struct lm *m)
{
    const size_t space = (rows_of(m) * widest(&m->shape) + 7) / 8 * 8;
    const size_t params = (m->count + 7) / 8 * 8;
    if (m->shape.precision == LM_BF16) {
        TRY(cudaMalloc((void **)&m->halves,
                       (params + 2 * space) * sizeof *m->halves));
        for (size_t i = 0; i < 2; i++)
            m->operand[i] = m->halves + params + i * space;
    }
    TRY(cudaMalloc((void **)&m->memory, lay_out(m, NULL) * sizeof *m->memory));
    lay_out(m, m->memory);
    return cudaSuccess;
}

cudaError_t lm_init_how(struct lm *m, const struct lm_shape *shape,
                        cudaStream_t stream, const struct lm_how *how)
{
    memset(m, 0, sizeof *m);
    m->how = *how;
    if (!how->compute)
        m->how.compute = CUBLAS_COMPUTE_32F;
    if (lm_shape_problem(shape) || (how->bare && shape->precision != LM_FP32))
        return cudaErrorInvalidValue;
    m->shape = *shape;
    m->stream = stream;
    m->count = lm_count(shape);
    m->nparams = lm_params(shape);
    m->param = calloc((size_t)m->nparams, sizeof *m->param);
    if (!m->param)
        return cudaErrorMemoryAllocation;
    cudaError_t err = nn_error(cublasCreate(&m->blas));
    if (err == cudaSuccess)
        err = nn_error(cublasSetStream(m->blas, stream));
    if (err == cudaSuccess)
        err = make_buffers(m);
    if (err != cudaSuccess)
        lm_release(m);
    return err;
}

cudaError_t lm_init(struct lm *m, const struct lm_shape *shape,
                    cudaStream_t stream)
{
    return lm_init_how(m, shape, stream, &(struct lm_how){.bare = 0});
}

void lm_release(struct lm *m)
{
    if (m->blas)
        cublasDestroy(m->blas);
    cudaFree(m->memory);
    cudaFree(m->halves);
    free(m->param);
    memset(m, 0, sizeof *m);
}

cudaError_t lm_fill(struct lm *m, uint64_t seed)
{
    float *const h = malloc(m->count * sizeof *h);
    cudaError_t err = h ? cudaSuccess : cudaErrorMemoryAllocation;
    for (int p = 0; err == cudaSuccess && p < m->nparams; p++) {
        const struct lm_param *const q = &m->param[p];
        for (size_t i = 0; i < q->count; i++)
            h[i] = lm_weight(&m->shape, seed, p, i);
        err = cudaMemcpyAsync(q->value, h, q->count * sizeof *h,
                              cudaMemcpyHostToDevice, m->stream);
        if (err == cudaSuccess)
            // the next parameter overwrites h
            err = cudaStreamSynchronize(m->stream);
    }
    free(h);
    return err;
}

cudaError_t lm_narrow(struct lm *m)
{
    for (int p = 0; p < m->nparams; p++)
        if (m->param[p].half)
            TRY(nn_narrow(m->param[p].half, m->param[p].value,
                          m->param[p].count, NN_BF16, m->stream));
    return cudaSuccess;
}

cudaError_t lm_zero_grad(struct lm *m)
{
    for (int p = 0; p < m->nparams; p++)
        TRY(cudaMemsetAsync(m->param[p].grad, 0,
                            m->param[p].count * sizeof(float), m->stream));
    return cudaSuccess;
}

/* ---- linear layers, in the model's precision ----------------------------- */

static struct lm_weights weights_of(const struct lm *m, int param)
{
    const struct lm_param *const p = &m->param[param];
    return p->half ? (struct lm_weights){.h = p->half}
                   : (struct lm_weights){.f = p->value};
}

static struct lm_operand weights_in(const struct lm *m, int param,
                                    int transposed)
{
    const struct lm_weights w = weights_of(m, param);
    return (struct lm_operand){w.h ? (const void *)w.h : w.f, w.h != NULL,
                               transposed};
}

/* Set *out to x, of count elements, as an operand: in bf16, x is rounded into
 * scratch buffer i. */
static cudaError_t operand(struct lm *m, struct lm_operand *out, int i,
                           const float *x, size_t count, int transposed)
{
    *out = (struct lm_operand){x, 0, transposed};
    if (m->shape.precision == LM_FP32)
        return cudaSuccess;
    *out = (struct lm_operand){m->operand[i], 1, transposed};
    return nn_narrow(m->operand[i], x, count, NN_BF16, m->stream);
}

/* y = beta y + x @ W, where W is the parameter or its transpose. */
static cudaError_t linear(struct lm *m, const float *x, int param,
                          int transposed, float *y, float beta)
{
    struct lm_operand a;
    const struct lm_param *const p = &m->param[param];
    const int in = transposed ? p->cols : p->rows;
    const int out = transposed ? p->rows : p->cols;
    TRY(operand(m, &a, 0, x, rows_of(m) * (size_t)in, 0));
    return lm_product(m->blas, y, a, weights_in(m, param, transposed), beta,
                      lm_rows(&m->shape), out, in, m->how.compute);
}

/* The parameter's gradient += x^T @ dy; x is (rows, p->rows), dy
 * (rows, p->cols). */
static cudaError_t linear_dw(struct lm *m, const float *x, const float *dy,
                             int param)
{
    struct lm_operand a, b;
    const struct lm_param *const p = &m->param[param];
    TRY(operand(m, &a, 0, x, rows_of(m) * (size_t)p->rows, 1));
    TRY(operand(m, &b, 1, dy, rows_of(m) * (size_t)p->cols, 0));
    return lm_product(m->blas, p->grad, a, b, 1, p->rows, p->cols,
                      lm_rows(&m->shape), m->how.compute);
}

static cudaError_t norm(struct lm *m, const float *x, int param, float *y,
                        float *inv)
{
    return lm_norm(y, inv, x, weights_of(m, param), lm_rows(&m->shape),
                   m->shape.width, m->stream);
}

/* m->dx += the derivative of the loss with respect to x */
static cudaError_t norm_back(struct lm *m, const float *dy, const float *x,
                             int param, const float *inv)
{
    return lm_norm_back(m->dx, m->param[param].grad, dy, x, inv,
                        weights_of(m, param), lm_rows(&m->shape),
                        m->shape.width, m->stream);
}

/* ---- forward ------------------------------------------------------------- */

void lm_begin(struct lm *m, const struct lm_batch *b)
{
    m->batch = *b;
}

cudaError_t lm_embed(struct lm *m)
{
    return lm_embedding(m->x[0], m->batch.token, weights_of(m, LM_EMBED),
                        weights_of(m, LM_PLACE), lm_rows(&m->shape),
                        m->shape.context, m->shape.width, m->stream);
}

static struct lm_heads heads_of(const struct lm_shape *s)
{
    return (struct lm_heads){s->sequences, s->context, s->heads,
                             s->width / s->heads};
}

/* to = from; both are (rows, width). */
static cudaError_t copy(struct lm *m, float *to, const float *from)
{
    return cudaMemcpyAsync(to, from,
                           rows_of(m) * (size_t)m->shape.width * sizeof *to,
                           cudaMemcpyDeviceToDevice, m->stream);
}

cudaError_t lm_attend(struct lm *m, int l)
{
    const struct lm_kept *const k = &m->kept[l];
    const struct lm_heads heads = heads_of(&m->shape);
    TRY(norm(m, m->x[l], lm_param_of(l, LM_NORM1), k->n1, k->inv1));
    TRY(linear(m, k->n1, lm_param_of(l, LM_QKV), 0, k->qkv, 0));
    if (m->how.attention)
        TRY(m->how.attention->forward(m->how.attention->arg, l, k->y, k->qkv));
    else
        TRY(lm_attention(k->y, k->prob, k->qkv, &heads, m->stream));
    TRY(copy(m, k->h, m->x[l]));
    return linear(m, k->y, lm_param_of(l, LM_OUT), 0, k->h, 1);
}

cudaError_t lm_feed(struct lm *m, int l)
{
    const struct lm_kept *const k = &m->kept[l];
    TRY(norm(m, k->h, lm_param_of(l, LM_NORM2), k->n2, k->inv2));
    TRY(linear(m, k->n2, lm_param_of(l, LM_UP), 0, k->z, 0));
    TRY(nn_gelu(k->a, k->z, rows_of(m) * (size_t)m->shape.hidden, m->stream));
    TRY(copy(m, m->x[l + 1], k->h));
    return linear(m, k->a, lm_param_of(l, LM_DOWN), 0, m->x[l + 1], 1);
}

cudaError_t lm_head(struct lm *m)
{
    TRY(norm(m, m->x[m->shape.layers], lm_param_last(&m->shape), m->last,
             m->inv));
    return linear(m, m->last, LM_EMBED, 1, m->logits, 0);
}

cudaError_t lm_forward(struct lm *m, const struct lm_batch *b)
{
    lm_begin(m, b);
    TRY(lm_embed(m));
    for (int l = 0; l < m->shape.layers; l++) {
        TRY(lm_attend(m, l));
        TRY(lm_feed(m, l));
    }
    return lm_head(m);
}

/* ---- backward ------------------------------------------------------------ */

cudaError_t lm_head_backward(struct lm *m, float scale)
{
    const struct lm_shape *const s = &m->shape;
    TRY(nn_cross_entropy(m->logits, m->batch.target, m->dlogits, m->row_loss,
                         scale, lm_rows(s), s->vocabulary, m->stream));
    // tied to the embedding: dE is (V, C)
    TRY(linear_dw(m, m->dlogits, m->last, LM_EMBED));
    TRY(linear(m, m->dlogits, LM_EMBED, 0, m->wide[0], 0));
    TRY(cudaMemsetAsync(m->dx, 0, rows_of(m) * (size_t)s->width * sizeof *m->dx,
                        m->stream));
    return norm_back(m, m->wide[0], m->x[s->layers], lm_param_last(s), m->inv);
}

cudaError_t lm_feed_backward(struct lm *m, int l)
{
    const struct lm_kept *const k = &m->kept[l];
    float *const dz = m->wide[0], *const dn = m->wide[1];
    TRY(linear_dw(m, k->a, m->dx, lm_param_of(l, LM_DOWN)));
    TRY(linear(m, m->dx, lm_param_of(l, LM_DOWN), 1, dz, 0));
    TRY(nn_gelu_back(dz, dz, k->z, rows_of(m) * (size_t)m->shape.hidden,
                     m->stream));
    TRY(linear_dw(m, k->n2, dz, lm_param_of(l, LM_UP)));
    TRY(linear(m, dz, lm_param_of(l, LM_UP), 1, dn, 0));
    return norm_back(m, dn, k->h, lm_param_of(l, LM_NORM2), k->inv2);
}

cudaError_t lm_attend_backward(struct lm *m, int l)
{
    const struct lm_kept *const k = &m->kept[l];
    const struct lm_heads heads = heads_of(&m->shape);
    float *const dqkv = m->wide[0], *const dy = m->wide[1];
    float *const dn = m->wide[1]; // dy is no longer needed
    TRY(linear_dw(m, k->y, m->dx, lm_param_of(l, LM_OUT)));
    TRY(linear(m, m->dx, lm_param_of(l, LM_OUT), 1, dy, 0));
    if (m->how.attention)
        TRY(m->how.attention->backward(m->how.attention->arg, l, dqkv, k->qkv,
                                       dy));
    else
        TRY(lm_attention_back(dqkv, k->prob, k->qkv, dy, &heads, m->stream));
    TRY(linear_dw(m, k->n1, dqkv, lm_param_of(l, LM_QKV)));
    TRY(linear(m, dqkv, lm_param_of(l, LM_QKV), 1, dn, 0));
    return norm_back(m, dn, m->x[l], lm_param_of(l, LM_NORM1), k->inv1);
}

cudaError_t lm_embed_backward(struct lm *m)
{
    return lm_embedding_back(m->param[LM_EMBED].grad, m->param[LM_PLACE].grad,
                             m->batch.token, m->dx, m->shape.vocabulary,
                             lm_rows(&m->shape), m->shape.context,
                             m->shape.width, m->stream);
}

/* Call the hook for parameters `to` down to `from`. */
static cudaError_t announce(lm_hook *hook, void *arg, int from, int to)
{
    for (int p = to; hook && p >= from; p--)
        if (hook(arg, p) != 0)
            return cudaErrorUnknown;
    return cudaSuccess;
}

cudaError_t lm_backward(struct lm *m, float scale, lm_hook *hook, void *arg)
{
    const int last = lm_param_last(&m->shape);
    TRY(lm_head_backward(m, scale));
    TRY(announce(hook, arg, last, last));
    for (int l = m->shape.layers - 1; l >= 0; l--) {
        TRY(lm_feed_backward(m, l));
        TRY(announce(hook, arg, lm_param_of(l, LM_NORM2),
                     lm_param_of(l, LM_DOWN)));
        TRY(lm_attend_backward(m, l));
        TRY(announce(hook, arg, lm_param_of(l, LM_NORM1),
                     lm_param_of(l, LM_OUT)));
    }
    TRY(lm_embed_backward(m));
    return announce(hook, arg, LM_EMBED, LM_PLACE);
}

cudaError_t lm_read_loss(struct lm *m, double *loss)
{
    const size_t rows = rows_of(m);
    float *const h = malloc(rows * sizeof *h);
    if (!h)
        return cudaErrorMemoryAllocation;
    cudaError_t err = cudaMemcpyAsync(h, m->row_loss, rows * sizeof *h,
                                      cudaMemcpyDeviceToHost, m->stream);
    if (err == cudaSuccess)
        err = cudaStreamSynchronize(m->stream);
    *loss = 0;
    for (size_t i = 0; err == cudaSuccess && i < rows; i++)
        *loss += h[i];
    free(h);
    return err;
}
