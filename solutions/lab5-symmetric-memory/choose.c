/*
 * Part 4: which all-reduce for which size.
 */
#include "lab5.h"

#include <stdint.h> /* SIZE_MAX */

#include "lab/try.h" /* LAB_HOLE, LAB_OUT, LAB_TRY */

enum { WARMUP = 1, ITERATIONS = 2 };

ncclResult_t symm_reduce_time(struct symm_reducer *a, enum symm_algo algo,
                              const float *sendbuf, float *recvbuf,
                              size_t count, cudaStream_t stream, double *us)
{
    // BEGIN HOLE part 4: measure (about 20 lines)
    // HINT: symm_reduce_by() between two events, ITERATIONS times, after a
    // HINT: barrier of all ranks. Their times differ: MPI_Allreduce.
    ncclResult_t err = ncclSuccess;
    cudaEvent_t start = NULL, stop = NULL;
    float ms = 0;
    LAB_OUT_CUDA(cudaEventCreate(&start));
    LAB_OUT_CUDA(cudaEventCreate(&stop));
    for (int i = 0; i < WARMUP; i++)
        LAB_OUT(symm_reduce_by(a, algo, sendbuf, recvbuf, count, stream));
    LAB_OUT_CUDA(cudaStreamSynchronize(stream));
    MPI_Barrier(a->s->comm);
    LAB_OUT_CUDA(cudaEventRecord(start, stream));
    for (int i = 0; i < ITERATIONS; i++)
        LAB_OUT(symm_reduce_by(a, algo, sendbuf, recvbuf, count, stream));
    LAB_OUT_CUDA(cudaEventRecord(stop, stream));
    LAB_OUT_CUDA(cudaEventSynchronize(stop));
    LAB_OUT_CUDA(cudaEventElapsedTime(&ms, start, stop));
out:
    if (start)
        cudaEventDestroy(start);
    if (stop)
        cudaEventDestroy(stop);
    if (err != ncclSuccess)
        return err;
    const double mine = ms * 1000.0 / ITERATIONS;
    MPI_Allreduce(&mine, us, 1, MPI_DOUBLE, MPI_MAX, a->s->comm);
    return ncclSuccess;
    // END HOLE
}

/* Measure the algorithms from `first` on, for nbytes. */
static ncclResult_t time_all(struct symm_reducer *a, enum symm_algo first,
                             const float *sendbuf, float *recvbuf,
                             size_t nbytes, cudaStream_t stream,
                             double us[SYMM_ALGOS])
{
    const int end = a->nccl ? SYMM_ALGOS : SYMM_NCCL;
    for (int k = (int)first; k < end; k++)
        LAB_TRY(symm_reduce_time(a, (enum symm_algo)k, sendbuf, recvbuf,
                                 nbytes / sizeof *sendbuf, stream, &us[k]));
    return ncclSuccess;
}

ncclResult_t symm_reduce_tune(struct symm_reducer *a, const float *sendbuf,
                              float *recvbuf, size_t most_nbytes,
                              cudaStream_t stream)
{
    // BEGIN HOLE part 4: tune (about 20 lines)
    // HINT: the first size at which a later algorithm is faster ends a range; a
    // HINT: slower one is not measured again. Without NCCL, only one-shot and
    // HINT: two-shot compete.
    double us[SYMM_ALGOS];
    enum symm_algo best = SYMM_ONE_SHOT;
    a->one_shot_most = a->two_shot_most = 0;
    for (size_t nbytes = 1024; nbytes <= most_nbytes && best != SYMM_NCCL;
         nbytes *= 2) {
        LAB_TRY(time_all(a, best, sendbuf, recvbuf, nbytes, stream, us));
        if (best == SYMM_ONE_SHOT && us[SYMM_TWO_SHOT] < us[SYMM_ONE_SHOT])
            best = SYMM_TWO_SHOT;
        if (a->nccl && us[SYMM_NCCL] < us[best])
            best = SYMM_NCCL;
        if (best == SYMM_ONE_SHOT)
            a->one_shot_most = nbytes;
        if (best != SYMM_NCCL)
            a->two_shot_most = nbytes;
    }
    if (!a->nccl)
        a->two_shot_most = SIZE_MAX;
    return ncclSuccess;
    // END HOLE
}

ncclResult_t symm_all_reduce(struct symm_reducer *a, const float *sendbuf,
                             float *recvbuf, size_t count, cudaStream_t stream)
{
    // BEGIN HOLE part 4: choose (about 6 lines)
    const size_t nbytes = count * sizeof *sendbuf;
    enum symm_algo algo = SYMM_NCCL;
    if (nbytes <= a->one_shot_most)
        algo = SYMM_ONE_SHOT;
    else if (nbytes <= a->two_shot_most || !a->nccl)
        algo = SYMM_TWO_SHOT;
    return symm_reduce_by(a, algo, sendbuf, recvbuf, count, stream);
    // END HOLE
}
