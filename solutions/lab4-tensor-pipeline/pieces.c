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
    // BEGIN HOLE part 6: a message (about 8 lines)
    LAB_TRY(ncclGroupStart());
    LAB_TRY(ncclSend(out.data, matrix_count(out), ncclFloat,
                     (t->rank + 1) % t->nranks, t->comm, s->comm_stream));
    LAB_TRY(ncclRecv(in.data, matrix_count(in), ncclFloat,
                     (t->rank + t->nranks - 1) % t->nranks, t->comm,
                     s->comm_stream));
    return ncclGroupEnd();
    // END HOLE
}

ncclResult_t sp_gather_product(const struct sp *s, struct matrix all,
                               struct matrix w, int transposed, struct matrix y)
{
    const int n = s->tp.nranks, rank = s->tp.rank;
    // BEGIN HOLE part 6: gather, product (about 14 lines)
    // HINT: in step k, a rank has the rows of rank - k. What does each product
    // HINT: wait for, and what the first message?
    LAB_TRY_CUDA(cudaEventRecord(s->ready[0], s->tp.stream));
    LAB_TRY_CUDA(cudaStreamWaitEvent(s->comm_stream, s->ready[0], 0));
    for (int k = 0; k < n; k++) {
        const int at = (rank + n - k) % n;
        if (k < n - 1) {
            LAB_TRY(pass_on(s, rows_of(s, all, at),
                            rows_of(s, all, (at + n - 1) % n)));
            LAB_TRY_CUDA(cudaEventRecord(s->here[k + 1], s->comm_stream));
        }
        if (k > 0)
            LAB_TRY_CUDA(cudaStreamWaitEvent(s->tp.stream, s->here[k], 0));
        LAB_TRY(sp_product(s, rows_of(s, all, at), w, transposed,
                           rows_of(s, y, at)));
    }
    return ncclSuccess;
    // END HOLE
}

ncclResult_t sp_product_scatter(const struct sp *s, struct matrix x,
                                struct matrix w, int transposed,
                                struct matrix y, float *space)
{
    const int n = s->tp.nranks, rank = s->tp.rank;
    const size_t piece = matrix_count(y);
    // BEGIN HOLE part 6: product, scatter (about 20 lines)
    // HINT: first the rows of the previous rank, last your own. Two buffers for
    // HINT: outgoing sums, two for incoming ones. When is one free?
    for (int k = 0; k < n; k++) {
        float *const out = space + (size_t)(k % 2) * piece;
        float *const in = space + (size_t)(2 + k % 2) * piece; // step k - 1's
        const struct matrix sum = {k < n - 1 ? out : y.data, y.rows, y.cols};
        if (k > 1) // step k - 2's sum has left
            LAB_TRY_CUDA(cudaStreamWaitEvent(s->tp.stream, s->here[k - 1], 0));
        LAB_TRY(sp_product(s, rows_of(s, x, (rank + n - 1 - k) % n), w,
                           transposed, sum));
        if (k > 0) {
            LAB_TRY_CUDA(cudaStreamWaitEvent(s->tp.stream, s->here[k], 0));
            LAB_TRY_CUDA(nn_add(sum.data, in, piece, s->tp.stream));
        }
        if (k == n - 1)
            break;
        LAB_TRY_CUDA(cudaEventRecord(s->ready[k], s->tp.stream));
        LAB_TRY_CUDA(cudaStreamWaitEvent(s->comm_stream, s->ready[k], 0));
        const struct matrix next = {space + (size_t)(2 + (k + 1) % 2) * piece,
                                    y.rows, y.cols};
        LAB_TRY(pass_on(s, sum, next));
        LAB_TRY_CUDA(cudaEventRecord(s->here[k + 1], s->comm_stream));
    }
    return ncclSuccess;
    // END HOLE
}
