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
    // BEGIN HOLE part 5: put to all (about 6 lines)
    // HINT: start with rank + 1. What would happen at rank 0 if all started
    // HINT: there?
    const struct symm_view *const v = &g->s->view;
    for (int k = 1; k < v->nranks; k++)
        LAB_TRY(symm_put(g->s, own, own, nbytes, (v->rank + k) % v->nranks,
                         g->puts));
    return ncclSuccess;
    // END HOLE
}

/* Tell all ranks that this rank's block has been put, and make later work on
 * the compute stream wait for all ranks' blocks and for the puts. */
static ncclResult_t exchange_blocks(struct tpgemm *g)
{
    // BEGIN HOLE part 5: exchange blocks (about 10 lines)
    // HINT: g->ready has one flag per rank. On which stream do the signals
    // HINT: follow the puts?
    const struct symm_view *const v = &g->s->view;
    for (int k = 1; k < v->nranks; k++)
        LAB_TRY(symm_signal(g->s, &g->ready[v->rank], g->products,
                            (v->rank + k) % v->nranks, g->puts));
    for (int r = 0; r < v->nranks; r++)
        if (r != v->rank)
            LAB_TRY(symm_wait(g->s, &g->ready[r], g->products, g->compute));
    return symm_after(g->compute, g->puts);
    // END HOLE
}

ncclResult_t tpgemm_run(struct tpgemm *g, const float *x, const float *w,
                        float *y, int rows, int in, int cols, int pieces)
{
    // BEGIN HOLE part 5: product (about 15 lines)
    // HINT: symm_barrier(); then for each piece nn_linear() (nn/ops.h) on the
    // HINT: compute stream and, after it, put_to_all() on the other.
    const struct symm_view *const v = &g->s->view;
    const int step = rows / pieces;
    const size_t piece = (size_t)step * (size_t)cols;
    float *const block = y + (size_t)v->rank * (size_t)rows * (size_t)cols;
    g->products++;
    LAB_TRY(symm_barrier(g->s, g->compute));
    for (int i = 0; i < pieces; i++) {
        float *const own = block + (size_t)i * piece;
        LAB_TRY_CUDA(nn_linear(g->blas, x + (size_t)i * (size_t)(step * in), w,
                               own, step, in, cols));
        LAB_TRY(symm_after(g->puts, g->compute));
        LAB_TRY(put_to_all(g, own, piece * sizeof *own));
    }
    return exchange_blocks(g);
    // END HOLE
}

/* Compute all blocks of this rank's product, its own last, and send those that
 * other ranks add up to them. */
static ncclResult_t send_terms(struct tpgemm *g, const float *x, const float *w,
                               float *terms, float *y, int step, int in,
                               int cols)
{
    // BEGIN HOLE part 5: terms (about 15 lines)
    // HINT: compute block k in y: until rank k's sum arrives, it isn't in use.
    // HINT: In terms, each rank has one block for every other rank.
    const struct symm_view *const v = &g->s->view;
    const size_t block = (size_t)step * (size_t)cols;
    for (int i = 1; i <= v->nranks; i++) {
        const int k = (v->rank + i) % v->nranks;
        float *const term = y + (size_t)k * block;
        LAB_TRY_CUDA(nn_linear(g->blas, x + (size_t)k * (size_t)(step * in), w,
                               term, step, in, cols));
        if (k == v->rank)
            break;
        LAB_TRY(symm_after(g->puts, g->compute));
        LAB_TRY(symm_put(g->s, terms + (size_t)v->rank * block, term,
                         block * sizeof *term, k, g->puts));
        LAB_TRY(symm_signal(g->s, &g->added[v->rank], g->products, k, g->puts));
    }
    return ncclSuccess;
    // END HOLE
}

ncclResult_t tpgemm_sum(struct tpgemm *g, const float *x, const float *w,
                        float *terms, float *y, int rows, int in, int cols)
{
    // BEGIN HOLE part 5: sum (about 18 lines)
    // HINT: send_terms(), then add every other rank's term to your own block as
    // HINT: it arrives (nn_add() in nn/ops.h), and send the sum to all. Why is
    // HINT: no barrier needed?
    const struct symm_view *const v = &g->s->view;
    const int step = rows / v->nranks;
    const size_t block = (size_t)step * (size_t)cols;
    float *const own = y + (size_t)v->rank * block;
    g->products++;
    LAB_TRY(send_terms(g, x, w, terms, y, step, in, cols));
    for (int k = 1; k < v->nranks; k++) {
        const int r = (v->rank + v->nranks - k) % v->nranks;
        LAB_TRY(symm_wait(g->s, &g->added[r], g->products, g->compute));
        LAB_TRY_CUDA(nn_add(own, terms + (size_t)r * block, block, g->compute));
    }
    LAB_TRY(symm_after(g->puts, g->compute));
    LAB_TRY(put_to_all(g, own, block * sizeof *own));
    return exchange_blocks(g);
    // END HOLE
}
