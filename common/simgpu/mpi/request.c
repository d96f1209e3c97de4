/*
 * request.c: MPI's non-blocking messages and collectives
 *
 * A send is recorded when it begins, a receive when a wait or a test finds it
 * complete: from then on the host is ordered after the sender. Until a wait or
 * a test does, the buffer is lent to MPI (core/stream/lent.h), and what is sent
 * must not change (sent.h).
 *
 * A test that finds nothing is not recorded and takes no modelled time. A loop
 * that polls until a message arrives therefore leaves the same graph, however
 * many rounds it takes; only other work in the loop counts.
 */
#include <stdlib.h> /* malloc */

#include "core/heap/heap.h"
#include "core/report.h"
#include "core/site.h"
#include "mpi/message.h"
#include "mpi/nap.h"
#include "mpi/open.h"
#include "mpi/request.h"
#include "mpi/sent.h"

#pragma weak PMPI_Isend
#pragma weak PMPI_Issend
#pragma weak PMPI_Irsend
#pragma weak PMPI_Irecv
#pragma weak PMPI_Send_init
#pragma weak PMPI_Recv_init
#pragma weak PMPI_Start
#pragma weak PMPI_Startall
#pragma weak PMPI_Request_free
#pragma weak PMPI_Request_get_status
#pragma weak PMPI_Test
#pragma weak PMPI_Testall
#pragma weak PMPI_Testany
#pragma weak PMPI_Testsome

/* The call may have completed some of the requests before it failed. */
static void failed(int count, const MPI_Request request[])
{
    for (int i = 0; i < count; i++)
        open_give_back(request[i], NULL);
}

/* If the completed request was a receive, record it. */
static void completed(struct mpi_call *c, MPI_Request request,
                      const MPI_Status *status)
{
    struct open_request p;
    if (request == MPI_REQUEST_NULL || !open_look_up(request, &p))
        return;
    if (p.persistent)
        open_give_back(request, c);
    else
        open_close(request, c);
    c->comm = p.comm;
    c->type = p.type;
    c->begun = p.site;
    if (p.receives)
        message_receive(c, p.buf, p.nbytes, status);
}

/* A message has begun. */
static void begun(const struct mpi_call *c, MPI_Request request,
                  struct open_request what)
{
    what.call = c->name;
    what.site = c->site;
    open_lend(c, &what);
    open_remember(request, what);
}

int request_collective(const struct mpi_call *c, int err, MPI_Request request,
                       const void *sendbuf, size_t sent, void *recvbuf,
                       size_t received)
{
    if (err == MPI_SUCCESS)
        open_remember(
            request,
            (struct open_request){
                .comm = c->comm,
                .call = c->name,
                .site = c->site,
                .sent = sent_begin(c, sendbuf, sent),
                .buf = recvbuf,
                .writes = received > 0,
                .lent = {call_lends(c, sendbuf, sent, GRAPH_READ),
                         call_lends(c, recvbuf, received, GRAPH_WRITE)}});
    return err;
}

/* ---- starting ------------------------------------------------------------ */

/* Functions with the parameters (buf, count, type, dest, tag, comm,
 * request). */
#define ISEND(name)                                                            \
    int MPI_##name(const void *buf, int count, MPI_Datatype type, int dest,    \
                   int tag, MPI_Comm comm, MPI_Request *request)               \
    {                                                                          \
        struct mpi_call c = CALL_BEGIN("MPI_" #name, comm);                    \
        const size_t nbytes = call_nbytes(count, type);                        \
        call_fits(&c, dest, buf, count, type, GRAPH_READ);                     \
        c.type = type;                                                         \
        message_send(&c, buf, nbytes, dest, tag, 0);                           \
        const int err = PMPI_##name(simgpu_heap_raw(buf), count, type, dest,   \
                                    tag, comm, request);                       \
        if (err == MPI_SUCCESS && dest != MPI_PROC_NULL)                       \
            begun(&c, *request,                                                \
                  (struct open_request){                                       \
                      .comm = comm, .buf = (void *)buf, .nbytes = nbytes});    \
        return err;                                                            \
    }
ISEND(Isend)
ISEND(Issend)
ISEND(Irsend)

