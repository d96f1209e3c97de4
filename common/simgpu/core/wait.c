/*
 * wait.c: sleeping on futexes, and noticing when nobody will wake us
 *
 * A thread is *active* unless it sleeps here (or in an MPI call, which says so
 * through proc_wait_begin). A job in which no known process has an active
 * thread, and in which nothing has been done, for two seconds, hangs: since all
 * that could end a wait is itself waiting. A loaded machine doesn't look like
 * that: whoever has something to do is active, running or not.
 *
 * A thread that was woken but has not run since still counts as asleep. So each
 * watchdog looks whether the words its threads sleep on have changed, which is
 * progress, and beats; and a process whose watchdog has not beaten during the
 * quiet (stopped, or short of a core) is taken for one that is at work.
 */
#define _GNU_SOURCE
#include <errno.h>       /* ETIMEDOUT */
#include <limits.h>      /* INT_MAX */
#include <linux/futex.h> /* FUTEX_WAIT */
#include <pthread.h>     /* pthread_create */
#include <stdio.h>       /* snprintf */
#include <stdlib.h>      /* getenv */
#include <string.h>      /* strlen */
#include <sys/syscall.h> /* SYS_futex */
#include <time.h>        /* struct timespec */
#include <unistd.h>      /* syscall */

#include "core/page.h"
#include "core/start.h"
#include "core/watch.h"

enum { POLL_NS = 1000000 };

/* Waits of this process, for its page's text: a list of live notes. */
struct entry {
    const struct wait_note *note;
    const _Atomic uint32_t *word; /* it sleeps while *word == seen; or NULL */
    uint32_t seen, thread;
    uint32_t at; /* the operation that the thread runs; 0: a host thread */
    struct entry *next, **link;
};
static struct entry *entries;
static pthread_mutex_t entries_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local struct entry mine; /* of the calling thread */
static _Thread_local int depth;         /* nested waits count once */
static _Thread_local uint32_t at_node;  /* of a worker */

void wait_at(uint32_t node)
{
    at_node = node;
}

static void enter(const struct wait_note *note, const _Atomic uint32_t *word,
                  uint32_t seen)
{
    if (depth++)
        return;
    pthread_mutex_lock(&entries_lock);
    mine = (struct entry){.note = note,
                          .word = word,
                          .seen = seen,
                          .thread = proc_thread_or_worker(),
                          .at = at_node,
                          .next = entries,
                          .link = &entries};
    if (entries)
        entries->link = &mine.next;
    entries = &mine;
    pthread_mutex_unlock(&entries_lock);
    page_active(-1);
}

static void leave(void)
{
    if (--depth)
        return;
    page_active(+1);
    pthread_mutex_lock(&entries_lock);
    *mine.link = mine.next;
    if (mine.next)
        mine.next->link = mine.link;
    pthread_mutex_unlock(&entries_lock);
    proc_progress();
}

static long futex(_Atomic uint32_t *word, int op, uint32_t value,
                  const struct timespec *timeout)
{
    return syscall(SYS_futex, word, op, value, timeout, NULL, 0);
}

int proc_wait(_Atomic uint32_t *word, uint32_t seen,
              const struct wait_note *note)
{
    if (atomic_load(word) != seen)
        return 0;
    enter(note, word, seen);
    while (atomic_load(word) == seen)
        futex(word, FUTEX_WAIT, seen, NULL);
    leave();
    return 0;
}

int proc_wait_for(_Atomic uint32_t *word, uint32_t seen, uint64_t timeout_ns,
                  const struct wait_note *note)
{
    const struct timespec t = {(time_t)(timeout_ns / 1000000000u),
                               (long)(timeout_ns % 1000000000u)};
    if (atomic_load(word) != seen)
        return 0;
    if (note)
        enter(note, word, seen);
    futex(word, FUTEX_WAIT, seen, &t);
    if (note)
        leave();
    if (atomic_load(word) != seen)
        return 0;
    errno = ETIMEDOUT;
    return -1;
}

