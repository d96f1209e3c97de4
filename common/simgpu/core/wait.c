#define _GNU_SOURCE
#include "core/wait.h"

#include <errno.h>       /* ETIMEDOUT */
#include <limits.h>      /* INT_MAX */
#include <linux/futex.h> /* FUTEX_WAIT */
#include <pthread.h>     /* pthread_mutex_t */
#include <sys/syscall.h> /* SYS_futex */
#include <time.h>        /* struct timespec */
#include <unistd.h>      /* syscall */

#include "core/called.h"
#include "core/polls.h"
#include "core/thread.h"

enum { POLL_NS = 1000000 };

/* The waits of this process, a list. */
static struct wait_entry *entries;
static pthread_mutex_t entries_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local struct wait_entry mine; /* the calling thread's */
static _Thread_local int depth;              /* nested waits count once */
static _Thread_local uint32_t running_node;  /* the node that a worker runs */

void wait_running(uint32_t node)
{
    running_node = node;
}

static void enter(const struct wait_note *note, const _Atomic uint32_t *word,
                  uint32_t seen)
{
    if (depth++)
        return;
    poll_over();
    if (note && thread_or_worker() != UINT32_MAX) // workers run earlier calls
        simgpu_called(CONTROL_CALL, note->call, note->site);
    pthread_mutex_lock(&entries_lock);
    mine = (struct wait_entry){.note = note,
                               .word = word,
                               .seen = seen,
                               .thread = thread_or_worker(),
                               .at = running_node,
                               .next = entries,
                               .link = &entries};
    if (entries)
        entries->link = &mine.next;
    entries = &mine;
    pthread_mutex_unlock(&entries_lock);
    control_active(-1);
}

static void leave(void)
{
    if (--depth)
        return;
    control_active(+1);
    pthread_mutex_lock(&entries_lock);
    *mine.link = mine.next;
    if (mine.next)
        mine.next->link = mine.link;
    pthread_mutex_unlock(&entries_lock);
    control_progress();
}

static long futex(_Atomic uint32_t *word, int op, uint32_t value,
                  const struct timespec *timeout)
{
    return syscall(SYS_futex, word, op, value, timeout, NULL, 0);
}

void simgpu_wait(_Atomic uint32_t *word, uint32_t seen,
                 const struct wait_note *note)
{
    if (atomic_load(word) != seen)
        return;
    enter(note, word, seen);
    while (atomic_load(word) == seen)
        futex(word, FUTEX_WAIT, seen, NULL);
    leave();
}

int simgpu_wait_for(_Atomic uint32_t *word, uint32_t seen, uint64_t timeout_ns,
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

void wait_until(_Atomic uint32_t *word, int (*met)(void *arg), void *arg,
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

void simgpu_wake_some(_Atomic uint32_t *word, int n)
{
    futex(word, FUTEX_WAKE, (uint32_t)n, NULL);
}

void simgpu_wake(_Atomic uint32_t *word)
{
    simgpu_wake_some(word, INT_MAX);
}

void wait_begin(const struct wait_note *note)
{
    enter(note, NULL, 0);
}

void wait_end(void)
{
    leave();
}

_Atomic uint32_t *wait_pulse(void)
{
    return &mine.pulse;
}

/* ---- for the watchdog ---------------------------------------------------- */

void wait_each(void (*fn)(void *arg, const struct wait_entry *e), void *arg)
{
    pthread_mutex_lock(&entries_lock);
    for (const struct wait_entry *e = entries; e; e = e->next)
        if (e->note)
            fn(arg, e);
    pthread_mutex_unlock(&entries_lock);
}

static int stands_still(struct wait_entry *e, uint32_t rounds)
{
    const uint32_t pulse = atomic_load(&e->pulse);
    e->nrounds = pulse == e->pulse_before ? e->nrounds + 1 : 0;
    e->pulse_before = pulse;
    return pulse && e->nrounds >= rounds;
}

int wait_any_runs(uint32_t rounds)
{
    int runs = 0;
    pthread_mutex_lock(&entries_lock);
    for (struct wait_entry *e = entries; e; e = e->next)
        runs |= (e->word && atomic_load(e->word) != e->seen) |
                stands_still(e, rounds);
    pthread_mutex_unlock(&entries_lock);
    return runs;
}

/* ---- postponed waits ----------------------------------------------------- */

static _Atomic(wait_owed *) owed;

void simgpu_wait_set_owed(wait_owed *f)
{
    atomic_store(&owed, f);
}

void wait_for_owed(void)
{
    wait_owed *const f = atomic_load(&owed);
    if (f)
        f();
}
