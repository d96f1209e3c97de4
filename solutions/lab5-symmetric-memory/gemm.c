/*
 * Part 4: a matrix product whose columns are distributed over ranks.
 *
 * Column-parallel layers end with an all-gather. A collective cannot start
 * before the whole product is there; puts can start with its first rows and run
 * while the next rows are being computed:
 *
 *     compute   | rows 0 | rows 1 | rows 2 |            wait for all |
 *     puts               |  put 0 |  put 1 |  put 2, signal |
 */
#include "lab5.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

/* Make later work on `behind` wait for the work on `ahead` so far. */
static ncclResult_t after(cudaStream_t behind, cudaStream_t ahead)
{
    cudaEvent_t mark;
    LAB_TRY_CUDA(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming));
    LAB_TRY_CUDA(cudaEventRecord(mark, ahead));
    LAB_TRY_CUDA(cudaStreamWaitEvent(behind, mark, 0));
    LAB_TRY_CUDA(cudaEventDestroy(mark));
    return ncclSuccess;
}

/* Put nbytes at `own`, in this rank's y, to all other ranks, on the puts'
 * stream. */
static ncclResult_t put_to_all(struct tpgemm *g, float *own, size_t nbytes)
{
    // BEGIN HOLE part 4: put to all (about 6 lines)
    // USES g own nbytes
    // HINT: start with rank + 1. What would happen at rank 0 if all started
    // HINT: there?
    const struct symm_view *const v = &g->s->view;
    for (int k = 1; k < v->nranks; k++)
        LAB_TRY(symm_put(g->s, own, own, nbytes, (v->rank + k) % v->nranks,
                         g->puts));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t tpgemm_run(struct tpgemm *g, const float *x, const float *w,
                        float *y, int rows, int in, int cols, int pieces)
{
    // BEGIN HOLE part 4: product (about 25 lines)
    // USES after put_to_all g x w y rows in cols pieces
    // HINT: symm_barrier(); then for each piece nn_linear() (nn/ops.h) on the
    // HINT: compute stream and, after it, put_to_all() on the other. When may a
    // HINT: peer be told that the block is complete? g->ready has one flag per
    // HINT: rank.
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
        LAB_TRY(after(g->puts, g->compute));
        LAB_TRY(put_to_all(g, own, piece * sizeof *own));
    }
    for (int k = 1; k < v->nranks; k++)
        LAB_TRY(symm_signal(g->s, &g->ready[v->rank], g->products,
                            (v->rank + k) % v->nranks, g->puts));
    for (int r = 0; r < v->nranks; r++)
        if (r != v->rank)
            LAB_TRY(symm_wait(g->s, &g->ready[r], g->products, g->compute));
    return after(g->compute, g->puts);
    // END HOLE
}
