/* links: nn nnref judge graph topo base
 * links: solutions/lab4-tensor-pipeline/tensor.c
 * links: common/staff/lab4-tensor-pipeline/dense.c
 *
 * curve.h's run with each matrix of a block split over all ranks: lab 4. A rank
 * has some of the heads, some columns of the MLP, and all rows.
 */
#include <string.h>

#include "curve_ranks.h"
#include "lab4.h"
#include "nn/ops.h"

struct part { /* a rank's parts of a layer's matrices: in the order of enum
                 lm_of_layer; gains are whole */
    struct matrix w[LM_OF_LAYER], dw[LM_OF_LAYER];
};

struct tensor {
    struct lm m; /* embedding, output, norms' gains and activations */
    struct tp tp;
    struct lm_heads heads; /* this rank's */
    struct part part[LM_MAX_LAYERS];
    float *value, *grad, *state; /* all that this rank has */
    size_t count;
};

static struct matrix rows_by(const struct tensor *t, float *data, int cols)
{
    return (struct matrix){data, lm_rows(&t->m.shape), cols};
}

static struct lm_weights gain(const struct tensor *t, int l, int which)
{
    return (struct lm_weights){.f = t->part[l].w[which].data};
}

/* to += from */
static void add(const struct tensor *t, struct matrix to, struct matrix from)
{
    CUDA_MUST(nn_add(to.data, from.data, matrix_count(to), t->tp.stream));
}

/* ---- passes -------------------------------------------------------------- */

/* The matrices of a layer's activations that are this rank's columns. */
static struct matrix qkv_of(const struct tensor *t, float *data)
{
    return rows_by(t, data, 3 * t->heads.heads * t->heads.size);
}

static struct matrix heads_of(const struct tensor *t, float *data)
{
    return rows_by(t, data, t->heads.heads * t->heads.size);
}

static struct matrix feed_of(const struct tensor *t, float *data)
{
    return rows_by(t, data, t->m.shape.hidden / t->tp.nranks);
}

static struct matrix whole_of(const struct tensor *t, float *data)
{
    return rows_by(t, data, t->m.shape.width);
}

static void norm(const struct tensor *t, int l, int which, const float *x,
                 float *y, float *inv)
{
    CUDA_MUST(lm_norm(y, inv, x, gain(t, l, which), lm_rows(&t->m.shape),
                      t->m.shape.width, t->tp.stream));
}

static void norm_back(const struct tensor *t, int l, int which, const float *dy,
                      const float *x, const float *inv)
{
    CUDA_MUST(lm_norm_back(t->m.dx, t->part[l].dw[which].data, dy, x, inv,
                           gain(t, l, which), lm_rows(&t->m.shape),
                           t->m.shape.width, t->tp.stream));
}

static void forward(struct tensor *t, int l)
{
    const struct lm_kept *const k = &t->m.kept[l];
    const struct part *const p = &t->part[l];
    const struct matrix a = feed_of(t, k->a);
    norm(t, l, LM_NORM1, t->m.x[l], k->n1, k->inv1);
    NCCL_MUST(tp_column_forward(&t->tp, whole_of(t, k->n1), p->w[LM_QKV],
                                qkv_of(t, k->qkv)));
    CUDA_MUST(lm_attention(k->y, k->prob, k->qkv, &t->heads, t->tp.stream));
    NCCL_MUST(tp_row_forward(&t->tp, heads_of(t, k->y), p->w[LM_OUT],
                             whole_of(t, k->h)));
    add(t, whole_of(t, k->h), whole_of(t, t->m.x[l]));
    norm(t, l, LM_NORM2, k->h, k->n2, k->inv2);
    NCCL_MUST(tp_column_forward(&t->tp, whole_of(t, k->n2), p->w[LM_UP],
                                feed_of(t, k->z)));
    CUDA_MUST(nn_gelu(k->a, k->z, matrix_count(a), t->tp.stream));
    NCCL_MUST(
        tp_row_forward(&t->tp, a, p->w[LM_DOWN], whole_of(t, t->m.x[l + 1])));
    add(t, whole_of(t, t->m.x[l + 1]), whole_of(t, k->h));
}

