/*
 * Parts 8 to 10: GPUs that send one another messages, on streams.
 */
#include "lab0.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

ncclResult_t first_comm(MPI_Comm mpi_comm, ncclComm_t *comm)
{
    // BEGIN HOLE part 8: a communicator (about 8 lines)
    // HINT: ncclGetUniqueId on one rank, MPI_Bcast of its bytes (MPI_BYTE),
    // HINT: ncclCommInitRank on all.
    int rank, nranks;
    ncclUniqueId id;
    MPI_Comm_rank(mpi_comm, &rank);
    MPI_Comm_size(mpi_comm, &nranks);
    if (rank == 0)
        LAB_TRY(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, mpi_comm);
    LAB_TRY(ncclCommInitRank(comm, nranks, id, rank));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t first_swap(const float *sendbuf, float *recvbuf, size_t count,
                        int partner, ncclComm_t comm, cudaStream_t stream)
{
    // BEGIN HOLE part 9: a group (about 5 lines)
    // HINT: ncclSend, ncclRecv: which comes first? ncclGroupStart and
    // HINT: ncclGroupEnd make the question go away.
    LAB_TRY(ncclGroupStart());
    LAB_TRY(ncclSend(sendbuf, count, ncclFloat, partner, comm, stream));
    LAB_TRY(ncclRecv(recvbuf, count, ncclFloat, partner, comm, stream));
    LAB_TRY(ncclGroupEnd());
    return ncclSuccess;
    // END HOLE
}

ncclResult_t first_collectives(const float *sendbuf,
                               const struct first_tour *out, size_t count,
                               int root, ncclComm_t comm, cudaStream_t stream)
{
    // BEGIN HOLE part 10: four collectives (about 12 lines)
    // HINT: ncclBroadcast, ncclAllGather, ncclReduceScatter, ncclAllReduce.
    // HINT: What does the count of each one count: what a rank sends, or what
    // HINT: it receives? ncclCommCount tells the number of ranks.
    int nranks;
    LAB_TRY(ncclCommCount(comm, &nranks));
    LAB_TRY(ncclBroadcast(sendbuf, out->broadcast, count, ncclFloat, root, comm,
                          stream));
    LAB_TRY(ncclAllGather(sendbuf, out->all_gather, count, ncclFloat, comm,
                          stream));
    LAB_TRY(ncclReduceScatter(sendbuf, out->reduce_scatter,
                              count / (size_t)nranks, ncclFloat, ncclSum, comm,
                              stream));
    LAB_TRY(ncclAllReduce(sendbuf, out->all_reduce, count, ncclFloat, ncclSum,
                          comm, stream));
    return ncclSuccess;
    // END HOLE
}
