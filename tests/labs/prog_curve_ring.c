/* links: nn nnref judge graph topo base
 * links: solutions/lab9-long-context/
 * links: common/staff/lab9-long-context/support.c
 *
 * curve.h's run with each sequence split over all ranks: lab 9's ring is the
 * transformer's attention.
 */
#include <math.h>
#include <string.h>

#include "curve_ranks.h"
#include "nn/ops.h"
#include "support.h"

struct ring { /* and what a layer's forward pass keeps, for each sequence */
    struct seq seq;
    struct nn_attend_state state[LM_MAX_LAYERS][CURVE_SEQUENCES];
    float *q, *k, *v, *dq, *dk, *dv; /* blocks */
    float *delta;
};

/* A third of qkv, (rows, 3 C), from or to a block of its own, (rows, C). */
static cudaError_t third(const struct ring *r, float *to, const float *from,
                         int packs)
{
    const size_t row = (size_t)curve_shape.width * sizeof(float);
    return cudaMemcpy2DAsync(to, packs ? 3 * row : row, from,
                             packs ? row : 3 * row, row, (size_t)r->seq.rows,
                             cudaMemcpyDeviceToDevice, r->seq.compute);
}

static cudaError_t unpack(const struct ring *r, const float *qkv)
{
    const int width = curve_shape.width;
    CUDA_MUST(third(r, r->q, qkv, 0));
    CUDA_MUST(third(r, r->k, qkv + width, 0));
    return third(r, r->v, qkv + 2 * width, 0);
}

static cudaError_t forward(void *arg, int l, float *y, const float *qkv)
{
    struct ring *const r = arg;
    const size_t block = seq_block(&r->seq);
    for (int b = 0; b < CURVE_SEQUENCES; b++, qkv += 3 * block, y += block) {
        const struct nn_attend_state *const st = &r->state[l][b];
        CUDA_MUST(unpack(r, qkv));
        NCCL_MUST(ring_forward(&r->seq, r->q, r->k, r->v, st));
        CUDA_MUST(cudaMemcpyAsync(y, st->o, block * sizeof *y,
                                  cudaMemcpyDeviceToDevice, r->seq.compute));
    }
    return cudaSuccess;
}

static cudaError_t backward(void *arg, int l, float *dqkv, const float *qkv,
                            const float *dy)
{
    struct ring *const r = arg;
    const int width = curve_shape.width;
    const size_t block = seq_block(&r->seq);
    for (int b = 0; b < CURVE_SEQUENCES; b++) {
        const struct nn_attend_state *const st = &r->state[l][b];
        CUDA_MUST(unpack(r, qkv));
        CUDA_MUST(nn_attend_delta(&r->seq.a, r->delta, dy, st->o, r->seq.rows,
                                  r->seq.compute));
        NCCL_MUST(ring_backward(&r->seq, r->q, r->k, r->v, st, r->delta, dy,
                                r->dq, r->dk, r->dv));
        CUDA_MUST(third(r, dqkv, r->dq, 1));
        CUDA_MUST(third(r, dqkv + width, r->dk, 1));
        CUDA_MUST(third(r, dqkv + 2 * width, r->dv, 1));
        qkv += 3 * block;
        dqkv += 3 * block;
        dy += block;
    }
    return cudaSuccess;
}

static void open_ring(const struct curve *c, struct ring *r)
{
    const int width = curve_shape.width / curve_shape.heads;
    memset(r, 0, sizeof *r);
    r->seq =
        (struct seq){.comm = c->comm,
                     .rank = c->rank,
                     .nranks = c->nranks,
                     .rows = CURVE_CONTEXT / c->nranks,
                     .compute = c->stream,
                     .a = {curve_shape.heads, width, 1 / sqrtf((float)width)}};
    NCCL_MUST(seq_init(&r->seq));
    for (int l = 0; l < curve_shape.layers; l++)
        for (int b = 0; b < CURVE_SEQUENCES; b++)
            NCCL_MUST(seq_state_init(&r->state[l][b], r->seq.rows, &r->seq.a));
    float **const block[] = {&r->q, &r->k, &r->v, &r->dq, &r->dk, &r->dv};
    for (int i = 0; i < 6; i++)
        *block[i] = curve_memory(seq_block(&r->seq) * sizeof(float));
    r->delta =
        curve_memory((size_t)(r->seq.rows * curve_shape.heads) * sizeof(float));
}

static void close_ring(struct ring *r)
{
    float *const block[] = {r->q, r->k, r->v, r->dq, r->dk, r->dv, r->delta};
    for (int i = 0; i < 7; i++)
        CUDA_MUST(cudaFree(block[i]));
    for (int l = 0; l < curve_shape.layers; l++)
        for (int b = 0; b < CURVE_SEQUENCES; b++)
            seq_state_release(&r->state[l][b]);
    seq_release(&r->seq);
}

/* Point the rank's model into the parameters of the whole transformer, which
 * every rank has. Of the places in a sequence it uses its own. */
static void point(const struct curve *c, struct lm *m, float *value,
                  float *grad)
{
    for (int p = 0; p < m->nparams; p++) {
        const size_t at =
            lm_param_at(&curve_shape, p) +
            (p == LM_PLACE ? (size_t)c->rank * m->param[p].count : 0);
        m->param[p].value = value + at;
        m->param[p].grad = grad + at;
    }
}

static void take_step(const struct curve *c, struct lm *m, float *w, int step)
{
    const size_t count = lm_count(&curve_shape);
    float *const grad = w + count;
    const struct lm_batch b = curve_tokens(
        step, 0, CURVE_SEQUENCES, c->rank * m->shape.context, m->shape.context);
    double loss;
    CUDA_MUST(cudaMemsetAsync(grad, 0, count * sizeof *grad, c->stream));
    CUDA_MUST(lm_forward(m, &b));
    CUDA_MUST(lm_backward(m, 1, NULL, NULL));
    NCCL_MUST(ncclAllReduce(grad, grad, count, ncclFloat, ncclAvg, c->comm,
                            c->stream));
    CUDA_MUST(nn_adamw(w, grad, w + 2 * count, w + 3 * count, step + 1,
                       &curve_hyper, count, c->stream));
    CUDA_MUST(lm_read_loss(m, &loss));
    CUDA_MUST(cudaFree((void *)b.token));
    curve_print(c, loss);
}

int main(void)
{
    struct curve c;
    struct ring r;
    struct lm whole, m;
    curve_open(&c);
    open_ring(&c, &r);
    const struct lm_attention attention = {forward, backward, &r};
    const struct lm_how how = {.attention = &attention, .bare = 1};
    struct lm_shape mine = curve_shape;
    mine.context = r.seq.rows;
    const size_t count = lm_count(&curve_shape);
    float *const w = curve_memory(4 * count * sizeof *w); // value, grad, m, v
    CUDA_MUST(lm_init(&whole, &curve_shape, c.stream));
    CUDA_MUST(lm_fill(&whole, CURVE_SEED));
    CUDA_MUST(cudaMemcpy(w, whole.param[0].value, count * sizeof *w,
                         cudaMemcpyDeviceToDevice));
    lm_release(&whole);
    CUDA_MUST(lm_init_how(&m, &mine, c.stream, &how));
    point(&c, &m, w, w + count);
    for (int step = 0; step < CURVE_STEPS; step++)
        take_step(&c, &m, w, step);
    lm_release(&m);
    CUDA_MUST(cudaFree(w));
    close_ring(&r);
    curve_close(&c);
    return 0;
}
