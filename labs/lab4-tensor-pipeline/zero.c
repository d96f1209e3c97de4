/*
 * Part 5, a bonus: a pipeline without a bubble.
 *
 * Half of a backward pass can be postponed: the previous stage waits for dx,
 * but da and db are not needed before the update. A stage that would otherwise
 * wait can compute them. Four micro-batches on three stages, each pass 1 unit:
 *
 *     1F1B
 *       stage 0  F0F1F2........B0--F3B1--..B2--..B3--
 *       stage 1  ..F0F1....B0--F2B1--F3B2--..B3--....
 *       stage 2  ....F0B0--F1B1--F2B2--F3B3--........
 *
 *     zero-h1
 *       stage 0  F0F1F2....B0W0F3B1W1B2W2B3W3
 *       stage 1  ..F0F1..B0F2B1W0F3B2W1B3W2W3
 *       stage 2  ....F0B0F1B1F2B2W0F3B3W1W2W3
 *
 * Only the wait for the first round trip remains. If the network runs through
 * the stages and back again, so that each stage has a chunk of either
 * direction, that wait disappears, too.
 */
#include "lab4.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

ncclResult_t zero_inputs(const struct tp *t, const struct block *block,
                         const struct saved *s, struct matrix dy,
                         struct matrix scratch, struct matrix dx)
{
    // Yours to write: part 5: backward for the inputs (about 11 lines)
    // dense_backward() without the dw. What still needs u and z
    // afterwards? nn_gelu_back()'s result may overwrite either of its
    // operands.
    LAB_HOLE("part 5: backward for the inputs");
}

ncclResult_t zero_weights(const struct tp *t, const struct block *block,
                          struct matrix x, const struct saved *s)
{
    // Yours to write: part 5: backward for the weights (about 3 lines)
    LAB_HOLE("part 5: backward for the weights");
}

int schedule_zero_h1(int nstages, int stage, int nmicro,
                     struct pipe_action *out)
{
    // Yours to write: part 5: zero-h1 (about 12 lines)
    // 1F1B, with each PIPE_WEIGHTS as late as memory permits. On which
    // stage does it follow its PIPE_BACKWARD immediately?
    LAB_HOLE("part 5: zero-h1");
}

struct list { /* passes, as they are appended */
    struct pipe_action *out;
    int n, nmicro;
    int next[3][ZERO_CHUNKS]; /* the next micro-batch, of [kind][chunk] */
};

/* Append the next pass of a kind through a chunk, if one is left. */
static void append(struct list *l, enum pipe_kind kind, int chunk)
{
    int *const micro = &l->next[kind][chunk];
    if (*micro < l->nmicro)
        l->out[l->n++] = (struct pipe_action){kind, (*micro)++, chunk};
}

int schedule_zero_v(int nstages, int stage, int nmicro, struct pipe_action *out)
{
    struct list l = {.out = out, .nmicro = nmicro};
    // Yours to write: part 5: zero-v (about 36 lines)
    // draw two stages and three micro-batches on squared paper. Chunk 1
    // first: it is nearer to the loss, and its memory is free sooner.
    LAB_HOLE("part 5: zero-v");
}

ncclResult_t zero_run(const struct zero *z, const struct pipe_action *a, int n)
{
    // Yours to write: part 5: a step (about 18 lines)
    // two waits and two records for each outgoing message. Waiting on an
    // event that was never recorded does nothing.
    LAB_HOLE("part 5: a step");
}
