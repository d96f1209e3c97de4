#define _GNU_SOURCE
#include "lab/warden.h"

#include <errno.h>     /* errno */
#include <signal.h>    /* raise */
#include <stdio.h>     /* perror */
#include <stdlib.h>    /* getenv */
#include <sys/prctl.h> /* prctl */
#include <sys/wait.h>  /* waitid */
#include <unistd.h>    /* fork */

#include "base/recorder.h"
#include "base/steady.h"
#include "base/warden.h"
#include "lab/guard.h"

static _Noreturn void stop(const char *what)
{
    perror(what);
    _exit(1);
}

static void say(int connection, enum warden_kind kind, int value)
{
    const char *const rank = getenv("PMI_RANK");
    const struct warden_word w = {.magic = WARDEN_MAGIC,
                                  .kind = kind,
                                  .rank = rank ? (uint32_t)atoi(rank) : 0,
                                  .value = value,
                                  .sec = steady_sec()};
    recorder_write(connection, &w, sizeof w);
}

/* End as the rank did, so that mpirun sees the same status. */
static _Noreturn void end_like(const siginfo_t *end)
{
    if (end->si_code == CLD_EXITED)
        _exit(end->si_status);
    signal(end->si_status, SIG_DFL);
    raise(end->si_status);
    _exit(128 + end->si_status);
}

static _Noreturn void watch(int connection, pid_t rank)
{
    siginfo_t i;
    prctl(PR_SET_DUMPABLE, 0); // deny the rank, which has the same user, access
    for (;;) {
        if (waitid(P_PID, (id_t)rank, &i, WEXITED | WSTOPPED) != 0) {
            if (errno != EINTR)
                stop("waitid");
        } else if (i.si_code == CLD_STOPPED) {
            say(connection, WARDEN_STOPPED, i.si_status);
        } else if (i.si_code != CLD_TRAPPED) {
            say(connection,
                i.si_code == CLD_EXITED ? WARDEN_EXITED : WARDEN_KILLED,
                i.si_status);
            end_like(&i);
        }
    }
}

void warden_start(const char *job)
{
    const int connection = recorder_connect(job, WARDEN_NAME);
    if (connection < 0)
        return;
    say(connection, WARDEN_BEGAN, 0);
    const pid_t warden = getpid(), rank = fork();
    if (rank < 0)
        stop("fork");
    if (rank > 0)
        watch(connection, rank);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != warden)
        _exit(1); // the parent was killed after the fork
    guard_make_timer();
    if (warden_restrict() != 0) {
        say(connection, WARDEN_UNABLE, errno);
        stop("seccomp");
    }
    close(connection); // nothing that the rank says from here on is evidence
}
