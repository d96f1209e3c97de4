/*
 * icollective.c: MPI's non-blocking collectives
 *
 * They accept device pointers, but are not recorded. The graph has no operation
 * that begins in one call and ends in another; recording a barrier instead
 * would order, and delay, the very work that they are meant to overlap.
 */
#include "core/heap/heap.h"
#include "mpi/call.h"

#pragma weak PMPI_Ibcast
#pragma weak PMPI_Ireduce
#pragma weak PMPI_Iallreduce
#pragma weak PMPI_Ireduce_scatter_block
#pragma weak PMPI_Igather
#pragma weak PMPI_Iscatter
#pragma weak PMPI_Iallgather
#pragma weak PMPI_Ialltoall

int MPI_Ibcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request *request)
{
    return PMPI_Ibcast(simgpu_heap_raw(buf), count, type, root, comm, request);
}

int MPI_Ireduce(const void *sendbuf, void *recvbuf, int count,
                MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                MPI_Request *request)
{
    return PMPI_Ireduce(simgpu_heap_raw(sendbuf), simgpu_heap_raw(recvbuf),
                        count, type, op, root, comm, request);
}

#define IREDUCTION(name)                                                       \
    int MPI_##name(const void *sendbuf, void *recvbuf, int count,              \
                   MPI_Datatype type, MPI_Op op, MPI_Comm comm,                \
                   MPI_Request *request)                                       \
    {                                                                          \
        return PMPI_##name(simgpu_heap_raw(sendbuf), simgpu_heap_raw(recvbuf), \
                           count, type, op, comm, request);                    \
    }
IREDUCTION(Iallreduce)
IREDUCTION(Ireduce_scatter_block)

#define IROOTED(name)                                                          \
    int MPI_##name(const void *sendbuf, int sendcount, MPI_Datatype sendtype,  \
                   void *recvbuf, int recvcount, MPI_Datatype recvtype,        \
                   int root, MPI_Comm comm, MPI_Request *request)              \
    {                                                                          \
        return PMPI_##name(simgpu_heap_raw(sendbuf), sendcount, sendtype,      \
                           simgpu_heap_raw(recvbuf), recvcount, recvtype,      \
                           root, comm, request);                               \
    }
IROOTED(Igather)
IROOTED(Iscatter)

#define IEXCHANGE(name)                                                        \
    int MPI_##name(const void *sendbuf, int sendcount, MPI_Datatype sendtype,  \
                   void *recvbuf, int recvcount, MPI_Datatype recvtype,        \
                   MPI_Comm comm, MPI_Request *request)                        \
    {                                                                          \
        return PMPI_##name(simgpu_heap_raw(sendbuf), sendcount, sendtype,      \
                           simgpu_heap_raw(recvbuf), recvcount, recvtype,      \
                           comm, request);                                     \
    }
IEXCHANGE(Iallgather)
IEXCHANGE(Ialltoall)
