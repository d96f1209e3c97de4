/*
 * How a run ended, by what its ranks' wardens say: whose doing it was, and what
 * the student is told. The test is the wardens.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>  /* ENOSYS */
#include <signal.h> /* SIGKILL */
#include <stdio.h>  /* snprintf */
#include <string.h> /* strcpy */
#include <unistd.h> /* close */

#include "base/recorder.h"
#include "base/warden.h"
#include "child.h"
#include "grader/run/wardens.h"
#include "suite.h"

enum { WORDS = 4, NRANKS = 2 };

static char dir[CHILD_FOLDER];
static int wardens;

static void make_folder(void)
{
    child_folder(dir, "wardens");
    wardens = wardens_listen(dir);
    ck_assert_int_ge(wardens, 0);
}

static void remove_folder(void)
{
    wardens_close(wardens, dir);
    child_remove(dir);
}

/* A warden joins, says this, and has ended. */
static void say(const struct warden_word *words, int n)
{
    const int c = recorder_connect(dir, WARDEN_NAME);
    ck_assert_int_ge(c, 0);
    for (int i = 0; i < n; i++)
        ck_assert_int_eq(recorder_write(c, &words[i], sizeof *words), 0);
    close(c);
}

/* clang-format off */
#define BEGAN(rank) {WARDEN_MAGIC, WARDEN_BEGAN, rank, 0, 0}
#define EXITED(rank, status, sec) \
    {WARDEN_MAGIC, WARDEN_EXITED, rank, status, sec}
#define KILLED(rank, signal, sec) \
    {WARDEN_MAGIC, WARDEN_KILLED, rank, signal, sec}
#define STOPPED(rank, signal, sec) \
    {WARDEN_MAGIC, WARDEN_STOPPED, rank, signal, sec}
#define UNABLE(rank, error, sec) \
    {WARDEN_MAGIC, WARDEN_UNABLE, rank, error, sec}
#define FORGED(rank, signal, sec) {7, WARDEN_KILLED, rank, signal, sec}
/* clang-format on */

#define LEFT        "rank 1 ended in the middle of the case"
#define OUTSIDE     "rank 1 was killed from outside "
#define MPIRUN      "what starts the ranks was killed from outside"
#define EXIT_STRING "EXIT STRING: Killed (signal 9)\n"

/* What two wardens say after they began, how the run ended and what it printed;
 * and what comes of it. */
