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
    // BEGIN HOLE part 5: backward for the inputs (about 11 lines)
    // HINT: dense_backward() without the dw. What still needs u and z
    // HINT: afterwards? nn_gelu_back()'s result may overwrite either of its
    // HINT: operands.
    const size_t n = matrix_count(dy);
    if (block->last)
        LAB_TRY_CUDA(cudaMemcpyAsync(s->u.data, dy.data, n * sizeof(float),
                                     cudaMemcpyDeviceToDevice, t->stream));
    else
        LAB_TRY_CUDA(nn_gelu_back(s->u.data, dy.data, s->u.data, n, t->stream));
    LAB_TRY_CUDA(dense_linear_dx(t, s->u, block->b, scratch));
    LAB_TRY_CUDA(nn_gelu_back(s->z.data, scratch.data, s->z.data,
                              matrix_count(scratch), t->stream));
    LAB_TRY_CUDA(dense_linear_dx(t, s->z, block->a, dx));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t zero_weights(const struct tp *t, const struct block *block,
                          struct matrix x, const struct saved *s)
{
    // BEGIN HOLE part 5: backward for the weights (about 3 lines)
    LAB_TRY_CUDA(dense_linear_dw(t, s->h, s->u, block->db));
    LAB_TRY_CUDA(dense_linear_dw(t, x, s->z, block->da));
    return ncclSuccess;
    // END HOLE
}

int schedule_zero_h1(int nstages, int stage, int nmicro,
                     struct pipe_action *out)
{
    // BEGIN HOLE part 5: zero-h1 (about 12 lines)
    // HINT: 1F1B, with each PIPE_WEIGHTS as late as memory permits. On which
    // HINT: stage does it follow its PIPE_BACKWARD immediately?
    const int behind = nstages - stage - 1;
    int n = 0;
    for (int k = 0; k < nmicro + nstages - 1; k++) {
        const int b = k - behind, w = k - (nstages - 1);
        if (k < nmicro)
            out[n++] = (struct pipe_action){PIPE_FORWARD, k, 0};
        if (b >= 0 && b < nmicro)
            out[n++] = (struct pipe_action){PIPE_BACKWARD, b, 0};
        if (w >= 0)
            out[n++] = (struct pipe_action){PIPE_WEIGHTS, w, 0};
    }
    return n;
    // END HOLE
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
    // BEGIN HOLE part 5: zero-v (about 36 lines)
    // HINT: draw two stages and three micro-batches on squared paper. Chunk 1
    // HINT: first: it is nearer to the loss, and its memory is free sooner.
    const int behind = nstages - stage;
    for (int k = 0; k < 2 * behind - 1; k++)
        append(&l, PIPE_FORWARD, 0);
    for (int k = 0; k < stage; k++) { // both ways, until the first turns back
        append(&l, PIPE_FORWARD, 1);
        append(&l, PIPE_FORWARD, 0);
    }
    for (int k = 0; k < behind; k++) { // chunk 1 empties as fast as it fills
        append(&l, PIPE_FORWARD, 1);
        append(&l, PIPE_BACKWARD, 1);
        append(&l, PIPE_WEIGHTS, 1);
    }
    while (l.next[PIPE_FORWARD][1] < nmicro) // all six, in turn
        for (int chunk = 0; chunk < ZERO_CHUNKS; chunk++) {
            append(&l, PIPE_FORWARD, chunk);
            append(&l, PIPE_BACKWARD, chunk);
            append(&l, PIPE_WEIGHTS, chunk);
        }
    for (int k = 0; k < stage; k++) { // other stages wait for these
        append(&l, PIPE_BACKWARD, 0);
        append(&l, PIPE_BACKWARD, 1);
    }
    for (int k = 0; k < behind; k++) {
        append(&l, PIPE_BACKWARD, 0);
        append(&l, PIPE_WEIGHTS, 0);
    }
    for (int chunk = 0; chunk < ZERO_CHUNKS; chunk++)
        while (l.next[PIPE_WEIGHTS][chunk] < nmicro)
            append(&l, PIPE_WEIGHTS, chunk);
    return l.n;
    // END HOLE
}

ncclResult_t zero_run(const struct zero *z, const struct pipe_action *a, int n)
{
    // BEGIN HOLE part 5: a step (about 18 lines)
    // HINT: two waits and two records for each outgoing message. Waiting on an
    // HINT: event that was never recorded does nothing.
    const cudaStream_t stream = z->stage->stream;
    for (int i = 0; i < n; i++) {
        const struct zero_message in = zero_input(z, &a[i]);
        const struct zero_message out = zero_output(z, &a[i]);
        if (in.peer >= 0)
            LAB_TRY(ncclRecv(in.buf, in.count, ncclFloat, in.peer, in.comm,
                             stream));
        if (out.peer >= 0) // what was in the buffer has left
            LAB_TRY_CUDA(cudaStreamWaitEvent(stream, out.sent, 0));
        LAB_TRY(zero_pass(z, &a[i]));
        if (out.peer < 0)
            continue;
        LAB_TRY_CUDA(cudaEventRecord(out.ready, stream));
        LAB_TRY_CUDA(cudaStreamWaitEvent(out.send, out.ready, 0));
        LAB_TRY(ncclSend(out.buf, out.count, ncclFloat, out.peer, out.comm,
                         out.send));
        LAB_TRY_CUDA(cudaEventRecord(out.sent, out.send));
    }
    return ncclSuccess;
    // END HOLE
}