void proc_wait_until(_Atomic uint32_t *word, int (*met)(void *arg), void *arg,
                     const struct wait_note *note)
{
    uint32_t seen = atomic_load(word);
    if (met(arg))
        return;
    enter(note, word, seen);
    for (;;) {
        futex(word, FUTEX_WAIT, seen, &(struct timespec){0, POLL_NS});
        seen = atomic_load(word);
        if (met(arg))
            break;
        pthread_mutex_lock(&entries_lock);
        mine.seen = seen;
        pthread_mutex_unlock(&entries_lock);
    }
    leave();
}

void proc_wake_some(_Atomic uint32_t *word, int n)
{
    futex(word, FUTEX_WAKE, (uint32_t)n, NULL);
}

void proc_wake(_Atomic uint32_t *word)
{
    proc_wake_some(word, INT_MAX);
}

void proc_wait_begin(const struct wait_note *note)
{
    enter(note, NULL, 0);
}

void proc_wait_end(void)
{
    leave();
}

/* ---- the watchdog -------------------------------------------------------- */

static void write_wait(struct page *own, const struct entry *e)
{
    if (own->nwaits == PAGE_WAITS)
        return;
    struct page_wait *const w = &own->wait[own->nwaits++];
    *w = (struct page_wait){.thread = e->thread,
                            .at = e->at,
                            .node = e->note->node ? e->note->node : e->at,
                            .peer = e->note->peer,
                            .site = e->note->site};
    snprintf(w->call, sizeof w->call, "%s", e->note->call);
}

/* "    main thread in ncclAllReduce at a.c:12: waits for rank 2" per wait */
static void write_text(struct page *own)
{
    size_t at = 0;
    atomic_fetch_add(&own->wait_version, 1);
    own->wait_text[0] = 0;
    own->nwaits = 0;
    pthread_mutex_lock(&entries_lock);
    for (const struct entry *e = entries; e; e = e->next) {
        char what[400] = "", site[256], who[32] = "a stream's worker";
        if (!e->note)
            continue;
        write_wait(own, e);
        if (e->note->describe)
            e->note->describe(e->note->arg, what, sizeof what);
        if (e->thread != UINT32_MAX)
            snprintf(who, sizeof who, e->thread ? "host thread %u" : "main",
                     e->thread);
        graph_site_text(proc()->graph, e->note->site, site, sizeof site);
        const int n = snprintf(own->wait_text + at, sizeof own->wait_text - at,
                               "    %s: %s at %s%s%s\n", who, e->note->call,
                               site, *what ? ": " : "", what);
        if (n < 0 || (at += (size_t)n) >= sizeof own->wait_text)
            break;
    }
    pthread_mutex_unlock(&entries_lock);
    atomic_fetch_add(&own->wait_version, 1);
}

/* Has a thread of this process been woken that has not run since? */
static int anyone_woken(void)
{
    int woken = 0;
    pthread_mutex_lock(&entries_lock);
    for (const struct entry *e = entries; e; e = e->next)
        woken |= e->word && atomic_load(e->word) != e->seen;
    pthread_mutex_unlock(&entries_lock);
    return woken;
}

/* The quiet begins: what the peers' watchdogs have looked at before is old. */
static void note_beats(void)
{
    for (struct peer *p = page_peers(); p; p = p->next)
        p->beats = atomic_load(&p->page->beats);
}

/* Has each peer's watchdog begun and ended a round since? Two beats tell. */
static int all_beat(void)
{
    for (const struct peer *p = page_peers(); p; p = p->next)
        if (p->page != page_own() && peer_alive(p) &&
            atomic_load(&p->page->beats) - p->beats < 2)
            return 0;
    return 1;
}

