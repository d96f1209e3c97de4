/*
 * dense.c: a block on one device. Given: nothing to edit here.
 *
 * Read it first: part 1 is the same block, with its two matrices split.
 *
 *     x --A--> z --gelu--> h --B--> u --gelu--> y
 *     dx <-A^T- dz <------ dh <-B^T- du <------ dy
 *       dA = x^T dz          dB = h^T du
 */
#include "lab/try.h" /* LAB_TRY_CUDA */
#include "stage.h"

size_t matrix_count(struct matrix m)
{
    return (size_t)m.rows * (size_t)m.cols;
}

cudaError_t dense_linear(const struct tp *t, struct matrix x, struct matrix w,
                         struct matrix y)
{
    return nn_linear(t->blas, x.data, w.data, y.data, x.rows, w.rows, w.cols);
}

cudaError_t dense_linear_dw(const struct tp *t, struct matrix x,
                            struct matrix dy, struct matrix dw)
{
    return nn_linear_dw(t->blas, x.data, dy.data, dw.data, x.rows, dw.rows,
                        dw.cols);
}

cudaError_t dense_linear_dx(const struct tp *t, struct matrix dy,
                            struct matrix w, struct matrix dx)
{
    return nn_linear_dx(t->blas, dy.data, w.data, dx.data, dy.rows, w.rows,
                        w.cols);
}

ncclResult_t dense_forward(const struct tp *t, const struct block *block,
                           struct matrix x, const struct saved *s,
                           struct matrix y)
{
    const struct matrix u = block->last ? y : s->u;
    LAB_TRY_CUDA(dense_linear(t, x, block->a, s->z));
    LAB_TRY_CUDA(nn_gelu(s->h.data, s->z.data, matrix_count(s->z), t->stream));
    LAB_TRY_CUDA(dense_linear(t, s->h, block->b, u));
    if (block->last)
        return ncclSuccess;
    LAB_TRY_CUDA(nn_gelu(y.data, u.data, matrix_count(u), t->stream));
    return ncclSuccess;
}

ncclResult_t dense_backward(const struct tp *t, const struct block *block,
                            struct matrix x, const struct saved *s,
                            struct matrix dy, struct matrix scratch,
                            struct matrix dx)
{
    const size_t n = matrix_count(dy);
    if (!block->last)
        LAB_TRY_CUDA(nn_gelu_back(dy.data, dy.data, s->u.data, n, t->stream));
    LAB_TRY_CUDA(dense_linear_dw(t, s->h, dy, block->db));
    LAB_TRY_CUDA(dense_linear_dx(t, dy, block->b, scratch));
    LAB_TRY_CUDA(nn_gelu_back(scratch.data, scratch.data, s->z.data,
                              matrix_count(scratch), t->stream));
    LAB_TRY_CUDA(dense_linear_dw(t, x, scratch, block->da));
    LAB_TRY_CUDA(dense_linear_dx(t, scratch, block->a, dx));
    return ncclSuccess;
}
