/*
 * request.c: MPI's non-blocking messages and collectives
 *
 * A send is recorded when it begins, a receive when a wait or a test finds it
 * complete: from then on the host is ordered after the sender. Until a wait or
 * a test does, the buffer is lent to MPI (core/stream/lent.h).
 *
 * A test that finds nothing is not recorded and takes no modelled time. A loop
 * that polls until a message arrives therefore leaves the same graph, however
 * many rounds it takes; only other work in the loop counts.
 */
#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* malloc */

#include "base/map.h"
#include "core/heap/heap.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream/lent.h"
#include "core/watch/check.h"
#include "mpi/message.h"
#include "mpi/nap.h"
#include "mpi/request.h"

#pragma weak PMPI_Isend
#pragma weak PMPI_Issend
#pragma weak PMPI_Irsend
#pragma weak PMPI_Irecv
#pragma weak PMPI_Send_init
#pragma weak PMPI_Recv_init
#pragma weak PMPI_Start
#pragma weak PMPI_Startall
#pragma weak PMPI_Request_free
#pragma weak PMPI_Test
#pragma weak PMPI_Testall
#pragma weak PMPI_Testany
#pragma weak PMPI_Testsome

/* ---- open requests ------------------------------------------------------- */

struct pending { /* a message, or a collective */
    MPI_Comm comm;
    MPI_Datatype type; /* a message's */
    void *buf;
    size_t nbytes;
    int persistent, dest, tag;
    int receives;     /* a receive: to be recorded when it is complete */
    const char *call; /* the call that began it, and its line */
    uint32_t site;
    uint64_t lent[2]; /* its buffers: core/stream/lent.h */
};

/* Open requests. Messages of MPI_PROC_NULL are not in the map: they move no
 * data. */
static struct map requests;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* MPI doesn't use the buffers any more. */
static void give_back(const struct pending *p)
{
    lent_end(p->lent[0]);
    lent_end(p->lent[1]);
}

static void remember(MPI_Request request, struct pending what)
{
    static const char of[] = "a request";
    struct pending *const p = simgpu_need(malloc(sizeof *p), of);
    pthread_mutex_lock(&lock);
    uint64_t *const slot =
        simgpu_need(map_at(&requests, (uint64_t)request), of);
    struct pending *const same = (struct pending *)(uintptr_t)*slot;
    if (same) // MPICH has one handle for all that complete at once
        give_back(same);
    free(same);
    *p = what;
    *slot = (uintptr_t)p;
    pthread_mutex_unlock(&lock);
}

/* Copy what is known about a request. Returns 0 if it is unknown. */
static int look_up(MPI_Request request, int forget, struct pending *out)
{
    pthread_mutex_lock(&lock);
    struct pending *const p =
        (struct pending *)(uintptr_t)map_get(&requests, (uint64_t)request);
    if (p)
        *out = *p;
    if (p && forget) {
        *map_at(&requests, (uint64_t)request) = 0;
        free(p);
    }
    pthread_mutex_unlock(&lock);
    return p != NULL;
}

/* The message has begun: MPI uses its buffer. */
static void lend(const struct mpi_call *c, MPI_Request request)
{
    pthread_mutex_lock(&lock);
    struct pending *const p =
        (struct pending *)(uintptr_t)map_get(&requests, (uint64_t)request);
    if (p)
        p->lent[0] = call_lends(c, p->buf, p->nbytes,
                                p->receives ? GRAPH_WRITE : GRAPH_READ);
    pthread_mutex_unlock(&lock);
}

/* If the completed request was a receive, record it. */
static void completed(struct mpi_call *c, MPI_Request request,
                      const MPI_Status *status)
{
    struct pending p;
    if (request == MPI_REQUEST_NULL || !look_up(request, 0, &p))
        return;
    if (!p.persistent)
        look_up(request, 1, &p);
    give_back(&p);
    c->comm = p.comm;
    c->type = p.type;
    c->begun = p.site;
    if (p.receives)
        message_receive(c, p.buf, p.nbytes, status);
}

/* A message has begun. */
static void begun(const struct mpi_call *c, MPI_Request request,
                  struct pending what)
{
    what.call = c->name;
    what.site = c->site;
    remember(request, what);
    lend(c, request);
}

int request_collective(const struct mpi_call *c, int err, MPI_Request request,
                       const void *sendbuf, size_t sent, void *recvbuf,
                       size_t received)
{
    if (err == MPI_SUCCESS)
        remember(request,
                 (struct pending){
                     .comm = c->comm,
                     .call = c->name,
                     .site = c->site,
                     .lent = {call_lends(c, sendbuf, sent, GRAPH_READ),
                              call_lends(c, recvbuf, received, GRAPH_WRITE)}});
    return err;
}

static void note_open(const struct pending *p)
{
    char where[256];
    simgpu_check_note(p->site,
                      "open request: %s at %s is never found complete: by "
                      "MPI_Finalize, MPI may not have used its buffer, or may "
                      "still use it. Call MPI_Wait. Is the MPI_Request "
                      "overwritten by a later call?",
                      p->call, simgpu_site_text(p->site, where, sizeof where));
}

