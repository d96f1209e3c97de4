/*
 * message.c: MPI's messages, blocking and not
 *
 * A send is recorded before it leaves, a receive when it is matched: then its
 * source and tag are known, and the message's number among those with the same
 * envelope. A small blocking send doesn't wait for its receiver (MPICH sends it
 * eagerly); whether a large one does is up to MPI, and it is recorded as one
 * that does.
 */
#include <mpi.h>
#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* malloc */

#include "core/stream.h" /* host_call */
#include "mpi/call.h"
#include "mpi/comm.h" /* comm_message_key */
#include "mpi/map.h"  /* map_slot */

#pragma weak PMPI_Send
#pragma weak PMPI_Ssend
#pragma weak PMPI_Recv
#pragma weak PMPI_Sendrecv
#pragma weak PMPI_Isend
#pragma weak PMPI_Irecv
#pragma weak PMPI_Wait
#pragma weak PMPI_Waitall
#pragma weak PMPI_Waitany
#pragma weak PMPI_Test
#pragma weak PMPI_Comm_rank

enum { EAGER = 8192 }; /* bytes; MPICH's limit inside a node is near it */

static int my_rank(MPI_Comm comm)
{
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    return rank;
}

static void record_send(struct call *c, const void *buf, size_t nbytes,
                        int dest, int tag, int rendezvous)
{
    if (dest == MPI_PROC_NULL)
        return;
    call_reads(c, buf, nbytes);
    call_message(c, comm_message_key(c->comm, my_rank(c->comm), dest, tag), 0,
                 rendezvous, nbytes);
    c->naccesses = 0;
}

static void record_receive(struct call *c, void *buf, size_t nbytes,
                           const MPI_Status *status)
{
    if (status->MPI_SOURCE < 0) // MPI_PROC_NULL
        return;
    call_writes(c, buf, nbytes);
    call_message(c,
                 comm_message_key(c->comm, status->MPI_SOURCE, my_rank(c->comm),
                                  status->MPI_TAG),
                 1, 0, nbytes);
    c->naccesses = 0;
}

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag,
             MPI_Comm comm)
{
    struct call c = CALL_BEGIN("MPI_Send", comm);
    const size_t nbytes = call_nbytes(count, type);
    record_send(&c, buf, nbytes, dest, tag, nbytes > EAGER);
    call_wait(&c, dest, tag);
    return call_end(&c, PMPI_Send(heap_raw(buf), count, type, dest, tag, comm));
}

int MPI_Ssend(const void *buf, int count, MPI_Datatype type, int dest, int tag,
              MPI_Comm comm)
{
    struct call c = CALL_BEGIN("MPI_Ssend", comm);
    record_send(&c, buf, call_nbytes(count, type), dest, tag, 1);
    call_wait(&c, dest, tag);
    return call_end(&c,
                    PMPI_Ssend(heap_raw(buf), count, type, dest, tag, comm));
}

int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag,
             MPI_Comm comm, MPI_Status *status)
{
    struct call c = CALL_BEGIN("MPI_Recv", comm);
    MPI_Status own;
    MPI_Status *const s = status == MPI_STATUS_IGNORE ? &own : status;
    call_wait(&c, source, tag);
    const int err = call_end(
        &c, PMPI_Recv(heap_raw(buf), count, type, source, tag, comm, s));
    if (err == MPI_SUCCESS)
        record_receive(&c, buf, call_nbytes(count, type), s);
    return err;
}

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                 int dest, int sendtag, void *recvbuf, int recvcount,
                 MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                 MPI_Status *status)
{
    struct call c = CALL_BEGIN("MPI_Sendrecv", comm);
    MPI_Status own;
    MPI_Status *const s = status == MPI_STATUS_IGNORE ? &own : status;
    record_send(&c, sendbuf, call_nbytes(sendcount, sendtype), dest, sendtag,
                0);
    call_wait(&c, source, recvtag);
    const int err =
        call_end(&c, PMPI_Sendrecv(heap_raw(sendbuf), sendcount, sendtype, dest,
                                   sendtag, heap_raw(recvbuf), recvcount,
                                   recvtype, source, recvtag, comm, s));
    if (err == MPI_SUCCESS)
        record_receive(&c, recvbuf, call_nbytes(recvcount, recvtype), s);
    return err;
}

/* ---- requests ------------------------------------------------------------------- */

struct pending { /* a receive under way */
    MPI_Comm comm;
    void *buf;
    size_t nbytes;
};

