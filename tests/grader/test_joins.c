/*
 * Who may join the recorder, and when: the test is the ranks, and whoever else
 * connects. What is refused is hung up on, and nothing else happens.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>    /* EAGAIN */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* free */
#include <sys/mman.h> /* memfd_create */
#include <sys/resource.h>
#include <sys/socket.h> /* recv */
#include <sys/stat.h>   /* mkdir */
#include <unistd.h>     /* close */

#include "base/recorder.h"
#include "child.h"
#include "fds.h"
#include "grader/recorder/recorder.h"
#include "judge/record.h"
#include "suite.h"

enum { NRANKS = 2, NAME = CHILD_FOLDER + 16 };
static const int numbers[] = {5};
static char dir[CHILD_FOLDER], seen[NAME], kept[NAME];
static struct recorder_job job;
static struct recorder *recorder;

static char *text_of(const void *arg, int rank, int i)
{
    char *text = NULL;
    (void)arg;
    ck_assert_int_ge(asprintf(&text, "rank %d case %d", rank, i), 0);
    return text;
}

static void make_folders(void)
{
    child_folder(dir, "commlab-joins");
    snprintf(seen, sizeof seen, "%s/seen", dir);
    snprintf(kept, sizeof kept, "%s/kept", dir);
    ck_assert_int_eq(mkdir(seen, 0700) | mkdir(kept, 0700), 0);
    job = (struct recorder_job){.seen = seen,
                                .kept = kept,
                                .nranks = NRANKS,
                                .ncases = 1,
                                .case_no = numbers,
                                .text = text_of};
}

static void remove_folders(void)
{
    child_remove(dir);
}

static void start(int graphs)
{
    job.graphs = graphs;
    recorder = recorder_start(&job);
    ck_assert_ptr_nonnull(recorder);
}

static void stop(const char *failed)
{
    struct recorder_end end;
    recorder_stop(recorder, &end);
    ck_assert_str_eq(end.failed, failed);
    ck_assert_str_eq(end.forged, "");
}

/* Connect with the first nbytes of a hello. */
static int connect_with(struct recorder_hello h, size_t nbytes, int has_fd)
{
    const int c = recorder_connect(seen, RECORDER_NAME),
              fd = has_fd ? memfd_create("graph", MFD_CLOEXEC) : -1;
    ck_assert_int_ge(c, 0);
    ck_assert_int_eq(recorder_write_with(c, &h, nbytes, fd), 0);
    if (has_fd)
        close(fd);
    return c;
}

/* The recorder takes one after the other: when it has hung up on this one, all
 * that came before have been taken, too. */
static void let_it_take_all(void)
{
    char byte;
    const int c = connect_with((struct recorder_hello){0}, 1, 0);
    ck_assert_int_eq(recv(c, &byte, 1, 0), 0);
    close(c);
}

