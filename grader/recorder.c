#define _GNU_SOURCE
#include "recorder.h"

#include <errno.h>       /* errno */
#include <fcntl.h>       /* open */
#include <poll.h>        /* poll */
#include <pthread.h>     /* pthread_create */
#include <stdarg.h>      /* va_list */
#include <stdio.h>       /* snprintf */
#include <stdlib.h>      /* calloc */
#include <string.h>      /* memcpy */
#include <sys/eventfd.h> /* eventfd */
#include <sys/socket.h>  /* accept4 */
#include <sys/stat.h>    /* fstat */
#include <unistd.h>      /* close */

#include "base/recorder.h"
#include "base/steady.h"
#include "judge/chain.h"
#include "judge/record.h"
#include "listener.h"
#include "recorder_graph.h"
#include "recorder_memory.h"

enum { MOST_NAMES = 4096, CHUNK = 64 << 10 };

struct name { /* of a record of the current iteration */
    uint32_t kind;
    char text[EVIDENCE_NAME];
};

struct rank {
    int connection[RECORDER_ROLES]; /* -1: not joined, or over */
    int joined[RECORDER_ROLES];
    struct recorder_graph *graph;
    FILE *file; /* its evidence */
    uint64_t nbytes;

    struct record head; /* of the record that is arriving */
    size_t nhead;       /* bytes of it */
    uint64_t left;      /* bytes of payload and padding to come */
    union {             /* the payload's first bytes */
        char bytes[sizeof(struct evidence_ask)];
        struct evidence_ask ask;
    } value;
    int fd;                    /* that came with it, or -1 */
    struct recorder_note note; /* of its devices' memory, arriving */
    size_t nnote;
    int heap;          /* that came with it, or -1 */
    uint64_t drawn;    /* bytes that it has asked for */
    struct name *name; /* put in this iteration */
    size_t nnames;
    uint32_t iteration;
    struct chain chain; /* of its outputs */
    uint64_t before;    /* digest of those of the iteration before */
    int ended;          /* the case's final status is there */
    int asks;           /* for the next case */
    int done;           /* the final record is there */
};

struct recorder {
    const struct recorder_job *job;
    int listener, stop;
    int now;      /* case that the ranks are at, ncases: over; -1: none yet */
    int answered; /* in this round, a rank that waited */
    pthread_t thread;
    struct recorder_end end;
    struct recorder_memory *memory;
    struct rank rank[];
};

/* ---- what goes wrong ----------------------------------------------------- */

static void hang_up(struct rank *k, enum recorder_role role)
{
    if (k->connection[role] >= 0)
        close(k->connection[role]);
    k->connection[role] = -1;
}

/* Nothing more is taken from this rank. Which of several ranks is noticed first
 * is a matter of luck, so the text names none. */
static void __attribute__((format(printf, 3, 4)))
forged(struct recorder *r, struct rank *k, const char *format, ...)
{
    char text[160];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!r->end.forged[0])
        snprintf(r->end.forged, sizeof r->end.forged, "a rank %s", text);
    for (int i = 0; i < RECORDER_ROLES; i++)
        hang_up(k, (enum recorder_role)i);
}

static void failed(struct recorder *r, const char *what)
{
    if (!r->end.failed[0])
        snprintf(r->end.failed, sizeof r->end.failed, "%s: %s", what,
                 strerror(errno));
}

/* ---- cases --------------------------------------------------------------- */

static void reply(int connection, const char *text)
{
    const uint32_t n = (uint32_t)strlen(text);
    recorder_write(connection, &n, sizeof n);
    recorder_write(connection, text, n);
}

static int all_joined(const struct recorder *r)
{
    for (int i = 0; i < r->job->nranks; i++)
        if (!r->rank[i].joined[RECORDER_EVIDENCE] ||
            (r->job->graphs && (!r->rank[i].joined[RECORDER_GRAPH] ||
                                !r->rank[i].joined[RECORDER_MEMORY])))
            return 0;
    return 1;
}

/* Nobody else can join: what comes later is not the kit. */
static void stop_listening(struct recorder *r)
{
    listener_close(r->listener, r->job->seen, RECORDER_NAME);
    r->listener = -1;
}

