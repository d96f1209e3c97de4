/*
 * collective.c: MPI's blocking collectives
 *
 * A collective's size is this rank's own share, as in nccl-tests: the larger of
 * what it sends and what it receives.
 */
#include <mpi.h>

#include "core/heap/heap.h"
#include "mpi/call.h"

#pragma weak PMPI_Ibarrier
#pragma weak PMPI_Ibcast
#pragma weak PMPI_Ireduce
#pragma weak PMPI_Iallreduce
#pragma weak PMPI_Igather
#pragma weak PMPI_Igatherv
#pragma weak PMPI_Iscatter
#pragma weak PMPI_Iscatterv
#pragma weak PMPI_Iallgather
#pragma weak PMPI_Iallgatherv
#pragma weak PMPI_Ialltoall
#pragma weak PMPI_Ialltoallv
#pragma weak PMPI_Ireduce_scatter
#pragma weak PMPI_Reduce_local
#pragma weak PMPI_Ireduce_scatter_block
#pragma weak PMPI_Iscan
#pragma weak PMPI_Iexscan
#pragma weak PMPI_Comm_rank
#pragma weak PMPI_Comm_size

static int rank_of(MPI_Comm comm)
{
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    return rank;
}

static int size_of(MPI_Comm comm)
{
    int size = 1;
    PMPI_Comm_size(comm, &size);
    return size;
}

/* The number of elements up to the end of a vector collective's last block. */
static int extent(const int counts[], const int displs[], int n)
{
    int end = 0;
    for (int i = 0; i < n; i++)
        if (displs[i] + counts[i] > end)
            end = displs[i] + counts[i];
    return end;
}

/* What a collective reads: in place, that is its receive buffer. */
static const void *input(const void *sendbuf, const void *recvbuf)
{
    return sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
}

int MPI_Barrier(MPI_Comm comm)
{
    struct mpi_call c = CALL_BEGIN("MPI_Barrier", comm);
    call_collective(&c, TOPO_OP_BARRIER, 0, 0);
    return call_asleep(&c, PMPI_Ibarrier(comm, &c.request));
}

int MPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    struct mpi_call c = CALL_BEGIN("MPI_Bcast", comm);
    const size_t nbytes = call_nbytes(count, type);
    if (rank_of(comm) == root)
        call_reads(&c, buf, nbytes);
    else
        call_writes(&c, buf, nbytes);
    call_collective(&c, TOPO_OP_BROADCAST, root, nbytes);
    return call_asleep(&c, PMPI_Ibcast(simgpu_heap_raw(buf), count, type, root,
                                       comm, &c.request));
}

int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
               MPI_Op op, int root, MPI_Comm comm)
{
    struct mpi_call c = CALL_BEGIN("MPI_Reduce", comm);
    call_reduces(&c, type, op);
    const size_t nbytes = call_nbytes(count, type);
    call_reads(&c, input(sendbuf, recvbuf), nbytes);
    if (rank_of(comm) == root)
        call_writes(&c, recvbuf, nbytes);
    call_collective(&c, TOPO_OP_REDUCE, root, nbytes);
    return call_asleep(&c, PMPI_Ireduce(simgpu_heap_raw(sendbuf),
                                        simgpu_heap_raw(recvbuf), count, type,
                                        op, root, comm, &c.request));
}

/* Functions with the parameters (sendbuf, recvbuf, count, type, op, comm). */
#define REDUCTION(name, lower, topo_op, sent_blocks)                           \
    int MPI_##name(const void *sendbuf, void *recvbuf, int count,              \
                   MPI_Datatype type, MPI_Op op, MPI_Comm comm)                \
    {                                                                          \
        struct mpi_call c = CALL_BEGIN("MPI_" #name, comm);                    \
        call_reduces(&c, type, op);                                            \
        const size_t nbytes = call_nbytes(count, type);                        \
        call_reads(&c, input(sendbuf, recvbuf), nbytes *(sent_blocks));        \
        call_writes(&c, recvbuf, nbytes);                                      \
        call_collective(&c, topo_op, 0, nbytes *(sent_blocks));                \
        return call_asleep(&c, PMPI_I##lower(simgpu_heap_raw(sendbuf),         \
                                             simgpu_heap_raw(recvbuf), count,  \
                                             type, op, comm, &c.request));     \
    }
