/*
 * Part 2: all-to-all over heads.
 *
 * Attention heads are independent: no head reads another head's queries, keys
 * or values. An all-to-all can therefore trade a split by rows for a split by
 * heads. Afterwards each rank holds every row for 1/n of the heads and runs
 * ordinary attention without further communication. A second all-to-all
 * restores the split by rows:
 *
 *              head 0   head 1                    head 0      head 1
 *     rank 0   a0       a1        all-to-all      a0 b0 ..    rank 1: a1 b1 ..
 *     rank 1   b0       b1       ------------>    rank 0
 *
 * A layer needs four exchanges (q, k and v on the way in, the output on the way
 * back), in each of which a rank sends (n-1)/n of a block. The number of heads
 * limits the number of ranks.
 */
#include "lab9.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

/* Bytes of a row that go to one rank: those of its heads. */
static size_t part_bytes(const struct seq *s)
{
    return (size_t)(s->a.heads / s->nranks) * (size_t)s->a.width *
           sizeof(float);
}

/* Send part r of `in`, 1/n of it, to rank r, for all ranks; `out` receives the
 * parts of all ranks, in rank order. */
static ncclResult_t exchange(struct seq *s, const float *in, float *out,
                             cudaStream_t stream)
{
    // BEGIN HOLE part 2: exchange (about 10 lines)
    const size_t each = seq_block(s) / (size_t)s->nranks;
    LAB_TRY(ncclGroupStart());
    for (int r = 0; r < s->nranks; r++) {
        const size_t at = (size_t)r * each;
        LAB_TRY(ncclSend(in + at, each, ncclFloat, r, s->comm, stream));
        LAB_TRY(ncclRecv(out + at, each, ncclFloat, r, s->comm, stream));
    }
    LAB_TRY(ncclGroupEnd());
    return ncclSuccess;
    // END HOLE
}

ncclResult_t seq_to_heads(struct seq *s, const float *in, float *out,
                          cudaStream_t stream)
{
    // BEGIN HOLE part 2: rows to heads (about 12 lines)
    // HINT: what goes to a rank is not contiguous: cudaMemcpy2DAsync packs it.
    float *const packed = s->packed;
    const size_t part = part_bytes(s), rows = (size_t)s->rows;
    for (int r = 0; r < s->nranks; r++)
        LAB_TRY_CUDA(cudaMemcpy2DAsync(
            (char *)packed + (size_t)r * rows * part, part,
            (const char *)in + (size_t)r * part, (size_t)s->nranks * part, part,
            rows, cudaMemcpyDeviceToDevice, stream));
    return exchange(s, packed, out, stream);
    // END HOLE
}

ncclResult_t seq_to_rows(struct seq *s, const float *in, float *out,
                         cudaStream_t stream)
{
    // BEGIN HOLE part 2: heads to rows (about 12 lines)
    float *const packed = s->packed;
    const size_t part = part_bytes(s), rows = (size_t)s->rows;
    LAB_TRY(exchange(s, in, packed, stream));
    for (int r = 0; r < s->nranks; r++)
        LAB_TRY_CUDA(cudaMemcpy2DAsync(
            (char *)out + (size_t)r * part, (size_t)s->nranks * part,
            (const char *)packed + (size_t)r * rows * part, part, part, rows,
            cudaMemcpyDeviceToDevice, stream));
    return ncclSuccess;
    // END HOLE
}

/* All rows, in plain order. Given. */
static struct nn_places all_rows(const struct seq *s)
{
    return (struct nn_places){.nruns = 1, .run = {{0, 1, s->nranks * s->rows}}};
}

ncclResult_t heads_forward(struct seq *s, struct seq_heads *h, const float *q,
                           const float *k, const float *v, float *o)
{
    const struct nn_places all = all_rows(s);
    // BEGIN HOLE part 2: forward (about 10 lines)
    LAB_TRY(seq_to_heads(s, q, h->q, s->compute));
    LAB_TRY(seq_to_heads(s, k, h->k, s->compute));
    LAB_TRY(seq_to_heads(s, v, h->v, s->compute));
    LAB_TRY_CUDA(nn_attend_begin(&h->a, &h->st, s->compute));
    LAB_TRY_CUDA(
        nn_attend(&h->a, &h->st, h->q, &all, h->k, h->v, &all, s->compute));
    LAB_TRY_CUDA(nn_attend_end(&h->a, &h->st, s->compute));
    return seq_to_rows(s, h->st.o, o, s->compute);
    // END HOLE
}

ncclResult_t heads_backward(struct seq *s, struct seq_heads *h,
                            const float *dout, float *dq, float *dk, float *dv)
{
    const struct nn_places all = all_rows(s);
    // BEGIN HOLE part 2: backward (about 18 lines)
    // HINT: nn_attend_delta, nn_attend_back: the latter adds.
    const struct nn_attend_row row = {h->q, h->dout, h->st.most, h->delta};
    const size_t nbytes = seq_block(s) * sizeof(float);
    float *const sum[] = {h->dq, h->dk, h->dv}, *const out[] = {dq, dk, dv};
    LAB_TRY(seq_to_heads(s, dout, h->dout, s->compute));
    LAB_TRY_CUDA(nn_attend_delta(&h->a, h->delta, h->dout, h->st.o, h->st.rows,
                                 s->compute));
    for (int i = 0; i < 3; i++)
        LAB_TRY_CUDA(cudaMemsetAsync(sum[i], 0, nbytes, s->compute));
    LAB_TRY_CUDA(nn_attend_back(&h->a, &row, &all, h->k, h->v, &all, h->dq,
                                h->dk, h->dv, s->compute));
    for (int i = 0; i < 3; i++)
        LAB_TRY(seq_to_rows(s, sum[i], out[i], s->compute));
    return ncclSuccess;
    // END HOLE
}
