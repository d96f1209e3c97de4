#include "nn/mlp.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* memset */

#include "nn/blocks.h"
#include "nn/lm.h"
#include "nn/try.h"

/* ---- setup --------------------------------------------------------------- */

/* Lay out the parameters, in order of registration: one allocation for all
 * values and one for all gradients. */
static void register_params(struct nn *m, int bare)
{
    size_t at = 0;
    for (int l = 0; l < m->nparams; l++) {
        struct nn_param *const p = &m->param[l];
        const int owner = nn_layer_param(&m->shape, l);
        snprintf(p->name, sizeof p->name, "layer%d.weight", l);
        p->rows = nn_layer_in(&m->shape, l);
        p->cols = nn_layer_out(&m->shape, l);
        p->count = nn_layer_count(&m->shape, l);
        p->frozen = nn_is_frozen(&m->shape, l);
        p->tied = owner == l ? -1 : owner;
        p->value = owner == l ? m->weights + at : m->param[owner].value;
        p->grad = p->frozen    ? NULL
                  : owner == l ? m->grads + at
                               : m->param[owner].grad;
        if (bare)
            p->value = p->grad = NULL;
        if (owner == l)
            at += p->count;
    }
}

static int widest(const struct nn_shape *s)
{
    int most = s->in > s->hidden ? s->in : s->hidden;
    return most > s->out ? most : s->out;
}

static cudaError_t floats(float **out, size_t count)
{
    return cudaMalloc((void **)out, count * sizeof **out);
}

static cudaError_t make_buffers(struct nn *m, const struct lm_how *how)
{
    const struct nn_shape *const s = &m->shape;
    const size_t rows = (size_t)s->rows, most = (size_t)widest(s);
    if (!how->bare) {
        TRY(floats(&m->weights, m->count));
        TRY(floats(&m->grads, m->count));
    }
    if (s->heads)
        return blocks_init(m, how);
    TRY(floats(&m->dz, rows * most));
    TRY(floats(&m->da, rows * most));
    TRY(floats(&m->row_loss, rows));
    for (int l = 0; l < s->depth; l++) {
        const size_t n = rows * (size_t)nn_layer_out(s, l);
        TRY(floats(&m->z[l], n));
        if (l < s->depth - 1) // the last layer's z is y
            TRY(floats(&m->a[l + 1], n));
    }
    return cudaSuccess;
}

cudaError_t nn_init_how(struct nn *m, const struct nn_shape *shape,
                        cudaStream_t stream, const struct lm_how *how)
{
    memset(m, 0, sizeof *m);
    if (nn_shape_problem(shape))
        return cudaErrorInvalidValue;
    m->shape = *shape;
    m->stream = stream;
    m->count = nn_param_count(shape);
    m->param = calloc((size_t)shape->depth, sizeof *m->param);
    if (!m->param)
        return cudaErrorMemoryAllocation;
    m->nparams = shape->depth;
    cudaError_t err = nn_error(cublasCreate(&m->blas));
    if (err == cudaSuccess)
        err = nn_error(cublasSetStream(m->blas, stream));
    if (err == cudaSuccess)
        err = make_buffers(m, how);
    if (err == cudaSuccess)
        register_params(m, how->bare);
    else
        nn_release(m);
    return err;
}

cudaError_t nn_init(struct nn *m, const struct nn_shape *shape,
                    cudaStream_t stream)
{
    return nn_init_how(m, shape, stream, &(struct lm_how){.bare = 0});
}

void nn_release(struct nn *m)
{
    if (m->blas)
        cublasDestroy(m->blas);
    blocks_release(m);
    for (int l = 0; l < m->shape.depth; l++) {
        cudaFree(m->z[l]);
        if (l < m->shape.depth - 1)
            cudaFree(m->a[l + 1]);
    }
    cudaFree(m->weights);
    cudaFree(m->grads);
    cudaFree(m->dz);
    cudaFree(m->da);
    cudaFree(m->row_loss);
    free(m->param);
    memset(m, 0, sizeof *m);
}

/* The size of the largest matrix; one buffer of that size serves
 * for each of them. */
static size_t largest(const struct nn *m)
{
    size_t count = 0;
    for (int l = 0; l < m->nparams; l++)
        if (m->param[l].tied < 0 && m->param[l].count > count)
            count = m->param[l].count;
    return count;
}

cudaError_t nn_fill(struct nn *m, uint64_t seed)
{
    float *const h = malloc(largest(m) * sizeof *h + 1);
    cudaError_t err = h ? cudaSuccess : cudaErrorMemoryAllocation;
    size_t at = 0;
    for (int l = 0; err == cudaSuccess && l < m->nparams; l++) {
        const size_t count = m->param[l].count;
        if (m->param[l].tied >= 0)
            continue;
        nn_weights(&m->shape, seed, l, 0, h, count);
        err = cudaMemcpyAsync(m->weights + at, h, count * sizeof *h,
                              cudaMemcpyHostToDevice, m->stream);
        at += count;
        if (err == cudaSuccess) // the next matrix overwrites h
            err = cudaStreamSynchronize(m->stream);
    }
    free(h);
    return err;
}

