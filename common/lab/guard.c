#define _GNU_SOURCE
#include "lab/guard.h"

#include <execinfo.h>    /* backtrace */
#include <signal.h>      /* sigaction */
#include <stdarg.h>      /* va_list */
#include <stdio.h>       /* snprintf */
#include <stdlib.h>      /* on_exit */
#include <string.h>      /* strrchr */
#include <sys/syscall.h> /* SYS_gettid */
#include <time.h>        /* timer_create */
#include <unistd.h>      /* _exit */

#include "base/must.h"
#include "graph/record/site.h"

enum { EXIT_ENDED = 70, MAX_FRAMES = 64 };

static struct {       /* the running case */
    const char *name; /* NULL: none */
    int rank, ready, has_timer;
    pid_t pid; /* a child forked by student code is not guarded */
    timer_t timer;
} now;

/* The innermost place in the student's source, as "ring_step() at ring.c:40".
 * If the kit alone is on the stack, a place here would say nothing. */
static void where(char *out, size_t nbytes)
{
    void *frame[MAX_FRAMES];
    const int n = backtrace(frame, MAX_FRAMES);
    if (!site_student(frame, n, out, nbytes))
        snprintf(out, nbytes, "the kit's own code");
}

/* Report in one write, so no other rank's output is mixed in. */
static _Noreturn void end(const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    int n = snprintf(text, sizeof text, "commlab: rank %d: ", now.rank);
    n += vsnprintf(text + n, sizeof text - (size_t)n, format, args);
    va_end(args);
    fflush(stdout);
    if (n > 0)
        dprintf(STDERR_FILENO, "%.*s\n", (int)sizeof text, text);
    _exit(EXIT_ENDED);
}

static int loop_sec(void)
{
    const char *const text = getenv("COMMLAB_LOOP_SEC");
    const int sec = text ? atoi(text) : 0;
    return sec > 0 ? sec : GUARD_LOOP_SEC;
}

static void on_timer(int sig)
{
    char at[256];
    (void)sig;
    if (!now.name || now.pid != getpid())
        return;
    where(at, sizeof at);
    end("case %s computes without end, after %d s of CPU time in %s. A loop "
        "there\ncommlab: rank %d: does not end: check its condition, and "
        "that what it waits for is started before it.",
        now.name, loop_sec(), at, now.rank);
}

static void on_leave(int status, void *unused)
{
    char at[256];
    (void)unused;
    if (!now.name || now.pid != getpid())
        return;
    where(at, sizeof at);
    end("exit(%d) was called in %s, in the middle of case %s. Return an\n"
        "commlab: rank %d: error instead: exit() ends the rank, and the others "
        "wait for it.",
        status, at, now.name, now.rank);
}

/*
 * PMPI_Abort() makes the launcher kill all ranks and their parents, and it may
 * end before it has read their last lines. So a call by student code is
 * reported instead.
 */
int __wrap_MPI_Abort(MPI_Comm comm, int code);
int __wrap_MPI_Abort(MPI_Comm comm, int code)
{
    char at[256];
    if (!now.name || now.pid != getpid())
        return PMPI_Abort(comm, code);
    where(at, sizeof at);
    end("MPI_Abort(comm, %d) was called in %s, in the middle of case %s. "
        "Return\ncommlab: rank %d: an error instead: the lab ends all ranks, "
        "and says why.",
        code, at, now.name, now.rank);
}

/* MPI's reason: the last line of the error's text, without names of MPI's
 * internal functions. */
static const char *mpi_reason(int code, char text[MPI_MAX_ERROR_STRING])
{
    int n = 0;
    MPI_Error_string(code, text, &n);
    while (n > 0 && text[n - 1] == '\n')
        text[--n] = 0;
    const char *const line = strrchr(text, '\n');
    const char *const last = line ? line + 1 : text;
    const char *const reason = strstr(last, ": ");
    return reason ? reason + 2 : last;
}

/* MPI's default handler would end all ranks and print a stack of
 * MPI's functions. */
static void on_mpi_error(MPI_Comm *comm, int *code, ...)
{
    char at[256], text[MPI_MAX_ERROR_STRING];
    if (!now.name || now.pid != getpid()) {
        fprintf(stderr, "commlab: MPI: %s\n", mpi_reason(*code, text));
        PMPI_Abort(*comm, *code);
        abort();
    }
    where(at, sizeof at);
    end("a call of MPI failed in %s, in case %s:\n"
        "commlab: rank %d: %s.",
        at, now.name, now.rank, mpi_reason(*code, text));
}

void guard_mpi(MPI_Comm comm)
{
    MPI_Errhandler handler;
    MPI_MUST(MPI_Comm_create_errhandler(on_mpi_error, &handler));
    MPI_MUST(MPI_Comm_set_errhandler(comm, handler));
    MPI_MUST(MPI_Errhandler_free(&handler));
}

void guard_make_timer(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
                             .sigev_signo = SIGPROF};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    if (!now.has_timer)
        now.has_timer =
            timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &now.timer) == 0;
}

/* Before a function of the kit ends the ranks: which line of the student's code
 * called it. Empty if `file` is the student's own. */
static void say_from(const char *file, int line, char *out, int nbytes)
{
    void *frame[MAX_FRAMES];
    char at[256], own[256];
    const char *const slash = strrchr(file, '/');
    out[0] = 0;
    if (!now.name || now.pid != getpid() ||
        !site_student(frame, backtrace(frame, MAX_FRAMES), at, sizeof at))
        return;
    snprintf(own, sizeof own, " %s:%d", slash ? slash + 1 : file, line);
    if (!strstr(at, own)) // otherwise the line is the student's
        snprintf(out, (size_t)nbytes, " (called from %s)", at);
}

static void prepare(void)
{
    must_say_from(say_from);
    void *frame[1];
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    now.ready = 1;
    backtrace(frame, 1); // load the unwinder now: a signal handler must not
    sigaction(SIGPROF, &action, NULL);
    guard_make_timer();
    on_exit(on_leave, NULL);
}

static void set_timer(int sec)
{
    const struct itimerspec in = {.it_value = {.tv_sec = sec}};
    if (now.has_timer)
        timer_settime(now.timer, 0, &in, NULL);
}

void guard_begin(int rank, const char *case_name)
{
    if (!now.ready)
        prepare();
    now.rank = rank;
    now.pid = getpid();
    now.name = case_name;
    set_timer(loop_sec());
}

void guard_end(void)
{
    now.name = NULL;
    set_timer(0);
}
