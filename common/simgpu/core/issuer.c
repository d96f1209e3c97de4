#define _GNU_SOURCE
#include "core/issuer.h"

#include <dirent.h>  /* opendir */
#include <fcntl.h>   /* open */
#include <pthread.h> /* pthread_key_t */
#include <stdatomic.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* strtol */
#include <string.h> /* strrchr */
#include <time.h>   /* clock_gettime */
#include <unistd.h> /* gettid */

#include "core/thread.h"
#include "core/wait.h"

enum {
    LOOKS = 256, /* most threads of a process to wait for at once */
    ROUND_US = 2000,
    ROUNDS = 2500,
    COMPUTED_NS = 20000000,
};

struct issuer {        /* only the thread itself writes to its entry */
    _Atomic pid_t tid; /* 0: the thread has ended, or unused entry */
    _Atomic uint32_t issued;
    uint32_t number; /* core/thread.h */
    _Atomic uint32_t part;
    _Atomic uint32_t called; /* its last call in that part, a node */
    uint32_t last;
};

static struct issuer issuers[ISSUERS];
static _Thread_local struct issuer *mine;
static pthread_key_t key; /* for its destructor */
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static void ended(void *entry)
{
    ((struct issuer *)entry)->tid = 0;
}

static void make_key(void)
{
    pthread_key_create(&key, ended);
}

/* Entries are reused in turn, as late as possible: the entry of a thread that
 * has ended is still needed when the part ends. */
static void begin(void)
{
    static _Atomic uint32_t next;
    for (int i = 0; i < ISSUERS && !mine; i++) {
        struct issuer *const at = &issuers[next++ % ISSUERS];
        pid_t none = 0;
        if (atomic_compare_exchange_strong(&at->tid, &none, gettid()))
            mine = at;
    }
    if (!mine)
        return;
    mine->number = thread_or_worker();
    mine->part = mine->called = mine->last = 0;
    pthread_once(&key_once, make_key);
    pthread_setspecific(key, mine);
}

int issuer_enters(uint32_t part)
{
    const int is_new = !mine;
    if (is_new)
        begin();
    if (!mine || mine->part == part)
        return 0;
    mine->called = 0;
    mine->part = part;
    return !is_new;
}

void issuer_issued(uint32_t node)
{
    if (!mine)
        return;
    mine->last = node;
    mine->issued++;
}

void issuer_called(uint32_t node)
{
    if (mine)
        mine->called = node;
}

pid_t issuer_tid(void)
{
    return mine ? mine->tid : 0;
}

uint32_t issuer_last(void)
{
    return mine ? mine->last : 0;
}

int issuers_others(uint32_t part, uint32_t called[ISSUERS], int *n)
{
    int others = 0;
    *n = 0;
    for (const struct issuer *i = issuers; i < issuers + ISSUERS; i++) {
        if (i == mine || (!i->tid && i->part != part))
            continue;
        others++;
        if (i->part == part && i->called)
            called[(*n)++] = i->called;
    }
    return others;
}

/* ---- whether threads continue -------------------------------------------- */

/* The entry of a thread, or NULL if it has issued nothing. */
static const struct issuer *issuer_of(pid_t tid)
{
    for (int i = 0; i < ISSUERS; i++)
        if (issuers[i].tid == tid)
            return &issuers[i];
    return NULL;
}

static uint32_t issued_by(pid_t tid)
{
    const struct issuer *const i = issuer_of(tid);
    return i ? i->issued : 0;
}

/* True if the thread computes, or would if it had a core. */
static int is_running(pid_t tid)
{
    char path[64], stat[256];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0; // the thread has ended
    const ssize_t got = read(fd, stat, sizeof stat - 1);
    close(fd);
    stat[got < 0 ? 0 : got] = 0;
    const char *const name_end = strrchr(stat, ')');
    return name_end && strncmp(name_end, ") R", 3) == 0;
}

/* The clock of a thread's CPU time, as pthread_getcpuclockid() returns it, for
 * a thread of which only the kernel's id is known. */
static clockid_t clock_of(pid_t tid)
{
    enum { THREAD = 4, SCHEDULED = 2 };
    return (clockid_t)(~(unsigned)tid << 3 | THREAD | SCHEDULED);
}

uint64_t issuer_computed_ns(pid_t tid)
{
    struct timespec t;
    if (tid == 0 || clock_gettime(clock_of(tid), &t) != 0)
        return 0;
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int issuer_lacks_core(pid_t tid, uint64_t since_ns, uint64_t ns)
{
    return tid != 0 && is_running(tid) &&
           issuer_computed_ns(tid) < since_ns + ns;
}

static void note_wait(void *arg, const struct wait_entry *e)
{
    uint32_t *const thread = arg;
    if (e->thread == *thread)
        *thread = UINT32_MAX;
}

/* True if the thread waits in a call for work that it has issued. */
static int waits_for_work(pid_t tid)
{
    const struct issuer *const i = issuer_of(tid);
    uint32_t thread = i ? i->number : UINT32_MAX;
    if (i)
        wait_each(note_wait, &thread);
    return i && thread != i->number;
}

struct look { /* a thread's state when settling began */
    pid_t tid;
    uint32_t issued;
    uint64_t computed_ns;
};

static int has_settled(const struct look *l)
{
    if (issued_by(l->tid) != l->issued)
        return 1;
    if (is_running(l->tid))
        return issuer_computed_ns(l->tid) > l->computed_ns + COMPUTED_NS;
    return !waits_for_work(l->tid);
}

/* Find the threads that may still issue work. Returns their number. */
static int look_around(struct look look[LOOKS])
{
    int n = 0;
    const struct dirent *e;
    DIR *const dir = opendir("/proc/self/task");
    while (dir && n < LOOKS && (e = readdir(dir))) {
        const pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);
        if (tid > 0 && tid != gettid() && (issuer_of(tid) || is_running(tid)))
            look[n++] =
                (struct look){tid, issued_by(tid), issuer_computed_ns(tid)};
    }
    if (dir)
        closedir(dir);
    return n;
}

void issuers_settle(void)
{
    struct look look[LOOKS];
    const int n = look_around(look);
    for (int i = 0, round = 0; i < n && round < ROUNDS; round++) {
        usleep(ROUND_US);
        while (i < n && has_settled(&look[i]))
            i++;
    }
}
