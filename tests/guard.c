/*
 * guard.c: run a command, and leave no process of it behind
 *
 *     guard SEC LOG COMMAND...
 *
 * The command's output goes to LOG. When it ends, when SEC seconds have passed
 * or when guard is interrupted, every process that it has started is killed,
 * daemons included: guard is their subreaper, so none can get away. A command
 * that ends by itself must have ended its processes, too; those that are alive
 * a moment later are named in LOG, and the status is 1 if it was 0.
 *
 * Prints "STATUS WALL CPU": the exit status (128 + signal, 124 after SEC
 * seconds), and seconds by the clock and of all processors. Exits with that
 * status.
 */
#define _GNU_SOURCE
#include <ctype.h>        /* isdigit */
#include <dirent.h>       /* opendir */
#include <errno.h>        /* ECHILD */
#include <fcntl.h>        /* open */
#include <signal.h>       /* sigtimedwait */
#include <stdio.h>        /* printf */
#include <stdlib.h>       /* strtod */
#include <string.h>       /* strrchr */
#include <sys/prctl.h>    /* PR_SET_CHILD_SUBREAPER */
#include <sys/resource.h> /* getrusage */
#include <sys/wait.h>     /* waitpid */
#include <time.h>         /* nanosleep */
#include <unistd.h>       /* fork */

#include "base/no_input.h"
#include "base/steady.h"

enum {
    TIMED_OUT = 124,
    MAX_PROCESSES = 4096,
    MOMENT_MS = 5000, /* that processes have to end in, after the command */
    PAUSE_MS = 10,    /* between two looks at them */
};

static void pause_ms(int ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

/* ---- descendants --------------------------------------------------------- */

struct process {
    pid_t pid, parent;
    char name[32];
    int ours;
};

static struct process all[MAX_PROCESSES];

/* /proc/PID/stat: "PID (NAME) STATE PARENT ..."; a name may hold spaces. */
static int read_process(const char *pid, struct process *p)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    FILE *const f = fopen(path, "re");
    const int got = f && fgets(line, sizeof line, f);
    if (f)
        fclose(f);
    char *const end = got ? strrchr(line, ')') : NULL;
    char state;
    if (!end || sscanf(end + 1, " %c %d", &state, &p->parent) != 2 ||
        state == 'Z')
        return -1;
    *end = 0;
    p->pid = atoi(pid);
    p->ours = 0;
    snprintf(p->name, sizeof p->name, "%.31s", strchr(line, '(') + 1);
    return 0;
}

/* Mark the living descendants of this process in `all`; returns how many there
 * are, with the number of entries in *n. */
static int find_descendants(int *n)
{
    DIR *const dir = opendir("/proc");
    *n = 0;
    for (struct dirent *d; dir && (d = readdir(dir)) && *n < MAX_PROCESSES;)
        if (isdigit((unsigned char)d->d_name[0]))
            *n += read_process(d->d_name, &all[*n]) == 0;
    if (dir)
        closedir(dir);
    const pid_t me = getpid();
    int found = 0;
    for (int more = 1; more;) {
        more = 0;
        for (int i = 0; i < *n; i++)
            for (int k = 0; k < *n && !all[i].ours; k++)
                if (all[i].parent == me ||
                    (all[k].ours && all[k].pid == all[i].parent)) {
                    all[i].ours = more = 1;
                    found++;
                }
    }
    return found;
}

/* Bury the dead. 1 when no child is left; *status is the command's once pid has
 * ended. */
static int reap(pid_t pid, int *status)
{
    int s;
    for (pid_t p; (p = waitpid(-1, &s, WNOHANG)) != 0;) {
        if (p < 0 && errno == ECHILD)
            return 1;
        if (p == pid)
            *status = WIFEXITED(s) ? WEXITSTATUS(s) : 128 + WTERMSIG(s);
    }
    return 0;
}

static void kill_all(pid_t pid, int *status)
{
    while (!reap(pid, status)) {
        int n;
        if (find_descendants(&n) > 0)
            for (int i = 0; i < n; i++)
                if (all[i].ours)
                    kill(all[i].pid, SIGKILL);
        pause_ms(PAUSE_MS);
    }
}

/* Processes that outlive the command by more than a moment, by name on stderr;
 * returns their number. */
static int name_survivors(pid_t pid)
{
    int n, found, status;
    for (int ms = 0; ms < MOMENT_MS; ms += PAUSE_MS, pause_ms(PAUSE_MS))
        if (reap(pid, &status) || find_descendants(&n) == 0)
            return 0;
    found = find_descendants(&n);
    for (int i = 0; i < n; i++)
        if (all[i].ours)
            fprintf(stderr, "guard: left running: %s, process %d\n",
                    all[i].name, (int)all[i].pid);
    return found;
}

/* ---- the command --------------------------------------------------------- */

static pid_t start(char **argv, const sigset_t *signals)
{
    const pid_t pid = fork();
    if (pid != 0)
        return pid;
    setpgid(0, 0); // Ctrl-C is for guard
    sigprocmask(SIG_UNBLOCK, signals, NULL);
    execvp(argv[0], argv);
    perror(argv[0]);
    _exit(127);
}

/* Wait for pid. Returns 0 when it has ended, else the signal that came, SIGALRM
 * at the deadline. */
static int wait_for(pid_t pid, double deadline, const sigset_t *signals,
                    int *status)
{
    *status = -1;
    while (!reap(pid, status) && *status < 0) {
        const double left = deadline - steady_sec();
        if (left <= 0)
            return SIGALRM;
        const struct timespec t = {(time_t)left,
                                   (long)(1e9 * (left - (double)(time_t)left))};
        const int got = sigtimedwait(signals, NULL, &t);
        if (got > 0 && got != SIGCHLD)
            return got;
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: guard SEC LOG COMMAND...\n");
        return 2;
    }
    const double begin = steady_sec(), sec = strtod(argv[1], NULL);
    const int log = open(
        argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    const int out = fcntl(1, F_DUPFD_CLOEXEC, 3);
    if (log < 0 || out < 0) {
        perror(argv[2]);
        return 2;
    }
    no_input();
    dup2(log, 1);
    dup2(log, 2);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigset_t signals;
    sigemptyset(&signals);
    for (int i = 0; i < 4; i++)
        sigaddset(&signals, (int[]){SIGCHLD, SIGINT, SIGTERM, SIGHUP}[i]);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    const pid_t pid = start(argv + 3, &signals);
    int status;
    const int stop = wait_for(pid, begin + sec, &signals, &status);
    if (stop == 0 && name_survivors(pid) > 0 && status == 0)
        status = 1;
    int killed;
    kill_all(pid, &killed);
    if (stop == SIGALRM) {
        fprintf(stderr, "guard: killed after %g s\n", sec);
        status = TIMED_OUT;
    } else if (stop) {
        status = 128 + stop;
    }
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    dprintf(out, "%d %.1f %.1f\n", status, steady_sec() - begin,
            (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec));
    return status;
}