REDUCTION(Allreduce, allreduce, TOPO_OP_ALLREDUCE, 1)
REDUCTION(Reduce_scatter_block, reduce_scatter_block, TOPO_OP_REDUCESCATTER,
          size_of(comm))
REDUCTION(Scan, scan, TOPO_OP_ALLREDUCE, 1)
REDUCTION(Exscan, exscan, TOPO_OP_ALLREDUCE, 1)

int MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
               void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
               MPI_Comm comm)
{
    struct mpi_call c = CALL_BEGIN("MPI_Gather", comm);
    const size_t nbytes = call_nbytes(sendcount, sendtype);
    call_reads(&c, sendbuf, nbytes);
    if (rank_of(comm) == root)
        call_writes(&c, recvbuf,
                    call_nbytes(recvcount, recvtype) * size_of(comm));
    call_collective(&c, TOPO_OP_GATHER, root, nbytes);
    return call_asleep(&c, PMPI_Igather(simgpu_heap_raw(sendbuf), sendcount,
                                        sendtype, simgpu_heap_raw(recvbuf),
                                        recvcount, recvtype, root, comm,
                                        &c.request));
}

int MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                void *recvbuf, const int recvcounts[], const int displs[],
                MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    struct mpi_call c = CALL_BEGIN("MPI_Gatherv", comm);
    const size_t nbytes = call_nbytes(sendcount, sendtype);
    call_reads(&c, sendbuf, nbytes);
    if (rank_of(comm) == root)
        call_writes(
            &c, recvbuf,
            call_nbytes(extent(recvcounts, displs, size_of(comm)), recvtype));
    call_collective(&c, TOPO_OP_GATHER, root, nbytes);
    return call_asleep(&c, PMPI_Igatherv(simgpu_heap_raw(sendbuf), sendcount,
                                         sendtype, simgpu_heap_raw(recvbuf),
                                         recvcounts, displs, recvtype, root,
                                         comm, &c.request));
}

int MPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                MPI_Comm comm)
{
    struct mpi_call c = CALL_BEGIN("MPI_Scatter", comm);
    const size_t nbytes = call_nbytes(recvcount, recvtype);
    if (rank_of(comm) == root)
        call_reads(&c, sendbuf,
                   call_nbytes(sendcount, sendtype) * size_of(comm));
    call_writes(&c, recvbuf, nbytes);
    call_collective(&c, TOPO_OP_SCATTER, root, nbytes);
    return call_asleep(&c, PMPI_Iscatter(simgpu_heap_raw(sendbuf), sendcount,
                                         sendtype, simgpu_heap_raw(recvbuf),
                                         recvcount, recvtype, root, comm,
                                         &c.request));
}

int MPI_Scatterv(const void *sendbuf, const int sendcounts[],
                 const int displs[], MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    struct mpi_call c = CALL_BEGIN("MPI_Scatterv", comm);
    const size_t nbytes = call_nbytes(recvcount, recvtype);
    if (rank_of(comm) == root)
        call_reads(
            &c, sendbuf,
            call_nbytes(extent(sendcounts, displs, size_of(comm)), sendtype));
    call_writes(&c, recvbuf, nbytes);
    call_collective(&c, TOPO_OP_SCATTER, root, nbytes);
    return call_asleep(&c, PMPI_Iscatterv(simgpu_heap_raw(sendbuf), sendcounts,
                                          displs, sendtype,
                                          simgpu_heap_raw(recvbuf), recvcount,
                                          recvtype, root, comm, &c.request));
}

/* Functions in which every rank sends a block to every rank. In place, what it
 * sends is in recvbuf, from byte sent_from on. */