/* Outputs are those of this iteration from here on. */
static void begin_iteration(struct rank *k, uint32_t iteration)
{
    k->before = iteration == k->iteration + 1 ? k->chain.digest : CHAIN_NOTHING;
    k->chain = (struct chain){.digest = CHAIN_NOTHING};
    k->iteration = iteration;
    k->nnames = 0;
}

/* If all ranks ask for it, give them the next case. */
static void go_on(struct recorder *r)
{
    for (int i = 0; i < r->job->nranks; i++)
        if (!r->rank[i].asks)
            return;
    if (!all_joined(r) || r->now == r->job->ncases)
        return;
    stop_listening(r);
    r->now++;
    for (int i = 0; i < r->job->nranks; i++) {
        struct rank *const k = &r->rank[i];
        char *const text = r->job->text(r->job->arg, i, r->now);
        k->asks = k->ended = 0;
        begin_iteration(k, 0);
        k->before = CHAIN_NOTHING;
        reply(k->connection[RECORDER_EVIDENCE], text);
        free(text);
    }
}

/* ---- evidence ------------------------------------------------------------ */

static void take(struct recorder *r, struct rank *k, enum recorder_role role);
static void catch_up(struct recorder *r, struct rank *k,
                     enum recorder_role role);

/* A name comes once in an iteration. A second one is not the kit's, or the
 * first was not. */
static int is_new(struct rank *k, const struct record *h)
{
    for (size_t i = 0; i < k->nnames; i++)
        if (k->name[i].kind == h->kind && strcmp(k->name[i].text, h->name) == 0)
            return 0;
    if (k->nnames == MOST_NAMES)
        return 0;
    k->name[k->nnames].kind = h->kind;
    memcpy(k->name[k->nnames++].text, h->name, EVIDENCE_NAME);
    return 1;
}

/* May this record come now? If not, why not. */
static const char *refuse(const struct recorder *r, struct rank *k)
{
    const struct record *const h = &k->head;
    const int is_case = h->kind <= EVIDENCE_TEXT || h->kind == EVIDENCE_DRAW;
    if (h->magic != RECORD_MAGIC || h->kind > EVIDENCE_DRAW ||
        h->name[EVIDENCE_NAME - 1] || k->done)
        return "sent what is no record";
    if (h->nbytes > RECORDER_EVIDENCE_CAP)
        return "sent more than it may";
    if (is_case && (r->now < 0 || r->now == r->job->ncases || k->ended ||
                    k->asks || h->case_no != (uint32_t)r->job->case_no[r->now]))
        return "sent evidence of another case than the current one";
    if (h->kind == EVIDENCE_NEXT && (k->asks || (r->now >= 0 && !k->ended)))
        return "asked for a case before the end of the one before";
    if (h->kind == EVIDENCE_DONE &&
        (r->now != r->job->ncases || h->nbytes != sizeof r->job->nonce))
        return "sent its final record before its last case";
    if (h->kind > EVIDENCE_METRIC && h->kind != EVIDENCE_DRAW)
        return NULL;
    if (h->kind == EVIDENCE_DRAW && (int32_t)h->iteration < 0)
        return NULL; // a warm-up, which shows nothing
    if (h->iteration < k->iteration)
        return "sent evidence of an iteration that is over";
    if (h->iteration > k->iteration)
        begin_iteration(k, h->iteration);
    if (h->kind == EVIDENCE_DRAW)
        return NULL;
    return is_new(k, h) ? NULL : "sent two outputs or metrics of one name";
}

/* True if its pages are there. Those that are not have no contents on the
 * device either (SIMGPU_DATALESS), and would be charged to the grader. */
static int has_pages(int fd, uint64_t at, uint64_t n)
{
    return lseek(fd, (off_t)at, SEEK_DATA) == (off_t)at &&
           lseek(fd, (off_t)at, SEEK_HOLE) >= (off_t)(at + n);
}

static void reply_with(int connection, const void *data, size_t nbytes)
{
    const uint32_t n = (uint32_t)nbytes;
    recorder_write(connection, &n, sizeof n);
    recorder_write(connection, data, nbytes);
}

/* Values of an iteration; of rank 0's seed, its outputs so far have to be
 * known. 0, or -1 for what no kit asks for. */
