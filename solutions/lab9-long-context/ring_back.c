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
    // BEGIN HOLE part 5: pass on (about 16 lines)
    // USES s j now before next dk dv shift
    // HINT: all messages that may travel together, in one group. In the first
    // HINT: step there is no sum yet, in the last one keys are not needed.
    float *const *const room = &s->room[j % 2 ? 2 : 0];
    LAB_TRY(seq_after(s->comm_stream, s->compute, s->event[0]));
    LAB_TRY(ncclGroupStart());
    if (j + 1 < s->nranks) {
        LAB_TRY(shift(s, now->k, room[0]));
        LAB_TRY(shift(s, now->v, room[1]));
        next->k = room[0];
        next->v = room[1];
    }
    if (j > 0) {
        LAB_TRY(shift(s, before->dk, dk));
        LAB_TRY(shift(s, before->dv, dv));
    }
    LAB_TRY(ncclGroupEnd());
    return ncclSuccess;
    // END HOLE
}

/* Add this rank's part to dq, and set now->dk and now->dv to it. cols: of the
 * keys. */
static ncclResult_t part_of(struct seq *s, const struct nn_attend_row *row,
                            const struct nn_places *cols,
                            const struct travel *now, float *dq)
{
    struct nn_places rows;
    seq_places(s, s->rank, &rows);
    // BEGIN HOLE part 5: a rank's part (about 6 lines)
    // USES s row cols now dq rows
    const size_t nbytes = seq_block(s) * sizeof(float);
    LAB_TRY_CUDA(cudaMemsetAsync(now->dk, 0, nbytes, s->compute));
    LAB_TRY_CUDA(cudaMemsetAsync(now->dv, 0, nbytes, s->compute));
    LAB_TRY_CUDA(nn_attend_back(&s->a, row, &rows, now->k, now->v, cols, dq,
                                now->dk, now->dv, s->compute));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t ring_backward(struct seq *s, const float *q, const float *k,
                           const float *v, const struct nn_attend_state *st,
                           const float *delta, const float *dout, float *dq,
                           float *dk, float *dv)
{
    const struct nn_attend_row row = {q, dout, st->most, delta};
    // BEGIN HOLE part 5: the ring (about 28 lines)
    // USES s k v dq dk dv row pass_on part_of
    // HINT: rooms 0 to 3 for keys and values, two pairs for parts. dk and dv
    // HINT: are yours to receive sums in; after the last step one more message
    // HINT: brings them home.
    struct nn_places cols;
    struct travel before = {0}, now = {k, v, s->room[4], s->room[5]};
    LAB_TRY_CUDA(cudaMemsetAsync(dq, 0, seq_block(s) * sizeof *dq, s->compute));
    for (int j = 0; j < s->nranks; j++) {
        struct travel next = {.dk = s->room[j % 2 ? 4 : 6],
                              .dv = s->room[j % 2 ? 5 : 7]};
        LAB_TRY(pass_on(s, j, &now, &before, &next, dk, dv));
        seq_places(s, (s->rank + s->nranks - j) % s->nranks, &cols);
        LAB_TRY(part_of(s, &row, &cols, &now, dq));
        LAB_TRY(seq_after(s->compute, s->comm_stream, s->event[1]));
        if (j > 0) {
            LAB_TRY_CUDA(nn_add(now.dk, dk, seq_block(s), s->compute));
            LAB_TRY_CUDA(nn_add(now.dv, dv, seq_block(s), s->compute));
        }
        before = now;
        now = next;
    }
    LAB_TRY(pass_on(s, s->nranks, &now, &before, NULL, dk, dv));
    return seq_after(s->compute, s->comm_stream, s->event[1]);
    // END HOLE
}