#define EXCHANGE(name, lower, topo_op, sent_blocks, sent_from)                 \
    int MPI_##name(const void *sendbuf, int sendcount, MPI_Datatype sendtype,  \
                   void *recvbuf, int recvcount, MPI_Datatype recvtype,        \
                   MPI_Comm comm)                                              \
    {                                                                          \
        struct mpi_call c = CALL_BEGIN("MPI_" #name, comm);                    \
        const size_t all = call_nbytes(recvcount, recvtype) * size_of(comm);   \
        if (sendbuf == MPI_IN_PLACE)                                           \
            call_reads(&c, (char *)recvbuf + (sent_from),                      \
                       call_nbytes(recvcount, recvtype) * (sent_blocks));      \
        else                                                                   \
            call_reads(&c, sendbuf,                                            \
                       call_nbytes(sendcount, sendtype) * (sent_blocks));      \
        call_writes(&c, recvbuf, all);                                         \
        call_collective(&c, topo_op, 0, all);                                  \
        return call_asleep(                                                    \
            &c, PMPI_I##lower(simgpu_heap_raw(sendbuf), sendcount, sendtype,   \
                              simgpu_heap_raw(recvbuf), recvcount, recvtype,   \
                              comm, &c.request));                              \
    }
EXCHANGE(Allgather, allgather, TOPO_OP_ALLGATHER, 1,
         call_nbytes(recvcount, recvtype) * rank_of(comm))
EXCHANGE(Alltoall, alltoall, TOPO_OP_ALLTOALL, size_of(comm), 0)

int MPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                   void *recvbuf, const int recvcounts[], const int displs[],
                   MPI_Datatype recvtype, MPI_Comm comm)
{
    struct mpi_call c = CALL_BEGIN("MPI_Allgatherv", comm);
    const size_t all =
        call_nbytes(extent(recvcounts, displs, size_of(comm)), recvtype);
    const int me = rank_of(comm);
    if (sendbuf == MPI_IN_PLACE)
        call_reads(&c, (char *)recvbuf + call_nbytes(displs[me], recvtype),
                   call_nbytes(recvcounts[me], recvtype));
    else
        call_reads(&c, sendbuf, call_nbytes(sendcount, sendtype));
    call_writes(&c, recvbuf, all);
    call_collective(&c, TOPO_OP_ALLGATHER, 0, all);
    return call_asleep(&c, PMPI_Iallgatherv(simgpu_heap_raw(sendbuf), sendcount,
                                            sendtype, simgpu_heap_raw(recvbuf),
                                            recvcounts, displs, recvtype, comm,
                                            &c.request));
}

int MPI_Alltoallv(const void *sendbuf, const int sendcounts[],
                  const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
                  const int recvcounts[], const int rdispls[],
                  MPI_Datatype recvtype, MPI_Comm comm)
{
    struct mpi_call c = CALL_BEGIN("MPI_Alltoallv", comm);
    const int n = size_of(comm);
    const size_t received =
        call_nbytes(extent(recvcounts, rdispls, n), recvtype);
    if (sendbuf == MPI_IN_PLACE)
        call_reads(&c, recvbuf, received);
    else
        call_reads(&c, sendbuf,
                   call_nbytes(extent(sendcounts, sdispls, n), sendtype));
    call_writes(&c, recvbuf, received);
    call_collective(&c, TOPO_OP_ALLTOALL, 0, received);
    return call_asleep(
        &c, PMPI_Ialltoallv(simgpu_heap_raw(sendbuf), sendcounts, sdispls,
                            sendtype, simgpu_heap_raw(recvbuf), recvcounts,
                            rdispls, recvtype, comm, &c.request));
}

int MPI_Reduce_scatter(const void *sendbuf, void *recvbuf,
                       const int recvcounts[], MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm)
{
    struct mpi_call c = CALL_BEGIN("MPI_Reduce_scatter", comm);
    int count = 0;
    for (int r = 0; r < size_of(comm); r++)
        count += recvcounts[r];
    const size_t nbytes = call_nbytes(count, type);
    call_reads(&c, input(sendbuf, recvbuf), nbytes);
    call_writes(&c, recvbuf, call_nbytes(recvcounts[rank_of(comm)], type));
    call_collective(&c, TOPO_OP_REDUCESCATTER, 0, nbytes);
    return call_asleep(&c, PMPI_Ireduce_scatter(simgpu_heap_raw(sendbuf),
                                                simgpu_heap_raw(recvbuf),
                                                recvcounts, type, op, comm,
                                                &c.request));
}

/* A local call, in which only the pointers need translation. */
int MPI_Reduce_local(const void *inbuf, void *inoutbuf, int count,
                     MPI_Datatype type, MPI_Op op)
{
    return PMPI_Reduce_local(simgpu_heap_raw(inbuf), simgpu_heap_raw(inoutbuf),
                             count, type, op);
}
