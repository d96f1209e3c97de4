/*
 * Part 5: the ring, backward.
 *
 * Keys and values travel as before, and their derivatives travel behind them,
 * collecting a part on every rank, until they are home:
 *
 *     compute    | part of 2's | part of 1's | part of 0's |      on rank 2
 *     k, v       | 1's come    | 0's come    |
 *     dk, dv                   | 1's come    | 0's come    | 2's come home
 *
 * What collects takes one step longer than a step's keys and values do. So a
 * rank computes its part in rooms of its own while the sum is on its way, and
 * adds the two when both are there.
 */
#include "lab9.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */
#include "nn/ops.h"  /* nn_add */

/* Send `count` floats to the next rank, and receive as many from the one
 * before, inside a group. Given. */
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
 * Step j begins: after the work on s->compute so far, keys and values go on,
 * and so does the sum of step j - 1. They arrive in *next, and in dk and dv.
 */
static ncclResult_t pass_on(struct seq *s, int j, const struct travel *now,
                            const struct travel *before, struct travel *next,
                            float *dk, float *dv)
{
    // Yours to write: part 5: pass on (about 16 lines)
    // all messages that may travel together, in one group. In the first
    // step there is no sum yet, in the last one keys are not needed.
    (void)s, (void)j, (void)now, (void)before, (void)next, (void)dk, (void)dv, (void)shift;
    LAB_HOLE("part 5: pass on");
}

/* Add this rank's part to dq, and set now->dk and now->dv to it. cols: of the
 * keys. */
static ncclResult_t part_of(struct seq *s, const struct nn_attend_row *row,
                            const struct nn_places *cols,
                            const struct travel *now, float *dq)
{
    struct nn_places rows;
    seq_places(s, s->rank, &rows);
    // Yours to write: part 5: a rank's part (about 6 lines)
    (void)s, (void)row, (void)cols, (void)now, (void)dq, (void)rows;
    LAB_HOLE("part 5: a rank's part");
}

ncclResult_t ring_backward(struct seq *s, const float *q, const float *k,
                           const float *v, const struct nn_attend_state *st,
                           const float *delta, const float *dout, float *dq,
                           float *dk, float *dv)
{
    const struct nn_attend_row row = {q, dout, st->most, delta};
    // Yours to write: part 5: the ring (about 28 lines)
    // rooms 0 to 3 for keys and values, two pairs for parts. dk and dv
    // are yours to receive sums in; after the last step one more message
    // brings them home.
    (void)s, (void)k, (void)v, (void)dq, (void)dk, (void)dv, (void)row, (void)pass_on, (void)part_of;
    LAB_HOLE("part 5: the ring");
}
