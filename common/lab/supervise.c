#define _GNU_SOURCE
#include "lab/supervise.h"

#include <errno.h>       /* errno */
#include <fcntl.h>       /* O_CLOEXEC */
#include <poll.h>        /* poll */
#include <signal.h>      /* kill */
#include <stdio.h>       /* fwrite */
#include <stdlib.h>      /* getenv */
#include <string.h>      /* strncmp */
#include <sys/prctl.h>   /* prctl */
#include <sys/syscall.h> /* SYS_pidfd_open */
#include <sys/wait.h>    /* waitpid */
#include <unistd.h>      /* syscall */

#include "base/idle.h"
#include "base/no_input.h"
#include "base/steady.h"
#include "judge/words.h"
#include "lab/lab.h"
#include "lab/results.h"
#include "lab/watch.h"

enum {
    SHOW_NBYTES = 256 << 10, /* output of a case that is passed on */
    MOST_NBYTES = 8 << 20,   /* output at which a case is ended */
    CASE_SEC = 120,          /* own time (base/idle.h) that a case may take: */
    CORE_RANKS = 16,         /* that of as many ranks on each core */
    END_SEC = 120,           /* how long mpirun may take to end the ranks */
    KEEP_NBYTES = 64 << 10,  /* output kept to search for reports */
    MAX_ARGS = 600,
};

struct stream { /* stdout or stderr of the ranks */
    int fd;     /* -1: closed */
    FILE *to;
    char line[8192]; /* the incomplete line read so far */
    size_t nline;
    int blank; /* an empty line is held back: it may be the launcher's */
};

struct ranks { /* one run of the ranks */
    const struct results *results;
    pid_t pid;
    struct stream stream[2];
    int32_t now;       /* the running case at the last look */
    struct idle idle;  /* the run's own time since that case was first seen */
    size_t nbytes;     /* output of that case so far */
    char why[192];     /* why the supervisor ends the run, or "" */
    double killed_sec; /* ... and when it did (steady_sec()) */
    char words[KEEP_NBYTES];
    size_t nwords;
};

static volatile sig_atomic_t interrupted; /* by Ctrl-C */

static void on_interrupt(int signal)
{
    interrupted = signal;
}

int supervise_applies(void)
{
    const char *const set = getenv("COMMLAB_SUPERVISE");
    const char *const here = getenv("MPI_LOCALNRANKS");
    const char *const all = getenv("PMI_SIZE");
    if (getenv(PROGRESS_ENV) || getenv("COMMLAB_JOB") ||
        (set && strcmp(set, "0") == 0))
        return 0;
    return here && all && strcmp(here, all) == 0 && getenv("PMI_RANK");
}

/* ---- starting ------------------------------------------------------------ */

/* The mpirun of the MPI that started this process. */
static void find_launcher(char path[64 + 4096])
{
    char parent[64], self[4096];
    snprintf(parent, sizeof parent, "/proc/%d/exe", (int)getppid());
    const ssize_t n = readlink(parent, self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    char *const slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    snprintf(path, 64 + sizeof self, "%s/mpiexec.hydra", self);
    if (!slash || access(path, X_OK) != 0)
        strcpy(path, "mpirun");
}

/* Leave the job of this process: remove the launcher's environment
 * variables. */
static void leave_job(void)
{
    static const char *const names[] = {"PMI_", "HYDI_", "HYDRA_", "MPI_LOCAL"};
    for (char **e = environ; *e;) {
        char name[128];
        size_t i = 0;
        while (i < 4 && strncmp(*e, names[i], strlen(names[i])) != 0)
            i++;
        const size_t n = strcspn(*e, "=");
        if (i == 4 || n >= sizeof name) {
            e++;
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)n, *e);
        unsetenv(name); // the next variable moves to *e
    }
}

static _Noreturn void child(char **argv, const int out[2], const int err[2])
{
    char launcher[64 + 4096], self[4096];
    const char *v[MAX_ARGS] = {launcher, "-launcher",        "fork",
                               "-n",     getenv("PMI_SIZE"), self};
    char nranks[16];
    int n = 6;
    snprintf(nranks, sizeof nranks, "%s", v[4]);
    v[4] = nranks;
    find_launcher(launcher);
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = 0;
    if (strchr(argv[0], '/'))
        snprintf(self, sizeof self, "%s", argv[0]);
    for (int i = 1; argv[i] && n < MAX_ARGS - 1; i++)
        v[n++] = argv[i];
    leave_job();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    no_input();
    dup2(out[1], 1);
    dup2(err[1], 2);
    closefrom(3);
    execvp(launcher, (char *const *)v);
    dprintf(2, "%s: cannot run %s: %s\n", lab.name, launcher, strerror(errno));
    _exit(127);
}

