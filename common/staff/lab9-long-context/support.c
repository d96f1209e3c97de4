/*
 * support.c: sequences, their memory and streams, and a layer's products.
 * Given: nothing to edit here.
 */
#include "support.h"

#include <string.h> /* memset */

#include "lab/try.h" /* LAB_TRY, LAB_TRY_CUDA */
#include "nn/ops.h"  /* nn_linear */

static ncclResult_t take(float **out, size_t count)
{
    LAB_TRY_CUDA(cudaMalloc((void **)out, count * sizeof **out));
    return ncclSuccess;
}

size_t seq_block(const struct seq *s)
{
    return (size_t)s->rows * (size_t)s->a.heads * (size_t)s->a.width;
}

ncclResult_t seq_after(cudaStream_t later, cudaStream_t earlier, cudaEvent_t e)
{
    LAB_TRY_CUDA(cudaEventRecord(e, earlier));
    LAB_TRY_CUDA(cudaStreamWaitEvent(later, e, 0));
    return ncclSuccess;
}

static ncclResult_t take_pair(struct seq_pair *pair, size_t count)
{
    LAB_TRY(take(&pair->k, count));
    return take(&pair->v, count);
}

static void free_pair(struct seq_pair *pair)
{
    cudaFree(pair->k);
    cudaFree(pair->v);
}

ncclResult_t seq_init(struct seq *s)
{
    for (int i = 0; i < 2; i++)
        LAB_TRY(take_pair(&s->arrived[i], seq_block(s)));
    for (int i = 0; i < 2; i++)
        LAB_TRY(take_pair(&s->partial[i], seq_block(s)));
    s->packed = s->arrived[0].k;
    LAB_TRY_CUDA(
        cudaStreamCreateWithFlags(&s->comm_stream, cudaStreamNonBlocking));
    for (int i = 0; i < 2; i++)
        LAB_TRY_CUDA(
            cudaEventCreateWithFlags(&s->event[i], cudaEventDisableTiming));
    return ncclSuccess;
}

void seq_release(struct seq *s)
{
    for (int i = 0; i < 2; i++)
        free_pair(&s->arrived[i]);
    for (int i = 0; i < 2; i++)
        free_pair(&s->partial[i]);
    if (s->comm_stream)
        cudaStreamDestroy(s->comm_stream);
    for (int i = 0; i < 2; i++)
        if (s->event[i])
            cudaEventDestroy(s->event[i]);
    memset(s, 0, sizeof *s);
}

ncclResult_t seq_state_init(struct nn_attend_state *st, int rows,
                            const struct nn_attend *a)
{
    const size_t count = (size_t)rows * (size_t)a->heads;
    st->rows = rows;
    LAB_TRY(take(&st->o, count * (size_t)a->width));
    LAB_TRY(take(&st->most, count));
    return take(&st->sum, count);
}

void seq_state_release(struct nn_attend_state *st)
{
    cudaFree(st->o);
    cudaFree(st->most);
    cudaFree(st->sum);
    memset(st, 0, sizeof *st);
}

/* Block number i of h. */
static float **heads_block(struct seq_heads *h, int i)
{
    float **const block[] = {&h->q,  &h->k,  &h->v, &h->dout,
                             &h->dq, &h->dk, &h->dv};
    return block[i];
}

enum { HEADS_BLOCKS = 7 };

ncclResult_t seq_heads_init(struct seq_heads *h, const struct seq *s,
                            int nranks)
{
    h->a = s->a;
    h->a.heads = s->a.heads / nranks;
    for (int i = 0; i < HEADS_BLOCKS; i++)
        LAB_TRY(take(heads_block(h, i), seq_block(s)));
    LAB_TRY(take(&h->delta, (size_t)s->rows * (size_t)s->a.heads));
    return seq_state_init(&h->st, nranks * s->rows, &h->a);
}

void seq_heads_release(struct seq_heads *h)
{
    for (int i = 0; i < HEADS_BLOCKS; i++)
        cudaFree(*heads_block(h, i));
    cudaFree(h->delta);
    seq_state_release(&h->st);
    memset(h, 0, sizeof *h);
}

/* ---- a split layer ------------------------------------------------------- */

ncclResult_t sp_products(struct sp *s, struct sp_layer *l, const float *in,
                         float *part)
{
    const int rows = s->nranks * s->rows, mine = s->hidden / s->nranks;
    LAB_TRY_CUDA(nn_linear(s->blas, in, l->up, l->z, rows, s->width, mine));
    LAB_TRY_CUDA(nn_gelu(l->a, l->z, (size_t)rows * (size_t)mine, s->stream));
    LAB_TRY_CUDA(nn_linear(s->blas, l->a, l->down, part, rows, mine, s->width));
    return ncclSuccess;
}

/* l->a ends as the derivative with respect to l->z. */
ncclResult_t sp_products_back(struct sp *s, struct sp_layer *l, const float *in,
                              const float *dout, float *din)
{
    const int rows = s->nranks * s->rows, mine = s->hidden / s->nranks;
    const size_t count = (size_t)rows * (size_t)mine;
    LAB_TRY_CUDA(
        nn_linear_dw(s->blas, l->a, dout, l->ddown, rows, mine, s->width));
    LAB_TRY_CUDA(
        nn_linear_dx(s->blas, dout, l->down, l->a, rows, mine, s->width));
    LAB_TRY_CUDA(nn_gelu_back(l->a, l->a, l->z, count, s->stream));
    LAB_TRY_CUDA(nn_linear_dw(s->blas, in, l->a, l->dup, rows, s->width, mine));
    LAB_TRY_CUDA(nn_linear_dx(s->blas, l->a, l->up, din, rows, s->width, mine));
    return ncclSuccess;
}
