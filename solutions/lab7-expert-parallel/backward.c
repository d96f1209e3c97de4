/*
 * Part 7: the way back of a gradient.
 *
 * A gradient goes the way of its token in reverse. Combine was the end of the
 * forward pass, so its reverse, a dispatch of gradients, is the beginning here;
 * the reverse of dispatch is a combine.
 *
 *     stream       S      G      I      W      C
 *     comm_stream     D-----        R-----
 *
 * S spread with the gates, D dispatch, G gradients of the gates, I of the
 * experts' inputs, R return, W of the experts' weights, C combine
 */
#include "lab7.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

/* The row of arrived where the tokens of this rank's expert l begin; where all
 * end, if l is m->each. */
static size_t begin_of(const struct moe *m, const struct moe_saved *s, int l)
{
    return (size_t)(l < m->each ? s->kept.recv_begin[l * m->nranks]
                                : s->kept.nrecv);
}

/* The gradients of all tokens that have arrived. */
static ncclResult_t inputs(const struct moe *m, const struct moe_saved *s,
                           const struct moe_back_space *space)
{
    // BEGIN HOLE part 7: inputs of the experts (about 8 lines)
    // HINT: begin_of(l) to begin_of(l + 1) are expert l's rows.
    const size_t dim = (size_t)m->dim;
    for (int l = 0; l < m->each; l++) {
        const size_t first = begin_of(m, s, l), end = begin_of(m, s, l + 1);
        LAB_TRY(moe_expert_inputs(m, l, space->arrived + first * dim,
                                  (int)(end - first),
                                  space->processed + first * dim));
    }
    return ncclSuccess;
    // END HOLE
}

/* The gradients of all experts' weights. */
static ncclResult_t weights(const struct moe *m, const struct moe_saved *s,
                            const struct moe_back_space *space, float *dweight)
{
    // BEGIN HOLE part 7: weights of the experts (about 9 lines)
    const size_t dim = (size_t)m->dim;
    for (int l = 0; l < m->each; l++) {
        const size_t first = begin_of(m, s, l), end = begin_of(m, s, l + 1);
        LAB_TRY(moe_expert_weights(
            m, s->arrived + first * dim, space->arrived + first * dim,
            (int)(end - first), dweight + (size_t)l * dim * dim));
    }
    return ncclSuccess;
    // END HOLE
}

ncclResult_t moe_layer_backward(const struct moe *m, const struct moe_saved *s,
                                const float *dout, int ntokens,
                                const struct moe_back_space *space,
                                const struct moe_gradients *d)
{
    // BEGIN HOLE part 7: backward (about 18 lines)
    // HINT: moe_travel() twice, in the order of the drawing above, with
    // HINT: moe_after() wherever a line of it goes from one stream to the
    // HINT: other. What does another rank wait for?
    LAB_TRY(moe_spread(dout, s->place, s->gate, ntokens, m->k, m->dim,
                       space->packed, m->stream));
    LAB_TRY(moe_after(m->comm_stream, m->stream));
    LAB_TRY(moe_travel(m, &s->kept, space->packed, space->arrived, 0,
                       m->comm_stream));
    LAB_TRY(moe_dots(dout, s->returned, s->place, ntokens, m->k, m->dim,
                     d->gate, m->stream));
    LAB_TRY(moe_after(m->stream, m->comm_stream));
    LAB_TRY(inputs(m, s, space));
    LAB_TRY(moe_after(m->comm_stream, m->stream));
    LAB_TRY(moe_travel(m, &s->kept, space->packed, space->processed, 1,
                       m->comm_stream));
    LAB_TRY(weights(m, s, space, d->weight));
    LAB_TRY(moe_after(m->stream, m->comm_stream));
    return moe_combine(space->packed, s->place, NULL, ntokens, m->k, m->dim,
                       d->in, m->stream);
    // END HOLE
}
