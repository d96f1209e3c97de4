/*
 * dense.c: a block on one device. Given: nothing to edit here.
 *
 * Read it first: part 1 is the same block, with its two matrices cut up.
 *
 *     x --A--> z --gelu--> h --B--> u --gelu--> y
 *     dx <-A^T- dz <------ dh <-B^T- du <------ dy
 *       dA = x^T dz          dB = h^T du
 */
#include "lab/lab.h" /* LAB_TRY_CUDA */
#include "stage.h"

ncclResult_t dense_forward(const struct tp *t, const struct block *b,
                           const float *x, const struct saved *s, float *y)
{
    const size_t nz = (size_t)b->rows * (size_t)b->hidden; // numbers in z
    const size_t nu = (size_t)b->rows * (size_t)b->out;    // and in u
    float *const u = b->last ? y : s->u;
    LAB_TRY_CUDA(nn_linear(t->blas, x, b->a, s->z, b->rows, b->in, b->hidden));
    LAB_TRY_CUDA(nn_gelu(s->h, s->z, nz, t->stream));
    LAB_TRY_CUDA(nn_linear(t->blas, s->h, b->b, u, b->rows, b->hidden, b->out));
    if (!b->last)
        LAB_TRY_CUDA(nn_gelu(y, u, nu, t->stream));
    return ncclSuccess;
}

ncclResult_t dense_backward(const struct tp *t, const struct block *b,
                            const float *x, const struct saved *s, float *dy,
                            float *scratch, float *dx)
{
    const size_t nz = (size_t)b->rows * (size_t)b->hidden;
    const size_t nu = (size_t)b->rows * (size_t)b->out;
    if (!b->last)
        LAB_TRY_CUDA(nn_gelu_back(dy, dy, s->u, nu, t->stream));
    LAB_TRY_CUDA(
        nn_linear_dw(t->blas, s->h, dy, b->db, b->rows, b->hidden, b->out));
    LAB_TRY_CUDA(
        nn_linear_dx(t->blas, dy, b->b, scratch, b->rows, b->hidden, b->out));
    LAB_TRY_CUDA(nn_gelu_back(scratch, scratch, s->z, nz, t->stream));
    LAB_TRY_CUDA(
        nn_linear_dw(t->blas, x, scratch, b->da, b->rows, b->in, b->hidden));
    LAB_TRY_CUDA(
        nn_linear_dx(t->blas, scratch, b->a, dx, b->rows, b->in, b->hidden));
    return ncclSuccess;
}
