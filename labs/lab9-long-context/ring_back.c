/*
 * Part 5: the ring, backward.
 *
 * Keys and values travel as in the forward pass. Every rank contributes to
 * every block's dk and dv, so these sums travel around the ring behind the
 * keys, one step later. One extra message returns them to the rank that owns
 * the block:
 *
 *     compute    | part of 2's | part of 1's | part of 0's |      on rank 2
 *     k, v       | 1's arrive  | 0's arrive  |
 *     dk, dv                   | 1's arrive  | 0's arrive  | 2's return
 *
 * The sum for a block arrives one step after the block's keys and values. So a
 * rank computes its part in a buffer of its own while the sum is in transit,
 * and adds the two when both are there.
 */
#include "lab9.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */
#include "nn/ops.h"  /* nn_add */

/* Send a block to the next rank and receive one from the previous rank, inside
 * a group. Given. */
static ncclResult_t shift(struct seq *s, const float *out, float *in)
{
    const int n = s->nranks;
    LAB_TRY(ncclSend(out, seq_block(s), ncclFloat, (s->rank + 1) % n, s->comm,
                     s->comm_stream));
    LAB_TRY(ncclRecv(in, seq_block(s), ncclFloat, (s->rank + n - 1) % n,
                     s->comm, s->comm_stream));
    return ncclSuccess;
}

struct travel { /* blocks of a step */
    const float *k, *v;
    float *dk, *dv; /* this rank's part; later the sum so far */
};

/*
 * Begin step j: after the work on s->compute so far, send the keys and values,
 * and the sum of step j - 1, to the next rank. The next keys and values arrive
 * in *next, the next sum in dk and dv.
 */
static ncclResult_t pass_on(struct seq *s, int j, const struct travel *now,
                            const struct travel *before, struct travel *next,
                            float *dk, float *dv)
{
    // Yours to write: part 5: pass on (about 16 lines)
    // all messages that may travel together, in one group. In the first
    // step there is no sum yet, in the last one keys are not needed.
    LAB_HOLE("part 5: pass on");
}

/* Add this rank's part of the derivatives to dq, and store it in now->dk and
 * now->dv. cols: the positions of the keys. */
static ncclResult_t part_of(struct seq *s, const struct nn_attend_row *row,
                            const struct nn_places *cols,
                            const struct travel *now, float *dq)
{
    struct nn_places rows;
    seq_places(s, s->rank, &rows);
    // Yours to write: part 5: a rank's part (about 6 lines)
    LAB_HOLE("part 5: a rank's part");
}

ncclResult_t ring_backward(struct seq *s, const float *q, const float *k,
                           const float *v, const struct nn_attend_state *st,
                           const float *delta, const float *dout, float *dq,
                           float *dk, float *dv)
{
    const struct nn_attend_row row = {q, dout, st->most, delta};
    // Yours to write: part 5: the ring (about 28 lines)
    // s->partial has two pairs of buffers for this rank's parts, of which
    // one is computed while the other is sent. Receive sums in dk and dv;
    // after the last step one more message returns them to their owner.
    LAB_HOLE("part 5: the ring");
}
