#include "nccl/entry.h"

#include <pthread.h> /* pthread_mutex_t */
#include <unistd.h>  /* usleep */

#include "core/report.h"
#include "core/site.h"
#include "core/watch/ignored.h"

static _Thread_local struct {
    int depth, in_group; /* calls of NCCL by NCCL; in an open group */
    const char *call;    /* the outermost call, */
    const void *from;    /* its return address */
    struct entry_use *uses;
    ncclResult_t result; /* the current call's */
    ncclResult_t failed; /* in the group: the first failure, */
    struct entry first;  /* and its call; from NULL: the program looked */
} state;

static const char *name_of(ncclResult_t result)
{
    static const char *const names[] = {
        "ncclSuccess",       "ncclUnhandledCudaError", "ncclSystemError",
        "ncclInternalError", "ncclInvalidArgument",    "ncclInvalidUsage",
        "ncclRemoteError",   "ncclInProgress",         "ncclTimeout"};
    return (unsigned)result < sizeof names / sizeof *names ? names[result]
                                                           : "an error";
}

/* ---- threads ------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects uses */

/*
 * Calls return within microseconds, so those of two threads that don't take
 * turns hardly ever overlap. When another thread than the last one uses a
 * communicator, this and its next calls therefore take a little longer.
 */
enum { SLOW_CALLS = 16, SLOW_US = 2000 };

/* Call with the lock held. */
static void take(struct entry_use *u, uint32_t site)
{
    u->by = u->last = &state;
    u->call = state.call;
    u->site = site;
    u->has_returned = 0;
    u->next = state.uses;
    state.uses = u;
}

void entry_made(struct entry_use *u)
{
    const uint32_t site = simgpu_site(state.from);
    pthread_mutex_lock(&lock);
    take(u, site);
    pthread_mutex_unlock(&lock);
}

static _Noreturn void report_threads(const struct entry_use *other,
                                     uint32_t site)
{
    char here[256], there[256];
    simgpu_report_fault(
        NULL,
        "two host threads use one NCCL communicator at the same time:\n"
        "  %s at %s\n  %s at %s, %s\n"
        "NCCL allows one thread at a time. Give each thread a communicator of "
        "its own, or hold\na mutex from ncclGroupStart, or from the call, "
        "until ncclGroupEnd, or the call, has returned.",
        state.call, simgpu_site_text(site, here, sizeof here), other->call,
        simgpu_site_text(other->site, there, sizeof there),
        other->has_returned ? "in a group that has not ended"
                            : "which has not returned");
}

void entry_use(struct entry_use *u, uint32_t site)
{
    pthread_mutex_lock(&lock);
    const struct entry_use other = *u;
    if (!other.by) {
        u->nslow = other.last != &state ? SLOW_CALLS
                   : other.nslow        ? other.nslow - 1
                                        : 0;
        take(u, site);
    }
    const int is_slow = u->nslow > 0;
    pthread_mutex_unlock(&lock);
    if (other.by && other.by != &state)
        report_threads(&other, site);
    if (!other.by && is_slow)
        usleep(SLOW_US);
}

static int is_used(struct entry_use *u)
{
    pthread_mutex_lock(&lock);
    const int used = u->by && u->by != &state && !u->has_returned;
    pthread_mutex_unlock(&lock);
    return used;
}

void entry_await_others(struct entry_use *u, const struct wait_note *note)
{
    for (;;) {
        const uint32_t seen = atomic_load(&u->nreturns);
        if (!is_used(u))
            return;
        simgpu_wait(&u->nreturns, seen, note);
    }
}

/* A call begins in a group that uses communicators: it may be the one that ends
 * the group, and waits. */
static void resume_uses(void)
{
    if (!state.uses)
        return;
    pthread_mutex_lock(&lock);
    for (struct entry_use *u = state.uses; u; u = u->next)
        u->has_returned = 0;
    pthread_mutex_unlock(&lock);
}

/* The outermost call returns. */
static void release_uses(void)
{
    if (!state.uses)
        return;
    pthread_mutex_lock(&lock);
    for (struct entry_use *u = state.uses; u; u = u->next) {
        if (state.in_group)
            u->has_returned = 1;
        else
            u->by = NULL;
        atomic_fetch_add(&u->nreturns, 1);
        simgpu_wake(&u->nreturns);
    }
    if (!state.in_group)
        state.uses = NULL;
    pthread_mutex_unlock(&lock);
}

/* ---- results ------------------------------------------------------------- */

struct entry entry_enter(const char *call, const void *from)
{
    if (state.depth++ == 0) {
        state.result = ncclSuccess;
        state.call = call;
        state.from = from;
        resume_uses();
    }
    return (struct entry){call, from};
}

void entry_result(ncclResult_t result)
{
    if (state.depth > 0)
        state.result = result;
}

void entry_group(int is_open)
{
    state.in_group = is_open;
}

/* A group has ended with the call e. */
static void end_group(const struct entry *e)
{
    const ncclResult_t failed = state.failed;
    const struct entry first = state.first;
    state.failed = ncclSuccess;
    if (failed == ncclSuccess && state.result != ncclSuccess)
        simgpu_ignored_note(IGNORED_NCCL, e->call, name_of(state.result),
                            e->from);
    else if (failed != ncclSuccess && first.from &&
             simgpu_ignored_is_certain(e->from))
        simgpu_ignored_note(IGNORED_NCCL, first.call, name_of(failed),
                            first.from);
}

void entry_leave(struct entry *e)
{
    if (--state.depth > 0)
        return;
    release_uses();
    if (!state.in_group) {
        end_group(e);
    } else if (state.result != ncclSuccess && state.failed == ncclSuccess) {
        state.failed = state.result;
        state.first = *e;
        if (!simgpu_ignored_is_certain(e->from))
            state.first.from = NULL;
    }
}