/* Receives under way, by request. */
static struct map requests;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void remember(MPI_Request request, MPI_Comm comm, void *buf,
                     size_t nbytes)
{
    struct pending *const p = malloc(sizeof *p);
    if (!p)
        proc_fault(NULL, "out of host memory for a request");
    *p = (struct pending){comm, buf, nbytes};
    pthread_mutex_lock(&lock);
    *map_slot(&requests, (uint64_t)request) = (uintptr_t)p;
    pthread_mutex_unlock(&lock);
}

/* The receive of a request, which is forgotten; NULL if it is none. */
static struct pending *take(MPI_Request request)
{
    pthread_mutex_lock(&lock);
    uint64_t *const slot = map_slot(&requests, (uint64_t)request);
    struct pending *const p = (struct pending *)(uintptr_t)*slot;
    *slot = 0;
    pthread_mutex_unlock(&lock);
    return p;
}

/* A request has completed: if it was a receive, record it. */
static void completed(struct call *c, MPI_Request request,
                      const MPI_Status *status)
{
    struct pending *const p = take(request);
    if (!p)
        return;
    c->comm = p->comm;
    record_receive(c, p->buf, p->nbytes, status);
    free(p);
}

int MPI_Isend(const void *buf, int count, MPI_Datatype type, int dest, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    struct call c = CALL_BEGIN("MPI_Isend", comm);
    record_send(&c, buf, call_nbytes(count, type), dest, tag, 0);
    return PMPI_Isend(heap_raw(buf), count, type, dest, tag, comm, request);
}

int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    const int err =
        PMPI_Irecv(heap_raw(buf), count, type, source, tag, comm, request);
    if (err == MPI_SUCCESS)
        remember(*request, comm, buf, call_nbytes(count, type));
    return err;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct call c = CALL_BEGIN("MPI_Wait", MPI_COMM_WORLD);
    MPI_Status own;
    MPI_Status *const s = status == MPI_STATUS_IGNORE ? &own : status;
    const MPI_Request before = *request;
    call_wait(&c, MPI_ANY_SOURCE, MPI_ANY_TAG);
    const int err = call_end(&c, PMPI_Wait(request, s));
    if (err == MPI_SUCCESS)
        completed(&c, before, s);
    return err;
}

int MPI_Waitall(int count, MPI_Request requests_[], MPI_Status statuses[])
{
    struct call c = CALL_BEGIN("MPI_Waitall", MPI_COMM_WORLD);
    MPI_Request *const before = malloc(((size_t)count + 1) * sizeof *before);
    MPI_Status *const own = malloc(((size_t)count + 1) * sizeof *own);
    if (!before || !own)
        proc_fault(NULL, "out of host memory for %d requests", count);
    for (int i = 0; i < count; i++)
        before[i] = requests_[i];
    call_wait(&c, MPI_ANY_SOURCE, MPI_ANY_TAG);
    const int err = call_end(&c, PMPI_Waitall(count, requests_, own));
    for (int i = 0; i < count && err == MPI_SUCCESS; i++) {
        completed(&c, before[i], &own[i]);
        if (statuses != MPI_STATUSES_IGNORE)
            statuses[i] = own[i];
    }
    free(before);
    free(own);
    return err;
}

int MPI_Waitany(int count, MPI_Request requests_[], int *index,
                MPI_Status *status)
{
    struct call c = CALL_BEGIN("MPI_Waitany", MPI_COMM_WORLD);
    MPI_Status own;
    MPI_Status *const s = status == MPI_STATUS_IGNORE ? &own : status;
    MPI_Request *const before = malloc(((size_t)count + 1) * sizeof *before);
    if (!before)
        proc_fault(NULL, "out of host memory for %d requests", count);
    for (int i = 0; i < count; i++)
        before[i] = requests_[i];
    call_wait(&c, MPI_ANY_SOURCE, MPI_ANY_TAG);
    const int err = call_end(&c, PMPI_Waitany(count, requests_, index, s));
    if (err == MPI_SUCCESS && *index != MPI_UNDEFINED)
        completed(&c, before[*index], s);
    free(before);
    return err;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct call c = CALL_BEGIN("MPI_Test", MPI_COMM_WORLD);
    MPI_Status own;
    MPI_Status *const s = status == MPI_STATUS_IGNORE ? &own : status;
    const MPI_Request before = *request;
    host_call("MPI_Test", c.site);
    const int err = PMPI_Test(request, flag, s);
    if (err == MPI_SUCCESS && *flag)
        completed(&c, before, s);
    return err;
}
