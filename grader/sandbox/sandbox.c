#define _GNU_SOURCE
#include "sandbox.h"

#include <dirent.h>           /* opendir */
#include <errno.h>            /* EINTR */
#include <fcntl.h>            /* open */
#include <fts.h>              /* fts_open */
#include <limits.h>           /* LLONG_MAX */
#include <linux/capability.h> /* capget */
#include <poll.h>             /* poll */
#include <signal.h>           /* kill */
#include <stdio.h>            /* snprintf */
#include <stdlib.h>           /* abort */
#include <string.h>           /* strlen */
#include <sys/prctl.h>        /* prctl */
#include <sys/stat.h>         /* struct stat */
#include <sys/statvfs.h>      /* statvfs */
#include <sys/syscall.h>      /* SYS_capget */
#include <sys/wait.h>         /* waitpid */
#include <unistd.h>           /* fork */

#include "base/no_input.h"
#include "base/steady.h"
#include "confine.h"
#include "groups.h"
#include "keeper.h"
#include "sandbox_args.h"
#include "sandbox_idle.h"
#include "unnamed.h"

const char *sandbox_path(const struct sandbox *s, const char *to)
{
    for (int i = 0; i < s->nbinds; i++)
        if (strcmp(s->bind[i].to, to) == 0)
            return s->level >= 2 ? to : s->bind[i].from;
    abort(); // our own mistake: it isn't bound
}

void sandbox_env(struct sandbox *s, const char *name, const char *value)
{
    int n = 0;
    while (s->env[n][0])
        n++;
    s->env[n][0] = name;
    s->env[n][1] = value;
}

/* ---- the child ----------------------------------------------------------- */

static _Noreturn void stop(const char *what)
{
    dprintf(2, "sandbox: %s: %s\n", what, strerror(errno));
    _exit(127);
}

/* What is bound for writing belongs to the user who runs. */
static void give_away(const char *path, uid_t uid)
{
    DIR *const dir = opendir(path);
    for (struct dirent *d; dir && (d = readdir(dir)) != NULL;)
        if (strcmp(d->d_name, "..") != 0 &&
            fchownat(dirfd(dir), d->d_name, uid, uid, AT_SYMLINK_NOFOLLOW) != 0)
            stop("chown");
    if (!dir)
        stop(path);
    closedir(dir);
}

/* Ask the kernel, not the program: neither root nor its capabilities. */
static void check_user(void)
{
    uid_t real, effective, saved;
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];
    errno = EPERM;
    if (getresuid(&real, &effective, &saved) != 0 || real == 0 ||
        effective == 0 || saved == 0)
        stop("it would run as root");
    if (syscall(SYS_capget, &head, caps) != 0 || caps[0].effective ||
        caps[0].permitted || caps[1].effective || caps[1].permitted)
        stop("it would run with capabilities");
}

static void confine_to_binds(const struct sandbox *s)
{
    static const char *const world[] = {"/usr",
                                        "/bin",
                                        "/sbin",
                                        "/lib",
                                        "/lib64",
                                        "/proc",
                                        "/sys",
                                        "/dev",
                                        "/etc/ld.so.cache",
                                        "/etc/alternatives",
                                        "/etc/passwd",
                                        "/etc/hosts",
                                        "/etc/nsswitch.conf",
                                        NULL};
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/tty",
                                          "/dev/shm", NULL};
    const char *readable[32], *writable[32 + GPU_FILES];
    glob_t gpus; // freed by exec
    int nr = 0, nw = gpu_files(&gpus);
    for (int i = 0; i < nw; i++)
        writable[i] = gpus.gl_pathv[i];
    for (int i = 0; world[i]; i++)
        readable[nr++] = world[i];
    for (int i = 0; devices[i]; i++)
        writable[nw++] = devices[i];
    writable[nw++] = s->tmp;
    for (int i = 0; i < s->nbinds; i++)
        if (s->bind[i].writable)
            writable[nw++] = s->bind[i].from;
        else
            readable[nr++] = s->bind[i].from;
    readable[nr] = writable[nw] = NULL;
    if (confine_files(readable, writable) != 0)
        stop("level 1 needs Landlock");
    if (confine_calls(s->keeps_modes) != 0)
        stop("level 1 needs seccomp");
}

