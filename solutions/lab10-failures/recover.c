/*
 * Parts 2 and 3: notice that a rank is gone, leave it out, and continue.
 */
#include <mpi.h> /* MPI_Wtime */

#include "lab10.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

ncclResult_t team_wait(struct team *t, double deadline_us, enum team_end *end)
{
    // BEGIN HOLE part 2: wait (about 18 lines)
    // HINT: cudaStreamQuery, ncclCommGetAsyncError, MPI_Wtime.
    const double until = MPI_Wtime() + deadline_us * 1e-6;
    *end = TEAM_LATE;
    do {
        ncclResult_t state;
        const cudaError_t err = cudaStreamQuery(t->stream);
        if (err == cudaSuccess) {
            *end = TEAM_DONE;
            return ncclSuccess;
        }
        if (err != cudaErrorNotReady)
            LAB_TRY_CUDA(err);
        (void)cudaGetLastError(); // not ready is not an error
        LAB_TRY(ncclCommGetAsyncError(t->comm, &state));
        if (state != ncclSuccess) {
            *end = TEAM_BROKEN;
            return ncclSuccess;
        }
    } while (MPI_Wtime() < until);
    return ncclSuccess;
    // END HOLE
}

ncclResult_t team_shrink(struct team *t)
{
    // BEGIN HOLE part 3: shrink (about 14 lines)
    // HINT: ncclCommShrink has a flag for communicators with work under way.
    int missing[TEAM_MISSING];
    ncclComm_t smaller;
    const int n = team_missing(t, missing);
    LAB_TRY(
        ncclCommShrink(t->comm, missing, n, &smaller, NULL, NCCL_SHRINK_ABORT));
    LAB_TRY(ncclCommAbort(t->comm));
    t->comm = smaller;
    LAB_TRY(ncclCommUserRank(t->comm, &t->rank));
    LAB_TRY(ncclCommCount(t->comm, &t->nranks));
    LAB_TRY_CUDA(cudaStreamSynchronize(t->stream));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t state_agree(struct team *t, struct state *s)
{
    // BEGIN HOLE part 3: agree (about 18 lines)
    // HINT: the smallest step is an all-reduce over the new team.
    const size_t nbytes = s->count * sizeof *s->param;
    int least = s->step;
    LAB_TRY_CUDA(cudaMemcpyAsync(s->room, &least, sizeof least,
                                 cudaMemcpyHostToDevice, t->stream));
    LAB_TRY(ncclAllReduce(s->room, s->room, 1, ncclInt, ncclMin, t->comm,
                          t->stream));
    LAB_TRY_CUDA(cudaMemcpyAsync(&least, s->room, sizeof least,
                                 cudaMemcpyDeviceToHost, t->stream));
    LAB_TRY_CUDA(cudaStreamSynchronize(t->stream));
    if (least < s->step) {
        LAB_TRY_CUDA(cudaMemcpyAsync(s->param, s->old_param, nbytes,
                                     cudaMemcpyDeviceToDevice, t->stream));
        LAB_TRY_CUDA(cudaMemcpyAsync(s->moment, s->old_moment, nbytes,
                                     cudaMemcpyDeviceToDevice, t->stream));
    }
    s->step = least;
    LAB_TRY_CUDA(cudaStreamSynchronize(t->stream));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t team_train(struct team *t, struct state *s, int nsteps,
                        double deadline_us)
{
    // BEGIN HOLE part 3: train (about 16 lines)
    // HINT: a step is complete only when team_wait() says so.
    while (s->step < nsteps) {
        enum team_end end = TEAM_BROKEN;
        LAB_TRY(state_gradient(s, t));
        if (ncclAllReduce(s->grad, s->grad, s->count, ncclFloat, ncclSum,
                          t->comm, t->stream) == ncclSuccess)
            LAB_TRY(team_wait(t, deadline_us, &end));
        if (end == TEAM_DONE) {
            LAB_TRY(state_update(s, t));
        } else {
            LAB_TRY(team_shrink(t));
            LAB_TRY(state_agree(t, s));
        }
    }
    LAB_TRY_CUDA(cudaStreamSynchronize(t->stream));
    return ncclSuccess;
    // END HOLE
}
