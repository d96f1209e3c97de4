#define _GNU_SOURCE
#include "grader/recorder/recorder.h"

#include <errno.h>       /* errno */
#include <fcntl.h>       /* O_NONBLOCK */
#include <poll.h>        /* poll */
#include <stdlib.h>      /* calloc */
#include <sys/eventfd.h> /* eventfd */
#include <sys/socket.h>  /* accept4 */
#include <sys/stat.h>    /* fchmod */
#include <unistd.h>      /* close */

#include "base/steady.h"
#include "grader/base/listener.h"
#include "grader/recorder/recorder_cases.h"
#include "grader/recorder/recorder_device.h"
#include "grader/recorder/recorder_evidence.h"
#include "grader/recorder/recorder_pipe.h"
#include "grader/recorder/recorder_rank.h"

/* ---- connections --------------------------------------------------------- */

/* Read who connects. *fd is a graph's memfd sent along, or -1. */
static int take_hello(int connection, struct recorder_hello *hello, int *fd)
{
    *fd = -1;
    const ssize_t n = recorder_receive(connection, hello, sizeof *hello, 0, fd);
    return n == sizeof *hello && hello->magic == RECORDER_MAGIC ? 0 : -1;
}

/*
 * Give the rank the write end of a pipe for its graph records; the read end
 * replaces the connection. A process that holds a pipe's descriptor can reopen
 * it through /proc in either direction if the pipe's mode allows it, so set the
 * mode to 0.
 */
static int make_pipe(struct rank *k, int connection)
{
    enum { ROOM = 256 << 10 }; // more than this has to wait for a round
    static const uint32_t NOTHING = 0;
    int ends[2];
    k->waits = connection;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    k->connection[RECORDER_GRAPH] = ends[0];
    fcntl(ends[0], F_SETPIPE_SZ, ROOM); // if this user is allowed to
    const int err =
        fchmod(ends[0], 0) != 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0 ||
        recorder_write_with(connection, &NOTHING, sizeof NOTHING, ends[1]) != 0;
    close(ends[1]);
    return err ? -1 : 0;
}

/* A rank connects; it must say at once who it is. */
static void take_connection(struct recorder *r)
{
    static const struct timeval LONGEST = {10, 0};
    struct recorder_hello hello;
    int fd = -1;
    const int c = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC);
    setsockopt(c, SOL_SOCKET, SO_RCVTIMEO, &LONGEST, sizeof LONGEST);
    struct rank *const k = c >= 0 && take_hello(c, &hello, &fd) == 0 &&
                                   hello.rank < (uint32_t)r->job->nranks &&
                                   hello.role < RECORDER_ROLES &&
                                   !r->rank[hello.rank].joined[hello.role] &&
                                   (hello.role == RECORDER_GRAPH) == (fd >= 0)
                               ? &r->rank[hello.rank]
                               : NULL;
    if (k && fd >= 0) {
        k->graph = recorder_graph_new(fd, r->job->kept, (int)hello.rank);
        if (!k->graph)
            rank_failed(r, "the execution graph");
        fd = -1;
    }
    if (fd >= 0)
        close(fd);
    if (!k || (hello.role == RECORDER_GRAPH && !k->graph)) {
        close(c);
        return;
    }
    if (hello.role != RECORDER_GRAPH)
        k->connection[hello.role] = c;
    else if (make_pipe(k, c) != 0)
        rank_failed(r, "the execution graph");
    k->joined[hello.role] = 1;
    recorder_cases_go_on(r);
}

/* ---- rounds -------------------------------------------------------------- */

/* A rank has sent something on a connection, or has closed it. */
static void take(struct recorder *r, struct rank *k, enum recorder_role role)
{
    switch (role) {
    case RECORDER_EVIDENCE: recorder_evidence_read(r, k); break;
    case RECORDER_GRAPH: recorder_pipe_read(r, k); break;
    case RECORDER_MEMORY: recorder_device_take(r, k); break;
    case RECORDER_ROLES: break;
    }
}

/*
 * Run one round. What arrives on one connection may need data that is still
 * under way on another: a request may need rank 0's outputs, and an operation
 * that begins needs its record. Those are then taken first. Returns -1 if
 * nothing arrived within msec.
 */