int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    const struct mpi_call c = CALL_BEGIN("MPI_Irecv", comm);
    call_fits(&c, source, buf, count, type, GRAPH_WRITE);
    const int err = PMPI_Irecv(simgpu_heap_raw(buf), count, type, source, tag,
                               comm, request);
    if (err == MPI_SUCCESS && source != MPI_PROC_NULL)
        begun(&c, *request,
              (struct open_request){.comm = comm,
                                    .type = type,
                                    .buf = buf,
                                    .nbytes = call_nbytes(count, type),
                                    .receives = 1});
    return err;
}

int MPI_Send_init(const void *buf, int count, MPI_Datatype type, int dest,
                  int tag, MPI_Comm comm, MPI_Request *request)
{
    const int err = PMPI_Send_init(simgpu_heap_raw(buf), count, type, dest, tag,
                                   comm, request);
    if (err == MPI_SUCCESS && dest != MPI_PROC_NULL)
        open_remember(*request,
                      (struct open_request){.comm = comm,
                                            .type = type,
                                            .buf = (void *)buf,
                                            .nbytes = call_nbytes(count, type),
                                            .persistent = 1,
                                            .dest = dest,
                                            .tag = tag});
    return err;
}

int MPI_Recv_init(void *buf, int count, MPI_Datatype type, int source, int tag,
                  MPI_Comm comm, MPI_Request *request)
{
    const int err = PMPI_Recv_init(simgpu_heap_raw(buf), count, type, source,
                                   tag, comm, request);
    if (err == MPI_SUCCESS && source != MPI_PROC_NULL)
        open_remember(*request,
                      (struct open_request){.comm = comm,
                                            .type = type,
                                            .buf = buf,
                                            .nbytes = call_nbytes(count, type),
                                            .persistent = 1,
                                            .receives = 1});
    return err;
}

/* Record the start of a persistent message. */
static void started(struct mpi_call *c, MPI_Request request)
{
    struct open_request p;
    if (!open_look_up(request, &p))
        return;
    c->comm = p.comm;
    c->type = p.type;
    open_start(c, request);
    if (p.receives)
        return;
    message_send(c, p.buf, p.nbytes, p.dest, p.tag, 0);
}

int MPI_Start(MPI_Request *request)
{
    struct mpi_call c = CALL_BEGIN("MPI_Start", MPI_COMM_WORLD);
    started(&c, *request);
    return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request request[])
{
    struct mpi_call c = CALL_BEGIN("MPI_Startall", MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        started(&c, request[i]);
    return PMPI_Startall(count, request);
}

int MPI_Request_free(MPI_Request *request)
{
    open_close(*request, NULL); // no wait will find it complete
    return PMPI_Request_free(request);
}

/* ---- completing ---------------------------------------------------------- */

/* The request stays open, and a wait or a test records a receive. */
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    const uint32_t site = simgpu_site(__builtin_return_address(0));
    const struct mpi_call c = {.name = "MPI_Request_get_status",
                               .site = site,
                               .frame = __builtin_dwarf_cfa()};
    open_expect(&c, 1, &request);
    const int err = PMPI_Request_get_status(request, flag, status);
    if (err == MPI_SUCCESS && *flag)
        open_give_back(request, &c);
    return err;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct mpi_call c = CALL_BEGIN("MPI_Wait", MPI_COMM_WORLD);
    MPI_Status own;
    MPI_Status *const s = status == MPI_STATUS_IGNORE ? &own : status;
    const MPI_Request before = *request;
    open_expect(&c, 1, request);
    call_wait(&c, CALL_REQUESTS, MPI_ANY_TAG);
    const int err = call_end(&c, nap_wait(request, s));
    if (err == MPI_SUCCESS)
        completed(&c, before, s);
    else
        failed(1, &before);
    return err;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct mpi_call c = CALL_BEGIN("MPI_Test", MPI_COMM_WORLD);
    MPI_Status own;
    MPI_Status *const s = status == MPI_STATUS_IGNORE ? &own : status;
    const MPI_Request before = *request;
    open_expect(&c, 1, request);
    const int err = PMPI_Test(request, flag, s);
    if (err == MPI_SUCCESS && *flag)
        completed(&c, before, s);
    else if (err != MPI_SUCCESS)
        failed(1, &before);
    return err;
}

/* A call on several requests, with copies of the arguments that MPI
 * overwrites. */
struct several {
    int count;
    MPI_Request *before;
    MPI_Status *status; /* one each, even if the program passes none */
};

