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
    // BEGIN HOLE part 6: a message (about 8 lines)
    // USES s t out in
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
    // USES rows_of pass_on s all w transposed y n rank
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
    // USES rows_of pass_on s x w transposed y space n rank piece
    // HINT: first the rows of the previous rank, last your own. Two buffers for
    // HINT: what leaves, two for what comes. When is one free?
    for (int k = 0; k < n; k++) {
        float *const out = space + (size_t)(k % 2) * piece;
        float *const in = space + (size_t)(2 + k % 2) * piece; // of step k - 1
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
