/*
 * test_waits.c: ranks that wait for each other, and how a job of them ends
 */
#define _GNU_SOURCE
#include <check.h>
#include <fcntl.h>    /* fcntl */
#include <pthread.h>  /* pthread_create */
#include <signal.h>   /* kill */
#include <stdlib.h>   /* setenv */
#include <string.h>   /* strstr */
#include <sys/wait.h> /* waitpid */

#include "core/peer.h"
#include "core/report.h"
#include "core/site.h"
#include "core/thread.h"
#include "core/wait.h"
#include "ranks.h"
#include "suite.h"

/* Of its own, so that the site is in what calls it. */
__attribute__((noinline)) static void await(_Atomic uint32_t *word,
                                            const char *call)
{
    simgpu_wait(word, 0,
                &(struct wait_note){.call = call, .site = CALLER_SITE()});
}

/* It blocks in simgpu_report_fault() until the test reads the pipe. */
static void reports_to_a_full_pipe(struct shared *s)
{
    meet(s);
    fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK);
    while (write(STDERR_FILENO, "\n", 1) == 1)
        ;
    fcntl(STDERR_FILENO, F_SETFL, 0);
    simgpu_report_fault("same", "the report");
}

static void reports_the_same(struct shared *s)
{
    meet(s);
    while (!atomic_load(&peer_first()->control->fault_key[0]))
        usleep(1000); // rank 0 has not claimed it yet
    set(&s->ping);
    simgpu_report_fault("same", "the report");
}

START_TEST(a_rank_does_not_end_before_another_has_reported)
{
    static char text[2][100000];
    struct shared *const s = shared_new();
    const struct rank r0 = rank_start(0, 2, reports_to_a_full_pipe, s);
    const struct rank r1 = rank_start(1, 2, reports_the_same, s);
    spin(&s->ping);
    usleep(1500000); // three times what it gives the other in the end
    ck_assert_int_eq(waitpid(r1.pid, NULL, WNOHANG), 0);
    ck_assert_int_eq(rank_end(r0, text[0], sizeof text[0]), PROC_EXIT_FAULT);
    ck_assert_int_eq(rank_end(r1, text[1], sizeof text[1]), PROC_EXIT_FAULT);
    ck_assert(strstr(text[0], "simgpu: rank 0: the report") && !*text[1]);
}
END_TEST

static void waits_for_ping(struct shared *s)
{
    meet(s);
    await(&s->ping, "ncclPing");
    set(&s->pong);
}

static void waits_for_pong(struct shared *s)
{
    meet(s);
    await(&s->pong, "ncclPong");
}

static void *enters(void *unused)
{
    thread_number();
    return unused;
}

/* A thread that has ended is not one that may still wake somebody. */
static void waits_after_a_thread(struct shared *s)
{
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, enters, NULL) == 0);
    MUST(pthread_join(thread, NULL) == 0);
    waits_for_ping(s);
}

START_TEST(a_hang_is_reported_once_with_what_each_rank_waits_for)
{
    char text[2][8192], all[2 * 8192];
    struct shared *const s = shared_new();
    if (_i == 1)
        setenv("SIMGPU_HANG_SEC", "0.5", 1);
    const struct rank r0 =
        rank_start(0, 2, _i ? waits_after_a_thread : waits_for_ping, s);
    const struct rank r1 = rank_start(1, 2, waits_for_pong, s);
    ck_assert_int_eq(rank_end(r0, text[0], sizeof text[0]), PROC_EXIT_FAULT);
    ck_assert_int_eq(rank_end(r1, text[1], sizeof text[1]), PROC_EXIT_FAULT);
    snprintf(all, sizeof all, "%s%s", text[0], text[1]);
    const char *const first = strstr(all, "the run hangs");
    ck_assert_msg(first && !strstr(first + 1, "the run hangs"), "%s", all);
    ck_assert_msg(strstr(all, "ncclPing at") && strstr(all, "ncclPong at"),
                  "%s", all);
    ck_assert_msg(strstr(all, "test_waits.c:") != NULL, "%s", all);
}
END_TEST

static void wakes_then_waits_for_pong(struct shared *s)
{
    meet(s);
    spin(&s->stopped);
    set(&s->ping);
    await(&s->pong, "ncclPong");
}

START_TEST(a_peer_stopped_after_it_was_woken_is_no_hang)
{
    char text[2][8192];
    struct shared *const s = shared_new();
    const struct rank r0 = rank_start(0, 2, waits_for_ping, s);
    const struct rank r1 = rank_start(1, 2, wakes_then_waits_for_pong, s);
    spin(&s->met[0]);
    spin(&s->met[1]);
    usleep(500000); // rank 0 sleeps by now
    kill(r0.pid, SIGSTOP);
    atomic_store(&s->stopped, 1);
    usleep(4500000); // more than the watchdog's two seconds, after the wake
    kill(r0.pid, SIGCONT);
    const int e0 = rank_end(r0, text[0], sizeof text[0]);
    const int e1 = rank_end(r1, text[1], sizeof text[1]);
    ck_assert_msg(e0 == 0 && e1 == 0, "%d, %d: %s%s", e0, e1, text[0], text[1]);
}
END_TEST

START_TEST(a_killed_rank_ends_the_other_reaped_or_not)
{
    char text[2][8192];
    struct shared *const s = shared_new();
    const struct rank r[2] = {rank_start(0, 2, waits_for_ping, s),
                              rank_start(1, 2, waits_for_pong, s)};
    spin(&s->met[0]);
    spin(&s->met[1]);
    usleep(500000); // both sleep by now
    kill(r[0].pid, SIGKILL);
    for (int i = 0; i < 2; i++) {
        const int rank = i ^ _i; // 1: rank 0 stays a zombie meanwhile
        ck_assert_int_eq(rank_end(r[rank], text[rank], sizeof text[rank]),
                         rank == 0 ? 128 + SIGKILL : PROC_EXIT_FAULT);
    }
    ck_assert_msg(strstr(text[1], "rank 0 (process") != NULL, "%s", text[1]);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("waits");
    TCase *const t = tcase_create("waits");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(
        t, a_hang_is_reported_once_with_what_each_rank_waits_for, 0, 2);
    tcase_add_test(t, a_rank_does_not_end_before_another_has_reported);
    tcase_add_test(t, a_peer_stopped_after_it_was_woken_is_no_hang);
    tcase_add_loop_test(t, a_killed_rank_ends_the_other_reaped_or_not, 0, 2);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
