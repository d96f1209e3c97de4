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
    // Yours to write: part 4: put to all (about 6 lines)
    // start with rank + 1. What would happen at rank 0 if all started
    // there?
    (void)g, (void)own, (void)nbytes;
    LAB_HOLE("part 4: put to all");
}

ncclResult_t tpgemm_run(struct tpgemm *g, const float *x, const float *w,
                        float *y, int rows, int in, int cols, int pieces)
{
    // Yours to write: part 4: product (about 25 lines)
    // symm_barrier(); then for each piece nn_linear() (nn/ops.h) on the
    // compute stream and, after it, put_to_all() on the other. When may a
    // peer be told that the block is complete? g->ready has one flag per
    // rank.
    (void)after, (void)put_to_all, (void)g, (void)x, (void)w, (void)y, (void)rows, (void)in, (void)cols, (void)pieces;
    LAB_HOLE("part 4: product");
}
