/*
 * Parts 8 to 10: GPUs that send one another messages, on streams.
 */
#include "lab0.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

ncclResult_t first_comm(MPI_Comm mpi_comm, ncclComm_t *comm)
{
    // Yours to write: part 8: a communicator (about 8 lines)
    // ncclGetUniqueId on one rank, MPI_Bcast of its bytes (MPI_BYTE),
    // ncclCommInitRank on all.
    LAB_HOLE("part 8: a communicator");
}

ncclResult_t first_swap(const float *sendbuf, float *recvbuf, size_t count,
                        int partner, ncclComm_t comm, cudaStream_t stream)
{
    // Yours to write: part 9: a group (about 5 lines)
    // ncclSend, ncclRecv: which comes first? ncclGroupStart and
    // ncclGroupEnd make the question go away.
    LAB_HOLE("part 9: a group");
}

ncclResult_t first_collectives(const float *sendbuf,
                               const struct first_tour *out, size_t count,
                               int root, ncclComm_t comm, cudaStream_t stream)
{
    // Yours to write: part 10: four collectives (about 12 lines)
    // ncclBroadcast, ncclAllGather, ncclReduceScatter, ncclAllReduce.
    // What does the count of each one count: what a rank sends, or what
    // it receives? ncclCommCount tells the number of ranks.
    LAB_HOLE("part 10: four collectives");
}
