#define _GNU_SOURCE
#include "sandbox.h"

#include <dirent.h>       /* opendir */
#include <errno.h>        /* EINTR */
#include <fcntl.h>        /* open */
#include <poll.h>         /* poll */
#include <signal.h>       /* kill */
#include <stdio.h>        /* snprintf */
#include <stdlib.h>       /* free */
#include <string.h>       /* strlen */
#include <sys/resource.h> /* setrlimit */
#include <sys/stat.h>     /* mkdir, lstat */
#include <sys/wait.h>     /* waitpid */
#include <time.h>         /* clock_gettime */
#include <unistd.h>       /* fork */

enum { MEMORY_MIB = 6144, PROCESSES = 512, OPEN_FILES = 4096 };

static double now_sec(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- control groups ------------------------------------------------------------ */

static int write_file(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    const ssize_t n = write(fd, text, strlen(text));
    close(fd);
    return n == (ssize_t)strlen(text) ? 0 : -1;
}

/*
 * The calling process enters a new group of a hierarchy (version 1: one for
 * each controller; version 2: one for all), with a limit. Whatever of this is
 * not allowed here is left out: the clock limits all the same.
 */
static void enter_group(const char *hierarchy, const char *file,
                        const char *limit)
{
    char dir[256], path[512], pid[32];
    snprintf(dir, sizeof dir, "/sys/fs/cgroup%s/commlab-%d", hierarchy,
             (int)getpid());
    if (mkdir(dir, 0700) != 0 && errno != EEXIST)
        return;
    snprintf(path, sizeof path, "%s/%s", dir, file);
    write_file(path, limit);
    snprintf(path, sizeof path, "%s/cgroup.procs", dir);
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    write_file(path, pid);
}

static const char *const hierarchies[] = {"", "/memory", "/pids"};

static void enter_groups(void)
{
    char memory[32], processes[32];
    snprintf(memory, sizeof memory, "%lld", (long long)MEMORY_MIB << 20);
    snprintf(processes, sizeof processes, "%d", PROCESSES);
    if (access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0) {
        enter_group(hierarchies[0], "memory.max", memory);
        enter_group(hierarchies[0], "pids.max", processes);
    } else {
        enter_group(hierarchies[1], "memory.limit_in_bytes", memory);
        enter_group(hierarchies[2], "pids.max", processes);
    }
}

static void remove_groups(pid_t pid)
{
    for (size_t i = 0; i < sizeof hierarchies / sizeof *hierarchies; i++) {
        char dir[256];
        snprintf(dir, sizeof dir, "/sys/fs/cgroup%s/commlab-%d", hierarchies[i],
                 (int)pid);
        rmdir(dir);
    }
}

/* ---- the command line ------------------------------------------------------------ */

struct args {
    const char *v[SANDBOX_MAX_ARGS];
    char *owned[SANDBOX_MAX_ARGS]; /* to free */
    int n, nowned;
};

static void add(struct args *a, const char *arg)
{
    if (a->n == SANDBOX_MAX_ARGS - 1)
        abort(); // our own mistake: the lists are ours
    a->v[a->n++] = arg;
}

static void add3(struct args *a, const char *x, const char *y, const char *z)
{
    add(a, x);
    add(a, y);
    add(a, z);
}

/* /bin, /lib ...: links into /usr on a merged system, folders on others. */
static void add_root(struct args *a, const char *path)
{
    struct stat st;
    char target[256];
    if (lstat(path, &st) != 0)
        return;
    if (!S_ISLNK(st.st_mode)) {
        add3(a, "--ro-bind", path, path);
        return;
    }
    const ssize_t n = readlink(path, target, sizeof target - 1);
    target[n > 0 ? n : 0] = 0;
    a->owned[a->nowned] = strdup(target);
    add3(a, "--symlink", a->owned[a->nowned++], path);
}

static void command(const struct sandbox *s, const char *const *argv,
                    struct args *a)
{
    static const char *const roots[] = {"/bin", "/sbin", "/lib", "/lib64"};
    static const char *const etc[] = {"/etc/ld.so.cache", "/etc/alternatives",
                                      "/etc/passwd", "/etc/hosts",
                                      "/etc/nsswitch.conf"};
    add(a, "bwrap");
    add(a, "--unshare-all");
    add(a, "--die-with-parent");
    add(a, "--new-session");
    add3(a, "--ro-bind", "/usr", "/usr");
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        add_root(a, roots[i]);
    for (size_t i = 0; i < sizeof etc / sizeof *etc; i++)
        add3(a, "--ro-bind-try", etc[i], etc[i]);
    add(a, "--proc"), add(a, "/proc");
    add(a, "--dev"), add(a, "/dev");
    add(a, "--tmpfs"), add(a, "/tmp");
    for (int i = 0; i < s->nbinds; i++)
        add3(a, s->bind[i].writable ? "--bind" : "--ro-bind", s->bind[i].from,
             s->bind[i].to);
    add(a, "--clearenv");
    add3(a, "--setenv", "PATH", "/usr/bin:/bin");
    add3(a, "--setenv", "HOME", "/tmp");
    for (int i = 0; s->env[i][0]; i++)
        add3(a, "--setenv", s->env[i][0], s->env[i][1]);
    add(a, "--chdir"), add(a, "/tmp");
    add(a, "--");
    while (*argv)
        add(a, *argv++);
    a->v[a->n] = NULL;
}

/* ---- running ---------------------------------------------------------------------- */

static void limit(int what, rlim_t value)
{
    const struct rlimit r = {value, value};
    setrlimit(what, &r);
}

static _Noreturn void child(const struct args *a, int out)
{
    setpgid(0, 0);
    dup2(out, 1);
    dup2(out, 2);
    const int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, OPEN_FILES);
    // Neither RLIMIT_AS nor RLIMIT_FSIZE: device memory is large and sparse.
    enter_groups();
    execvp(a->v[0], (char *const *)a->v);
    dprintf(2, "bwrap: %s", strerror(errno));
    _exit(127);
}

