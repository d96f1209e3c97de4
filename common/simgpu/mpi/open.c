#include "mpi/open.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* malloc */

#include "base/map.h"
#include "core/heap/host_memory.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream/lent.h"
#include "core/watch/check.h"
#include "mpi/sent.h"

#pragma weak PMPI_Isend
#pragma weak PMPI_Wait

/* Open requests. Messages of MPI_PROC_NULL are not in the map: they move no
 * data. */
static struct map requests;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* MPI doesn't use the buffers any more, and c, unless it is NULL, is the call
 * that has found it so. The caller has the lock: another thread may be about to
 * find a request of the same handle complete, and then write. */
static void give_back(struct open_request *p, const struct mpi_call *c)
{
    for (; p; p = p->next) {
        if (c && p->sent && sent_is_disturbed(p->sent, c) &&
            lent_is_new(p->lent[0]))
            sent_report(p->sent, c);
        sent_free(p->sent);
        simgpu_lent_end(p->lent[0]);
        simgpu_lent_end(p->lent[1]);
        p->sent = NULL;
        p->lent[0] = p->lent[1] = 0;
    }
}

static void free_all(struct open_request *p)
{
    while (p) {
        struct open_request *const next = p->next;
        free(p);
        p = next;
    }
}

static MPI_Request at_once = MPI_REQUEST_NULL;

static void find_at_once(void)
{
    MPI_Request r[2];
    for (int i = 0; i < 2; i++)
        if (PMPI_Isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF,
                       &r[i]) != MPI_SUCCESS)
            return;
    if (r[0] == r[1])
        at_once = r[0];
    for (int i = 0; i < 2; i++)
        PMPI_Wait(&r[i], MPI_STATUS_IGNORE);
}

/* True for the handle that MPICH has for all sends that are complete at once.
 * A wait for it may be for any of them. */
static int is_at_once(MPI_Request request)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_at_once);
    return at_once != MPI_REQUEST_NULL && request == at_once;
}

void open_remember(MPI_Request request, struct open_request what)
{
    static const char of[] = "a request";
    struct open_request *const p = simgpu_need(malloc(sizeof *p), of);
    const int shared = is_at_once(request);
    pthread_mutex_lock(&lock);
    uint64_t *const slot =
        simgpu_need(map_at(&requests, (uint64_t)request), of);
    struct open_request *const same = (struct open_request *)(uintptr_t)*slot;
    *p = what;
    if (shared) {
        p->next = same;
    } else if (same) { // it is over, and no call has told
        give_back(same, NULL);
        free_all(same);
    }
    *slot = (uintptr_t)p;
    pthread_mutex_unlock(&lock);
}

/* The caller has the lock. */
static struct open_request *find(MPI_Request request)
{
    return (struct open_request *)(uintptr_t)map_get(&requests,
                                                     (uint64_t)request);
}

int open_look_up(MPI_Request request, struct open_request *out)
{
    pthread_mutex_lock(&lock);
    const struct open_request *const p = find(request);
    if (p)
        *out = *p;
    pthread_mutex_unlock(&lock);
    return p != NULL;
}

static _Noreturn void report_gone(const struct open_request *p,
                                  const struct mpi_call *c)
{
    char from[256], by[256];
    simgpu_report_fault(
        NULL,
        "by %s at %s, the function that has called %s\nat %s has returned, "
        "whose local variable the call writes.\nThe memory is that of other "
        "variables by now. Call MPI_Wait before the function returns,\nor "
        "receive to memory that lives longer: its caller's, static, or from "
        "malloc().",
        c->name, simgpu_site_text(c->site, by, sizeof by), p->call,
        simgpu_site_text(p->site, from, sizeof from));
}

void open_expect(const struct mpi_call *c, int count,
                 const MPI_Request request[])
{
    struct open_request p;
    for (int i = 0; i < count; i++)
        if (request[i] != MPI_REQUEST_NULL && open_look_up(request[i], &p) &&
            (p.receives || p.writes) && (p.lent[0] || p.lent[1]) &&
            host_memory_has_returned(p.buf, c->frame))
            report_gone(&p, c);
}

void open_give_back(MPI_Request request, const struct mpi_call *c)
{
    pthread_mutex_lock(&lock);
    give_back(find(request), c);
    pthread_mutex_unlock(&lock);
}

void open_close(MPI_Request request, const struct mpi_call *c)
{
    pthread_mutex_lock(&lock);
    struct open_request *const p = find(request);
    give_back(p, c);
    if (p)
        *map_at(&requests, (uint64_t)request) = 0;
    free_all(p);
    pthread_mutex_unlock(&lock);
}

void open_lend(const struct mpi_call *c, struct open_request *p)
{
    p->lent[0] = call_lends(c, p->buf, p->nbytes,
                            p->receives ? GRAPH_WRITE : GRAPH_READ);
    p->sent = p->receives ? NULL : sent_begin(c, p->buf, p->nbytes);
}

void open_start(const struct mpi_call *c, MPI_Request request)
{
    pthread_mutex_lock(&lock);
    struct open_request *const p = find(request);
    give_back(p, NULL);
    if (p)
        open_lend(c, p);
    pthread_mutex_unlock(&lock);
}

static void note_open(const struct open_request *p)
{
    char where[256];
    simgpu_check_note(p->site,
                      "open request: %s at %s is never found complete: by "
                      "MPI_Finalize, MPI may not have used its buffer, or may "
                      "still use it. Call MPI_Wait. Is the MPI_Request "
                      "overwritten by a later call?",
                      p->call, simgpu_site_text(p->site, where, sizeof where));
}

void open_end(void)
{
    enum { MOST = 16 }; // notes
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0, n = 0; i < requests.nentries && n < MOST; i++) {
        const struct open_request *const p =
            (const struct open_request *)(uintptr_t)requests.entry[i].value;
        if (requests.entry[i].key && p && !p->persistent && ++n)
            note_open(p);
    }
    pthread_mutex_unlock(&lock);
}
