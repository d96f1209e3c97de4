/*
 * Part 7: a rank that is slow slows all of them down. Which one is it?
 */
#include "lab10.h"

#include "lab/try.h" /* LAB_HOLE, LAB_OUT, LAB_TRY, LAB_TRY_CUDA */

/* The middle of this rank's times of its own work, in ms. */
static ncclResult_t own_time(struct team *t, struct work *w, float *ms)
{
    ncclResult_t err = ncclSuccess;
    cudaEvent_t begin = NULL, end = NULL;
    LAB_OUT_CUDA(cudaEventCreate(&begin));
    LAB_OUT_CUDA(cudaEventCreate(&end));
    // BEGIN HOLE part 7: time (about 12 lines)
    // HINT: an all-reduce ends at the same time on all ranks.
    float took[WORK_STEPS];
    for (int i = 0; i < WORK_STEPS; i++) {
        LAB_OUT_CUDA(cudaEventRecord(begin, t->stream));
        LAB_OUT(work_do(w, t, i));
        LAB_OUT_CUDA(cudaEventRecord(end, t->stream));
        LAB_OUT(ncclAllReduce(w->grad, w->grad, w->count, ncclFloat, ncclSum,
                              t->comm, t->stream));
        LAB_OUT_CUDA(cudaStreamSynchronize(t->stream));
        LAB_OUT_CUDA(cudaEventElapsedTime(&took[i], begin, end));
    }
    *ms = middle_of(took, WORK_STEPS);
    // END HOLE
out:
    if (begin)
        cudaEventDestroy(begin);
    if (end)
        cudaEventDestroy(end);
    return err;
}

ncclResult_t straggler_find(struct team *t, struct work *w, int *slow)
{
    // BEGIN HOLE part 7: find (about 18 lines)
    // HINT: all ranks need all times: ncclAllGather.
    float all[LAB_MAX_RANKS], sorted[LAB_MAX_RANKS], own;
    const size_t nbytes = (size_t)t->nranks * sizeof own;
    LAB_TRY(own_time(t, w, &own));
    LAB_TRY_CUDA(cudaMemcpyAsync(w->room, &own, sizeof own,
                                 cudaMemcpyHostToDevice, t->stream));
    LAB_TRY(
        ncclAllGather(w->room, w->room + 1, 1, ncclFloat, t->comm, t->stream));
    LAB_TRY_CUDA(cudaMemcpyAsync(all, w->room + 1, nbytes,
                                 cudaMemcpyDeviceToHost, t->stream));
    LAB_TRY_CUDA(cudaStreamSynchronize(t->stream));
    for (int r = 0; r < t->nranks; r++)
        sorted[r] = all[r];
    const float middle = middle_of(sorted, t->nranks);
    *slow = -1;
    for (int r = 0; r < t->nranks; r++)
        if (all[r] > 1.25f * middle)
            *slow = r;
    return ncclSuccess;
    // END HOLE
}

ncclResult_t straggler_leave_out(struct team *t, int slow)
{
    // BEGIN HOLE part 7: leave out (about 12 lines)
    // HINT: nothing has failed: which flag of ncclCommShrink is for that?
    ncclComm_t smaller = NULL;
    if (slow < 0)
        return ncclSuccess;
    if (t->rank != slow)
        LAB_TRY(ncclCommShrink(t->comm, &slow, 1, &smaller, NULL,
                               NCCL_SHRINK_DEFAULT));
    LAB_TRY(ncclCommDestroy(t->comm));
    t->comm = smaller;
    t->rank -= t->rank > slow;
    t->nranks--;
    return ncclSuccess;
    // END HOLE
}