static int draw(struct recorder *r, struct rank *k,
                const struct evidence_ask *ask, void *out)
{
    const int iteration = (int32_t)k->head.iteration;
    struct rank *const of = ask->draw.of_root ? &r->rank[0] : k;
    if (of != k) {
        catch_up(r, of, RECORDER_EVIDENCE);
        if (iteration >= 0 && k->head.iteration > of->iteration)
            begin_iteration(of, k->head.iteration);
    }
    return r->job->draw(r->job->arg, (int)(of - r->rank), r->now, iteration,
                        iteration < 0 ? CHAIN_NOTHING : of->before, &ask->draw,
                        out, ask->nbytes);
}

/* Values that were asked for and may be, to where they belong. */
static void hand_out(struct recorder *r, struct rank *k,
                     const struct evidence_ask *ask)
{
    void *const out = malloc(ask->nbytes + 1);
    if (!out)
        failed(r, "values of a case");
    else if (draw(r, k, ask, out) != 0)
        forged(r, k, "asked for values that there are not");
    else if (ask->to_file && pwrite(k->fd, out, ask->nbytes,
                                    (off_t)ask->offset) != (ssize_t)ask->nbytes)
        failed(r, "the memory of a device");
    else
        reply_with(k->connection[RECORDER_EVIDENCE], out,
                   ask->to_file ? 0 : ask->nbytes);
    if (r->end.failed[0])
        hang_up(k, RECORDER_EVIDENCE); // it waits
    free(out);
}

static void answer(struct recorder *r, struct rank *k)
{
    const struct evidence_ask ask = k->value.ask;
    k->drawn += ask.nbytes;
    if (k->head.nbytes != sizeof ask || ask.nbytes > RECORDER_DRAW_CAP ||
        k->drawn > RECORDER_DRAWN_CAP ||
        (ask.to_file && !recorder_memory_has(k->fd, ask.offset, ask.nbytes)))
        forged(r, k, "asked for values that there are not");
    else if (ask.to_file && !has_pages(k->fd, ask.offset, ask.nbytes))
        reply_with(k->connection[RECORDER_EVIDENCE], NULL, 0);
    else
        hand_out(r, k, &ask);
    if (k->fd >= 0)
        close(k->fd);
    k->fd = -1;
}

/* A whole record is there. */
static void finish_record(struct recorder *r, struct rank *k)
{
    const struct record *const h = &k->head;
    uint32_t status;
    k->nhead = 0;
    switch (h->kind) {
    case EVIDENCE_STATUS:
        memcpy(&status, k->value.bytes, sizeof status);
        k->ended = h->nbytes != sizeof status || status != RUN_MISSING;
        break;
    case EVIDENCE_DONE:
        k->done = 1;
        if (memcmp(k->value.bytes, &r->job->nonce, sizeof r->job->nonce) != 0)
            forged(r, k, "sent a final record without its key");
        break;
    case EVIDENCE_NEXT:
        k->asks = 1;
        if (fflush(k->file) != 0) // there is progress
            failed(r, "the evidence");
        go_on(r);
        break;
    case EVIDENCE_DRAW:
        answer(r, k);
        r->answered = 1;
        break;
    default: break;
    }
}

static void keep(struct recorder *r, struct rank *k, const void *data, size_t n)
{
    if (k->head.kind >= EVIDENCE_NEXT)
        return;
    k->nbytes += n;
    if (fwrite(data, 1, n, k->file) != n)
        failed(r, "the evidence");
}

/* The head of a record is there. 0, or -1 if it is refused. */
static int begin_record(struct recorder *r, struct rank *k)
{
    const char *const why = refuse(r, k);
    if (why) {
        forged(r, k, "%s", why);
        return -1;
    }
    k->left = k->head.nbytes + record_padding(k->head.nbytes);
    memset(&k->value, 0, sizeof k->value);
    if (k->head.kind == EVIDENCE_OUTPUT)
        chain_begin(&k->chain, k->head.nbytes);
    keep(r, k, &k->head, sizeof k->head);
    return 0;
}

static void take_payload(struct recorder *r, struct rank *k, const char *data,
                         size_t n)
{
    const uint64_t all = k->head.nbytes + record_padding(k->head.nbytes);
    const uint64_t at = all - k->left;
    if (at < sizeof k->value)
        memcpy(k->value.bytes + at, data,
               n < sizeof k->value - at ? n : sizeof k->value - at);
    if (k->head.kind == EVIDENCE_OUTPUT)
        chain_add(&k->chain, data, n); // padding is zeros, as it assumes
    keep(r, k, data, n);
    k->left -= n;
}