static const struct {
    struct warden_word says[NRANKS][WORDS];
    struct sandbox_end end;
    const char *head, *tail, *why;
    int outside;
} ends[] = {
    // all is well
    {{{EXITED(0, 0, 1)}, {EXITED(1, 0, 2)}},
     {.status = 0},
     "",
     "",
     "rank 0 ended in the middle of the case, with exit status 0",
     0},
    {{{EXITED(0, 0, 2)}, {EXITED(1, 0, 1)}},
     {.status = 0},
     "",
     "",
     LEFT ", with exit status 0",
     0},
    // the first one is told
    {{{EXITED(0, 1, 2)}, {EXITED(1, 3, 1)}},
     {.status = 3},
     "",
     "",
     LEFT ", with exit status 3",
     0},
    {{{KILLED(0, SIGABRT, 2)}, {KILLED(1, SIGSEGV, 1)}},
     {.status = 139},
     "",
     "",
     LEFT ": Segmentation fault",
     0},
    {{{EXITED(0, 1, 2)}, {KILLED(1, SIGFPE, 1)}},
     {.status = 1},
     "",
     "",
     LEFT ": Floating point exception",
     0},
    {{{EXITED(0, 1, 1)}, {EXITED(1, 1, 1)}},
     {.status = 1},
     "",
     "",
     "rank 0 ended in the middle of the case, with exit status 1",
     0},
    // signals from outside, before any rank failed
    {{{EXITED(0, 1, 3)}, {KILLED(1, SIGKILL, 2)}},
     {.status = 9},
     "",
     "",
     OUTSIDE "(Killed)",
     1},
    {{{EXITED(0, 1, 3)}, {KILLED(1, SIGTERM, 2)}},
     {.status = 9},
     "",
     "",
     OUTSIDE "(Terminated)",
     1},
    {{{EXITED(0, 1, 3)}, {KILLED(1, SIGINT, 2)}},
     {.status = 9},
     "",
     "",
     OUTSIDE "(Interrupt)",
     1},
    {{{EXITED(0, 1, 3)}, {KILLED(1, SIGHUP, 2)}},
     {.status = 9},
     "",
     "",
     OUTSIDE "(Hangup)",
     1},
    {{{EXITED(0, 1, 3)}, {KILLED(1, SIGQUIT, 2)}},
     {.status = 9},
     "",
     "",
     OUTSIDE "(Quit)",
     1},
    {{{KILLED(0, SIGKILL, 3)}, {KILLED(1, SIGTERM, 2)}},
     {.status = 9},
     "",
     "",
     OUTSIDE "(Terminated)",
     1},
    {{{KILLED(0, SIGTERM, 2)}, {KILLED(1, SIGKILL, 3)}},
     {.status = 9},
     "",
     "",
     "rank 0 was killed from outside (Terminated)",
     1},
    {{{EXITED(0, 0, 1)}, {KILLED(1, SIGKILL, 2)}},
     {.status = 9},
     "",
     "",
     OUTSIDE "(Killed)",
     1}, // one that ended well is no reason
    // after one failed, mpirun kills the others
    {{{EXITED(0, 1, 2)}, {KILLED(1, SIGKILL, 3)}},
     {.status = 9},
     "",
     "",
     "rank 0 ended in the middle of the case, with exit status 1",
     0},
    {{{EXITED(0, 1, 2)}, {KILLED(1, SIGKILL, 2)}},
     {.status = 9},
     "",
     "",
     "rank 0 ended in the middle of the case, with exit status 1",
     0},
    {{{KILLED(0, SIGSEGV, 2)}, {KILLED(1, SIGKILL, 3)}},
     {.status = 9},
     "",
     "",
     "rank 0 ended in the middle of the case: Segmentation fault",
     0},
    // what is no warden's word counts nothing
    {{{FORGED(0, SIGKILL, 1), EXITED(0, 0, 2)}, {EXITED(1, 2, 3)}},
     {.status = 2},
     "",
     "",
     "rank 0 ended in the middle of the case, with exit status 0",
     0},
    // limits are the program's own doing, whoever was killed for them
    {{{EXITED(0, 1, 3)}, {KILLED(1, SIGKILL, 2)}},
     {.out_of_memory = 1},
     "",
     "",
     "rank 0 ended in the middle of the case, with exit status 1",
     0},
    {{{EXITED(0, 1, 3)}, {KILLED(1, SIGKILL, 2)}},
     {.flooded = 1},
     "",
     "",
     "rank 0 ended in the middle of the case, with exit status 1",
     0},
    {{{EXITED(0, 1, 3)}, {KILLED(1, SIGKILL, 2)}},
     {.loud = 1},
     "",
     "",
     "rank 0 ended in the middle of the case, with exit status 1",
     0},
    // a run that hangs, since a rank was stopped or not
    {{{EXITED(0, 1, 3)}, {STOPPED(1, SIGSTOP, 2), KILLED(1, SIGKILL, 4)}},
     {.timed_out = 1},
     "",
     "",
     "rank 1 was stopped from outside "
     "(Stopped (signal))",
     1},
    {{{KILLED(0, SIGKILL, 3)}, {KILLED(1, SIGKILL, 3)}},
     {.timed_out = 1, .status = 137},
     "",
     "",
     "",
     0},
    {{{EXITED(0, 1, 3)}, {STOPPED(1, SIGSTOP, 2), EXITED(1, 0, 2)}},
     {.status = 1},
     "",
     "",
     LEFT ", with exit status 0",
     0},
    // what starts the ranks was killed, and their wardens with it
    {{{{0}}}, {.status = 137}, "", "", MPIRUN, 1},
    {{{{0}}}, {.status = 129}, "", "", MPIRUN, 1},
    {{{{0}}}, {.status = 128}, "", "", "", 0},
    {{{{0}}}, {.status = 9}, "WITH THE " EXIT_STRING, "", MPIRUN, 1},
    {{{{0}}}, {.status = 9}, "", "WITH THE " EXIT_STRING, MPIRUN, 1},
    {{{{0}}}, {.status = 0}, "", "WITH THE " EXIT_STRING, "", 0},
    {{{{0}}}, {.status = 9}, EXIT_STRING, EXIT_STRING, "", 0},
    {{{{0}}}, {.status = 137}, "simgpu: rank 1: lost\n", "", "", 0},
    {{{{0}}}, {.status = 137}, "application called MPI_Abort(1)", "", "", 0},
    {{{EXITED(0, 0, 1)}, {{0}}},
     {.status = 137},
     "",
     "",
     "rank 0 ended in the middle of the case, with exit status 0",
     0},
    {{{{0}}, {KILLED(1, SIGSEGV, 1)}},
     {.status = 137},
     "",
     "",
     LEFT ": Segmentation fault",
     0},
    // this machine cannot restrict programs: that comes first
    {{{UNABLE(0, ENOSYS, 1), EXITED(0, 1, 2)}, {EXITED(1, 1, 1)}},
     {.status = 1, .out_of_memory = 1},
     "",
     "",
     "this machine does not let a program restrict itself (seccomp: Function "
     "not implemented): an emulated processor?",
     1},
};

