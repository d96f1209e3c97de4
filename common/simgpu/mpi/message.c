/*
 * message.c: MPI's blocking messages
 *
 * A send is recorded before it leaves. A receive is recorded when it is
 * matched, since only then are its source, tag and number among the messages of
 * the same envelope known. A small blocking send doesn't wait for its receiver
 * (MPICH sends it eagerly). MPI leaves open whether a large one does; it is
 * recorded as waiting.
 */
#include "mpi/message.h"

#include "core/heap/heap.h"
#include "mpi/comm.h" /* comm_message_key */
#include "mpi/letter.h"
#include "mpi/nap.h"

#pragma weak PMPI_Isend
#pragma weak PMPI_Issend
#pragma weak PMPI_Irsend
#pragma weak PMPI_Ibsend
#pragma weak PMPI_Irecv
#pragma weak PMPI_Iprobe
#pragma weak PMPI_Recv
#pragma weak PMPI_Test
#pragma weak PMPI_Sendrecv_replace
#pragma weak PMPI_Comm_rank
#pragma weak PMPI_Test_cancelled

static int my_rank(MPI_Comm comm)
{
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    return rank;
}

void message_send(struct mpi_call *c, const void *buf, size_t nbytes, int dest,
                  int tag, int rendezvous)
{
    if (dest == MPI_PROC_NULL)
        return;
    call_reads(c, buf, nbytes);
    const uint64_t key =
        comm_message_key(c->comm, my_rank(c->comm), dest, tag, 0);
    letter_sent(c, key);
    call_message(c, key, 0, rendezvous, nbytes);
    c->naccesses = 0;
}

void message_receive(struct mpi_call *c, void *buf, size_t nbytes,
                     const MPI_Status *status)
{
    int cancelled = 0;
    if (PMPI_Test_cancelled(status, &cancelled) == MPI_SUCCESS && cancelled)
        return;
    call_writes(c, buf, nbytes);
    const uint64_t key = comm_message_key(c->comm, status->MPI_SOURCE,
                                          my_rank(c->comm), status->MPI_TAG, 1);
    letter_received(c, key);
    call_message(c, key, 1, 0, nbytes);
    c->naccesses = 0;
}

/* Complete a receive. A receive from MPI_PROC_NULL gets no data and the status
 * that MPI prescribes: MPICH's MPI_Irecv would leave rank 0 in the status. */
static int received(struct mpi_call *c, void *buf, size_t nbytes, int source,
                    MPI_Status *status)
{
    if (source == MPI_PROC_NULL)
        return PMPI_Recv(buf, 0, MPI_BYTE, source, 0, c->comm, status);
    message_receive(c, buf, nbytes, status);
    return MPI_SUCCESS;
}

/* Functions with the parameters (buf, count, type, dest, tag, comm). */
#define SEND(name, lower, rendezvous)                                          \
    int MPI_##name(const void *buf, int count, MPI_Datatype type, int dest,    \
                   int tag, MPI_Comm comm)                                     \
    {                                                                          \
        struct mpi_call c = CALL_BEGIN("MPI_" #name, comm);                    \
        const size_t nbytes = call_nbytes(count, type);                        \
        call_fits(&c, dest, buf, count, type, GRAPH_READ);                     \
        c.type = type;                                                         \
        message_send(&c, buf, nbytes, dest, tag, rendezvous);                  \
        call_wait(&c, dest, tag);                                              \
        return call_asleep(&c,                                                 \
                           PMPI_I##lower(simgpu_heap_raw(buf), count, type,    \
                                         dest, tag, comm, &c.request));        \
    }
SEND(Send, send, nbytes > MESSAGE_EAGER)
SEND(Ssend, ssend, 1)
SEND(Rsend, rsend, nbytes > MESSAGE_EAGER)
SEND(Bsend, bsend, 0)

static int await_message(struct mpi_call *c, MPI_Status *s)
{
    int err, done = 0;
    struct nap n = {0};
    while ((err = PMPI_Test(&c->request, &done, s)) == MPI_SUCCESS && !done) {
        if (c->peer >= 0 && nap_any_dead(c->comm, c->peer))
            return NAP_DEAD;
        call_look(c, &n);
        nap(&n);
    }
    return err;
}

int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag,
             MPI_Comm comm, MPI_Status *status)
{
    struct mpi_call c = CALL_BEGIN("MPI_Recv", comm);
    MPI_Status own;
    MPI_Status *const s = status == MPI_STATUS_IGNORE ? &own : status;
    call_fits(&c, source, buf, count, type, GRAPH_WRITE);
    c.type = type;
    call_wait(&c, source, tag);
    int err = PMPI_Irecv(simgpu_heap_raw(buf), count, type, source, tag, comm,
                         &c.request);
    if (err == MPI_SUCCESS)
        err = await_message(&c, s);
    call_end(&c, err);
    if (err == NAP_DEAD)
        return call_died(&c);
    return err == MPI_SUCCESS
               ? received(&c, buf, call_nbytes(count, type), source, s)
               : err;
}

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                 int dest, int sendtag, void *recvbuf, int recvcount,
                 MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                 MPI_Status *status)
{
    struct mpi_call c = CALL_BEGIN("MPI_Sendrecv", comm);
    MPI_Status own;
    MPI_Status *const s = status == MPI_STATUS_IGNORE ? &own : status;
    call_fits(&c, dest, sendbuf, sendcount, sendtype, GRAPH_READ);
    call_fits(&c, source, recvbuf, recvcount, recvtype, GRAPH_WRITE);
    c.type = sendtype;
    message_send(&c, sendbuf, call_nbytes(sendcount, sendtype), dest, sendtag,
                 0);
    call_wait(&c, source, recvtag);
    MPI_Request both[2];
    MPI_Status status_of[2];
    int err = PMPI_Irecv(simgpu_heap_raw(recvbuf), recvcount, recvtype, source,
                         recvtag, comm, &both[0]);
    if (err == MPI_SUCCESS)
        err = PMPI_Isend(simgpu_heap_raw(sendbuf), sendcount, sendtype, dest,
                         sendtag, comm, &both[1]);
    if (err == MPI_SUCCESS)
        err = nap_waitall(2, both, status_of);
    call_end(&c, err);
    *s = status_of[0];
    c.type = recvtype;
    return err == MPI_SUCCESS
               ? received(&c, recvbuf, call_nbytes(recvcount, recvtype), source,
                          s)
               : err;
}

int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest,
                         int sendtag, int source, int recvtag, MPI_Comm comm,
                         MPI_Status *status)
{
    struct mpi_call c = CALL_BEGIN("MPI_Sendrecv_replace", comm);
    MPI_Status own;
    MPI_Status *const s = status == MPI_STATUS_IGNORE ? &own : status;
    const size_t nbytes = call_nbytes(count, type);
    c.type = type;
    message_send(&c, buf, nbytes, dest, sendtag, 0);
    call_wait(&c, source, recvtag);
    const int err = call_end(
        &c, PMPI_Sendrecv_replace(simgpu_heap_raw(buf), count, type, dest,
                                  sendtag, source, recvtag, comm, s));
    return err == MPI_SUCCESS ? received(&c, buf, nbytes, source, s) : err;
}

/* Not recorded: the receive that follows is recorded. */
int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct mpi_call c = CALL_BEGIN("MPI_Probe", comm);
    call_wait(&c, source, tag);
    int found = 0, err;
    struct nap n = {0};
    while ((err = PMPI_Iprobe(source, tag, comm, &found, status)) ==
               MPI_SUCCESS &&
           !found) {
        call_look(&c, &n);
        nap(&n);
    }
    return call_end(&c, err);
}