static int start(struct ranks *r, char **argv)
{
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
        return -1;
    r->pid = fork();
    if (r->pid == 0)
        child(argv, out, err);
    close(out[1]);
    close(err[1]);
    r->stream[0] = (struct stream){.fd = out[0], .to = stdout};
    r->stream[1] = (struct stream){.fd = err[0], .to = stderr};
    r->now = -1;
    idle_begin(&r->idle, steady_sec());
    return r->pid < 0 ? -1 : 0;
}

/* ---- following ----------------------------------------------------------- */

/* Pass on n bytes of output, unless the case is over its limit. */
static void show(struct ranks *r, FILE *to, const char *text, size_t n)
{
    if (r->nbytes > SHOW_NBYTES)
        return;
    fwrite(text, 1, n, to);
    fflush(to);
    r->nbytes += n;
    if (r->nbytes > SHOW_NBYTES)
        fprintf(stderr, "%s: this case prints a lot: more of it is not shown\n",
                lab.name);
}

/* Handle a line, or the last part of one: keep it for the verdict, and pass it
 * on unless it is part of a report. */
static void take_line(struct ranks *r, struct stream *s)
{
    const size_t n = s->nline;
    const int is_report = words_is_report(s->line);
    s->nline = 0;
    if (s->blank && !is_report)
        show(r, s->to, "\n", 1);
    s->blank = strcmp(s->line, "\n") == 0;
    if (!is_report && !s->blank)
        show(r, s->to, s->line, n);
    if (s->to == stderr && r->nwords + n < sizeof r->words) {
        memcpy(r->words + r->nwords, s->line, n + 1);
        r->nwords += n;
    }
}

static void take(struct ranks *r, struct stream *s)
{
    char chunk[16384];
    const ssize_t n = read(s->fd, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0) {
        if (s->nline || s->blank)
            take_line(r, s);
        close(s->fd);
        s->fd = -1;
        return;
    }
    if (r->nbytes > SHOW_NBYTES)
        r->nbytes += (size_t)n;
    for (ssize_t i = 0; i < n; i++) {
        s->line[s->nline++] = chunk[i];
        s->line[s->nline] = 0;
        if (chunk[i] == '\n' || s->nline == sizeof s->line - 1)
            take_line(r, s);
    }
    if (s->to == stdout && s->nline && !strchr("=Y[TP", s->line[0]))
        take_line(r, s); // show a prompt or a row of dots at once
}

/* The seconds of own time that a case may take. Ranks that wait spin, which
 * takes the cores from those that compute. */
static int case_sec(int nranks)
{
    const char *const set = getenv("COMMLAB_CASE_SEC");
    if (set && atoi(set) > 0)
        return atoi(set);
    const long ncores = sysconf(_SC_NPROCESSORS_ONLN);
    const int most = CORE_RANKS * (ncores > 0 ? (int)ncores : 1);
    return nranks <= most ? CASE_SEC : CASE_SEC * ((nranks - 1) / most + 1);
}

/* Note which case is running. End the run if the case takes too long or
 * prints too much. */
static void look(struct ranks *r)
{
    const int32_t now = atomic_load(&r->results->progress->now);
    const double sec = steady_sec();
    if (now != r->now) {
        r->now = now;
        idle_begin(&r->idle, sec);
        r->nbytes = 0;
    }
    if (sec - r->idle.looked >= IDLE_LOOK_SEC)
        idle_look(&r->idle, r->pid, sec, 0);
    if (r->why[0] || (now < 0 && !interrupted))
        return;
    if (interrupted)
        snprintf(r->why, sizeof r->why, "stopped by Ctrl-C");
    else if (r->nbytes > MOST_NBYTES)
        snprintf(r->why, sizeof r->why,
                 "it prints more than %d MiB: a loop that prints? Print on one "
                 "rank, and not in loops.",
                 MOST_NBYTES >> 20);
    else if (r->idle.total_sec > case_sec(r->results->nranks))
        snprintf(r->why, sizeof r->why,
                 "no end after %d s, which don't count the time that other "
                 "programs took:\nstopped. Look for a wait or a loop that "
                 "doesn't end.",
                 case_sec(r->results->nranks));
    if (r->why[0]) {
        r->killed_sec = sec;
        kill(r->pid, SIGTERM); // mpirun ends the ranks
    }
}

