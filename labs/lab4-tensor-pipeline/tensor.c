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
    // Yours to write: part 1: columns (about 6 lines)
    // cudaMemcpy2DAsync(): a pitch is the distance of two rows, in bytes.
    LAB_HOLE("part 1: columns");
}

ncclResult_t tp_split_rows(const struct tp *t, struct matrix whole,
                           struct matrix part)
{
    // Yours to write: part 1: rows (about 5 lines)
    LAB_HOLE("part 1: rows");
}

ncclResult_t tp_column_forward(const struct tp *t, struct matrix x,
                               struct matrix w, struct matrix y)
{
    // Yours to write: part 1: column, forward (about 2 lines)
    // dense_linear(), with this rank's part.
    LAB_HOLE("part 1: column, forward");
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
    // Yours to write: part 1: column, backward (about 4 lines)
    // every rank used x, so every rank contributes to its derivative.
    LAB_HOLE("part 1: column, backward");
}

ncclResult_t tp_row_forward(const struct tp *t, struct matrix x,
                            struct matrix w, struct matrix y)
{
    // Yours to write: part 1: row, forward (about 3 lines)
    LAB_HOLE("part 1: row, forward");
}

ncclResult_t tp_row_backward(const struct tp *t, struct matrix x,
                             struct matrix w, struct matrix dy,
                             struct matrix dw, struct matrix dx)
{
    // Yours to write: part 1: row, backward (about 3 lines)
    // dy is the same on all ranks. What has to be sent?
    LAB_HOLE("part 1: row, backward");
}

ncclResult_t tp_block_forward(const struct tp *t, const struct block *block,
                              struct matrix x, const struct saved *s,
                              struct matrix y)
{
    // Yours to write: part 1: block, forward (about 8 lines)
    // dense_forward(), line by line.
    LAB_HOLE("part 1: block, forward");
}

ncclResult_t tp_block_backward(const struct tp *t, const struct block *block,
                               struct matrix x, const struct saved *s,
                               struct matrix dy, struct matrix scratch,
                               struct matrix dx)
{
    // Yours to write: part 1: block, backward (about 9 lines)
    LAB_HOLE("part 1: block, backward");
}

ncclResult_t tp_gather_forward(const struct tp *t, struct matrix x,
                               struct matrix w, struct matrix y, float *space)
{
    // Yours to write: part 1: gathered, forward (about 14 lines)
    // an all-gather stores one rank's whole part after the other; a row
    // of y has a piece of each. Use a cudaMemcpy2DAsync() for each rank.
    LAB_HOLE("part 1: gathered, forward");
}

ncclResult_t tp_gather_backward(const struct tp *t, struct matrix x,
                                struct matrix w, struct matrix dy,
                                struct matrix dw, struct matrix dx,
                                float *space)
{
    // Yours to write: part 1: gathered, backward (about 4 lines)
    // you have already written both halves.
    LAB_HOLE("part 1: gathered, backward");
}