/* True if the recorder has not hung up, and has said nothing. */
static int is_open(int connection)
{
    char byte;
    return recv(connection, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

/* ---- hellos -------------------------------------------------------------- */

#define HELLO(role, rank)                                                      \
    {                                                                          \
        RECORDER_MAGIC, RECORDER_##role, rank                                  \
    }

static const struct {
    struct recorder_hello h;
    size_t nbytes;
    int has_fd, joins;
} hellos[] = {
    {HELLO(EVIDENCE, 0), sizeof(struct recorder_hello), 0, 1},
    {HELLO(EVIDENCE, NRANKS - 1), sizeof(struct recorder_hello), 0, 1},
    {HELLO(EVIDENCE, NRANKS), sizeof(struct recorder_hello), 0, 0},
    {HELLO(EVIDENCE, UINT32_MAX), sizeof(struct recorder_hello), 0, 0},
    {HELLO(EVIDENCE, 0), sizeof(struct recorder_hello), 1, 0},
    {HELLO(EVIDENCE, 0), sizeof(struct recorder_hello) - 1, 0, 0},
    {HELLO(MEMORY, 0), sizeof(struct recorder_hello), 0, 1},
    {HELLO(MEMORY, 0), sizeof(struct recorder_hello), 1, 0},
    {HELLO(GRAPH, 0), sizeof(struct recorder_hello), 0, 0},
    {HELLO(ROLES, 0), sizeof(struct recorder_hello), 0, 0},
    {{RECORDER_MAGIC + 1, RECORDER_EVIDENCE, 0},
     sizeof(struct recorder_hello),
     0,
     0},
};

START_TEST(only_ranks_with_what_belongs_to_them_join)
{
    start(1);
    const int c =
        connect_with(hellos[_i].h, hellos[_i].nbytes, hellos[_i].has_fd);
    let_it_take_all();
    ck_assert_int_eq(is_open(c), hellos[_i].joins);
    close(c);
    stop("");
}
END_TEST

START_TEST(a_rank_joins_once)
{
    static const struct recorder_hello first = HELLO(MEMORY, 1),
                                       other = HELLO(MEMORY, 0);
    start(1);
    const int a = connect_with(first, sizeof first, 0),
              b = connect_with(first, sizeof first, 0),
              c = connect_with(other, sizeof other, 0);
    let_it_take_all();
    ck_assert(is_open(a) && !is_open(b) && is_open(c));
    close(a);
    close(b);
    close(c);
    stop("");
}
END_TEST

/* A rank that has gone does not leave its place to another. */
START_TEST(who_has_left_does_not_come_back)
{
    static const struct recorder_hello h = HELLO(EVIDENCE, 0);
    start(1);
    close(connect_with(h, sizeof h, 0));
    let_it_take_all();
    const int again = connect_with(h, sizeof h, 0);
    let_it_take_all();
    ck_assert(!is_open(again));
    close(again);
    stop("");
}
END_TEST

START_TEST(a_graph_that_cannot_be_kept_is_told)
{
    char line[2 * NAME];
    static const struct recorder_hello h = HELLO(GRAPH, 0);
    start(1);
    snprintf(line, sizeof line, "%s/rank-0.graph.part", kept);
    ck_assert_int_eq(mkdir(line, 0700), 0);
    const int c = connect_with(h, sizeof h, 1);
    let_it_take_all();
    ck_assert(!is_open(c));
    close(c);
    stop("the execution graph: File exists");
}
END_TEST

/* The descriptor that is the n-th to be opened from now on. */
static int nth_descriptor(int n)
{
    const int fd = dup(STDERR_FILENO), nth = n > 1 ? nth_descriptor(n - 1) : fd;
    close(fd);
    return nth;
}

/* Both ends of a connection, both descriptors of the memfd, the file and an end
 * of the pipe are as many as there may be. */
START_TEST(without_a_pipe_there_is_no_graph)
{
    static const struct recorder_hello h = HELLO(GRAPH, 0);
    struct rlimit before, few;
    start(1);
    getrlimit(RLIMIT_NOFILE, &before);
    few = before;
    few.rlim_cur = (rlim_t)nth_descriptor(7);
    setrlimit(RLIMIT_NOFILE, &few);
    const int c = recorder_connect(seen, RECORDER_NAME),
              fd = memfd_create("graph", MFD_CLOEXEC);
    ck_assert_int_eq(recorder_write_with(c, &h, sizeof h, fd), 0);
    stop("the execution graph: Too many open files");
    setrlimit(RLIMIT_NOFILE, &before);
    close(fd);
    close(c);
}
END_TEST

START_TEST(a_rank_that_takes_no_pipe_has_no_graph)
{
    static const struct recorder_hello h = HELLO(GRAPH, 0);
    start(1);
    const int c = recorder_connect(seen, RECORDER_NAME),
              fd = memfd_create("graph", MFD_CLOEXEC);
    ck_assert_int_eq(shutdown(c, SHUT_RD), 0);
    ck_assert_int_eq(recorder_write_with(c, &h, sizeof h, fd), 0);
    stop("the execution graph: Broken pipe");
    close(fd);
    close(c);
}
END_TEST

/* ---- the first case ------------------------------------------------------ */

/* A rank asks for its next case. */
static void ask(int connection)
{
    static const struct record next = {RECORD_MAGIC, EVIDENCE_NEXT, 0, 0, 0,
                                       "next"};
    ck_assert_int_eq(recorder_write(connection, &next, sizeof next), 0);
}

static void expect(int connection, const char *text)
{
    char *const got = recorder_reply(connection);
    ck_assert_ptr_nonnull(got);
    ck_assert_str_eq(got, text);
    free(got);
}

static int join(enum recorder_role role, unsigned rank)
{
    const int fd = role == RECORDER_GRAPH ? memfd_create("graph", MFD_CLOEXEC)
                                          : -1,
              c = recorder_join(seen, role, rank, fd);
    ck_assert_int_ge(c, 0);
    if (fd >= 0)
        close(fd);
    return c;
}

START_TEST(when_all_ask_they_get_it_and_nobody_else_joins)
{
    start(0);
    const int a = join(RECORDER_EVIDENCE, 0);
    ask(a);
    let_it_take_all();
    ck_assert(is_open(a));
    const int b = join(RECORDER_EVIDENCE, 1);
    ask(b);
    expect(a, "rank 0 case 0");
    expect(b, "rank 1 case 0");
    ck_assert_int_eq(recorder_join(seen, RECORDER_MEMORY, 0, -1), -1);
    ck_assert_int_eq(errno, ENOENT);
    close(a);
    close(b);
    stop("");
}
END_TEST

/* With graphs, each rank has three connections, and any may be the last. */
START_TEST(with_graphs_all_of_them_are_waited_for)
{
    int evidence[NRANKS], more[2 * NRANKS], n = 0;
    const int last = _i;
    start(1);
    for (unsigned rank = 0; rank < NRANKS; rank++)
        ask(evidence[rank] = join(RECORDER_EVIDENCE, rank));
    for (int i = 1; i <= 2 * NRANKS; i++) { // the one after `last` first
        const int which = (last + i) % (2 * NRANKS);
        let_it_take_all();
        ck_assert(is_open(evidence[0]) && is_open(evidence[1]));
        more[n++] = join(which % 2 ? RECORDER_MEMORY : RECORDER_GRAPH,
                         (unsigned)which / 2);
    }
    expect(evidence[0], "rank 0 case 0");
    expect(evidence[1], "rank 1 case 0");
    while (n > 0)
        close(more[--n]);
    close(evidence[0]);
    close(evidence[1]);
    stop("");
}
END_TEST

/* ---- starting ------------------------------------------------------------ */

static const struct {
    const char *line;
    int why;
} faults[] = {
    {"rmdir kept", ENOENT},
    {"rmdir seen", ENOENT},
    {"touch kept/evidence-1", EEXIST},
    {"mkdir seen/recorder", EADDRINUSE},
};

START_TEST(what_keeps_it_from_starting_is_in_errno)
{
    struct child c = child_run(20, "cd %s && %s", dir, faults[_i].line);
    ck_assert_int_eq(c.status, 0);
    child_clear(&c);
    errno = 0;
    ck_assert_ptr_null(recorder_start(&job));
    ck_assert_int_eq(errno, faults[_i].why);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("joins");
    TCase *const t = tcase_create("joins");
    fds_watch(t);
    tcase_add_checked_fixture(t, make_folders, remove_folders);
    SUITE_LOOP(t, only_ranks_with_what_belongs_to_them_join, hellos);
    tcase_add_test(t, a_rank_joins_once);
    tcase_add_test(t, who_has_left_does_not_come_back);
    tcase_add_test(t, a_graph_that_cannot_be_kept_is_told);
    tcase_add_test(t, without_a_pipe_there_is_no_graph);
    tcase_add_test(t, a_rank_that_takes_no_pipe_has_no_graph);
    tcase_add_test(t, when_all_ask_they_get_it_and_nobody_else_joins);
    tcase_add_loop_test(t, with_graphs_all_of_them_are_waited_for, 0,
                        2 * NRANKS);
    SUITE_LOOP(t, what_keeps_it_from_starting_is_in_errno, faults);
    suite_add_tcase(s, t);
    return suite_run(s);
}
