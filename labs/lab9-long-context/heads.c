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
    // Yours to write: part 2: exchange (about 10 lines)
    LAB_HOLE("part 2: exchange");
}

ncclResult_t seq_to_heads(struct seq *s, const float *in, float *out,
                          cudaStream_t stream)
{
    // Yours to write: part 2: rows to heads (about 12 lines)
    // what goes to a rank is not contiguous: cudaMemcpy2DAsync packs it.
    LAB_HOLE("part 2: rows to heads");
}

ncclResult_t seq_to_rows(struct seq *s, const float *in, float *out,
                         cudaStream_t stream)
{
    // Yours to write: part 2: heads to rows (about 12 lines)
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
    LAB_HOLE("part 2: forward");
}

ncclResult_t heads_backward(struct seq *s, struct seq_heads *h,
                            const float *dout, float *dq, float *dk, float *dv)
{
    const struct nn_places all = all_rows(s);
    // Yours to write: part 2: backward (about 18 lines)
    // nn_attend_delta, nn_attend_back: the latter adds.
    LAB_HOLE("part 2: backward");
}
