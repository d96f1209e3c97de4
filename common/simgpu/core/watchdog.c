#define _GNU_SOURCE
#include "core/watchdog.h"

#include <pthread.h> /* pthread_create */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* getenv */
#include <string.h>  /* strncmp */
#include <unistd.h>  /* usleep */

#include "core/hang.h"
#include "core/peer.h"
#include "core/report.h"
#include "core/site.h"
#include "core/wait.h"

static const uint64_t step_ns = 250000000;
static uint64_t limit_ns; /* SIMGPU_HANG_SEC, set once at start */

/* ---- this process's waits, for the control page -------------------------- */

struct listing { /* of waits, being written */
    struct control *own;
    size_t at; /* in wait_text */
};

static void list_wait(struct control *own, const struct wait_entry *e)
{
    if (own->nwaits == CONTROL_WAITS)
        return;
    struct control_wait *const w = &own->wait[own->nwaits++];
    *w = (struct control_wait){.thread = e->thread,
                               .at = e->at,
                               .node = e->note->node ? e->note->node : e->at,
                               .peer = e->note->peer,
                               .site = e->note->site};
    snprintf(w->call, sizeof w->call, "%s", e->note->call);
}

/* "    main: ncclAllReduce at a.c:12: waits for rank 2" */
static void add_wait(void *arg, const struct wait_entry *e)
{
    struct listing *const l = arg;
    char *const text = l->own->wait_text;
    char what[400] = "", site[256], who[32] = "a stream's worker";
    if (l->at >= sizeof l->own->wait_text)
        return;
    list_wait(l->own, e);
    if (e->note->describe)
        e->note->describe(e->note->arg, what, sizeof what);
    if (e->thread != UINT32_MAX)
        snprintf(who, sizeof who, e->thread ? "host thread %u" : "main",
                 e->thread);
    simgpu_site_text(e->note->site, site, sizeof site);
    l->at += (size_t)snprintf(text + l->at, sizeof l->own->wait_text - l->at,
                              "    %s: %s at %s%s%s\n", who, e->note->call,
                              site, *what ? ": " : "", what);
}

static void publish_waits(struct control *own)
{
    struct listing l = {.own = own};
    atomic_fetch_add(&own->wait_version, 1);
    own->wait_text[0] = 0;
    own->nwaits = 0;
    wait_each(add_wait, &l);
    atomic_fetch_add(&own->wait_version, 1);
}

/* ---- the job ------------------------------------------------------------- */

/* A quiet period starts: what the peers' watchdogs have seen so far is old. */
static void note_beats(void)
{
    for (struct peer *p = peer_first(); p; p = p->next)
        p->beats = atomic_load(&p->control->beats);
}

/* True if each peer's watchdog has completed a round since: two beats. */
static int all_beat(void)
{
    for (const struct peer *p = peer_first(); p; p = p->next)
        if (p->control != control_own() && peer_alive(p) &&
            atomic_load(&p->control->beats) - p->beats < 2)
            return 0;
    return 1;
}

/* True if any known process has an active thread. *progress: the sum of all. */
static int any_active(uint64_t *progress)
{
    const struct control *const own = control_own();
    int active = atomic_load(&own->active) > 0;
    *progress = atomic_load(&own->progress);
    for (const struct peer *p = peer_first(); p; p = p->next) {
        if (p->control == own)
            continue;
        *progress += atomic_load(&p->control->progress);
        active |= peer_alive(p) && atomic_load(&p->control->active) > 0;
    }
    return active;
}

static const struct peer *crashed_peer(void)
{
    for (const struct peer *p = peer_first(); p; p = p->next)
        if (p->control != control_own() && !peer_alive(p) &&
            atomic_load(&p->control->state) == CONTROL_RUNNING)
            return p;
    return NULL;
}

static const struct control *page_of(uint32_t rank)
{
    const struct peer *const p = peer_find(rank);
    return rank == simgpu_proc()->rank ? control_own() : p ? p->control : NULL;
}

/* True if a rank waits in a call whose name begins like this. */
static int waits_in(const struct control *page, const char *call)
{
    for (uint32_t i = 0; page && i < page->nwaits && i < CONTROL_WAITS; i++)
        if (strncmp(page->wait[i].call, call, strlen(call)) == 0)
            return 1;
    return 0;
}

/* What to look for: ranks that all join a communicator join different ones. */
static const char *hang_advice(void)
{
    uint32_t njoin = 0;
    for (uint32_t rank = 0; rank < simgpu_proc()->nranks; rank++)
        njoin += (uint32_t)waits_in(page_of(rank), "ncclCommInitRank");
    return njoin == simgpu_proc()->nranks
               ? "All ranks join a communicator, but not the same one: they "
                 "must pass the same id.\nOne rank calls ncclGetUniqueId(), "
                 "and MPI_Bcast() brings its id to the others."
               : "Look for a call that one rank makes and another doesn't, a "
                 "different order of calls,\nor sends and receives in both "
                 "directions outside a group.";
}

static _Noreturn void report_hang(void)
{
    char text[16 * CONTROL_WAIT_TEXT], chain[CONTROL_WAIT_TEXT];
    size_t at = 0;
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

/* End the process if the job is lost, or a peer has crashed. */
static void check_job(const struct control *own)
{
    if (atomic_load(&own->lost)) {
        usleep(REPORT_GRACE_US); // the process that set it prints first
        _exit(PROC_EXIT_FAULT);
    }
    const struct peer *const dead = crashed_peer();
    if (dead)
        simgpu_report_fault("crash",
                            "rank %u (process %d) has crashed, or was "
                            "killed.",
                            peer_rank(dead), peer_pid(dead));
}

static void *watch(void *unused)
{
    (void)unused;
    struct control *const own = control_own();
    uint64_t quiet_ns = 0, before = 0, progress;
    for (;;) {
        simgpu_wait_for(&own->lost, 0, step_ns, NULL);
        check_job(own);
        if (wait_any_woken())
            control_progress();
        atomic_fetch_add(&own->beats, 1);
        const int active = any_active(&progress);
        quiet_ns = active || progress != before ? 0 : quiet_ns + step_ns;
        before = progress;
        if (quiet_ns == 0)
            note_beats();
        else
            publish_waits(own);
        if (limit_ns && quiet_ns >= limit_ns && all_beat())
            report_hang();
    }
    return NULL;
}

void watchdog_start(void)
{
    pthread_t thread;
    limit_ns = hang_ns();
    if (pthread_create(&thread, NULL, watch, NULL) != 0)
        simgpu_report_fault(NULL, "cannot start the watchdog thread: %m");
    pthread_detach(thread);
}
