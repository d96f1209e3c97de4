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
    // Yours to write: part 1: norm and gather (about 6 lines)
    LAB_HOLE("part 1: norm and gather");
}

ncclResult_t sp_forward(struct sp *s, struct sp_layer *l, float *x)
{
    // Yours to write: part 1: forward (about 10 lines)
    // keep x for the backward pass, then norm, sp_products, and the sum
    // of which a rank needs its own rows.
    LAB_HOLE("part 1: forward");
}

ncclResult_t sp_backward(struct sp *s, struct sp_layer *l, float *dx)
{
    const struct lm_weights gain = {.f = l->gain};
    // Yours to write: part 1: backward (about 16 lines)
    // the backward pass of a reduce-scatter is an all-gather, and the
    // reverse. lm_norm_back() adds to dx and to dgain, which is the sum
    // over all rows.
    LAB_HOLE("part 1: backward");
}
