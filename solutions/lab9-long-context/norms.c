/*
 * Part 1: norms between tensor parallel layers.
 *
 *     own rows    x -> norm --+                 +--> + x
 *                             | all-gather      | reduce-scatter
 *     all rows                +-> up, gelu, down
 *
 * An ordinary tensor parallel layer ends in an all-reduce, after which every
 * rank normalises, adds and keeps the same rows as the others. A reduce-scatter
 * and an all-gather are the two halves of that all-reduce: they send the same
 * bytes, but a rank keeps only 1/n of the rows.
 *
 * The backward pass needs the gathered rows again, for dup. Keeping them would
 * mean keeping all rows after all, so they are gathered a second time.
 */
#include "lab9.h"

#include "lab/try.h"   /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */
#include "nn/lm_ops.h" /* lm_norm, lm_norm_back */
#include "nn/ops.h"    /* nn_add */

/* all = the norm of every rank's rows, of which this rank's are in l->x. Sets
 * l->inv. */
static ncclResult_t gather_norm(struct sp *s, struct sp_layer *l, float *all)
{
    const struct lm_weights gain = {.f = l->gain};
    // BEGIN HOLE part 1: norm and gather (about 6 lines)
    const size_t count = (size_t)s->rows * (size_t)s->width;
    LAB_TRY_CUDA(
        lm_norm(s->own, l->inv, l->x, gain, s->rows, s->width, s->stream));
    LAB_TRY(ncclAllGather(s->own, all, count, ncclFloat, s->comm, s->stream));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t sp_forward(struct sp *s, struct sp_layer *l, float *x)
{
    // BEGIN HOLE part 1: forward (about 10 lines)
    // HINT: keep x for the backward pass, then norm, sp_products, and the sum
    // HINT: of which a rank needs its own rows.
    const size_t count = (size_t)s->rows * (size_t)s->width;
    LAB_TRY_CUDA(cudaMemcpyAsync(l->x, x, count * sizeof *x,
                                 cudaMemcpyDeviceToDevice, s->stream));
    LAB_TRY(gather_norm(s, l, s->whole[0]));
    LAB_TRY(sp_products(s, l, s->whole[0], s->whole[1]));
    LAB_TRY(ncclReduceScatter(s->whole[1], s->own, count, ncclFloat, ncclSum,
                              s->comm, s->stream));
    LAB_TRY_CUDA(nn_add(x, s->own, count, s->stream));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t sp_backward(struct sp *s, struct sp_layer *l, float *dx)
{
    const struct lm_weights gain = {.f = l->gain};
    // BEGIN HOLE part 1: backward (about 16 lines)
    // HINT: the backward pass of a reduce-scatter is an all-gather, and the
    // HINT: reverse. lm_norm_back() adds to dx and to dgain, which is the sum
    // HINT: over all rows.
    const size_t count = (size_t)s->rows * (size_t)s->width;
    LAB_TRY(gather_norm(s, l, s->whole[0]));
    LAB_TRY(
        ncclAllGather(dx, s->whole[1], count, ncclFloat, s->comm, s->stream));
    LAB_TRY(sp_products_back(s, l, s->whole[0], s->whole[1], s->whole[2]));
    LAB_TRY(ncclReduceScatter(s->whole[2], s->own, count, ncclFloat, ncclSum,
                              s->comm, s->stream));
    LAB_TRY_CUDA(lm_norm_back(dx, l->dgain, s->own, l->x, l->inv, gain, s->rows,
                              s->width, s->stream));
    LAB_TRY(ncclAllReduce(l->dgain, l->dgain, (size_t)s->width, ncclFloat,
                          ncclSum, s->comm, s->stream));
    return ncclSuccess;
    // END HOLE
}