/* The rank that a text begins with; -1: none. */
static int rank_of(const char *text)
{
    int rank = -1;
    sscanf(text, "rank %d ", &rank);
    return rank;
}

/* Both wardens began, and have said what they say. */
static void end_as(int i)
{
    for (unsigned rank = 0; rank < NRANKS; rank++) {
        struct warden_word words[1 + WORDS] = {BEGAN(rank)};
        int n = 1;
        for (int k = 0; k < WORDS && ends[i].says[rank][k].magic; k++)
            words[n++] = ends[i].says[rank][k];
        say(words, n);
    }
}

START_TEST(wardens_and_the_sandbox_say_whose_doing_it_was)
{
    static struct sandbox_end end;
    char why[160] = "before";
    end = ends[_i].end;
    strcpy(end.log.head, ends[_i].head);
    strcpy(end.log.tail, ends[_i].tail);
    end_as(_i);
    int who;
    const int outside =
        wardens_find(wardens, NRANKS, &end, &who, why, sizeof why);
    ck_assert_str_eq(why, ends[_i].why);
    ck_assert_int_eq(who, rank_of(why));
    ck_assert_int_eq(outside, ends[_i].outside);
}
END_TEST

/* Without all of them, nothing is known. */
START_TEST(each_rank_has_a_warden_that_began)
{
    static struct sandbox_end end;
    static const struct warden_word word[] = {BEGAN(0), KILLED(0, SIGKILL, 1)};
    char why[160] = "before";
    int who;
    end.status = 137;
    say(word, 2);
    ck_assert_int_eq(wardens_find(wardens, 2, &end, &who, why, sizeof why), 0);
    ck_assert_str_eq(why, "");
    say(word, 2);
    ck_assert_int_eq(wardens_find(wardens, 1, &end, &who, why, sizeof why), 1);
    ck_assert_str_eq(why, "rank 0 was killed from outside (Killed)");
}
END_TEST

/* The ranks may join as well, when their wardens have. */
START_TEST(only_as_many_as_there_are_ranks_are_heard)
{
    static struct sandbox_end end;
    static const struct warden_word first[] = {BEGAN(0), EXITED(0, 1, 2)},
                                    second[] = {BEGAN(1), EXITED(1, 4, 1)},
                                    forged[] = {KILLED(1, SIGKILL, 0)};
    char why[160];
    int who;
    end.status = 1;
    say(first, 2);
    say(second, 2);
    say(forged, 1);
    ck_assert_int_eq(wardens_find(wardens, 2, &end, &who, why, sizeof why), 0);
    ck_assert_str_eq(why, LEFT ", with exit status 4");
}
END_TEST

/* A warden that was killed in the middle of a word has said none. */
START_TEST(half_a_word_is_none)
{
    static struct sandbox_end end;
    static const struct warden_word words[] = {BEGAN(0), EXITED(0, 5, 1)};
    char why[160];
    int who;
    const int c = recorder_connect(dir, WARDEN_NAME);
    ck_assert_int_ge(c, 0);
    recorder_write(c, words, sizeof words - 1);
    close(c);
    ck_assert_int_eq(wardens_find(wardens, 1, &end, &who, why, sizeof why), 0);
    ck_assert_str_eq(why, "");
}
END_TEST

START_TEST(the_socket_goes_with_them)
{
    char path[CHILD_FOLDER + 16];
    snprintf(path, sizeof path, "%s/" WARDEN_NAME, dir);
    ck_assert_int_eq(access(path, F_OK), 0);
    wardens_close(wardens, dir);
    ck_assert_int_eq(access(path, F_OK), -1);
    ck_assert_int_eq(recorder_connect(dir, WARDEN_NAME), -1);
    wardens = wardens_listen(dir);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("wardens");
    TCase *const t = tcase_create("wardens");
    tcase_add_checked_fixture(t, make_folder, remove_folder);
    SUITE_LOOP(t, wardens_and_the_sandbox_say_whose_doing_it_was, ends);
    tcase_add_test(t, each_rank_has_a_warden_that_began);
    tcase_add_test(t, only_as_many_as_there_are_ranks_are_heard);
    tcase_add_test(t, half_a_word_is_none);
    tcase_add_test(t, the_socket_goes_with_them);
    suite_add_tcase(s, t);
    return suite_run(s);
}