/* Bytes of a rank's evidence, cut anywhere. */
static void take_evidence(struct recorder *r, struct rank *k, const char *data,
                          size_t nbytes)
{
    while (nbytes > 0 && k->connection[RECORDER_EVIDENCE] >= 0) {
        size_t n = sizeof k->head - k->nhead;
        if (n > 0) {
            n = n < nbytes ? n : nbytes;
            memcpy((char *)&k->head + k->nhead, data, n);
            k->nhead += n;
            if (k->nhead == sizeof k->head && begin_record(r, k) != 0)
                return;
        } else {
            n = k->left < nbytes ? (size_t)k->left : nbytes;
            take_payload(r, k, data, n);
        }
        data += n;
        nbytes -= n;
        if (k->nhead == sizeof k->head && k->left == 0)
            finish_record(r, k);
        if (k->nbytes > RECORDER_EVIDENCE_CAP)
            hang_up(k, RECORDER_EVIDENCE);
    }
}

/* ---- connections --------------------------------------------------------- */

/* As recv(); a descriptor that comes with the bytes takes the place of *fd. */
static ssize_t receive(int connection, void *data, size_t nbytes, int flags,
                       int *fd)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof *fd)];
    } control;
    struct iovec part = {data, nbytes};
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof control};
    const ssize_t n = recvmsg(connection, &m, flags | MSG_CMSG_CLOEXEC);
    const struct cmsghdr *const c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
        return n;
    if (*fd >= 0)
        close(*fd);
    memcpy(fd, CMSG_DATA(c), sizeof *fd);
    return n;
}

/* Who it is; a graph's memfd comes with it, or *fd is -1. */
static int take_hello(int connection, struct recorder_hello *hello, int *fd)
{
    *fd = -1;
    const ssize_t n = receive(connection, hello, sizeof *hello, 0, fd);
    return n == sizeof *hello && hello->magic == RECORDER_MAGIC ? 0 : -1;
}

/* A rank joins: it says who it is at once. */
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
            failed(r, "the execution graph");
        fd = -1;
    }
    if (fd >= 0)
        close(fd);
    if (!k || (hello.role == RECORDER_GRAPH && !k->graph)) {
        close(c);
        return;
    }
    k->connection[hello.role] = c;
    k->joined[hello.role] = 1;
    go_on(r);
}

/* Bytes of a rank's execution graph. */
static void take_graph(struct recorder *r, struct rank *k, const char *data,
                       size_t nbytes)
{
    switch (recorder_graph_take(k->graph, data, nbytes)) {
    case RECORDER_GRAPH_TAKEN: break;
    case RECORDER_GRAPH_WHOLE: reply(k->connection[RECORDER_GRAPH], ""); break;
    case RECORDER_GRAPH_FULL: hang_up(k, RECORDER_GRAPH); break;
    case RECORDER_GRAPH_FORGED:
        forged(r, k, "changed its execution graph after it was recorded");
        break;
    case RECORDER_GRAPH_FAILED: failed(r, "the execution graph"); break;
    }
    struct format_alloc place;
    while (recorder_graph_placed(k->graph, &place))
        if (recorder_memory_place(r->memory, (uint32_t)(k - r->rank), &place) !=
            0)
            forged(r, k, "said that memory is where it is not");
}

/* ---- device memory ------------------------------------------------------- */

/* True if something has come that was not taken. */
static int is_waiting(int connection)
{
    struct pollfd p = {connection, POLLIN, 0};
    return connection >= 0 && poll(&p, 1, 0) > 0;
}

/* Spoil what an operation overwrites that is about to run. Its record is under
 * way, if not there; a graph that is over, or too large, decides nothing. */