static struct several several_begin(const struct mpi_call *c, int count,
                                    const MPI_Request request[])
{
    const size_t n = count > 0 ? (size_t)count : 0;
    static const char of[] = "%d requests";
    struct several s = {
        count, simgpu_need(malloc((n + 1) * sizeof *s.before), of, count),
        simgpu_need(malloc((n + 1) * sizeof *s.status), of, count)};
    for (size_t i = 0; i < n; i++)
        s.before[i] = request[i];
    open_expect(c, s.count, request);
    return s;
}

/* statuses[k] belongs to request index[k], or k if index is NULL. */
static void several_end(struct several *s, struct mpi_call *c, int err,
                        int ncompleted, const int index[],
                        MPI_Status statuses[])
{
    if (err != MPI_SUCCESS) {
        failed(s->count, s->before);
        ncompleted = 0;
    }
    for (int k = 0; k < ncompleted; k++) {
        completed(c, s->before[index ? index[k] : k], &s->status[k]);
        if (statuses != MPI_STATUSES_IGNORE)
            statuses[k] = s->status[k];
    }
    free(s->before);
    free(s->status);
}

int MPI_Waitall(int count, MPI_Request request[], MPI_Status statuses[])
{
    struct mpi_call c = CALL_BEGIN("MPI_Waitall", MPI_COMM_WORLD);
    struct several s = several_begin(&c, count, request);
    call_wait(&c, CALL_REQUESTS, MPI_ANY_TAG);
    const int err = call_end(&c, nap_waitall(count, request, s.status));
    several_end(&s, &c, err, count, NULL, statuses);
    return err;
}

int MPI_Testall(int count, MPI_Request request[], int *flag,
                MPI_Status statuses[])
{
    struct mpi_call c = CALL_BEGIN("MPI_Testall", MPI_COMM_WORLD);
    struct several s = several_begin(&c, count, request);
    const int err = PMPI_Testall(count, request, flag, s.status);
    several_end(&s, &c, err, *flag ? count : 0, NULL, statuses);
    return err;
}

int MPI_Waitany(int count, MPI_Request request[], int *index,
                MPI_Status *status)
{
    struct mpi_call c = CALL_BEGIN("MPI_Waitany", MPI_COMM_WORLD);
    struct several s = several_begin(&c, count, request);
    call_wait(&c, CALL_REQUESTS, MPI_ANY_TAG);
    int err, done = 0;
    struct nap n = {0};
    while ((err = PMPI_Testany(count, request, index, &done, s.status)) ==
               MPI_SUCCESS &&
           !done)
        nap(&n);
    call_end(&c, err);
    several_end(&s, &c, err, *index != MPI_UNDEFINED, index,
                status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
    return err;
}

int MPI_Testany(int count, MPI_Request request[], int *index, int *flag,
                MPI_Status *status)
{
    struct mpi_call c = CALL_BEGIN("MPI_Testany", MPI_COMM_WORLD);
    struct several s = several_begin(&c, count, request);
    const int err = PMPI_Testany(count, request, index, flag, s.status);
    several_end(&s, &c, err, *flag && *index != MPI_UNDEFINED, index,
                status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
    return err;
}

int MPI_Waitsome(int count, MPI_Request request[], int *ncompleted,
                 int indices[], MPI_Status statuses[])
{
    struct mpi_call c = CALL_BEGIN("MPI_Waitsome", MPI_COMM_WORLD);
    struct several s = several_begin(&c, count, request);
    call_wait(&c, CALL_REQUESTS, MPI_ANY_TAG);
    int err;
    *ncompleted = 0; // MPI_UNDEFINED: no request is active
    struct nap n = {0};
    while ((err = PMPI_Testsome(count, request, ncompleted, indices,
                                s.status)) == MPI_SUCCESS &&
           !*ncompleted)
        nap(&n);
    call_end(&c, err);
    several_end(&s, &c, err, *ncompleted != MPI_UNDEFINED ? *ncompleted : 0,
                indices, statuses);
    return err;
}

int MPI_Testsome(int count, MPI_Request request[], int *ncompleted,
                 int indices[], MPI_Status statuses[])
{
    struct mpi_call c = CALL_BEGIN("MPI_Testsome", MPI_COMM_WORLD);
    struct several s = several_begin(&c, count, request);
    const int err =
        PMPI_Testsome(count, request, ncompleted, indices, s.status);
    several_end(&s, &c, err, *ncompleted != MPI_UNDEFINED ? *ncompleted : 0,
                indices, statuses);
    return err;
}
