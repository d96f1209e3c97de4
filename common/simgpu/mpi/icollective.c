/*
 * icollective.c: MPI's non-blocking collectives
 *
 * They accept device pointers, but are not recorded. The graph has no operation
 * that begins in one call and ends in another; recording a barrier instead
 * would order, and delay, the very work that they are meant to overlap. Their
 * buffers are lent to MPI until a wait (core/stream/lent.h, mpi/sent.h).
 */
#include "core/heap/heap.h"
#include "mpi/request.h"

#pragma weak PMPI_Ibcast
#pragma weak PMPI_Ireduce
#pragma weak PMPI_Iallreduce
#pragma weak PMPI_Ireduce_scatter_block
#pragma weak PMPI_Igather
#pragma weak PMPI_Iscatter
#pragma weak PMPI_Iallgather
#pragma weak PMPI_Ialltoall
#pragma weak PMPI_Comm_rank

static int is_root(const struct mpi_call *c, int root)
{
    int rank = 0;
    PMPI_Comm_rank(c->comm, &rank);
    return rank == root;
}

/* The bytes of a block for each rank, which the root alone has: elsewhere MPI
 * ignores the arguments, which may be invalid. */
static size_t of_root(const struct mpi_call *c, int root, int count,
                      MPI_Datatype type)
{
    return is_root(c, root) ? call_nbytes(count, type) * (size_t)c->size : 0;
}

int MPI_Ibcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request *request)
{
    struct mpi_call c = CALL_BEGIN("MPI_Ibcast", comm);
    c.type = type;
    const size_t nbytes = call_nbytes(count, type);
    const size_t sent = is_root(&c, root) ? nbytes : 0;
    const int err =
        PMPI_Ibcast(simgpu_heap_raw(buf), count, type, root, comm, request);
    return request_collective(&c, err, *request, buf, sent, buf, nbytes - sent);
}

int MPI_Ireduce(const void *sendbuf, void *recvbuf, int count,
                MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                MPI_Request *request)
{
    struct mpi_call c = CALL_BEGIN("MPI_Ireduce", comm);
    c.type = type;
    const size_t nbytes = call_nbytes(count, type);
    const int err =
        PMPI_Ireduce(simgpu_heap_raw(sendbuf), simgpu_heap_raw(recvbuf), count,
                     type, op, root, comm, request);
    return request_collective(&c, err, *request, sendbuf, nbytes, recvbuf,
                              is_root(&c, root) ? nbytes : 0);
}

/* Functions whose arguments are a block's count and type, and which send
 * `blocks` of these. */
#define IREDUCTION(name, blocks)                                               \
    int MPI_##name(const void *sendbuf, void *recvbuf, int count,              \
                   MPI_Datatype type, MPI_Op op, MPI_Comm comm,                \
                   MPI_Request *request)                                       \
    {                                                                          \
        struct mpi_call c = CALL_BEGIN("MPI_" #name, comm);                    \
        c.type = type;                                                         \
        const size_t nbytes = call_nbytes(count, type);                        \
        const int err =                                                        \
            PMPI_##name(simgpu_heap_raw(sendbuf), simgpu_heap_raw(recvbuf),    \
                        count, type, op, comm, request);                       \
        return request_collective(&c, err, *request, sendbuf,                  \
                                  nbytes * (size_t)(blocks), recvbuf, nbytes); \
    }
IREDUCTION(Iallreduce, 1)
IREDUCTION(Ireduce_scatter_block, c.size)

/* Functions of which the root alone sends, or receives, a block for each
 * rank. */
#define IROOTED(name, sent, received)                                          \
    int MPI_##name(const void *sendbuf, int sendcount, MPI_Datatype sendtype,  \
                   void *recvbuf, int recvcount, MPI_Datatype recvtype,        \
                   int root, MPI_Comm comm, MPI_Request *request)              \
    {                                                                          \
        struct mpi_call c = CALL_BEGIN("MPI_" #name, comm);                    \
        c.type = sendtype;                                                     \
        const int err = PMPI_##name(simgpu_heap_raw(sendbuf), sendcount,       \
                                    sendtype, simgpu_heap_raw(recvbuf),        \
                                    recvcount, recvtype, root, comm, request); \
        return request_collective(&c, err, *request, sendbuf, sent, recvbuf,   \
                                  received);                                   \
    }
IROOTED(Igather, call_nbytes(sendcount, sendtype),
        of_root(&c, root, recvcount, recvtype))
IROOTED(Iscatter, of_root(&c, root, sendcount, sendtype),
        call_nbytes(recvcount, recvtype))

/* Functions that receive a block from each rank, and send `blocks` of them. */
#define IEXCHANGE(name, blocks)                                                \
    int MPI_##name(const void *sendbuf, int sendcount, MPI_Datatype sendtype,  \
                   void *recvbuf, int recvcount, MPI_Datatype recvtype,        \
                   MPI_Comm comm, MPI_Request *request)                        \
    {                                                                          \
        struct mpi_call c = CALL_BEGIN("MPI_" #name, comm);                    \
        c.type = sendtype;                                                     \
        const size_t out = call_nbytes(sendcount, sendtype);                   \
        const size_t in = call_nbytes(recvcount, recvtype);                    \
        const int err = PMPI_##name(simgpu_heap_raw(sendbuf), sendcount,       \
                                    sendtype, simgpu_heap_raw(recvbuf),        \
                                    recvcount, recvtype, comm, request);       \
        return request_collective(&c, err, *request, sendbuf,                  \
                                  out * (size_t)(blocks), recvbuf,             \
                                  in * (size_t)c.size);                        \
    }
IEXCHANGE(Iallgather, 1)
IEXCHANGE(Ialltoall, c.size)