static void backward(struct tensor *t, int l)
{
    const struct lm_kept *const k = &t->m.kept[l];
    const struct part *const p = &t->part[l];
    const struct matrix dz = feed_of(t, t->m.wide[0]);
    const struct matrix dqkv = qkv_of(t, t->m.wide[0]);
    const struct matrix dn = whole_of(t, t->m.wide[1]);
    const struct matrix dy = heads_of(t, t->m.wide[1]);
    const struct matrix dx = whole_of(t, t->m.dx);
    NCCL_MUST(tp_row_backward(&t->tp, feed_of(t, k->a), p->w[LM_DOWN], dx,
                              p->dw[LM_DOWN], dz));
    CUDA_MUST(
        nn_gelu_back(dz.data, dz.data, k->z, matrix_count(dz), t->tp.stream));
    NCCL_MUST(tp_column_backward(&t->tp, whole_of(t, k->n2), p->w[LM_UP], dz,
                                 p->dw[LM_UP], dn));
    norm_back(t, l, LM_NORM2, dn.data, k->h, k->inv2);
    NCCL_MUST(tp_row_backward(&t->tp, heads_of(t, k->y), p->w[LM_OUT], dx,
                              p->dw[LM_OUT], dy));
    CUDA_MUST(lm_attention_back(dqkv.data, k->prob, k->qkv, dy.data, &t->heads,
                                t->tp.stream));
    NCCL_MUST(tp_column_backward(&t->tp, whole_of(t, k->n1), p->w[LM_QKV], dqkv,
                                 p->dw[LM_QKV], dn));
    norm_back(t, l, LM_NORM1, dn.data, t->m.x[l], k->inv1);
}

static void take_step(const struct curve *c, struct tensor *t, int step)
{
    const struct lm_batch b =
        curve_tokens(step, 0, CURVE_SEQUENCES, 0, CURVE_CONTEXT);
    double loss;
    CUDA_MUST(
        cudaMemsetAsync(t->grad, 0, t->count * sizeof *t->grad, c->stream));
    lm_begin(&t->m, &b);
    CUDA_MUST(lm_embed(&t->m));
    for (int l = 0; l < curve_shape.layers; l++)
        forward(t, l);
    CUDA_MUST(lm_head(&t->m));
    CUDA_MUST(lm_head_backward(&t->m, 1));
    for (int l = curve_shape.layers - 1; l >= 0; l--)
        backward(t, l);
    CUDA_MUST(lm_embed_backward(&t->m));
    CUDA_MUST(nn_adamw(t->value, t->grad, t->state, t->state + t->count,
                       step + 1, &curve_hyper, t->count, c->stream));
    CUDA_MUST(lm_read_loss(&t->m, &loss));
    CUDA_MUST(cudaFree((void *)b.token));
    curve_print(c, loss);
}

/* ---- parts --------------------------------------------------------------- */

/* Which parameter of a layer this is; LM_OF_LAYER if it is in no layer. */
static int kind_of(int param)
{
    return param < LM_FIRST_LAYER || param == lm_param_last(&curve_shape)
               ? LM_OF_LAYER
               : (param - LM_FIRST_LAYER) % LM_OF_LAYER;
}

/* The shape of this rank's part of a parameter. */
static struct matrix part_of(const struct tensor *t, int param)
{
    const int kind = kind_of(param), n = t->tp.nranks;
    struct matrix part = {NULL, lm_param_rows(&curve_shape, param),
                          lm_param_cols(&curve_shape, param)};
    if (kind == LM_QKV || kind == LM_UP)
        part.cols /= n;
    if (kind == LM_OUT || kind == LM_DOWN)
        part.rows /= n;
    return part;
}

