/*
 * Part 6, a bonus: a product that does not wait for all of its input, and one
 * whose output is sent before all of it has been computed.
 *
 * Rank 0 of four. 0 to 3 are products of the rows of that rank; x is a message
 * to the next rank, and one from the previous:
 *
 *     stream         0   3   2   1            3   2   1   0
 *     comm_stream    x3  x2  x1                 x3  x2  x1
 *                   gather, product          product, scatter
 *
 * On the left, rows travel around the ring and each rank multiplies the rows
 * that it holds. On the right, sums travel around the ring and each rank adds
 * its product of the rows that a sum is for; the product of its own rows comes
 * last.
 */
#include "lab4.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

/* A rank's rows of m. */
static struct matrix rows_of(const struct sp *s, struct matrix m, int rank)
{
    const int rows = m.rows / s->tp.nranks;
    return (struct matrix){
        m.data + (size_t)rank * (size_t)rows * (size_t)m.cols, rows, m.cols};
}

/* Send `out` to the next rank and receive `in` from the previous one, on
 * comm_stream. Both have the same shape. */
static ncclResult_t pass_on(const struct sp *s, struct matrix out,
                            struct matrix in)
{
    const struct tp *const t = &s->tp;
    // Yours to write: part 6: a message (about 8 lines)
    LAB_HOLE("part 6: a message");
}

ncclResult_t sp_gather_product(const struct sp *s, struct matrix all,
                               struct matrix w, int transposed, struct matrix y)
{
    const int n = s->tp.nranks, rank = s->tp.rank;
    // Yours to write: part 6: gather, product (about 14 lines)
    // in step k, a rank has the rows of rank - k. What does each product
    // wait for, and what the first message?
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
    // outgoing sums, two for incoming ones. When is one free?
    LAB_HOLE("part 6: product, scatter");
}