/* Is any known process at work? *progress gets the sum over all of them. */
static int anyone_active(uint64_t *progress)
{
    const struct page *const own = page_own();
    int active = atomic_load(&own->active) > 0;
    *progress = atomic_load(&own->progress);
    for (const struct peer *p = page_peers(); p; p = p->next) {
        if (p->page == own)
            continue;
        *progress += atomic_load(&p->page->progress);
        active |= peer_alive(p) && atomic_load(&p->page->active) > 0;
    }
    return active;
}

static const struct peer *crashed_peer(void)
{
    for (const struct peer *p = page_peers(); p; p = p->next)
        if (p->page != page_own() && !peer_alive(p) &&
            atomic_load(&p->page->state) == PAGE_RUNNING)
            return p;
    return NULL;
}

static _Noreturn void report_hang(void)
{
    char text[16 * PAGE_WAIT_TEXT], chain[PAGE_WAIT_TEXT];
    size_t at = 0;
    for (uint32_t rank = 0; rank < proc()->nranks; rank++) {
        const struct peer *const p = proc_peer(rank);
        const struct page *const page = rank == proc()->rank ? page_own()
                                        : p                  ? p->page
                                                             : NULL;
        if (!page)
            continue;
        const int gone = page != page_own() && !peer_alive(p);
        const int n = snprintf(
            text + at, sizeof text - at, "  rank %u%s\n%s", rank,
            gone ? " has ended" : " waits:", gone ? "" : page->wait_text);
        if (n < 0 || (at += (size_t)n) >= sizeof text - 1)
            break;
    }
    const char *const followed =
        watch_explain(chain, sizeof chain) ? "From wait to wait:\n" : "";
    proc_fault("hang",
               "the run hangs: every rank waits for another.\n%s%s%s%s"
               "Look for a call that one rank makes and another doesn't, a "
               "different order of calls,\nor sends and receives in both "
               "directions outside of a group.",
               followed, chain, *followed ? "All waits:\n" : "", text);
}

static uint64_t limit_ns; /* SIMGPU_HANG_SEC, set once at start */

static uint64_t hang_ns(void)
{
    const char *const text = getenv("SIMGPU_HANG_SEC");
    if (!text || !*text)
        return 2000000000;
    char *end;
    const double sec = strtod(text, &end);
    if (end == text || *end || !(sec >= 0 && sec <= 1e6))
        proc_fault(NULL,
                   "SIMGPU_HANG_SEC=%s: use the seconds after which a hang is "
                   "reported, 0 for never",
                   text);
    return (uint64_t)(sec * 1e9);
}

/* Sleeps a quarter second at a time; ends the process when the job is lost. */
static void *watch(void *unused)
{
    (void)unused;
    struct page *const own = page_own();
    const uint64_t step = 250000000, limit = limit_ns;
    uint64_t quiet = 0, before = 0;
    for (;;) {
        proc_wait_for(&own->lost, 0, step, NULL);
        if (atomic_load(&own->lost)) {
            usleep(PROC_GRACE_US); // whoever set it prints first
            _exit(PROC_EXIT_FAULT);
        }
        const struct peer *const dead = crashed_peer();
        if (dead)
            proc_fault("crash",
                       "rank %u (process %d) ended without leaving: killed, "
                       "or crashed.",
                       peer_rank(dead), peer_pid(dead));
        if (anyone_woken())
            proc_progress();
        atomic_fetch_add(&own->beats, 1);
        uint64_t progress;
        const int active = anyone_active(&progress);
        quiet = active || progress != before ? 0 : quiet + step;
        before = progress;
        if (quiet == 0)
            note_beats();
        if (quiet > 0)
            write_text(own);
        if (limit && quiet >= limit && all_beat())
            report_hang();
    }
    return NULL;
}

void wait_start_watchdog(void)
{
    pthread_t thread;
    limit_ns = hang_ns();
    if (pthread_create(&thread, NULL, watch, NULL) != 0)
        proc_fault(NULL, "cannot start the watchdog thread: %m");
    pthread_detach(thread);
}