static void begin(struct recorder *r, struct rank *k, uint32_t index)
{
    struct graph_access *range = NULL;
    size_t n = 0;
    while (k->graph && index > recorder_graph_nnodes(k->graph) &&
           is_waiting(k->connection[RECORDER_GRAPH]))
        take(r, k, RECORDER_GRAPH);
    if (k->connection[RECORDER_GRAPH] < 0)
        return;
    switch (recorder_graph_begin(k->graph, index, &range, &n)) {
    case RECORDER_GRAPH_FAILED: failed(r, "the execution graph"); break;
    case RECORDER_GRAPH_FORGED:
        forged(r, k, "began an operation that it had not recorded");
        break;
    default: break;
    }
    for (size_t i = 0; i < n; i++) {
        // where another rank's memory is was sent before anyone could know
        const uint64_t owner = range[i].alloc >> 32;
        if (!recorder_memory_knows(r->memory, range[i].alloc) &&
            owner < (uint64_t)r->job->nranks && &r->rank[owner] != k)
            catch_up(r, &r->rank[owner], RECORDER_GRAPH);
        if (recorder_memory_spoil(r->memory, &range[i]) != 0)
            forged(r, k, "began an operation outside of its memory");
    }
    free(range);
}

/* A whole note is there. */
static void finish_note(struct recorder *r, struct rank *k)
{
    const struct recorder_note n = k->note;
    const int fd = k->heap;
    k->nnote = 0;
    k->heap = -1;
    if (n.kind == RECORDER_BEGIN && fd < 0) {
        begin(r, k, n.number);
        reply(k->connection[RECORDER_MEMORY], "");
    } else if (recorder_memory_heap(r->memory, (uint32_t)(k - r->rank),
                                    n.number, fd) != 0) {
        forged(r, k, "said that memory is where it is not");
    }
}

static void take_note(struct recorder *r, struct rank *k)
{
    const ssize_t n =
        receive(k->connection[RECORDER_MEMORY], (char *)&k->note + k->nnote,
                sizeof k->note - k->nnote, MSG_DONTWAIT, &k->heap);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0)
        hang_up(k, RECORDER_MEMORY);
    else if ((k->nnote += (size_t)n) == sizeof k->note)
        finish_note(r, k);
}

/* A rank has sent something, or nothing more. */
static void take(struct recorder *r, struct rank *k, enum recorder_role role)
{
    char chunk[CHUNK];
    if (role == RECORDER_MEMORY) {
        take_note(r, k);
        return;
    }
    const ssize_t n =
        receive(k->connection[role], chunk, sizeof chunk, MSG_DONTWAIT, &k->fd);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        hang_up(k, role);
    } else if (role == RECORDER_EVIDENCE) {
        take_evidence(r, k, chunk, (size_t)n);
    } else if (role == RECORDER_GRAPH) {
        take_graph(r, k, chunk, (size_t)n);
    }
}

/* Take what a rank has sent so far. It waits for nothing here: what it sent
 * before another rank could know of it is under way. */
static void catch_up(struct recorder *r, struct rank *k,
                     enum recorder_role role)
{
    while (is_waiting(k->connection[role]))
        take(r, k, role);
}

/* One round. -1 if there was nothing within msec. */
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

/* Wait, but for operations that are about to run. */
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
                take(r, &r->rank[i], RECORDER_MEMORY);
    }
}

static void *run(void *arg)
{
    static const double LONGEST_SEC = 10; // for what is under way
    // Ranks send a record for each operation: to be woken once for many of them
    // is cheaper. One that waits for an answer is likely to ask again.
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

/* ---- life ---------------------------------------------------------------- */

static int begin_rank(struct recorder *r, int i)
{
    char path[PATH_MAX];
    struct rank *const k = &r->rank[i];
    for (int role = 0; role < RECORDER_ROLES; role++)
        k->connection[role] = -1;
    k->fd = k->heap = -1;
    snprintf(path, sizeof path, "%s/evidence-%d", r->job->kept, i);
    k->file = fopen(path, "wxe");
    k->name = calloc(MOST_NAMES, sizeof *k->name);
    return k->file && k->name ? 0 : -1;
}

static void release(struct recorder *r)
{
    for (int i = 0; i < r->job->nranks; i++) {
        struct rank *const k = &r->rank[i];
        for (int role = 0; role < RECORDER_ROLES; role++)
            hang_up(k, (enum recorder_role)role);
        if (k->file && fclose(k->file) != 0)
            failed(r, "the evidence");
        recorder_graph_free(k->graph);
        if (k->fd >= 0)
            close(k->fd);
        if (k->heap >= 0)
            close(k->heap);
        free(k->name);
    }
    recorder_memory_free(r->memory);
    stop_listening(r);
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
