#define _GNU_SOURCE
#include "grader/sandbox/sandbox_watch.h"

#include <errno.h>       /* EINTR */
#include <fts.h>         /* fts_open */
#include <limits.h>      /* LLONG_MAX */
#include <poll.h>        /* poll */
#include <stdio.h>       /* fopen */
#include <stdlib.h>      /* strtoll */
#include <string.h>      /* strstr */
#include <sys/stat.h>    /* struct stat */
#include <sys/statvfs.h> /* statvfs */
#include <unistd.h>      /* read */

#include "base/idle.h"
#include "base/steady.h"
#include "base/tree.h"
#include "grader/sandbox/groups.h"
#include "grader/sandbox/stopped.h"
#include "grader/sandbox/unnamed.h"

/* Read output; returns 0 at its end. */
static int take(int fd, struct sandbox_end *end)
{
    char chunk[16384];
    const ssize_t n = read(fd, chunk, sizeof chunk);
    if (n <= 0)
        return n < 0 && errno == EINTR;
    log_add(&end->log, chunk, (size_t)n);
    return 1;
}

/*
 * Bytes of all files below a folder, at any depth, which grows while ranks send
 * evidence. Each entry counts, and so do holes, since reading a file reads its
 * holes, too. A folder that the grader can't enter counts as too large.
 */
static long long folder_nbytes(const char *path)
{
    enum { ENTRY = 4096 };
    char *const roots[] = {(char *)path, NULL};
    long long total = 0;
    FTS *const tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (FTSENT *e; tree && (e = fts_read(tree)) != NULL;) {
        if (e->fts_info == FTS_DNR && e->fts_errno == EACCES)
            total = LLONG_MAX / 2;
        if (e->fts_info == FTS_DP || e->fts_info == FTS_DNR ||
            e->fts_info == FTS_NS)
            continue;
        const long long held = (long long)e->fts_statp->st_blocks * 512,
                        seen = (long long)e->fts_statp->st_size;
        total += ENTRY + (held > seen ? held : seen);
    }
    if (tree)
        fts_close(tree);
    return total;
}

int watch_disk_is_full(const struct sandbox *s)
{
    enum { LEAST = 16 << 20 };
    struct statvfs st;
    for (int i = -1; i < s->nbinds; i++)
        if ((i < 0 ? s->watch != NULL : s->bind[i].writable) &&
            statvfs(i < 0 ? s->watch : s->bind[i].from, &st) == 0 &&
            ((unsigned long long)st.f_bavail * st.f_frsize < LEAST ||
             (st.f_files && st.f_favail < 64)))
            return 1;
    return 0;
}

static const double LOOK_SEC = 0.25, CROWD_SEC = 0.02;

/* What is checked during the run, besides output. */
struct looks {
    const struct sandbox *sandbox;
    pid_t keeper;
    double next, next_idle; /* times of the next checks */
    struct idle idle;
    int happened;        /* the folder changed since the last look at time */
    long long shown;     /* the folder's bytes at the last check */
    long long available; /* bytes of memory at the begin */
    long nthreads;       /* this machine's, at the begin */
};

/* True if processes inside can have an anonymous file on the watched folder's
 * file system. Namespaces leave only what is bound for writing. */
static int can_hide_files(const struct sandbox *s)
{
    int can = s->level < 2;
    for (int i = 0; i < s->nbinds; i++)
        can |= s->bind[i].writable;
    return s->watch && can;
}

long watch_machine_threads(void)
{
    long n = 0;
    FILE *const f = fopen("/proc/loadavg", "re");
    if (f) {
        if (fscanf(f, "%*f %*f %*f %*d/%ld", &n) != 1)
            n = 0;
        fclose(f);
    }
    return n;
}

long long watch_number_in(const char *path, const char *name)
{
    char line[128];
    long long n = 0;
    FILE *const f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, name, strlen(name)) == 0) {
            n = strtoll(line + strlen(name), NULL, 10);
            break;
        }
    if (f)
        fclose(f);
    return n;
}

static long long available_nbytes(void)
{
    return watch_number_in("/proc/meminfo", "MemAvailable:") << 10;
}

/* Watch what the kernel does not limit. A look at all processes takes long, so
 * first look at the machine: has anything grown that much? A neighbour that did
 * shares this run's limit on the user's processes. */