void request_end(void)
{
    enum { MOST = 16 }; // notes
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0, n = 0; i < requests.nentries && n < MOST; i++) {
        const struct pending *const p =
            (const struct pending *)(uintptr_t)requests.entry[i].value;
        if (requests.entry[i].key && p && !p->persistent && ++n)
            note_open(p);
    }
    pthread_mutex_unlock(&lock);
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
                  (struct pending){                                            \
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
              (struct pending){.comm = comm,
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
    if (err == MPI_SUCCESS)
        remember(*request, (struct pending){.comm = comm,
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
        remember(*request, (struct pending){.comm = comm,
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
    struct pending p;
    lend(c, request);
    if (!look_up(request, 0, &p) || p.receives)
        return;
    c->comm = p.comm;
    c->type = p.type;
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
    struct pending p;
    if (look_up(*request, 1, &p))
        give_back(&p); // no wait will find it complete
    return PMPI_Request_free(request);
}

/* ---- completing ---------------------------------------------------------- */

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct mpi_call c = CALL_BEGIN("MPI_Wait", MPI_COMM_WORLD);
    MPI_Status own;
    MPI_Status *const s = status == MPI_STATUS_IGNORE ? &own : status;
    const MPI_Request before = *request;
    call_wait(&c, CALL_REQUESTS, MPI_ANY_TAG);
    const int err = call_end(&c, nap_wait(request, s));
    if (err == MPI_SUCCESS)
        completed(&c, before, s);
    return err;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct mpi_call c = CALL_BEGIN("MPI_Test", MPI_COMM_WORLD);
    MPI_Status own;
    MPI_Status *const s = status == MPI_STATUS_IGNORE ? &own : status;
    const MPI_Request before = *request;
    const int err = PMPI_Test(request, flag, s);
    if (err == MPI_SUCCESS && *flag)
        completed(&c, before, s);
    return err;
}

/* A call on several requests, with copies of the arguments that MPI
 * overwrites. */
struct several {
    int count;
    MPI_Request *before;
    MPI_Status *status; /* one each, even if the program passes none */
};

static struct several several_begin(int count, const MPI_Request request[])
{
    const size_t n = count > 0 ? (size_t)count : 0;
    static const char of[] = "%d requests";
    struct several s = {
        count, simgpu_need(malloc((n + 1) * sizeof *s.before), of, count),
        simgpu_need(malloc((n + 1) * sizeof *s.status), of, count)};
    for (size_t i = 0; i < n; i++)
        s.before[i] = request[i];
    return s;
}

/* statuses[k] belongs to request index[k], or k if index is NULL. */
static void several_end(struct several *s, struct mpi_call *c, int ncompleted,
                        const int index[], MPI_Status statuses[])
{
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
    struct several s = several_begin(count, request);
    call_wait(&c, CALL_REQUESTS, MPI_ANY_TAG);
    const int err = call_end(&c, nap_waitall(count, request, s.status));
    several_end(&s, &c, err == MPI_SUCCESS ? count : 0, NULL, statuses);
    return err;
}

int MPI_Testall(int count, MPI_Request request[], int *flag,
                MPI_Status statuses[])
{
    struct mpi_call c = CALL_BEGIN("MPI_Testall", MPI_COMM_WORLD);
    struct several s = several_begin(count, request);
    const int err = PMPI_Testall(count, request, flag, s.status);
    several_end(&s, &c, err == MPI_SUCCESS && *flag ? count : 0, NULL,
                statuses);
    return err;
}

int MPI_Waitany(int count, MPI_Request request[], int *index,
                MPI_Status *status)
{
    struct mpi_call c = CALL_BEGIN("MPI_Waitany", MPI_COMM_WORLD);
    struct several s = several_begin(count, request);
    call_wait(&c, CALL_REQUESTS, MPI_ANY_TAG);
    int err, done = 0;
    struct nap n = {0};
    while ((err = PMPI_Testany(count, request, index, &done, s.status)) ==
               MPI_SUCCESS &&
           !done)
        nap(&n);
    call_end(&c, err);
    several_end(&s, &c, err == MPI_SUCCESS && *index != MPI_UNDEFINED, index,
                status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
    return err;
}

int MPI_Testany(int count, MPI_Request request[], int *index, int *flag,
                MPI_Status *status)
{
    struct mpi_call c = CALL_BEGIN("MPI_Testany", MPI_COMM_WORLD);
    struct several s = several_begin(count, request);
    const int err = PMPI_Testany(count, request, index, flag, s.status);
    several_end(&s, &c, err == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED,
                index,
                status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
    return err;
}

int MPI_Waitsome(int count, MPI_Request request[], int *ncompleted,
                 int indices[], MPI_Status statuses[])
{
    struct mpi_call c = CALL_BEGIN("MPI_Waitsome", MPI_COMM_WORLD);
    struct several s = several_begin(count, request);
    call_wait(&c, CALL_REQUESTS, MPI_ANY_TAG);
    int err;
    *ncompleted = 0; // MPI_UNDEFINED: no request is active
    struct nap n = {0};
    while ((err = PMPI_Testsome(count, request, ncompleted, indices,
                                s.status)) == MPI_SUCCESS &&
           !*ncompleted)
        nap(&n);
    call_end(&c, err);
    several_end(&s, &c,
                err == MPI_SUCCESS && *ncompleted != MPI_UNDEFINED ? *ncompleted
                                                                   : 0,
                indices, statuses);
    return err;
}

int MPI_Testsome(int count, MPI_Request request[], int *ncompleted,
                 int indices[], MPI_Status statuses[])
{
    struct mpi_call c = CALL_BEGIN("MPI_Testsome", MPI_COMM_WORLD);
    struct several s = several_begin(count, request);
    const int err =
        PMPI_Testsome(count, request, ncompleted, indices, s.status);
    several_end(&s, &c,
                err == MPI_SUCCESS && *ncompleted != MPI_UNDEFINED ? *ncompleted
                                                                   : 0,
                indices, statuses);
    return err;
}
