#define _GNU_SOURCE
#include "grader/sandbox/groups.h"

#include <errno.h>    /* errno */
#include <fcntl.h>    /* open */
#include <signal.h>   /* kill */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* strtol */
#include <string.h>   /* strstr */
#include <sys/stat.h> /* mkdir */
#include <time.h>     /* nanosleep */
#include <unistd.h>   /* write */

#include "grader/sandbox/delegated.h"

static const struct controller {
    const char *what;
    const char *v1, *v1_file; /* its hierarchy in version 1, and the file with
                                 its limit */
    const char *v2_file;
    const char *v1_swap, *v2_swap; /* 0 there: no memory moves to swap */
    long long limit;
} controllers[] = {
    {"memory", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.max",
     "memory.swappiness", "memory.swap.max",
     (long long)GROUPS_MEMORY_MIB << 20},
    {"processes", "/sys/fs/cgroup/pids", "pids.max", "pids.max", NULL, NULL,
     GROUPS_PROCESSES},
};
enum { NCONTROLLERS = sizeof controllers / sizeof *controllers };

static const char root[] = "/sys/fs/cgroup";

static int is_v2(void)
{
    return access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0;
}

/* The folder of version 2's groups, once groups_prepare() has found it. */
static char place[DELEGATED_PATH];

void groups_prepare(void)
{
    if (!place[0] && (!is_v2() || delegated_find(place, sizeof place) != 0))
        snprintf(place, sizeof place, "%s", root);
}

int groups_are_delegated(void)
{
    return geteuid() != 0 || (is_v2() && strcmp(place, root) != 0);
}

static void group_path(const struct controller *c, pid_t pid, const char *file,
                       char *out, size_t nbytes)
{
    groups_prepare();
    snprintf(out, nbytes, "%s/commlab-%d%s%s", is_v2() ? place : c->v1,
             (int)pid, *file ? "/" : "", file);
}

static int write_number(const char *path, long long value)
{
    char text[32];
    const int n = snprintf(text, sizeof text, "%lld", value);
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    const ssize_t written = write(fd, text, (size_t)n);
    close(fd);
    return written == n ? 0 : -1;
}

/* The text of a file; "" if there is none. */
static void read_text(const char *path, char *text, size_t nbytes)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, nbytes - 1) : 0;
    text[n > 0 ? n : 0] = 0;
    if (fd >= 0)
        close(fd);
}

/* Make a group. If one with that name was left by a grader that was killed,
 * replace it, because its counts belong to another run. */
static int make_anew(const char *path)
{
    return mkdir(path, 0700) == 0 || (errno == EEXIST && rmdir(path) == 0 &&
                                      mkdir(path, 0700) == 0)
               ? 0
               : -1;
}

/* Keep a group's memory from moving to swap. A kernel without swap, or without
 * accounts of it, lacks the file. */
static void forbid_swap(const struct controller *c, pid_t name)
{
    char path[DELEGATED_PATH + 64];
    const char *const file = is_v2() ? c->v2_swap : c->v1_swap;
    if (!file)
        return;
    group_path(c, name, file, path, sizeof path);
    write_number(path, 0);
}

/* Enter a group. Version 2 has one group for all controllers, made
 * for the first. */
static int enter(const struct controller *c, pid_t name, long long limit)
{
    char path[DELEGATED_PATH + 64];
    group_path(c, name, "", path, sizeof path);
    if ((c == controllers || !is_v2()) && make_anew(path) != 0)
        return -1;
    group_path(c, name, is_v2() ? c->v2_file : c->v1_file, path, sizeof path);
    if (write_number(path, limit) != 0)
        return -1;
    forbid_swap(c, name);
    group_path(c, name, "cgroup.procs", path, sizeof path);
    return write_number(path, getpid());
}

void groups_enter(pid_t name, int memory_mib, char *missing, size_t nbytes)
{
    size_t n = 0;
    missing[0] = 0;
    for (int i = 0; i < NCONTROLLERS; i++) {
        const long long limit = i == 0 && memory_mib
                                    ? (long long)memory_mib << 20
                                    : controllers[i].limit;
        if (enter(&controllers[i], name, limit) != 0 && n < nbytes)
            n += (size_t)snprintf(missing + n, nbytes - n, "%s%s",
                                  n ? ", " : "", controllers[i].what);
    }
}

void groups_forget_processes(char *missing)
{
    char *const found = strstr(missing, "processes"); // the last of the list
    if (found)
        *(found > missing ? found - strlen(", ") : found) = 0;
}

/* The number after a name, or the file's only number; 0 if there is none. */
static long count_in(const struct controller *c, pid_t pid, const char *file,
                     const char *name)
{
    char path[DELEGATED_PATH + 64], text[512];
    group_path(c, pid, file, path, sizeof path);
    read_text(path, text, sizeof text);
    const char *const found = strstr(text, name);
    return found ? strtol(found + strlen(name), NULL, 10) : 0;
}

enum groups_memory groups_memory(pid_t pid)
{
    const struct controller *const c = &controllers[0];
    const int v2 = is_v2();
    if (!count_in(c, pid, v2 ? "memory.events" : "memory.oom_control",
                  "oom_kill "))
        return GROUPS_ENOUGH;
    return count_in(c, pid, v2 ? "memory.events" : "memory.failcnt",
                    v2 ? "oom " : "")
               ? GROUPS_LIMIT
               : GROUPS_MACHINE;
}

long groups_refused(pid_t pid)
{
    return count_in(&controllers[1], pid, "pids.events", "max ");
}

/* Kill members of the group, which may include processes that outlived
 * their parents. */
static void kill_members(const struct controller *c, pid_t pid)
{
    char path[DELEGATED_PATH + 64], text[4096], *end;
    group_path(c, pid, "cgroup.procs", path, sizeof path);
    read_text(path, text, sizeof text);
    for (char *p = text; *p; p = end) {
        const long member = strtol(p, &end, 10);
        if (end == p)
            break;
        if (member > 1)
            kill((pid_t)member, SIGKILL);
        end += *end == '\n';
    }
}

void groups_remove(pid_t pid)
{
    enum { TRIES = 200 };
    // while the killed processes end
    const struct timespec pause = {0, 5000000};
    for (int i = 0; i < NCONTROLLERS; i++) {
        char path[DELEGATED_PATH + 64];
        group_path(&controllers[i], pid, "", path, sizeof path);
        for (int k = 0; k < TRIES && rmdir(path) != 0 && errno == EBUSY; k++) {
            kill_members(&controllers[i], pid);
            nanosleep(&pause, NULL);
        }
    }
}
