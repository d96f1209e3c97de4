#define _GNU_SOURCE
#include "core/watch/watchdog.h"

#include <assert.h>  /* assert */
#include <errno.h>   /* errno */
#include <pthread.h> /* pthread_create */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* getenv */
#include <string.h>  /* strcmp, strlen */
#include <unistd.h>  /* usleep */

#include "core/limit.h"
#include "core/peer.h"
#include "core/quiet.h"
#include "core/report.h"
#include "core/site.h"
#include "core/wait.h"
#include "core/watch/hang.h"
#include "core/watch/keeper.h"
#include "core/watch/newcomer.h"

static const uint64_t step_ns = 250000000;
static uint64_t limit_ns; /* SIMGPU_HANG_SEC, set once at start */

/* ---- this process's waits, for the control page -------------------------- */

struct listing { /* a list of waits that is being written */
    struct listed {
        struct control_wait wait;
        char text[800]; /* "    main: ncclSend at a.c:12: waits for rank 2" */
    } line[CONTROL_WAITS];
    uint32_t n;
};

static void add_wait(void *arg, const struct wait_entry *e)
{
    struct listing *const l = arg;
    char what[400] = "", site[256], who[32] = "a stream's worker";
    if (l->n == CONTROL_WAITS)
        return;
    struct listed *const line = &l->line[l->n++];
    *line =
        (struct listed){.wait = {.thread = e->thread,
                                 .at = e->at,
                                 .node = e->note->node ? e->note->node : e->at,
                                 .peer = e->note->peer,
                                 .site = e->note->site}};
    snprintf(line->wait.call, sizeof line->wait.call, "%s", e->note->call);
    if (e->note->describe)
        e->note->describe(e->note->arg, what, sizeof what);
    if (e->thread != UINT32_MAX)
        snprintf(who, sizeof who, e->thread ? "host thread %u" : "main",
                 e->thread);
    simgpu_site_text(e->note->site, site, sizeof site);
    snprintf(line->text, sizeof line->text, "    %s: %s at %s%s%s\n", who,
             e->note->call, site, *what ? ": " : "", what);
}

/* Host threads come first, since the order in which threads
 * began to wait is random. */
static int by_thread(const void *x, const void *y)
{
    const struct control_wait *const a = x, *const b = y; // first members
    return a->thread != b->thread ? (a->thread > b->thread) * 2 - 1
                                  : (a->at > b->at) - (a->at < b->at);
}

static void (*_Atomic remark[WATCHDOG_REMARKS])(char *out, size_t nbytes);
static _Atomic int nremarks;

void simgpu_hang_remark(void (*f)(char *out, size_t nbytes))
{
    const int i = atomic_fetch_add(&nremarks, 1);
    assert(i < WATCHDOG_REMARKS);
    atomic_store(&remark[i], f);
}

static void write_remarks(char *out, size_t nbytes)
{
    size_t at = 0;
    for (int i = 0; i < WATCHDOG_REMARKS; i++) {
        void (*const f)(char *, size_t) = atomic_load(&remark[i]);
        if (f)
            f(out + at, nbytes - at);
        at += strlen(out + at);
    }
}

/* List the waits on this process's page. An unchanged list is not written
 * again, because other processes may be reading it. */
static void publish_waits(struct control *own)
{
    static struct listing l; // only the watchdog's thread calls this
    static struct control_wait wait[CONTROL_WAITS];
    static char text[CONTROL_WAIT_TEXT];
    size_t at = 0;
    l.n = 0;
    wait_each(add_wait, &l);
    qsort(l.line, l.n, sizeof *l.line, by_thread);
    text[0] = 0;
    for (uint32_t i = 0; i < l.n; i++) {
        wait[i] = l.line[i].wait;
        if (at < sizeof text)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s",
                                   l.line[i].text);
    }
    if (at < sizeof text)
        write_remarks(text + at, sizeof text - at);
    if (own->nwaits == l.n && strcmp(own->wait_text, text) == 0 &&
        memcmp(own->wait, wait, l.n * sizeof *wait) == 0)
        return;
    atomic_fetch_add(&own->wait_version, 1);
    memcpy(own->wait_text, text, sizeof text);
    memcpy(own->wait, wait, l.n * sizeof *wait);
    own->nwaits = l.n;
    atomic_fetch_add(&own->wait_version, 1);
}

/* ---- the job ------------------------------------------------------------- */

/* Start a quiet period: record the beats of the peers' watchdogs,
 * which must be exceeded. */
