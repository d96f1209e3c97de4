/*
 * Part 1: a block on n ranks.
 *
 * A is cut into columns, B into rows. The columns of z on a rank are those that
 * the rows of its B need, and gelu works on each number alone: nothing has to
 * travel between the two products.
 *
 *             rank 0    rank 1                 rank 0  [ B_0 ]
 *     x  @  [  A_0   |   A_1  ]  = [ z_0 | z_1 ]    @  [-----]  = u_0 + u_1
 *                                              rank 1  [ B_1 ]
 *
 * What is left is one sum: of u forward, of dx backward.
 */
#include "lab4.h"

#include "lab/lab.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

ncclResult_t tp_split_columns(const struct tp *t, const float *whole, int in,
                              int out, float *part)
{
    // Yours to write: part 1: columns (about 6 lines)
    // cudaMemcpy2DAsync(): a pitch is the bytes from one row to the next.
    (void)t, (void)whole, (void)in, (void)out, (void)part;
    LAB_HOLE("part 1: columns");
}

ncclResult_t tp_split_rows(const struct tp *t, const float *whole, int in,
                           int out, float *part)
{
    // Yours to write: part 1: rows (about 5 lines)
    (void)t, (void)whole, (void)in, (void)out, (void)part;
    LAB_HOLE("part 1: rows");
}

ncclResult_t tp_column_forward(const struct tp *t, const float *x,
                               const float *w, float *y, int rows, int in,
                               int out)
{
    // Yours to write: part 1: column, forward (about 3 lines)
    // nn_linear(), with the widths of this rank's part.
    (void)t, (void)x, (void)w, (void)y, (void)rows, (void)in, (void)out;
    LAB_HOLE("part 1: column, forward");
}

/* x = the sum of all ranks' x, in place, on the stream. */
static ncclResult_t sum(const struct tp *t, float *x, size_t count)
{
    return ncclAllReduce(x, x, count, ncclFloat, ncclSum, t->comm, t->stream);
}

ncclResult_t tp_column_backward(const struct tp *t, const float *x,
                                const float *w, const float *dy, float *dw,
                                float *dx, int rows, int in, int out)
{
    // Yours to write: part 1: column, backward (about 6 lines)
    // x went to every rank, so its derivative comes from every rank.
    (void)t, (void)x, (void)w, (void)dy, (void)dw;
    (void)dx, (void)rows, (void)in, (void)out, (void)sum;
    LAB_HOLE("part 1: column, backward");
}

ncclResult_t tp_row_forward(const struct tp *t, const float *x, const float *w,
                            float *y, int rows, int in, int out)
{
    // Yours to write: part 1: row, forward (about 4 lines)
    (void)t, (void)x, (void)w, (void)y, (void)rows, (void)in, (void)out;
    LAB_HOLE("part 1: row, forward");
}

ncclResult_t tp_row_backward(const struct tp *t, const float *x, const float *w,
                             const float *dy, float *dw, float *dx, int rows,
                             int in, int out)
{
    // Yours to write: part 1: row, backward (about 5 lines)
    // dy is the same on all ranks. What has to travel?
    (void)t, (void)x, (void)w, (void)dy, (void)dw;
    (void)dx, (void)rows, (void)in, (void)out;
    LAB_HOLE("part 1: row, backward");
}

ncclResult_t tp_block_forward(const struct tp *t, const struct block *b,
                              const float *x, const struct saved *s, float *y)
{
    // Yours to write: part 1: block, forward (about 12 lines)
    // dense_forward(), line by line.
    (void)t, (void)b, (void)x, (void)s, (void)y;
    LAB_HOLE("part 1: block, forward");
}

ncclResult_t tp_block_backward(const struct tp *t, const struct block *b,
                               const float *x, const struct saved *s, float *dy,
                               float *scratch, float *dx)
{
    // Yours to write: part 1: block, backward (about 14 lines)
    (void)t, (void)b, (void)x, (void)s, (void)dy, (void)scratch, (void)dx;
    LAB_HOLE("part 1: block, backward");
}

ncclResult_t tp_gather_forward(const struct tp *t, const float *x,
                               const float *w, float *y, float *space, int rows,
                               int in, int out)
{
    // Yours to write: part 1: gathered, forward (about 14 lines)
    // an all-gather puts a rank's whole part behind the other's; a row of
    // y has a piece of each. One cudaMemcpy2DAsync() for each rank.
    (void)t, (void)x, (void)w, (void)y, (void)space;
    (void)rows, (void)in, (void)out;
    LAB_HOLE("part 1: gathered, forward");
}

ncclResult_t tp_gather_backward(const struct tp *t, const float *x,
                                const float *w, const float *dy, float *dw,
                                float *dx, float *space, int rows, int in,
                                int out)
{
    // Yours to write: part 1: gathered, backward (about 4 lines)
    // you have both halves of it already.
    (void)t, (void)x, (void)w, (void)dy, (void)dw;
    (void)dx, (void)space, (void)rows, (void)in, (void)out;
    LAB_HOLE("part 1: gathered, backward");
}