/* Queries, keys and values are columns of one matrix: a rank has those of its
 * heads in each third. */
static void split_qkv(const struct tensor *t, struct matrix whole,
                      struct matrix part)
{
    const int each = part.cols / 3;
    const size_t size = sizeof(float);
    for (int i = 0; i < 3; i++)
        CUDA_MUST(cudaMemcpy2DAsync(
            part.data + i * each, (size_t)part.cols * size,
            whole.data + i * whole.cols / 3 + t->tp.rank * each,
            (size_t)whole.cols * size, (size_t)each * size, (size_t)whole.rows,
            cudaMemcpyDeviceToDevice, t->tp.stream));
}

/* Copy this rank's part of a whole parameter. */
static void split(const struct tensor *t, int param, struct matrix whole,
                  struct matrix part)
{
    switch (kind_of(param)) {
    case LM_QKV: split_qkv(t, whole, part); break;
    case LM_UP: NCCL_MUST(tp_split_columns(&t->tp, whole, part)); break;
    case LM_OUT:
    case LM_DOWN: NCCL_MUST(tp_split_rows(&t->tp, whole, part)); break;
    default:
        CUDA_MUST(cudaMemcpyAsync(part.data, whole.data,
                                  matrix_count(whole) * sizeof(float),
                                  cudaMemcpyDeviceToDevice, t->tp.stream));
    }
}

static void make_parts(struct tensor *t, const struct lm *whole)
{
    size_t at = 0;
    for (int p = 0; p < whole->nparams; p++) {
        const struct lm_param *const from = &whole->param[p];
        struct matrix w = part_of(t, p), dw = w;
        w.data = t->value + at;
        dw.data = t->grad + at;
        at += matrix_count(w);
        split(t, p, (struct matrix){from->value, from->rows, from->cols}, w);
        t->m.param[p].value = w.data;
        t->m.param[p].grad = dw.data;
        const int kind = kind_of(p);
        if (kind >= LM_OF_LAYER)
            continue;
        struct part *const part = &t->part[(p - LM_FIRST_LAYER) / LM_OF_LAYER];
        part->w[kind] = w;
        part->dw[kind] = dw;
    }
}

static void open_tensor(const struct curve *c, struct tensor *t)
{
    struct lm whole;
    memset(t, 0, sizeof *t);
    CUDA_MUST(lm_init_how(&t->m, &curve_shape, c->stream,
                          &(struct lm_how){.bare = 1}));
    t->tp = (struct tp){c->comm, c->rank, c->nranks, t->m.blas, c->stream};
    t->heads = (struct lm_heads){CURVE_SEQUENCES, CURVE_CONTEXT,
                                 curve_shape.heads / c->nranks,
                                 curve_shape.width / curve_shape.heads};
    for (int p = 0; p < t->m.nparams; p++)
        t->count += matrix_count(part_of(t, p));
    t->value = curve_memory(t->count * sizeof(float));
    t->grad = curve_memory(t->count * sizeof(float));
    t->state = curve_memory(2 * t->count * sizeof(float));
    CUDA_MUST(lm_init(&whole, &curve_shape, c->stream));
    CUDA_MUST(lm_fill(&whole, CURVE_SEED));
    make_parts(t, &whole);
    CUDA_MUST(cudaStreamSynchronize(c->stream));
    lm_release(&whole);
}

int main(void)
{
    struct curve c;
    struct tensor t;
    curve_open(&c);
    open_tensor(&c, &t);
    for (int step = 0; step < CURVE_STEPS; step++)
        take_step(&c, &t, step);
    CUDA_MUST(cudaFree(t.value));
    CUDA_MUST(cudaFree(t.grad));
    CUDA_MUST(cudaFree(t.state));
    lm_release(&t.m);
    curve_close(&c);
    return 0;
}