static void note_beats(void)
{
    for (struct peer *p = peer_first(); p; p = p->next)
        p->beats = atomic_load(&p->control->beats);
}

/* True if each peer's watchdog has completed a round during the quiet period
 * and has listed its waits, which takes three beats. */
static int all_beat(void)
{
    for (const struct peer *p = peer_first(); p; p = p->next)
        if (p->control != control_own() && peer_alive(p) &&
            atomic_load(&p->control->beats) - p->beats < 3)
            return 0;
    return 1;
}

/*
 * True if the threads that poll have done so since the last round. One that
 * stopped without a call computes, or has no core.
 */
static int all_poll(void)
{
    static uint32_t own_polls; // only the watchdog's thread calls this
    int all = 1;
    for (struct peer *p = peer_first(); p; p = p->next) {
        const int is_own = p->control == control_own();
        uint32_t *const before = is_own ? &own_polls : &p->polls;
        const uint32_t now = atomic_load(&p->control->npolls);
        if (atomic_load(&p->control->polling) > 0 && now == *before &&
            (is_own || peer_alive(p)))
            all = 0;
        *before = now;
    }
    return all;
}

/* True unless a process that has ended did so as it should. */
static int has_crashed(const struct peer *p)
{
    return atomic_load(&p->control->state) == CONTROL_RUNNING ||
           (keeper_is_there() && atomic_load(&p->control->in_mpi));
}

/*
 * A peer that has crashed, or NULL. Checking a peer takes a system call, and
 * every rank checks every other, so a round checks only the next PEERS of them;
 * 256 ranks are all checked within 2 s.
 */
static struct peer *crashed_peer(void)
{
    enum { PEERS = 32 };
    static struct peer *next; // only the watchdog's thread calls this
    for (int i = 0; i < PEERS; i++) {
        struct peer *const p = next ? next : peer_first();
        if (!p)
            return NULL;
        next = p->next;
        if (p->control != control_own() && !simgpu_peer_dead(p) &&
            !peer_alive(p) && has_crashed(p))
            return p;
    }
    return NULL;
}

static const struct control *page_of(uint32_t rank)
{
    const struct peer *const p = peer_find(rank);
    return rank == simgpu_proc()->rank ? control_own() : p ? p->control : NULL;
}

/* True if a rank waits in a call whose name starts with this text. */
static int waits_in(const struct control *page, const char *call)
{
    for (uint32_t i = 0; page && i < page->nwaits && i < CONTROL_WAITS; i++)
        if (strncmp(page->wait[i].call, call, strlen(call)) == 0)
            return 1;
    return 0;
}

/* The number of ranks that wait in such a call. */
static uint32_t ranks_in(const char *call)
{
    uint32_t n = 0;
    for (uint32_t rank = 0; rank < simgpu_proc()->nranks; rank++)
        n += (uint32_t)waits_in(page_of(rank), call);
    return n;
}

/* Advice for the report. If all ranks are joining a communicator, they must be
 * joining different ones. */
static const char *hang_advice(void)
{
    const uint32_t njoin = ranks_in("ncclCommInitRank");
    if (ranks_in("cuStreamWaitValue"))
        return "A stream waits for a value that no operation has written. Look "
               "for the write that\nshould end the wait: it may be missing, or "
               "behind another wait, go to another\nrank's word, or write "
               "another value.";
    if (simgpu_proc()->nranks == 1 && waits_in(control_own(), "a kernel"))
        return "A kernel waits for a word of memory. Look for the thread that "
               "should write it:\nit may have ended, wait itself, or be in a "
               "block or kernel that can't start yet.";
    return njoin == simgpu_proc()->nranks
               ? "All ranks join a communicator, but not the same one: they "
                 "must pass the same id.\nOne rank calls ncclGetUniqueId(), "
                 "and MPI_Bcast() brings its id to the others."
               : "Look for a call that one rank makes and another doesn't, a "
                 "different order of calls,\nor sends and receives in both "
                 "directions outside a group.";
}

/* Wait until no process is writing its list, but not forever: a process may
 * have been stopped while writing. */
static void await_lists(void)
{
    enum { TRIES = 1000, TRY_US = 1000 };
    for (uint32_t rank = 0; rank < simgpu_proc()->nranks; rank++) {
        const struct control *const page = page_of(rank);
        for (int i = 0; page && i < TRIES; i++) {
            if (atomic_load(&page->wait_version) % 2 == 0)
                break;
            usleep(TRY_US);
        }
    }
}