enum { MAX_ENV = 32 };

/* The command's environment: nothing else of ours. */
static void environment(const struct sandbox *s, char *env[MAX_ENV])
{
    const char *const tmp = s->level >= 2 ? "/tmp" : s->tmp;
    const char *const fixed[][2] = {{"PATH", "/usr/bin:/bin"},
                                    {"HOME", tmp},
                                    {"TMPDIR", tmp},
                                    {"LC_ALL", "C"}, // messages that we know
                                    {NULL, NULL}};
    int n = 0;
    for (int i = 0; fixed[i][0]; i++)
        if (asprintf(&env[n++], "%s=%s", fixed[i][0], fixed[i][1]) < 0)
            stop("environment");
    for (int i = 0; s->env[i][0]; i++)
        if (asprintf(&env[n++], "%s=%s", s->env[i][0], s->env[i][1]) < 0)
            stop("environment");
    env[n] = NULL;
    if (s->level < 2 && chdir(tmp) != 0)
        stop(tmp);
}

struct pipes {
    int out[2], ready[2], missing[2];
    int calls; /* bubblewrap's seccomp filter, or -1 */
};

static _Noreturn void child(const struct sandbox *s, const struct args *a,
                            const struct pipes *p)
{
    const uid_t uid = a->user;
    const pid_t keeper = keeper_begin(p->out[1]);
    char missing[128], *env[MAX_ENV];
    dup2(p->out[1], 1);
    dup2(p->out[1], 2);
    if (s->no_input)
        no_input();
    else
        dup2(open("/dev/null", O_RDONLY), 0);
    confine_rlimits();
    groups_enter(keeper, s->memory_mib, missing, sizeof missing);
    dprintf(p->missing[1], "%s", missing);
    errno = EPERM;
    if (missing[0] && s->level >= 3)
        stop("level 3 needs control groups");
    const int leaves_root = s->level >= 3 || (s->level >= 1 && geteuid() == 0);
    for (int i = 0; i < s->nbinds && leaves_root; i++)
        if (s->bind[i].writable)
            give_away(s->bind[i].from, uid);
    if (leaves_root && s->level == 1)
        give_away(s->tmp, uid);
    if (leaves_root && s->level != 2 && confine_user(uid) != 0)
        stop("level 3 needs root");
    if (s->level == 1)
        check_user(); // above, the command asks: it is another user's
    prctl(PR_SET_PDEATHSIG, SIGKILL); // a change of user would forget it
    if (getppid() != keeper)
        _exit(127); // and it tells nothing of a parent that is dead already
    environment(s, env);
    if (p->ready[1] == ARGS_READY)
        fcntl(p->ready[1], F_SETFD, 0);
    else
        dup2(p->ready[1], ARGS_READY);
    if (s->level == 1)
        confine_to_binds(s);
    execvpe(a->v[0], (char *const *)a->v, env);
    stop(a->v[0]);
}

/* ---- following it -------------------------------------------------------- */

/* Take what was printed; 0 at its end. */
static int take(int fd, struct sandbox_end *end)
{
    char chunk[16384];
    const ssize_t n = read(fd, chunk, sizeof chunk);
    if (n <= 0)
        return n < 0 && errno == EINTR;
    log_add(&end->log, chunk, (size_t)n);
    return 1;
}

/* Bytes of all files below a folder, at any depth; grows while ranks show
 * evidence. Each entry counts, and holes do: who reads a file reads them. A
 * folder that was closed to us has no size that could be allowed. */
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

/* Is the disk full that evidence goes to? */
static int disk_is_full(const struct sandbox *s)
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

