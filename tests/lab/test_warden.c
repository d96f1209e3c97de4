/*
 * What a rank can still do to itself and to others, in a child that has given
 * up the rest.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>        /* errno */
#include <fcntl.h>        /* F_SETSIG */
#include <pthread.h>      /* pthread_create */
#include <sched.h>        /* CLONE_VM */
#include <signal.h>       /* raise */
#include <stdlib.h>       /* abort */
#include <sys/prctl.h>    /* prctl */
#include <sys/resource.h> /* setrlimit */
#include <sys/syscall.h>  /* SYS_tkill */
#include <sys/wait.h>     /* waitpid */
#include <time.h>         /* timer_create */
#include <unistd.h>       /* fork */

#include "lab/warden.h"
#include "suite.h"

static void kill_myself(void)
{
    raise(SIGKILL);
    kill(getpid(), SIGKILL);
    kill(0, SIGKILL);
    syscall(SYS_tkill, getpid(), SIGKILL);
    syscall(SYS_tgkill, getpid(), getpid(), SIGTERM);
    sigqueue(getpid(), SIGINT, (union sigval){.sival_int = 0});
}

static void kill_my_parent(void)
{
    if (kill(getppid(), SIGTERM) == 0 || errno != EPERM)
        abort();
    kill(-1, SIGKILL);
}

static void be_killed_by_the_clock(void)
{
    timer_t t;
    struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    const struct itimerspec now = {.it_value.tv_nsec = 1};
    const struct rlimit none = {0, 0};
    if (timer_create(CLOCK_MONOTONIC, &e, &t) == 0)
        timer_settime(t, 0, &now, NULL);
    setrlimit(RLIMIT_CPU, &none);
    for (volatile int i = 0; i < 300000000; i++)
        ;
}

static void be_killed_by_a_child(void)
{
    if (syscall(SYS_clone, SIGKILL, 0, 0, 0, 0) == 0)
        _exit(0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    usleep(100000);
}

static void be_killed_by_a_pipe(void)
{
    int p[2];
    if (pipe(p) != 0)
        _exit(3);
    fcntl(p[0], F_SETOWN, getpid());
    fcntl(p[0], F_SETSIG, SIGKILL);
    fcntl(p[0], F_SETFL, O_ASYNC | O_NONBLOCK);
    if (write(p[1], "x", 1) != 1)
        _exit(3);
    usleep(100000);
}

static void *thread(void *arg)
{
    return arg;
}

static void do_honest_things(void)
{
    pthread_t t;
    int argument = 0;
    void *back = NULL;
    int status = 1;
    if (pthread_create(&t, NULL, thread, &argument) || pthread_join(t, &back) ||
        back != &argument)
        _exit(3);
    const pid_t child = fork();
    if (child == 0)
        _exit(7);
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7)
        _exit(4);
    struct rlimit r;
    if (getrlimit(RLIMIT_STACK, &r) != 0 || setrlimit(RLIMIT_STACK, &r) != 0)
        _exit(5);
}

static void read_nothing(void)
{
    raise(SIGSEGV);
}

static const struct {
    void (*act)(void);
    int signal; /* that ends it, or 0: it exits with 0 */
} acts[] = {
    {kill_myself, 0},
    {kill_my_parent, 0},
    {be_killed_by_the_clock, 0},
    {be_killed_by_a_child, 0},
    {be_killed_by_a_pipe, SIGIO},
    {do_honest_things, 0},
    {abort, SIGABRT},
    {read_nothing, SIGSEGV},
};

START_TEST(no_rank_looks_killed_from_outside)
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        if (warden_restrict() != 0)
            _exit(99);
        acts[_i].act();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    if (acts[_i].signal == 0)
        ck_assert_int_eq(status, 0);
    else
        ck_assert_int_eq(WTERMSIG(status), acts[_i].signal);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("warden");
    TCase *const t = tcase_create("warden");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, no_rank_looks_killed_from_outside, 0,
                        (int)(sizeof acts / sizeof *acts));
    suite_add_tcase(s, t);
    return suite_run(s);
}
