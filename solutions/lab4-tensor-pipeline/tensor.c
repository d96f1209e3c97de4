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
    // BEGIN HOLE part 1: columns (about 6 lines)
    // USES t whole in out part
    // HINT: cudaMemcpy2DAsync(): a pitch is the bytes from one row to the next.
    const size_t row = (size_t)out * sizeof *whole;
    const size_t mine = row / (size_t)t->nranks;
    LAB_TRY_CUDA(cudaMemcpy2DAsync(
        part, mine, (const char *)whole + (size_t)t->rank * mine, row, mine,
        (size_t)in, cudaMemcpyDeviceToDevice, t->stream));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t tp_split_rows(const struct tp *t, const float *whole, int in,
                           int out, float *part)
{
    // BEGIN HOLE part 1: rows (about 5 lines)
    // USES t whole in out part
    const size_t mine = (size_t)(in / t->nranks) * (size_t)out;
    LAB_TRY_CUDA(cudaMemcpyAsync(part, whole + (size_t)t->rank * mine,
                                 mine * sizeof *part, cudaMemcpyDeviceToDevice,
                                 t->stream));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t tp_column_forward(const struct tp *t, const float *x,
                               const float *w, float *y, int rows, int in,
                               int out)
{
    // BEGIN HOLE part 1: column, forward (about 3 lines)
    // USES t x w y rows in out
    // HINT: nn_linear(), with the widths of this rank's part.
    LAB_TRY_CUDA(nn_linear(t->blas, x, w, y, rows, in, out / t->nranks));
    return ncclSuccess;
    // END HOLE
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
    // BEGIN HOLE part 1: column, backward (about 6 lines)
    // USES t x w dy dw
    // USES dx rows in out sum
    // HINT: x went to every rank, so its derivative comes from every rank.
    const int mine = out / t->nranks;
    LAB_TRY_CUDA(nn_linear_dw(t->blas, x, dy, dw, rows, in, mine));
    LAB_TRY_CUDA(nn_linear_dx(t->blas, dy, w, dx, rows, in, mine));
    LAB_TRY(sum(t, dx, (size_t)rows * (size_t)in));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t tp_row_forward(const struct tp *t, const float *x, const float *w,
                            float *y, int rows, int in, int out)
{
    // BEGIN HOLE part 1: row, forward (about 4 lines)
    // USES t x w y rows in out
    LAB_TRY_CUDA(nn_linear(t->blas, x, w, y, rows, in / t->nranks, out));
    LAB_TRY(sum(t, y, (size_t)rows * (size_t)out));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t tp_row_backward(const struct tp *t, const float *x, const float *w,
                             const float *dy, float *dw, float *dx, int rows,
                             int in, int out)
{
    // BEGIN HOLE part 1: row, backward (about 5 lines)
    // USES t x w dy dw
    // USES dx rows in out
    // HINT: dy is the same on all ranks. What has to travel?
    const int mine = in / t->nranks;
    LAB_TRY_CUDA(nn_linear_dw(t->blas, x, dy, dw, rows, mine, out));
    LAB_TRY_CUDA(nn_linear_dx(t->blas, dy, w, dx, rows, mine, out));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t tp_block_forward(const struct tp *t, const struct block *b,
                              const float *x, const struct saved *s, float *y)
{
    // BEGIN HOLE part 1: block, forward (about 12 lines)
    // USES t b x s y
    // HINT: dense_forward(), line by line.
    const size_t rows = (size_t)b->rows;
    float *const u = b->last ? y : s->u;
    LAB_TRY(tp_column_forward(t, x, b->a, s->z, b->rows, b->in, b->hidden));
    LAB_TRY_CUDA(
        nn_gelu(s->h, s->z, rows * (size_t)(b->hidden / t->nranks), t->stream));
    LAB_TRY(tp_row_forward(t, s->h, b->b, u, b->rows, b->hidden, b->out));
    if (!b->last)
        LAB_TRY_CUDA(nn_gelu(y, u, rows * (size_t)b->out, t->stream));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t tp_block_backward(const struct tp *t, const struct block *b,
                               const float *x, const struct saved *s, float *dy,
                               float *scratch, float *dx)
{
    // BEGIN HOLE part 1: block, backward (about 14 lines)
    // USES t b x s dy scratch dx
    const size_t rows = (size_t)b->rows;
    if (!b->last)
        LAB_TRY_CUDA(
            nn_gelu_back(dy, dy, s->u, rows * (size_t)b->out, t->stream));
    LAB_TRY(tp_row_backward(t, s->h, b->b, dy, b->db, scratch, b->rows,
                            b->hidden, b->out));
    LAB_TRY_CUDA(nn_gelu_back(scratch, scratch, s->z,
                              rows * (size_t)(b->hidden / t->nranks),
                              t->stream));
    LAB_TRY(tp_column_backward(t, x, b->a, scratch, b->da, dx, b->rows, b->in,
                               b->hidden));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t tp_gather_forward(const struct tp *t, const float *x,
                               const float *w, float *y, float *space, int rows,
                               int in, int out)
{
    // BEGIN HOLE part 1: gathered, forward (about 14 lines)
    // USES t x w y space
    // USES rows in out
    // HINT: an all-gather puts a rank's whole part behind the other's; a row of
    // HINT: y has a piece of each. One cudaMemcpy2DAsync() for each rank.
    const int mine = out / t->nranks;
    const size_t part = (size_t)rows * (size_t)mine;
    const size_t row = (size_t)out * sizeof *y,
                 piece = (size_t)mine * sizeof *y;
    float *const own = space + (size_t)t->rank * part;
    LAB_TRY(tp_column_forward(t, x, w, own, rows, in, out));
    LAB_TRY(ncclAllGather(own, space, part, ncclFloat, t->comm, t->stream));
    for (int r = 0; r < t->nranks; r++)
        LAB_TRY_CUDA(cudaMemcpy2DAsync(
            y + (size_t)r * (size_t)mine, row, space + (size_t)r * part, piece,
            piece, (size_t)rows, cudaMemcpyDeviceToDevice, t->stream));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t tp_gather_backward(const struct tp *t, const float *x,
                                const float *w, const float *dy, float *dw,
                                float *dx, float *space, int rows, int in,
                                int out)
{
    // BEGIN HOLE part 1: gathered, backward (about 4 lines)
    // USES t x w dy dw
    // USES dx space rows in out
    // HINT: you have both halves of it already.
    LAB_TRY(tp_split_columns(t, dy, rows, out, space));
    return tp_column_backward(t, x, w, space, dw, dx, rows, in, out);
    // END HOLE
}
