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
    // Yours to write: part 7: inputs of the experts (about 8 lines)
    // begin_of(l) to begin_of(l + 1) are expert l's rows.
    LAB_HOLE("part 7: inputs of the experts");
}

/* The gradients of all experts' weights. */
static ncclResult_t weights(const struct moe *m, const struct moe_saved *s,
                            const struct moe_back_space *space, float *dweight)
{
    // Yours to write: part 7: weights of the experts (about 9 lines)
    LAB_HOLE("part 7: weights of the experts");
}

ncclResult_t moe_layer_backward(const struct moe *m, const struct moe_saved *s,
                                const float *dout, int ntokens,
                                const struct moe_back_space *space,
                                const struct moe_gradients *d)
{
    // Yours to write: part 7: backward (about 18 lines)
    // moe_travel() twice, in the order of the drawing above, with
    // moe_after() wherever a line of it goes from one stream to the
    // other. What does another rank wait for?
    LAB_HOLE("part 7: backward");
}