void nn_drop_params(struct nn *m)
{
    cudaFree(m->weights);
    cudaFree(m->grads);
    m->weights = m->grads = NULL;
    for (int l = 0; l < m->nparams; l++)
        m->param[l].value = m->param[l].grad = NULL;
}

int nn_is_trained(const struct nn *m, int param)
{
    return !m->param[param].frozen && m->param[param].tied < 0;
}

cudaError_t nn_values(const struct nn *m, float *out)
{
    return cudaMemcpyAsync(out, m->weights, m->count * sizeof *out,
                           cudaMemcpyDeviceToDevice, m->stream);
}

cudaError_t nn_zero_grad(struct nn *m)
{
    for (int p = 0; p < m->nparams; p++)
        if (nn_is_trained(m, p))
            TRY(cudaMemsetAsync(m->param[p].grad, 0,
                                m->param[p].count * sizeof(float), m->stream));
    return cudaSuccess;
}

/* ---- passes -------------------------------------------------------------- */

static int skipped(const struct nn *m, int l)
{
    return (int)(m->skip >> l & 1) && nn_may_skip(&m->shape, l);
}

/* The input of layer l: the output of the nearest layer before it that
 * isn't skipped. */
static const float *input_of(const struct nn *m, int l)
{
    while (l > 0 && skipped(m, l - 1))
        l--;
    return l == 0 ? m->batch.x : m->a[l];
}

void nn_begin(struct nn *m, const struct nn_batch *b)
{
    m->batch = *b;
    if (m->lm)
        blocks_begin(m);
}

cudaError_t nn_layer_forward(struct nn *m, int l)
{
    const struct nn_shape *const s = &m->shape;
    const struct nn_param *const p = &m->param[l];
    if (m->lm)
        return blocks_forward(m, l);
    if (skipped(m, l))
        return cudaSuccess;
    TRY(nn_linear(m->blas, input_of(m, l), p->value, m->z[l], s->rows, p->rows,
                  p->cols));
    if (l == s->depth - 1)
        return cudaSuccess;
    return nn_gelu(m->a[l + 1], m->z[l], (size_t)s->rows * p->cols, m->stream);
}

cudaError_t nn_forward(struct nn *m, const struct nn_batch *b)
{
    nn_begin(m, b);
    for (int l = 0; l < m->shape.depth; l++)
        TRY(nn_layer_forward(m, l));
    return cudaSuccess;
}

/* m->dz = scale * d(loss)/dy */
cudaError_t nn_loss_backward(struct nn *m, float scale)
{
    const struct nn_shape *const s = &m->shape;
    const float *const y = m->z[s->depth - 1];
    m->scale = scale;
    if (m->lm) // its last layer's backward step computes it
        return cudaSuccess;
    switch (s->loss) {
    case NN_MSE:
        return nn_mse(y, m->batch.target, m->dz, m->row_loss, scale, s->rows,
                      s->out, m->stream);
    case NN_CROSS_ENTROPY:
        return nn_cross_entropy(y, m->batch.target, m->dz, m->row_loss, scale,
                                s->rows, s->out, m->stream);
    default:
        return nn_mean_squares(y, m->dz, m->row_loss, scale, s->rows, s->out,
                               m->stream);
    }
}

/* True if layer l's backward step completes the gradient of its parameter:
 * false if a layer that shares it is still to come. */
static int completes(const struct nn *m, int l)
{
    const struct nn_shape *const s = &m->shape;
    return !m->param[l].frozen &&
           !(s->tied_to && l == s->tied_to && !skipped(m, s->tied));
}

/* Compute layer l's gradient, and the m->dz of the next layer to go back
 * through, from m->dz, the derivative with respect to layer l's z. */
cudaError_t nn_layer_backward(struct nn *m, int l)
{
    const struct nn_param *const p = &m->param[l];
    const int rows = m->shape.rows;
    int below = l - 1;
    if (m->lm)
        return blocks_backward(m, l);
    if (skipped(m, l))
        return cudaSuccess;
    if (!p->frozen)
        TRY(nn_linear_dw(m->blas, input_of(m, l), m->dz, p->grad, rows, p->rows,
                         p->cols));
    while (below >= 0 && skipped(m, below))
        below--;
    if (below < 0)
        return cudaSuccess;
    TRY(nn_linear_dx(m->blas, m->dz, p->value, m->da, rows, p->rows, p->cols));
    return nn_gelu_back(m->dz, m->da, m->z[below], (size_t)rows * p->rows,
                        m->stream);
}

cudaError_t nn_backward(struct nn *m, float scale, nn_hook *hook, void *arg)
{
    TRY(nn_loss_backward(m, scale));
    for (int l = m->shape.depth - 1; l >= 0; l--) {
        TRY(nn_layer_backward(m, l));
        if (hook && !skipped(m, l) && completes(m, l) &&
            hook(arg, nn_layer_param(&m->shape, l)) != 0)
            return cudaErrorUnknown;
    }
    return cudaSuccess;
}

cudaError_t nn_read_loss(struct nn *m, double *loss)
{
    if (m->lm)
        return lm_read_loss(m->lm, loss);
    const size_t rows = (size_t)m->shape.rows;
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