/* Pass on the output until the ranks have ended. Returns the exit status. */
static int follow(struct ranks *r)
{
    int status = 0;
    while (r->stream[0].fd >= 0 || r->stream[1].fd >= 0) {
        struct pollfd p[2] = {{r->stream[0].fd, POLLIN, 0},
                              {r->stream[1].fd, POLLIN, 0}};
        const int n = poll(p, 2, 250);
        for (int i = 0; i < 2 && n > 0; i++)
            if (p[i].fd >= 0 && p[i].revents)
                take(r, &r->stream[i]);
        look(r);
        if (r->why[0] && steady_sec() - r->killed_sec > END_SEC)
            break;
    }
    while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- the cases ----------------------------------------------------------- */

/* The run ended during case i: make that the verdict on it. */
static void fail(const struct ranks *r, int i, int status)
{
    struct judge_verdict *const v = &r->results->progress->c[i].verdict;
    *v = JUDGE_VERDICT_NONE;
    v->unfinished = 1;
    if (r->why[0])
        snprintf(v->message, sizeof v->message, "%s", r->why);
    else if (!words_find(r->words, v->message, sizeof v->message))
        snprintf(v->message, sizeof v->message,
                 "the run ended early, with status %d", status);
    atomic_store(&r->results->progress->c[i].state, PROGRESS_JUDGED);
}

/* Print the rows that the ranks have not printed; returns their number. */
static int print_rows(const struct results *v)
{
    int n = 0;
    for (int i = 0; i < v->p->ncases; i++)
        if (atomic_load(&v->progress->c[i].state) == PROGRESS_JUDGED) {
            results_row(v, i);
            n++;
        }
    return n;
}

/* Print reports that are in no verdict, because the run failed to start, or
 * ended normally. */
static void print_reports(char *words)
{
    char *rest;
    for (char *line = strtok_r(words, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        if (words_is_report(line))
            fprintf(stderr, "%s\n", line);
}

static int count(const struct results *v, int open)
{
    int n = 0;
    for (int i = 0; i < v->p->ncases; i++)
        n += results_place(v, i) == RESULTS_HERE &&
             (atomic_load(&v->progress->c[i].state) == PROGRESS_OPEN) == open;
    return n;
}

/* Run the ranks once, for the cases that are left. Returns -1 if cases remain
 * to be run, else the exit status. */
static int run(const struct results *v, char **argv)
{
    static struct ranks r;
    const int before = count(v, 0);
    r = (struct ranks){.results = v};
    if (start(&r, argv) != 0) {
        fprintf(stderr, "%s: cannot start the ranks: %s\n", lab.name,
                strerror(errno));
        return 1;
    }
    const int status = follow(&r);
    const int i = atomic_load(&v->progress->now);
    const int ended = atomic_load(&v->progress->ended);
    if (interrupted && !ended) {
        print_rows(v);
        results_end(v);
        return 128 + SIGINT;
    }
    if (!ended && i >= 0 &&
        atomic_load(&v->progress->c[i].state) == PROGRESS_OPEN)
        fail(&r, i, status);
    print_rows(v);
    atomic_store(&v->progress->now, -1);
    if (ended || count(v, 0) == before) { // all done, or no case could start
        print_reports(r.words);
        return status;
    }
    return count(v, 1) > 0 ? -1 : (results_end(v), 1);
}

/*
 * Ranks other than 0 have nothing to do, but must not end before rank 0, the
 * first child of their common parent: when a rank ends, Hydra (MPICH 4.0) reads
 * its closed connection in a loop, on a core that the lab needs.
 */
static void wait_for_rank_0(void)
{
    char path[64];
    int first = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)getppid(),
             (int)getppid());
    FILE *const f = fopen(path, "re");
    const int found = f && fscanf(f, "%d", &first) == 1;
    if (f)
        fclose(f);
    // glibc has pidfd_open() only since 2.36
    const long fd =
        found && first != getpid() ? syscall(SYS_pidfd_open, first, 0) : -1;
    struct pollfd end = {(int)fd, POLLIN, 0};
    while (end.fd >= 0 && poll(&end, 1, -1) < 0 && errno == EINTR)
        ;
}

_Noreturn void supervise(char **argv, const struct lab_options *o,
                         const struct plan *p)
{
    int status = -1;
    if (strcmp(getenv("PMI_RANK"), "0") != 0) {
        signal(SIGINT, SIG_IGN);
        wait_for_rank_0();
        _exit(0);
    }
    const int nranks = atoi(getenv("PMI_SIZE"));
    const struct results v = {.o = o,
                              .p = p,
                              .progress = progress_new(p->ncases),
                              .machine = watch_machine(),
                              .place = judge_place_of(watch_machine(), nranks),
                              .nranks = nranks};
    if (!v.progress) {
        fprintf(stderr, "%s: cannot share memory with the ranks: %s\n",
                lab.name, strerror(errno));
        _exit(1);
    }
    // interrupts poll(), and is the default again in the ranks' mpirun
    sigaction(SIGINT, &(struct sigaction){.sa_handler = on_interrupt}, NULL);
    while (status < 0)
        status = run(&v, argv);
    fflush(NULL);
    _exit(status); // skips simgpu's exit handlers: no case ran here
}
