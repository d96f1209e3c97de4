#define _GNU_SOURCE
#include "base/tree.h"

#include <dirent.h>       /* opendir */
#include <fcntl.h>        /* openat */
#include <signal.h>       /* kill */
#include <stdio.h>        /* sscanf */
#include <stdlib.h>       /* strtol */
#include <string.h>       /* strrchr */
#include <sys/resource.h> /* prlimit */
#include <sys/stat.h>     /* fstatat */
#include <unistd.h>       /* read */

/* Read a small file of /proc, below a folder; "" if there is none. */
static void read_small(int folder, const char *name, char *text, size_t nbytes)
{
    const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, nbytes - 1) : 0;
    text[n > 0 ? n : 0] = 0;
    if (fd >= 0)
        close(fd);
}

/* Visit a process, then its descendants. A child belongs to the thread that
 * started it. `see` is given the folder of the process in /proc. */
typedef void see_process(int folder, long pid, int is_root, void *arg);

static void visit(long pid, int is_root, see_process *see, void *arg)
{
    char name[64], text[8192];
    snprintf(name, sizeof name, "/proc/%ld", pid);
    const int folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    see(folder, pid, is_root, arg);
    snprintf(name, sizeof name, "/proc/%ld/task", pid);
    DIR *const tasks = opendir(name);
    for (struct dirent *d; tasks && (d = readdir(tasks)) != NULL;) {
        if (d->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%.16s/children", d->d_name);
        read_small(dirfd(tasks), name, text, sizeof text);
        for (char *p = text, *end; *p; p = end + (*end == ' ')) {
            const long child = strtol(p, &end, 10);
            if (end == p || *end != ' ') // cut off
                break;
            visit(child, 0, see, arg);
        }
    }
    if (tasks)
        closedir(tasks);
    close(folder);
}

/* ---- what they do -------------------------------------------------------- */

static void see_thread(int tasks, const char *tid, struct tree *t)
{
    char name[64], text[1024];
    unsigned long long wait_ns;
    snprintf(name, sizeof name, "%.16s/schedstat", tid);
    read_small(tasks, name, text, sizeof text);
    if (sscanf(text, "%*u %llu", &wait_ns) == 1)
        t->wait_sec += 1e-9 * (double)wait_ns;
    snprintf(name, sizeof name, "%.16s/stat", tid);
    read_small(tasks, name, text, sizeof text);
    const char *const end = strrchr(text, ')');
    t->nstalled += end && strncmp(end, ") D", 3) == 0;
}

static void see_work(int folder, long pid, int is_root, void *arg)
{
    (void)pid;
    struct tree *const t = arg;
    char text[1024];
    unsigned long long ticks[4];
    long pages = 0;
    read_small(folder, "stat", text, sizeof text);
    const char *const end = strrchr(text, ')'); // a name may contain spaces
    if (!end ||
        sscanf(end + 1,
               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu "
               "%llu %*d %*d %*d %*d %*u %*u %ld",
               &ticks[0], &ticks[1], &ticks[2], &ticks[3], &pages) != 5)
        return;
    for (int i = 0; i < 4; i++)
        t->cpu_sec += (double)ticks[i] / (double)sysconf(_SC_CLK_TCK);
    t->resident += is_root ? 0 : pages * sysconf(_SC_PAGESIZE);
    const int fd = openat(folder, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const tasks = fd >= 0 ? fdopendir(fd) : NULL;
    for (struct dirent *d; tasks && (d = readdir(tasks)) != NULL;)
        if (d->d_name[0] != '.')
            see_thread(dirfd(tasks), d->d_name, t);
    if (tasks)
        closedir(tasks);
    else if (fd >= 0)
        close(fd);
}

void tree_look(pid_t root, struct tree *t)
{
    const int self = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *t = (struct tree){.nstalled = 0};
    visit(root, 1, see_work, t);
    if (self >= 0) {
        see_work(self, 0, 1, t);
        close(self);
    }
}

static void see_number(int folder, long pid, int is_root, void *arg)
{
    struct stat st;
    (void)pid;
    if (!is_root && fstatat(folder, "task", &st, 0) == 0)
        *(int *)arg += (int)st.st_nlink - 2; // a folder for each thread
}

int tree_nthreads(pid_t root)
{
    int n = 0;
    visit(root, 1, see_number, &n);
    return n;
}

/* ---- what they take ------------------------------------------------------ */

/* The kernel divides a page that n processes share by n. */
static void see_memory(int folder, long pid, int is_root, void *arg)
{
    (void)pid;
    static const char *const kinds[] = {"\nPss_Anon:", "\nPss_Shmem:"};
    long long *const total = arg, kib;
    char text[2048];
    if (is_root)
        return;
    read_small(folder, "smaps_rollup", text, sizeof text);
    for (int i = 0; i < 2; i++) {
        const char *const found = strstr(text, kinds[i]);
        if (found && sscanf(strchr(found, ':'), ": %lld kB", &kib) == 1)
            *total += kib << 10;
    }
}

long long tree_nbytes(pid_t root)
{
    long long total = 0;
    visit(root, 1, see_memory, &total);
    return total;
}

/* ---- ending them --------------------------------------------------------- */

/* Forbid a process to start others. */
static void forbid(int folder, long pid, int is_root, void *arg)
{
    const struct rlimit none = {0, 0};
    int *const n = arg;
    (void)folder;
    if (!is_root && prlimit((pid_t)pid, RLIMIT_NPROC, &none, NULL) == 0)
        ++*n;
}

static void end_one(int folder, long pid, int is_root, void *arg)
{
    (void)folder, (void)arg;
    if (!is_root)
        kill((pid_t)pid, SIGKILL);
}

void tree_kill(pid_t root)
{
    enum { ROUNDS = 40, ENDING = 3 };
    int before = -1, n = 0;
    // until a round finds no more than the one before: all are forbidden
    for (int i = 0; i < ROUNDS && n > before; i++) {
        before = n;
        n = 0;
        visit(root, 1, forbid, &n);
    }
    for (int i = 0; i < ENDING; i++) // orphans move to the root meanwhile
        visit(root, 1, end_one, NULL);
}