static void watch_crowd(const struct looks *l, struct sandbox_end *end)
{
    if (!strstr(end->missing, "processes"))
        return;
    const long more = watch_machine_threads() - l->nthreads;
    if (more > GROUPS_PROCESSES / 2)
        end->crowded = tree_nthreads(l->keeper) > GROUPS_PROCESSES;
    if (!end->crowded && more > WATCH_BESIDE / 2 && more > end->beside)
        end->beside = more;
}

static void watch_memory(const struct looks *l, struct sandbox_end *end)
{
    const int mib = l->sandbox->memory_mib;
    const long long limit = (long long)(mib ? mib : GROUPS_MEMORY_MIB) << 20;
    if (strstr(end->missing, "memory") &&
        (l->idle.tree.resident > limit ||
         available_nbytes() < l->available - limit / 2))
        // twice, since a process that forks in between counts too much
        end->out_of_memory =
            tree_nbytes(l->keeper) > limit && tree_nbytes(l->keeper) > limit;
}

/* Check how long the run takes, and how long it has shown nothing. A run that
 * hardly computes in half an hour is given up. */
static void look_at_time(struct looks *l, double now, struct sandbox_end *end)
{
    enum { MOST_IDLE_SEC = 1800, MOST_SEC = 7200 };
    const struct sandbox *const s = l->sandbox;
    if (now < l->next_idle)
        return;
    idle_look(&l->idle, l->keeper, now, l->happened);
    l->happened = 0;
    l->next_idle = now + IDLE_LOOK_SEC;
    end->overlong = l->idle.total_sec > s->limit_sec;
    end->timed_out = end->overlong || l->idle.sec > s->idle_sec;
    end->too_busy =
        !end->timed_out && (now - l->idle.progressed > MOST_IDLE_SEC ||
                            now - l->idle.began > MOST_SEC);
}

/*
 * Check the run. A check may read every process's mappings, which costs more
 * than reading a line of output, so there is one every quarter of a second, not
 * one for each line.
 */
static void look(struct looks *l, double now, struct sandbox_end *end)
{
    const struct sandbox *const s = l->sandbox;
    watch_crowd(l, end);
    if (now < l->next)
        return;
    const long long shown = s->watch ? folder_nbytes(s->watch) : 0;
    const long long hidden = can_hide_files(s) ? unnamed_nbytes(s->watch) : 0;
    l->happened |= !s->watch || shown != l->shown;
    l->shown = shown;
    l->next = now + LOOK_SEC;
    end->flooded = s->most_bytes && shown + hidden > s->most_bytes;
    end->disk_was_full |= watch_disk_is_full(s);
    watch_memory(l, end);
    look_at_time(l, now, end);
}

int watch_is_over(const struct sandbox_end *end)
{
    return end->timed_out || end->flooded || end->loud || end->crowded ||
           end->out_of_memory || end->too_busy || stopped_by();
}

void watch_follow(int fd, const struct sandbox *s, pid_t keeper,
                  struct sandbox_end *end)
{
    double now = steady_sec();
    const int watched = strstr(end->missing, "processes") != NULL;
    struct looks looks = {.sandbox = s,
                          .keeper = keeper,
                          .next = now,
                          .next_idle = now + IDLE_LOOK_SEC,
                          .shown = -1,
                          .available = available_nbytes(),
                          .nthreads = watch_machine_threads()};
    idle_begin(&looks.idle, now);
    while (!watch_is_over(end)) {
        const double wait = watched ? CROWD_SEC : looks.next - now;
        struct pollfd p = {fd, POLLIN, 0};
        const int ready = poll(&p, 1, wait > 0 ? (int)(1000 * wait) + 1 : 0);
        if (ready > 0 && !take(fd, end))
            break;
        now = steady_sec();
        look(&looks, now, end);
        end->loud = end->log.dropped > SANDBOX_MOST_PRINTED;
    }
    end->loud |= end->timed_out && end->log.dropped > SANDBOX_LOUD;
    if (end->too_busy)
        end->own_sec = looks.idle.total_sec;
}

void watch_again(const struct sandbox *s, struct sandbox_end *end)
{
    if (s->watch && s->most_bytes && !end->timed_out)
        end->flooded |= folder_nbytes(s->watch) > s->most_bytes;
}
