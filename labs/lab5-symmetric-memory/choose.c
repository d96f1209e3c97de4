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
    // Yours to write: part 4: measure (about 20 lines)
    // symm_reduce_by() between two events, ITERATIONS times, after a
    // barrier of all ranks. Their times differ: MPI_Allreduce.
    LAB_HOLE("part 4: measure");
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
    // Yours to write: part 4: tune (about 20 lines)
    // the first size at which a later algorithm is faster ends a range; a
    // slower one is not measured again. Without NCCL, only one-shot and
    // two-shot compete.
    LAB_HOLE("part 4: tune");
}

ncclResult_t symm_all_reduce(struct symm_reducer *a, const float *sendbuf,
                             float *recvbuf, size_t count, cudaStream_t stream)
{
    // Yours to write: part 4: choose (about 6 lines)
    LAB_HOLE("part 4: choose");
}
