/*
 * Part 1: from MPI ranks to a NCCL communicator.
 *
 * NCCL has no launcher of its own. One rank asks it for a unique id, another
 * channel (here MPI) carries those 128 bytes to all ranks, and each rank uses
 * them to join the communicator.
 */
#include "lab1.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

ncclResult_t boot_comm(MPI_Comm mpi_comm, ncclComm_t *comm)
{
    // Yours to write: part 1: communicator (about 10 lines)
    // MPI_Comm_rank, MPI_Comm_size, ncclGetUniqueId on rank 0 alone,
    // MPI_Bcast of sizeof(ncclUniqueId) bytes, ncclCommInitRank.
    LAB_HOLE("part 1: communicator");
}

ncclResult_t boot_sum(const struct coll *c, double mine, double *sum)
{
    // Yours to write: part 1: all-reduce (about 10 lines)
    // cudaMemcpyAsync, ncclAllReduce, cudaMemcpyAsync, all on
    // c->stream; when may you read *sum?
    LAB_HOLE("part 1: all-reduce");
}