static const double LOOK_SEC = 0.25;

/* What is looked at while it runs, besides what it prints. */
struct looks {
    double next;      /* when to look again */
    struct idle idle; /* since the folder changed */
    long long shown;  /* the folder's bytes then */
};

/* True if something inside can have a file without a name where the watched
 * folder is. Namespaces leave only what is bound for writing. */
static int can_hide_files(const struct sandbox *s)
{
    int can = s->level < 2;
    for (int i = 0; i < s->nbinds; i++)
        can |= s->bind[i].writable;
    return s->watch && can;
}

/* A look may read every process's mappings, which costs more than to read a
 * line that a rank prints: so there is one every quarter of a second, not one
 * for each line. */
static void look(struct looks *l, const struct sandbox *s, double now,
                 struct sandbox_end *end)
{
    if (now < l->next)
        return;
    const long long shown = s->watch ? folder_nbytes(s->watch) : 0;
    const long long hidden = can_hide_files(s) ? unnamed_nbytes(s->watch) : 0;
    idle_look(&l->idle, now, !s->watch || shown != l->shown);
    l->shown = shown;
    l->next = now + LOOK_SEC;
    end->flooded = s->most_bytes && shown + hidden > s->most_bytes;
    end->disk_was_full |= disk_is_full(s);
    end->timed_out = l->idle.sec > s->idle_sec;
}

/* Read until the output ends or it has to be stopped. */
static void follow(int fd, const struct sandbox *s, struct sandbox_end *end)
{
    double now = steady_sec();
    const double deadline = now + s->limit_sec;
    struct looks looks = {.next = now, .shown = -1};
    idle_begin(&looks.idle, now);
    while (!end->timed_out && !end->flooded && !end->loud) {
        const double wait = looks.next - now;
        struct pollfd p = {fd, POLLIN, 0};
        const int ready = poll(&p, 1, wait > 0 ? (int)(1000 * wait) + 1 : 0);
        if (ready > 0 && !take(fd, end))
            break;
        now = steady_sec();
        look(&looks, s, now, end);
        end->loud = end->log.dropped > SANDBOX_MOST_PRINTED;
        end->timed_out |= now > deadline;
    }
    end->loud |= end->timed_out && end->log.dropped > SANDBOX_LOUD;
}

/* What was written since the last look, or in no time at all. */
static void look_again(const struct sandbox *s, struct sandbox_end *end)
{
    if (s->watch && s->most_bytes && !end->timed_out)
        end->flooded |= folder_nbytes(s->watch) > s->most_bytes;
}

/* ---- whose fault --------------------------------------------------------- */