static _Noreturn void report_hang(void)
{
    char text[16 * CONTROL_WAIT_TEXT], chain[CONTROL_WAIT_TEXT];
    size_t at = 0;
    await_lists();
    for (uint32_t rank = 0; rank < simgpu_proc()->nranks; rank++) {
        const struct peer *const p = peer_find(rank);
        const struct control *const page = page_of(rank);
        if (!page)
            continue;
        const int gone = page != control_own() && !peer_alive(p);
        const int n = snprintf(
            text + at, sizeof text - at, "  rank %u%s\n%s", rank,
            gone ? " has ended" : " waits:", gone ? "" : page->wait_text);
        if (n < 0 || (at += (size_t)n) >= sizeof text - 1)
            break;
    }
    const char *const followed =
        hang_explain(chain, sizeof chain) ? "The chain of waits:\n" : "";
    simgpu_report_fault(
        "hang", "the run hangs: every rank waits for another.\n%s%s%s%s%s",
        followed, chain, *followed ? "All waits:\n" : "", text, hang_advice());
}

/* ---- the thread ---------------------------------------------------------- */

static uint64_t hang_ns(void)
{
    const char *const text = getenv("SIMGPU_HANG_SEC");
    if (!text || !*text)
        return 2000000000;
    char *end;
    const double sec = strtod(text, &end);
    if (end == text || *end || !(sec >= 0 && sec <= 1e6))
        simgpu_report_fault(
            NULL,
            "SIMGPU_HANG_SEC=%s: use the number of seconds until a hang is "
            "reported, 0 for never",
            text);
    return (uint64_t)(sec * 1e9);
}

/*
 * The launcher of a crashed rank must notice its end before this process's, in
 * order to tell a rank that was killed from one that failed. mpirun then ends
 * this process, at once unless mpirun gets no core. So wait as long as a thread
 * may before the run counts as hanging.
 */
static void await_launcher(void)
{
    const uint64_t us = limit_ns / 1000, most = 20 * REPORT_GRACE_US;
    usleep((useconds_t)(us < REPORT_GRACE_US ? REPORT_GRACE_US
                        : us < most          ? us
                                             : most));
}

/* End the process if the job is lost, or a peer has crashed that it does not
 * outlive. */
static void check_job(const struct control *own)
{
    if (atomic_load(&own->lost)) {
        usleep(REPORT_GRACE_US); // the process that set it prints first
        _exit(PROC_EXIT_FAULT);
    }
    struct peer *const dead = crashed_peer();
    if (!dead)
        return;
    if (keeper_is_there()) {
        peer_mourn(dead);
        control_progress(); // what waited for it continues
        return;
    }
    await_launcher();
    simgpu_report_fault("crash",
                        "rank %u (process %d) has crashed, or was "
                        "killed.",
                        peer_rank(dead), peer_pid(dead));
}

static void *watch(void *unused)
{
    (void)unused;
    struct control *const own = control_own();
    const uint32_t half = (uint32_t)(limit_ns / 2 / step_ns);
    const uint32_t rounds = half ? half : 1;
    uint64_t quiet_ns = 0, before = 0, progress;
    for (;;) {
        simgpu_wait_for(&own->lost, 0, step_ns, NULL);
        check_job(own);
        if (wait_any_runs(rounds))
            control_progress();
        atomic_fetch_add(&own->beats, 1);
        int npolling;
        const int broken = quiet_broken(&progress, &npolling) | !all_poll();
        quiet_ns = broken || progress != before ? 0 : quiet_ns + step_ns;
        before = progress;
        if (quiet_ns == 0)
            note_beats();
        else
            publish_waits(own);
        if (quiet_ns == 0 || !all_beat() || newcomer_any())
            continue;
        if (npolling)
            quiet_settled(progress);
        else if (limit_ns && quiet_ns >= limit_ns)
            report_hang();
    }
    return NULL;
}

void watchdog_start(void)
{
    char hint[LIMIT_HINT];
    pthread_attr_t attr;
    pthread_t thread;
    limit_ns = hang_ns();
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 1 << 20);
    errno = pthread_create(&thread, &attr, watch, NULL);
    if (errno != 0)
        simgpu_report_fault(NULL, "cannot start the watchdog thread: %m%s",
                            simgpu_limit_hint(errno, hint, sizeof hint));
    pthread_attr_destroy(&attr);
    pthread_detach(thread);
}
