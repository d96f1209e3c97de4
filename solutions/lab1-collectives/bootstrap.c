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
    // BEGIN HOLE part 1: communicator (about 10 lines)
    // HINT: MPI_Comm_rank, MPI_Comm_size, ncclGetUniqueId on rank 0 alone,
    // HINT: MPI_Bcast of sizeof(ncclUniqueId) bytes, ncclCommInitRank.
    int rank, nranks;
    MPI_Comm_rank(mpi_comm, &rank);
    MPI_Comm_size(mpi_comm, &nranks);

    ncclUniqueId id;
    if (rank == 0)
        LAB_TRY(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, mpi_comm);
    return ncclCommInitRank(comm, nranks, id, rank);
    // END HOLE
}

ncclResult_t boot_sum(const struct coll *c, double mine, double *sum)
{
    // BEGIN HOLE part 1: all-reduce (about 10 lines)
    // HINT: cudaMemcpyAsync, ncclAllReduce, cudaMemcpyAsync, all on
    // HINT: c->stream; when may you read *sum?
    double *const d = c->scratch;
    LAB_TRY_CUDA(cudaMemcpyAsync(d, &mine, sizeof mine, cudaMemcpyHostToDevice,
                                 c->stream));
    LAB_TRY(ncclAllReduce(d, d, 1, ncclDouble, ncclSum, c->comm, c->stream));
    LAB_TRY_CUDA(cudaMemcpyAsync(sum, d, sizeof *sum, cudaMemcpyDeviceToHost,
                                 c->stream));
    LAB_TRY_CUDA(cudaStreamSynchronize(c->stream));
    return ncclSuccess;
    // END HOLE
}
