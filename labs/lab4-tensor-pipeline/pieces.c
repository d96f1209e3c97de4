/*
 * Part 6, a bonus: a product that does not wait for all of its input, and one
 * whose output leaves before all of it is there.
 *
 * Rank 0 of four, with the rows of ranks 0 to 3; x is a message, to the next
 * rank and from the previous one:
 *
 *     stream         0   3   2   1            3   2   1   0
 *     comm_stream    x3  x2  x1                 x3  x2  x1
 *                   gather, product          product, scatter
 *
 * On the left, rows go round and each rank multiplies what it has. On the right
 * sums go round, and each rank adds its product of these rows; last of all its
 * own.
 */
#include "lab4.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

/* The rows of a rank. */
static struct matrix rows_of(const struct sp *s, struct matrix m, int rank)
{
    const int rows = m.rows / s->tp.nranks;
    return (struct matrix){
        m.data + (size_t)rank * (size_t)rows * (size_t)m.cols, rows, m.cols};
}

/* On comm_stream: send `out` to the next rank, receive `in` from the previous
 * one. Both have the same shape. */
static ncclResult_t pass_on(const struct sp *s, struct matrix out,
                            struct matrix in)
{
    const struct tp *const t = &s->tp;
    // Yours to write: part 6: a message (about 8 lines)
    (void)s, (void)t, (void)out, (void)in;
    LAB_HOLE("part 6: a message");
}

ncclResult_t sp_gather_product(const struct sp *s, struct matrix all,
                               struct matrix w, int transposed, struct matrix y)
{
    const int n = s->tp.nranks, rank = s->tp.rank;
    // Yours to write: part 6: gather, product (about 14 lines)
    // in step k, a rank has the rows of rank - k. What does each product
    // wait for, and what the first message?
    (void)rows_of, (void)pass_on, (void)s, (void)all, (void)w, (void)transposed, (void)y, (void)n, (void)rank;
    LAB_HOLE("part 6: gather, product");
}

ncclResult_t sp_product_scatter(const struct sp *s, struct matrix x,
                                struct matrix w, int transposed,
                                struct matrix y, float *space)
{
    const int n = s->tp.nranks, rank = s->tp.rank;
    const size_t piece = matrix_count(y);
    // Yours to write: part 6: product, scatter (about 20 lines)
    // first the rows of the previous rank, last your own. Two buffers for
    // what leaves, two for what comes. When is one free?
    (void)rows_of, (void)pass_on, (void)s, (void)x, (void)w, (void)transposed, (void)y, (void)space, (void)n, (void)rank, (void)piece;
    LAB_HOLE("part 6: product, scatter");
}