/* How many processes this machine has killed for want of memory. */
static long machine_oom_kills(void)
{
    char line[128];
    long n = 0;
    FILE *const f = fopen("/proc/vmstat", "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "oom_kill %ld", &n) == 1)
            break;
    if (f)
        fclose(f);
    return n;
}

/* Was the run's folder removed, or one that can be written to? From level 1 on
 * nothing inside can do that: it is not there, a mount, or its parent is
 * closed. */
static int folder_is_gone(const struct sandbox *s)
{
    for (int i = -1; i < s->nbinds && s->level >= 1; i++) {
        const char *const folder = i < 0 ? s->watch : s->bind[i].from;
        if (folder && (i < 0 || s->bind[i].writable) &&
            access(folder, F_OK) != 0 && errno == ENOENT)
            return 1;
    }
    return 0;
}

static void blame_machine(struct sandbox_end *end, const char *why)
{
    end->infra = 1;
    end->log = (struct log){.nhead = 0};
    log_add(&end->log, why, strlen(why));
}

/* A group of its own knows whom the kernel killed in it, and why. Without one,
 * any kill on this machine may have been the cause. */
static int machine_ran_out(const struct sandbox_end *end,
                           enum groups_memory memory, long oom_kills)
{
    return strstr(end->missing, "memory") ? machine_oom_kills() > oom_kills
                                          : memory == GROUPS_MACHINE;
}

static void find_fault(const struct sandbox *s, struct sandbox_end *end,
                       int started, enum groups_memory memory, long oom_kills)
{
    if (!started) {
        end->infra = 1; // nothing of the student's has run yet
        if (!end->log.head[0])
            blame_machine(end, "it was stopped before it could start");
    } else if (end->flooded || end->loud || end->out_of_memory) {
        return; // the student's own doing, whatever came of it
    } else if (folder_is_gone(s)) {
        blame_machine(end, "a folder of the run was removed from outside");
    } else if (end->disk_was_full || disk_is_full(s)) {
        // also after status 0: what is cut off there?
        blame_machine(end, "this machine's disk is full");
    } else if (end->status != 0 && machine_ran_out(end, memory, oom_kills)) {
        blame_machine(end, "this machine ran out of memory");
    }
}

/* ---- running ------------------------------------------------------------- */

/* The same file under a number above `most`; -1 stays. */
static int above(int fd, int most)
{
    if (fd < 0 || fd > most)
        return fd;
    const int high = fcntl(fd, F_DUPFD, most + 1);
    close(fd);
    return high;
}

static int open_pipes(const struct sandbox *s, struct pipes *p)
{
    *p = (struct pipes){{-1, -1}, {-1, -1}, {-1, -1}, -1};
    if (s->level >= 2)
        p->calls = above(confine_calls_fd(s->keeps_modes), ARGS_READY);
    return pipe2(p->out, O_CLOEXEC) == 0 && pipe2(p->ready, O_CLOEXEC) == 0 &&
                   pipe2(p->missing, O_CLOEXEC) == 0 &&
                   (s->level < 2 || p->calls >= 0)
               ? 0
               : -1;
}

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_pipes(struct pipes *p)
{
    for (int i = 0; i < 2; i++) {
        close_one(&p->out[i]);
        close_one(&p->ready[i]);
        close_one(&p->missing[i]);
    }
    close_one(&p->calls);
}

static void run(const struct sandbox *s, const struct args *a, struct pipes *p,
                struct sandbox_end *end)
{
    int status = 0;
    char byte;
    const long oom_kills = machine_oom_kills();
    const double begin = steady_sec();
    const pid_t pid = fork();
    if (pid == 0)
        child(s, a, p);
    close_one(&p->out[1]);
    close_one(&p->ready[1]);
    close_one(&p->missing[1]);
    if (pid < 0) {
        blame_machine(end, strerror(errno));
        return;
    }
    const ssize_t n =
        read(p->missing[0], end->missing, sizeof end->missing - 1);
    end->missing[n > 0 ? n : 0] = 0;
    follow(p->out[0], s, end);
    if (end->timed_out || end->flooded || end->loud)
        kill(pid, SIGTERM); // its keeper
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    look_again(s, end);
    const enum groups_memory memory = groups_memory(pid);
    end->out_of_memory = memory == GROUPS_LIMIT;
    groups_remove(pid);
    end->sec = steady_sec() - begin;
    end->status =
        WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    const int started = read(p->ready[0], &byte, 1) == 1;
    find_fault(s, end, started, memory, oom_kills);
    // what is inside has no way to reach bubblewrap, which is outside
    if (s->level >= 2 && WIFSIGNALED(status) && !end->timed_out &&
        !end->flooded && !end->loud && !end->out_of_memory)
        blame_machine(end, "the sandbox was killed from outside");
}

void sandbox_run(const struct sandbox *s, const char *const *argv,
                 struct sandbox_end *end)
{
    struct args a = {.n = 0};
    struct pipes p;
    memset(end, 0, sizeof *end);
    if (open_pipes(s, &p) != 0) {
        blame_machine(end, strerror(errno));
    } else {
        args_make(&a, s, argv, p.calls);
        run(s, &a, &p, end);
    }
    args_release(&a);
    close_pipes(&p);
}
