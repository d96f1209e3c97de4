/*
 * Part 2: all-to-all over heads.
 *
 * Heads don't know of each other. So ranks exchange rows for heads, each
 * computes its heads for the whole sequence as if it were alone, and they
 * exchange back:
 *
 *              head 0   head 1                    head 0      head 1
 *     rank 0   a0       a1        all-to-all      a0 b0 ..    rank 1: a1 b1 ..
 *     rank 1   b0       b1       ------------>    rank 0
 *
 * A rank sends (n-1)/n of a block for each exchange, however many ranks there
 * are. But there can't be more ranks than heads.
 */
#include "lab9.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

/* Bytes of a row's part that goes to one rank: its heads. */
static size_t part_bytes(const struct seq *s)
{
    return (size_t)(s->a.heads / s->nranks) * (size_t)s->a.width *
           sizeof(float);
}

/* Every rank's n-th of `in` goes to that rank; out is what arrives, in order of
 * ranks. */
static ncclResult_t exchange(struct seq *s, const float *in, float *out,
                             cudaStream_t stream)
{
    // Yours to write: part 2: exchange (about 10 lines)
    (void)s, (void)in, (void)out, (void)stream;
    LAB_HOLE("part 2: exchange");
}

ncclResult_t seq_to_heads(struct seq *s, const float *in, float *out,
                          cudaStream_t stream)
{
    // Yours to write: part 2: rows to heads (about 12 lines)
    // what goes to a rank is not contiguous: cudaMemcpy2DAsync packs it.
    (void)s, (void)in, (void)out, (void)stream, (void)part_bytes, (void)exchange;
    LAB_HOLE("part 2: rows to heads");
}

ncclResult_t seq_to_rows(struct seq *s, const float *in, float *out,
                         cudaStream_t stream)
{
    // Yours to write: part 2: heads to rows (about 12 lines)
    (void)s, (void)in, (void)out, (void)stream, (void)part_bytes, (void)exchange;
    LAB_HOLE("part 2: heads to rows");
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
    // Yours to write: part 2: forward (about 10 lines)
    (void)s, (void)h, (void)q, (void)k, (void)v, (void)o, (void)all;
    LAB_HOLE("part 2: forward");
}

ncclResult_t heads_backward(struct seq *s, struct seq_heads *h,
                            const float *dout, float *dq, float *dk, float *dv)
{
    const struct nn_places all = all_rows(s);
    // Yours to write: part 2: backward (about 18 lines)
    // nn_attend_delta, nn_attend_back: the latter adds.
    (void)s, (void)h, (void)dout, (void)dq, (void)dk, (void)dv, (void)all;
    LAB_HOLE("part 2: backward");
}
