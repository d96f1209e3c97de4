#define _GNU_SOURCE
#include "grader/sandbox/sandbox.h"

#include <dirent.h>           /* opendir */
#include <errno.h>            /* EINTR */
#include <fcntl.h>            /* open */
#include <linux/capability.h> /* capget */
#include <signal.h>           /* kill */
#include <stdio.h>            /* snprintf */
#include <stdlib.h>           /* abort */
#include <string.h>           /* strlen */
#include <sys/prctl.h>        /* prctl */
#include <sys/resource.h>     /* setrlimit */
#include <sys/syscall.h>      /* SYS_capget */
#include <sys/wait.h>         /* waitpid */
#include <unistd.h>           /* fork */

#include "base/no_input.h"
#include "base/steady.h"
#include "base/tree.h"
#include "grader/sandbox/confine.h"
#include "grader/sandbox/groups.h"
#include "grader/sandbox/keeper.h"
#include "grader/sandbox/sandbox_args.h"
#include "grader/sandbox/sandbox_watch.h"
#include "grader/sandbox/stopped.h"

const char *sandbox_path(const struct sandbox *s, const char *to)
{
    for (int i = 0; i < s->nbinds; i++)
        if (strcmp(s->bind[i].to, to) == 0)
            return s->level >= 2 ? to : s->bind[i].from;
    abort(); // a bug of the grader's: the path isn't bound
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

/* Give what is bound for writing to the user who runs the command. */
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

/* Ask the kernel, not the command: this process must not be root, nor
 * have capabilities. */
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

/* Set the command's environment, which inherits nothing from the grader. */
static void environment(const struct sandbox *s, char *env[MAX_ENV])
{
    const char *const tmp = s->level >= 2 ? "/tmp" : s->tmp;
    const char *const fixed[][2] = {{"PATH", "/usr/bin:/bin"},
                                    {"HOME", tmp},
                                    {"TMPDIR", tmp},
                                    {"LC_ALL", "C"}, // known messages
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
    int calls; /* bubblewrap's seccomp filter; -1 if there is none */
};

enum { BACK = 19 }; /* nice value of a run whose processes are watched */

/*
 * The watchdog may come late. Even then, leave the machine's other users
 * process numbers: the limit counts all of this user's processes and threads,
 * those of other gradings too, so it is far above what one may have.
 */
static void limit_user(void)
{
    struct rlimit most;
    const rlim_t n = (rlim_t)watch_machine_threads() + WATCH_BESIDE;
    if (getrlimit(RLIMIT_NPROC, &most) == 0 && n < most.rlim_cur) {
        most.rlim_cur = most.rlim_max = n;
        setrlimit(RLIMIT_NPROC, &most);
    }
}

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
    signal(SIGXFSZ, SIG_DFL); // limits_raise() ignores it
    confine_rlimits();
    groups_enter(keeper, s->memory_mib, missing, sizeof missing);
    dprintf(p->missing[1], "%s", missing);
    if (strstr(missing, "processes") && !args_limit_processes(s)) {
        setpriority(PRIO_PROCESS, 0, BACK); // the watchdog goes first
        limit_user();
    }
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
        // at other levels the command asks, since it changes the user
        check_user();
    prctl(PR_SET_PDEATHSIG, SIGKILL); // a change of user would reset it
    if (getppid() != keeper)
        _exit(127); // the parent is dead already, and no signal will say so
    environment(s, env);
    if (p->ready[1] == ARGS_READY)
        fcntl(p->ready[1], F_SETFD, 0);
    else
        dup2(p->ready[1], ARGS_READY);
    if (s->level == 1)
        confine_to_binds(s);
    execvpe(a->v[0], (char *const *)a->v, env);
    if (errno == ENOENT)
        dprintf(2, "it is missing here, or not in PATH (grade doctor says what "
                   "else is): ");
    stop(a->v[0]);
}

/* ---- whose fault --------------------------------------------------------- */

/* The number of processes that this machine has killed because memory ran
 * out. */
static long machine_oom_kills(void)
{
    return (long)watch_number_in("/proc/vmstat", "oom_kill ");
}

/*
 * True if the run's folder, or one bound for writing, was removed. From level 1
 * on nothing inside can do that: the folder is absent there, is a mount, or has
 * a closed parent.
 */
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

/*
 * True if the whole machine ran out of memory. With its own control group, the
 * grader knows what the kernel killed in it, and why. Without one, any kill on
 * this machine may have been the cause.
 */
static int machine_ran_out(const struct sandbox_end *end,
                           enum groups_memory memory, long oom_kills)
{
    return strstr(end->missing, "memory") ? machine_oom_kills() > oom_kills
                                          : memory == GROUPS_MACHINE;
}

static void blame_signal(struct sandbox_end *end)
{
    char why[128];
    snprintf(why, sizeof why,
             "the grading was ended from outside (%s): if a limit on its time "
             "did that, raise it",
             strsignal(stopped_by()));
    blame_machine(end, why);
}

static void blame_busy(struct sandbox_end *end)
{
    char why[160];
    snprintf(why, sizeof why,
             "other programs or a slow disk left this run %.0f s of its own in "
             "%.0f s: grade it when this machine has less to do",
             end->own_sec, end->sec);
    blame_machine(end, why);
}

int sandbox_was_crowded(const struct sandbox_end *end, char *why, size_t nbytes)
{
    if (end->beside)
        snprintf(why, nbytes,
                 "other programs started %ld processes and threads during this "
                 "run, which the kernel may have refused some of its own: "
                 "grade it again, or give gradings a limit each (grade doctor "
                 "says how)",
                 end->beside);
    return end->beside > 0;
}

static void find_fault(const struct sandbox *s, struct sandbox_end *end,
                       int started, enum groups_memory memory, long oom_kills)
{
    char why[256];
    if (stopped_by()) {
        blame_signal(end);
    } else if (!started) {
        end->infra = 1; // no student code has run yet
        if (!end->log.head[0])
            blame_machine(end, "it was stopped before it could start");
    } else if (end->too_busy) {
        blame_busy(end);
    } else if (end->flooded || end->loud || end->out_of_memory ||
               end->crowded) {
        return; // the student's own doing, even if more went wrong
    } else if (end->status != 0 && sandbox_was_crowded(end, why, sizeof why)) {
        blame_machine(end, why);
    } else if (folder_is_gone(s)) {
        blame_machine(end, "a folder of the run was removed from outside");
    } else if (end->disk_was_full || watch_disk_is_full(s)) {
        // also with status 0, since output may be missing
        blame_machine(end, "this machine's disk is full");
    } else if (end->status != 0 && machine_ran_out(end, memory, oom_kills)) {
        blame_machine(end, "this machine ran out of memory");
    }
}

/* ---- running ------------------------------------------------------------- */

/* The same file under a number above `most`; -1 stays -1. */
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

/* Note what limits memory and processes. */
static void find_limits(const struct sandbox *s, struct sandbox_end *end)
{
    static const char group[] = "control group", watchdog[] = "watchdog";
    const char *const other = args_limit_processes(s);
    end->memory = strstr(end->missing, "memory") ? watchdog : group;
    end->processes = group;
    if (!strstr(end->missing, "processes"))
        return;
    end->processes = other ? other : watchdog;
    if (other)
        groups_forget_processes(end->missing);
}

/* Say which level of limits holds, by the weaker of the two. */
static const char *level_of(const struct sandbox_end *end)
{
    if (strcmp(end->processes, "watchdog") == 0)
        return "watchdog only";
    if (strcmp(end->processes, end->memory) != 0) // one is not a group's
        return "namespace limits and watchdog";
    return groups_are_delegated() ? "delegated control group"
                                  : "root control group";
}

static void run(const struct sandbox *s, const struct args *a, struct pipes *p,
                struct sandbox_end *end)
{
    int status = 0;
    char byte;
    const long oom_kills = machine_oom_kills();
    const double begin = steady_sec();
    groups_prepare();
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
    find_limits(s, end);
    end->limits = level_of(end);
    watch_follow(p->out[0], s, pid, end);
    if (end->crowded)
        tree_kill(pid);
    if (watch_is_over(end))
        kill(pid, SIGTERM); // the keeper
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    watch_again(s, end);
    const enum groups_memory memory = groups_memory(pid);
    end->out_of_memory |= memory == GROUPS_LIMIT;
    end->refused = groups_refused(pid);
    groups_remove(pid);
    end->sec = steady_sec() - begin;
    end->status =
        WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    const int started = read(p->ready[0], &byte, 1) == 1;
    find_fault(s, end, started, memory, oom_kills);
    // nothing inside can reach bubblewrap, which is outside
    if (s->level >= 2 && WIFSIGNALED(status) && !watch_is_over(end))
        blame_machine(end, "the sandbox was killed from outside");
}

void sandbox_run(const struct sandbox *s, const char *const *argv,
                 struct sandbox_end *end)
{
    struct args a = {.n = 0};
    struct pipes p = {{-1, -1}, {-1, -1}, {-1, -1}, -1};
    memset(end, 0, sizeof *end);
    if (stopped_by()) {
        blame_signal(end);
    } else if (open_pipes(s, &p) != 0) {
        blame_machine(end, strerror(errno));
    } else {
        args_make(&a, s, argv, p.calls);
        run(s, &a, &p, end);
    }
    args_release(&a);
    close_pipes(&p);
}
