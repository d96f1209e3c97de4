/*
 * Part 1: a block on n ranks.
 *
 * A is split into columns, B into rows. A rank's columns of z are those that
 * its rows of B need, and gelu works element by element: nothing has to be sent
 * between the two products.
 *
 *             rank 0    rank 1                 rank 0  [ B_0 ]
 *     x  @  [  A_0   |   A_1  ]  = [ z_0 | z_1 ]    @  [-----]  = u_0 + u_1
 *                                              rank 1  [ B_1 ]
 *
 * One sum remains in each direction: of u forward, of dx backward.
 */
#include "lab4.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

ncclResult_t tp_split_columns(const struct tp *t, struct matrix whole,
                              struct matrix part)
{
    // BEGIN HOLE part 1: columns (about 6 lines)
    // HINT: cudaMemcpy2DAsync(): a pitch is the distance of two rows, in bytes.
    const size_t row = (size_t)whole.cols * sizeof(float);
    const size_t mine = (size_t)part.cols * sizeof(float);
    LAB_TRY_CUDA(cudaMemcpy2DAsync(
        part.data, mine, whole.data + t->rank * part.cols, row, mine,
        (size_t)whole.rows, cudaMemcpyDeviceToDevice, t->stream));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t tp_split_rows(const struct tp *t, struct matrix whole,
                           struct matrix part)
{
    // BEGIN HOLE part 1: rows (about 5 lines)
    const size_t mine = matrix_count(part);
    LAB_TRY_CUDA(cudaMemcpyAsync(part.data, whole.data + (size_t)t->rank * mine,
                                 mine * sizeof(float), cudaMemcpyDeviceToDevice,
                                 t->stream));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t tp_column_forward(const struct tp *t, struct matrix x,
                               struct matrix w, struct matrix y)
{
    // BEGIN HOLE part 1: column, forward (about 2 lines)
    // HINT: dense_linear(), with this rank's part.
    LAB_TRY_CUDA(dense_linear(t, x, w, y));
    return ncclSuccess;
    // END HOLE
}

/* Sum m over all ranks, in place, on the stream. */
static ncclResult_t sum(const struct tp *t, struct matrix m)
{
    return ncclAllReduce(m.data, m.data, matrix_count(m), ncclFloat, ncclSum,
                         t->comm, t->stream);
}

ncclResult_t tp_column_backward(const struct tp *t, struct matrix x,
                                struct matrix w, struct matrix dy,
                                struct matrix dw, struct matrix dx)
{
    // BEGIN HOLE part 1: column, backward (about 4 lines)
    // HINT: every rank used x, so every rank contributes to its derivative.
    LAB_TRY_CUDA(dense_linear_dw(t, x, dy, dw));
    LAB_TRY_CUDA(dense_linear_dx(t, dy, w, dx));
    LAB_TRY(sum(t, dx));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t tp_row_forward(const struct tp *t, struct matrix x,
                            struct matrix w, struct matrix y)
{
    // BEGIN HOLE part 1: row, forward (about 3 lines)
    LAB_TRY_CUDA(dense_linear(t, x, w, y));
    LAB_TRY(sum(t, y));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t tp_row_backward(const struct tp *t, struct matrix x,
                             struct matrix w, struct matrix dy,
                             struct matrix dw, struct matrix dx)
{
    // BEGIN HOLE part 1: row, backward (about 3 lines)
    // HINT: dy is the same on all ranks. What has to be sent?
    LAB_TRY_CUDA(dense_linear_dw(t, x, dy, dw));
    LAB_TRY_CUDA(dense_linear_dx(t, dy, w, dx));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t tp_block_forward(const struct tp *t, const struct block *block,
                              struct matrix x, const struct saved *s,
                              struct matrix y)
{
    // BEGIN HOLE part 1: block, forward (about 8 lines)
    // HINT: dense_forward(), line by line.
    const struct matrix u = block->last ? y : s->u;
    LAB_TRY(tp_column_forward(t, x, block->a, s->z));
    LAB_TRY_CUDA(nn_gelu(s->h.data, s->z.data, matrix_count(s->z), t->stream));
    LAB_TRY(tp_row_forward(t, s->h, block->b, u));
    if (!block->last)
        LAB_TRY_CUDA(nn_gelu(y.data, u.data, matrix_count(u), t->stream));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t tp_block_backward(const struct tp *t, const struct block *block,
                               struct matrix x, const struct saved *s,
                               struct matrix dy, struct matrix scratch,
                               struct matrix dx)
{
    // BEGIN HOLE part 1: block, backward (about 9 lines)
    if (!block->last)
        LAB_TRY_CUDA(nn_gelu_back(dy.data, dy.data, s->u.data, matrix_count(dy),
                                  t->stream));
    LAB_TRY(tp_row_backward(t, s->h, block->b, dy, block->db, scratch));
    LAB_TRY_CUDA(nn_gelu_back(scratch.data, scratch.data, s->z.data,
                              matrix_count(scratch), t->stream));
    return tp_column_backward(t, x, block->a, scratch, block->da, dx);
    // END HOLE
}

ncclResult_t tp_gather_forward(const struct tp *t, struct matrix x,
                               struct matrix w, struct matrix y, float *space)
{
    // BEGIN HOLE part 1: gathered, forward (about 14 lines)
    // HINT: an all-gather stores one rank's whole part after the other; a row
    // HINT: of y has a piece of each. Use a cudaMemcpy2DAsync() for each rank.
    const size_t part = (size_t)x.rows * (size_t)w.cols;
    const size_t row = (size_t)y.cols * sizeof(float);
    const size_t piece = (size_t)w.cols * sizeof(float);
    const struct matrix own = {space + (size_t)t->rank * part, x.rows, w.cols};
    LAB_TRY(tp_column_forward(t, x, w, own));
    LAB_TRY(
        ncclAllGather(own.data, space, part, ncclFloat, t->comm, t->stream));
    for (int r = 0; r < t->nranks; r++)
        LAB_TRY_CUDA(cudaMemcpy2DAsync(
            y.data + r * w.cols, row, space + (size_t)r * part, piece, piece,
            (size_t)y.rows, cudaMemcpyDeviceToDevice, t->stream));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t tp_gather_backward(const struct tp *t, struct matrix x,
                                struct matrix w, struct matrix dy,
                                struct matrix dw, struct matrix dx,
                                float *space)
{
    // BEGIN HOLE part 1: gathered, backward (about 4 lines)
    // HINT: you have already written both halves.
    const struct matrix own = {space, dy.rows, w.cols};
    LAB_TRY(tp_split_columns(t, dy, own));
    return tp_column_backward(t, x, w, own, dw, dx);
    // END HOLE
}