static int look(struct recorder *r, int msec)
{
    struct pollfd p[2 + 64 * RECORDER_ROLES] = {{r->listener, POLLIN, 0},
                                                {r->stop, POLLIN, 0}};
    const int n = r->job->nranks * RECORDER_ROLES;
    for (int i = 0; i < n; i++)
        p[2 + i] = (struct pollfd){
            r->rank[i / RECORDER_ROLES].connection[i % RECORDER_ROLES], POLLIN,
            0};
    if (msec >= 0)
        p[1].fd = -1;
    if (poll(p, (nfds_t)(2 + n), msec) <= 0)
        return -1;
    if (p[0].revents)
        take_connection(r);
    for (int i = 0; i < n; i++) {
        struct rank *const k = &r->rank[i / RECORDER_ROLES];
        if (p[2 + i].fd >= 0 && p[2 + i].revents &&
            p[2 + i].fd == k->connection[i % RECORDER_ROLES])
            take(r, k, (enum recorder_role)(i % RECORDER_ROLES));
    }
    return p[1].fd >= 0 && p[1].revents ? 1 : 0;
}

/* Wait, but handle operations that are about to run. */
static void pause_for(struct recorder *r, double sec)
{
    struct pollfd p[64];
    const double end_sec = steady_sec() + sec;
    for (double left; (left = end_sec - steady_sec()) > 0;) {
        const struct timespec most = {.tv_nsec = (long)(left * 1e9)};
        for (int i = 0; i < r->job->nranks; i++)
            p[i] = (struct pollfd){r->rank[i].connection[RECORDER_MEMORY],
                                   POLLIN, 0};
        if (ppoll(p, (nfds_t)r->job->nranks, &most, NULL) <= 0)
            return;
        for (int i = 0; i < r->job->nranks; i++)
            if (p[i].revents &&
                p[i].fd == r->rank[i].connection[RECORDER_MEMORY])
                recorder_device_take(r, &r->rank[i]);
    }
}

static void *run(void *arg)
{
    static const double LONGEST_SEC = 10; // for records still under way
    // Ranks send a record for each operation, and waking once for many records
    // is cheaper. A rank that waited for an answer is likely to ask again soon.
    static const double PAUSE_SEC = 500e-6;
    struct recorder *const r = arg;
    for (; look(r, -1) <= 0; r->answered = 0)
        if (!r->answered)
            pause_for(r, PAUSE_SEC);
    const double end_sec = steady_sec() + LONGEST_SEC;
    while (look(r, 0) >= 0 && steady_sec() < end_sec)
        ;
    return NULL;
}

/* ---- life cycle ---------------------------------------------------------- */

static int begin_rank(struct recorder *r, int i)
{
    char path[PATH_MAX];
    struct rank *const k = &r->rank[i];
    for (int role = 0; role < RECORDER_ROLES; role++)
        k->connection[role] = -1;
    k->fd = k->heap = k->waits = -1;
    snprintf(path, sizeof path, "%s/evidence-%d", r->job->kept, i);
    k->file = fopen(path, "wxe");
    k->name = calloc(RANK_NAMES, sizeof *k->name);
    return k->file && k->name ? 0 : -1;
}

static void release(struct recorder *r)
{
    for (int i = 0; i < r->job->nranks; i++) {
        struct rank *const k = &r->rank[i];
        for (int role = 0; role < RECORDER_ROLES; role++)
            rank_hang_up(k, (enum recorder_role)role);
        if (k->file && fclose(k->file) != 0)
            rank_failed(r, "the evidence");
        recorder_graph_free(k->graph);
        if (k->fd >= 0)
            close(k->fd);
        if (k->heap >= 0)
            close(k->heap);
        free(k->name);
    }
    recorder_memory_free(r->memory);
    recorder_cases_close(r);
    if (r->stop >= 0)
        close(r->stop);
}

struct recorder *recorder_start(const struct recorder_job *job)
{
    struct recorder *const r =
        calloc(1, sizeof *r + (size_t)job->nranks * sizeof *r->rank);
    if (!r)
        return NULL;
    r->job = job;
    r->now = r->listener = -1;
    r->stop = eventfd(0, EFD_CLOEXEC);
    r->memory = recorder_memory_new(job->nranks);
    int err = r->stop < 0 || !r->memory;
    for (int i = 0; i < job->nranks; i++)
        err |= begin_rank(r, i) != 0;
    if (!err)
        r->listener = listener_open(job->seen, RECORDER_NAME);
    if (r->listener >= 0 && pthread_create(&r->thread, NULL, run, r) == 0)
        return r;
    const int why = errno;
    release(r);
    free(r);
    errno = why;
    return NULL;
}

void recorder_stop(struct recorder *r, struct recorder_end *end)
{
    eventfd_write(r->stop, 1);
    pthread_join(r->thread, NULL);
    release(r);
    *end = r->end;
    free(r);
}
