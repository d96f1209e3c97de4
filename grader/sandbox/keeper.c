#define _GNU_SOURCE
#include "grader/sandbox/keeper.h"

#include <fcntl.h>        /* open */
#include <poll.h>         /* poll */
#include <signal.h>       /* kill */
#include <stdio.h>        /* snprintf */
#include <stdlib.h>       /* strtol */
#include <sys/prctl.h>    /* prctl */
#include <sys/resource.h> /* setrlimit */
#include <sys/signalfd.h> /* signalfd */
#include <sys/wait.h>     /* waitpid */
#include <unistd.h>       /* fork */

#include "grader/sandbox/groups.h"

/* Kill all children. As a subreaper, this process has also inherited
 * what they left. */
static void kill_children(void)
{
    enum { ROUNDS = 100 };
    for (int i = 0; i < ROUNDS; i++) {
        char path[64], text[4096] = "";
        snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        const ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
        if (fd >= 0)
            close(fd);
        if (n <= 0)
            return;
        for (char *p = text, *end; *p; p = end) {
            const long pid = strtol(p, &end, 10);
            if (end == p || *end != ' ') // cut off, so another's number
                break;
            kill((pid_t)pid, SIGKILL);
            waitpid((pid_t)pid, NULL, 0);
            end += *end == ' ';
        }
    }
}

/* Why the keeper's wait ended. */
enum { ENDED, STOPPED, ABANDONED };

/*
 * Wait until the command has ended, and store its wait status; or until the
 * grader asks to stop it; or until its output has no reader. Reaps the orphans
 * that end before then.
 */
static int wait_for(pid_t pid, int signals, int out, int *status)
{
    struct pollfd p[2] = {{signals, POLLIN, 0}, {out, 0, 0}};
    for (;;) {
        struct signalfd_siginfo info = {.ssi_signo = SIGCHLD};
        poll(p, 2, -1);
        if (p[1].revents & POLLERR)
            return ABANDONED;
        if (p[0].revents && (read(signals, &info, sizeof info) <= 0 ||
                             info.ssi_signo == SIGTERM))
            return STOPPED;
        int its;
        for (pid_t it; (it = waitpid(-1, &its, WNOHANG)) > 0;)
            if (it == pid) {
                *status = its;
                return ENDED;
            }
    }
}

static _Noreturn void end_like(int status)
{
    if (WIFEXITED(status))
        _exit(WEXITSTATUS(status));
    const struct rlimit none = {0, 0};
    sigset_t all;
    sigfillset(&all);
    // a core file would contain the grader's memory
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGTERM, SIG_IGN); // the grader's, if it came too late
    signal(WTERMSIG(status), SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    raise(WTERMSIG(status));
    _exit(128 + WTERMSIG(status));
}

/* Wait until the command has ended, then clean up. */
static _Noreturn void keep(pid_t pid, int signals)
{
    int status = SIGKILL;
    const int why = wait_for(pid, signals, 1, &status);
    if (why != ENDED)
        // the whole group at once, before it can fork again
        kill(-pid, SIGKILL);
    kill_children();
    if (why == ABANDONED)
        groups_remove(getpid());
    end_like(status);
}

pid_t keeper_begin(int out)
{
    const pid_t keeper = getpid();
    sigset_t heard, before;
    sigemptyset(&heard);
    sigaddset(&heard, SIGCHLD);
    sigaddset(&heard, SIGTERM);
    sigprocmask(SIG_BLOCK, &heard, &before);
    setpgid(0, 0); // a terminal's Ctrl-C is meant for the grader
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        sigprocmask(SIG_SETMASK, &before, NULL);
        return keeper;
    }
    if (pid < 0)
        _exit(127);
    dup2(out, 1);
    close_range(2, ~0U, 0); // the grader waits for its pipes to be closed
    keep(pid, signalfd(-1, &heard, 0));
}