/* Keep the first part of the output, count the rest. */
static int take(int fd, struct sandbox_end *end, size_t *kept)
{
    char chunk[16384];
    const ssize_t n = read(fd, chunk, sizeof chunk);
    if (n <= 0)
        return n < 0 && errno == EINTR;
    size_t keep = SANDBOX_OUTPUT - *kept;
    if (keep > (size_t)n)
        keep = (size_t)n;
    memcpy(end->output + *kept, chunk, keep);
    *kept += keep;
    end->dropped += (size_t)n - keep;
    return 1;
}

/* Bytes of all files in a folder: grows while ranks show evidence. */
static long long folder_nbytes(const char *path)
{
    long long total = 0;
    DIR *const dir = opendir(path);
    struct stat st;
    for (struct dirent *d; dir && (d = readdir(dir)) != NULL;)
        if (fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
            total += st.st_size;
    if (dir)
        closedir(dir);
    return total;
}

/* Read until the output ends or time is up. */
static void follow(int fd, const struct sandbox *s, struct sandbox_end *end)
{
    size_t kept = 0;
    const double deadline = now_sec() + s->limit_sec;
    double moved = now_sec();
    long long before = -1;
    for (;;) {
        struct pollfd p = {fd, POLLIN, 0};
        const int ready = poll(&p, 1, 250);
        if (ready > 0 && !take(fd, end, &kept))
            break;
        const double now = now_sec();
        const long long shown = s->watch ? folder_nbytes(s->watch) : 0;
        if (!s->watch || shown != before)
            moved = now;
        before = shown;
        if (now > deadline || (s->watch && now - moved > s->idle_sec)) {
            end->timed_out = 1;
            break;
        }
    }
    end->output[kept] = 0;
}

void sandbox_run(const struct sandbox *s, const char *const *argv,
                 struct sandbox_end *end)
{
    struct args a = {.n = 0};
    int out[2], status = 0;
    memset(end, 0, sizeof *end);
    command(s, argv, &a);
    if (pipe2(out, O_CLOEXEC) != 0) {
        end->infra = 1;
        return;
    }
    const double begin = now_sec();
    const pid_t pid = fork();
    if (pid == 0)
        child(&a, out[1]);
    close(out[1]);
    if (pid > 0) {
        follow(out[0], s, end);
        if (end->timed_out)
            kill(-pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        remove_groups(pid);
    }
    close(out[0]);
    for (int i = 0; i < a.nowned; i++)
        free(a.owned[i]);
    end->sec = now_sec() - begin;
    end->status =
        WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    // bubblewrap's own troubles: nothing of the student's has run yet
    end->infra = pid < 0 || strncmp(end->output, "bwrap: ", 7) == 0;
}
