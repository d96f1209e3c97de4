/*
 * Part 5: a tensor-parallel layer, in two forms.
 *
 * Column-parallel layers end with an all-gather. A collective cannot start
 * before the whole product exists; puts can start with its first rows and run
 * while the next rows are being computed:
 *
 *     compute   | rows 0 | rows 1 | rows 2 |            wait for all |
 *     puts               |  put 0 |  put 1 |  put 2, signal |
 *
 * Row-parallel layers end with a sum over the ranks. Each rank adds up one
 * block of rows, whose terms arrive while it computes the others'; then it
 * sends the sum to all, an all-gather of your own:
 *
 *     compute   | rank 1's | rank 2's | own | wait, add |     wait for all |
 *     puts                 | to 1     | to 2 |          | sum to all |
 */
#include "lab5.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

/* Put nbytes at `own`, in this rank's y, to all other ranks, on the puts'
 * stream. */
static ncclResult_t put_to_all(struct tpgemm *g, float *own, size_t nbytes)
{
    // Yours to write: part 5: put to all (about 6 lines)
    // start with rank + 1. What would happen at rank 0 if all started
    // there?
    LAB_HOLE("part 5: put to all");
}

/* Tell all ranks that this rank's block has been put, and make later work on
 * the compute stream wait for all ranks' blocks and for the puts. */
static ncclResult_t exchange_blocks(struct tpgemm *g)
{
    // Yours to write: part 5: exchange blocks (about 10 lines)
    // g->ready has one flag per rank. On which stream do the signals
    // follow the puts?
    LAB_HOLE("part 5: exchange blocks");
}

ncclResult_t tpgemm_run(struct tpgemm *g, const float *x, const float *w,
                        float *y, int rows, int in, int cols, int pieces)
{
    // Yours to write: part 5: product (about 15 lines)
    // symm_barrier(); then for each piece nn_linear() (nn/ops.h) on the
    // compute stream and, after it, put_to_all() on the other.
    LAB_HOLE("part 5: product");
}

/* Compute all blocks of this rank's product, its own last, and send those that
 * other ranks add up to them. */
static ncclResult_t send_terms(struct tpgemm *g, const float *x, const float *w,
                               float *terms, float *y, int step, int in,
                               int cols)
{
    // Yours to write: part 5: terms (about 15 lines)
    // compute block k in y: until rank k's sum arrives, it isn't in use.
    // In terms, each rank has one block for every other rank.
    LAB_HOLE("part 5: terms");
}

ncclResult_t tpgemm_sum(struct tpgemm *g, const float *x, const float *w,
                        float *terms, float *y, int rows, int in, int cols)
{
    // Yours to write: part 5: sum (about 18 lines)
    // send_terms(), then add every other rank's term to your own block as
    // it arrives (nn_add() in nn/ops.h), and send the sum to all. Why is
    // no barrier needed?
    LAB_HOLE("part 5: sum");
}
