/*
 * The ends of a segment: it is full, the memory for it is, it is closed, or
 * saved where there is no room for it.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fds.h"
#include "graph/record/format.h"
#include "graph/record/record.h"
#include "scarce.h"
#include "suite.h"

static struct graph_segment *g;

static void setup(void)
{
    g = graph_open(3, 8, NULL);
    ck_assert_ptr_nonnull(g);
}

static void teardown(void)
{
    graph_close(g);
}

/* What a function writes to standard error before it returns or exits. */
static char *said(void (*fn)(void), int *status)
{
    static char text[1024];
    int end[2];
    ck_assert_int_eq(pipe(end), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(end[1], STDERR_FILENO);
        fn();
        _exit(0);
    }
    close(end[1]);
    FILE *const f = fdopen(end[0], "r");
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    ck_assert_int_eq(waitpid(pid, status, 0), pid);
    return text;
}

static void fill(void)
{
    graph_add(g, &(const struct graph_node){.kind = GRAPH_HOST}, 0, 0, 0);
    graph_amend(g, 1, 0, NULL, (size_t)1 << 28, NULL, 0); // 4 GiB of moves
}

static void lack_memory(void)
{
    scarce_none();
    graph_string(g, "text");
}

static void lack_memory_for_site(void)
{
    scarce_none();
    graph_site(g, (char *)&setup + 1);
}

/* What is recorded next lies behind what is mapped at first. */
static void lack_addresses(void)
{
    const struct graph_node n = {.kind = GRAPH_HOST, .naccesses = 1 << 20};
    const struct rlimit none = {0};
    void *const zeros = calloc(n.naccesses, sizeof(struct graph_access));
    setrlimit(RLIMIT_AS, &none);
    for (int i = 0; zeros && i < 3; i++)
        graph_add(g, &n, NULL, NULL, zeros);
}

static const struct {
    void (*fn)(void);
    const char *why;
} ends[] = {
    {fill, "is full after 1"},
    {lack_memory, "has no memory left after 0"},
    {lack_memory_for_site, "has no memory left after 0"},
    {lack_addresses, "has no addresses left after 2"},
};

START_TEST(a_full_graph_ends_the_run)
{
    int status;
    char expected[400];
    snprintf(expected, sizeof expected,
             "commlab: rank 3: the execution graph %s operations.\n"
             "Modelled times would be wrong from here on, so the run stops. "
             "Run fewer iterations, or smaller kernels.\n",
             ends[_i].why);
    ck_assert_str_eq(said(ends[_i].fn, &status), expected);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 70);
}
END_TEST

static char dir[] = "/tmp/commlab-record-XXXXXX";

static void save_nowhere(void)
{
    struct graph_segment *const lost = graph_open(3, 8, dir);
    rmdir(dir);
    if (graph_save(lost) == 0)
        _exit(1);
}

START_TEST(a_graph_that_is_not_saved_says_so)
{
    int status;
    char expected[256];
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(expected, sizeof expected,
             "commlab: cannot save the execution graph of rank 3 to "
             "%s/rank-3.graph: No such file or directory\n",
             dir);
    ck_assert_str_eq(said(save_nowhere, &status), expected);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(graph_save(g), 0); // it has no folder to be saved in
}
END_TEST

/* Of the graph, no more than its header finds room on the disk. */
static void save_in_no_room(void)
{
    const struct rlimit header = {FORMAT_DATA, FORMAT_DATA};
    struct graph_segment *const lost = graph_open(3, 8, dir);
    graph_string(lost, "text");
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &header);
    const int before = fds_open();
    if (graph_save(lost) == 0 || fds_open() != before || rmdir(dir) != 0)
        _exit(1);
}

START_TEST(what_is_saved_in_part_is_removed)
{
    int status;
    char expected[256];
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(expected, sizeof expected,
             "commlab: cannot save the execution graph of rank 3 to "
             "%s/rank-3.graph: File too large\n",
             dir);
    ck_assert_str_eq(said(save_in_no_room, &status), expected);
    ck_assert_int_eq(status, 0);
}
END_TEST

static int record(void)
{
    struct graph_segment *const all = graph_open(0, 1, dir);
    if (!all)
        return -1;
    graph_string(all, "text");
    graph_site(all, (char *)&setup + 1);
    graph_close(all);
    return 0;
}

/* True while a segment is mapped. */
static int is_mapped(void)
{
    char line[4096];
    int found = 0;
    FILE *const f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f))
        found |= strstr(line, GRAPH_MEMFD) != NULL;
    fclose(f);
    return found;
}

START_TEST(a_closed_graph_leaves_nothing)
{
    teardown();
    ck_assert_ptr_nonnull(mkdtemp(dir));
    ck_assert(!is_mapped());
    scarce_just(record);
    ck_assert(!is_mapped());
    ck_assert_int_eq(rmdir(dir), 0);
    setup();
    ck_assert(is_mapped());
}
END_TEST

START_TEST(a_directory_that_cannot_be_made_is_an_error)
{
    ck_assert_ptr_null(graph_open(0, 1, "/proc/no/such"));
    ck_assert_int_eq(errno, ENOENT);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("ends");
    TCase *const t = tcase_create("ends");
    fds_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, a_full_graph_ends_the_run, 0,
                        sizeof ends / sizeof *ends);
    tcase_add_test(t, a_graph_that_is_not_saved_says_so);
    tcase_add_test(t, what_is_saved_in_part_is_removed);
    tcase_add_test(t, a_closed_graph_leaves_nothing);
    tcase_add_test(t, a_directory_that_cannot_be_made_is_an_error);
    suite_add_tcase(s, t);
    return suite_run(s);
}
