/*
 * Many ranks on one host: they start, meet and reduce, and where a limit of the
 * system stops them, the message names it.
 */
#include <check.h>
#include <string.h> /* strstr */

#include "child.h"
#include "suite.h"

enum { MANY_SEC = 300 };

/* 64 ranks on 8 nodes: more addresses than 48 whole heaps would leave. */
START_TEST(sixty_four_ranks_reduce)
{
    struct child c =
        child_run(MANY_SEC,
                  "SIMGPU_TOPO=8x:dgx-h100 mpirun -n 64 %s/solutions/lab1 "
                  "--bench --min-kb 16 --max-mb 0.016 --iterations 1",
                  child_build());
    ck_assert_msg(c.status == 0 && strstr(c.out, "#  Rank 63 device  7 "),
                  "%s%s", c.out, c.err);
    ck_assert_msg(strstr(c.out, "# Out of bounds values : 0 OK"), "%s", c.out);
    child_clear(&c);
}
END_TEST

/* Puts and signals need the shadows of peers' heaps as well. */
START_TEST(sixty_four_ranks_open_each_others_memory)
{
    struct child c =
        child_run(MANY_SEC, "mpirun -n 64 %s/tests/simgpu/prog_many_imports",
                  child_build());
    ck_assert_msg(c.status == 0 && strstr(c.out, "64 ranks, sum 2016\n"),
                  "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

static const struct {
    const char *limit, *says;
} limits[] = {
    {"ulimit -v 1000000", "ulimit -v unlimited"},
    // without what the test's own parent has open
    {"exec 3>&- 4>&-; ulimit -n 5", "ulimit -n allows a process 5 open files"},
};

START_TEST(a_limit_is_named_with_what_lifts_it)
{
    struct child c = child_run(60, "%s; %s/tests/simgpu/prog_peers 0 1",
                               limits[_i].limit, child_build());
    ck_assert_msg(c.status == 70 && strstr(c.err, limits[_i].says),
                  "%s: %d\n%s%s", limits[_i].limit, c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

/* A time without some rank's graph would be a wrong one. */
START_TEST(a_graph_that_cannot_be_mapped_is_no_time)
{
    struct child c = child_run(60,
                               "ulimit -v 900000; SIMGPU_TOPO=2x:dgx-h100 "
                               "mpirun -n 16 %s/tests/simgpu/prog_mpi_poll 1",
                               child_build());
    const char *const said = strstr(c.err, "cannot read the execution graph");
    ck_assert_msg(c.status != 0 && said &&
                      strstr(said, "limits addresses to 878 MiB") &&
                      strstr(said, "ulimit -v unlimited"),
                  "%d\n%s%s", c.status, c.out, c.err);
    ck_assert_msg(!strstr(c.out, "rank"), "%s", c.out);
    child_clear(&c);
}
END_TEST

/* What a rank maps depends on what it allocates, not on its GPUs' memory. */
START_TEST(ranks_take_few_addresses)
{
    struct child c =
        child_run(MANY_SEC, "ulimit -v 4000000; mpirun -n 4 %s/solutions/lab1",
                  child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

/* ---- ranks that come late ------------------------------------------------ */

static struct child meet_late(const char *wrapper, const char *how)
{
    char folder[CHILD_FOLDER];
    child_folder(folder, "commlab-late");
    struct child c = child_run(
        60,
        "SIMGPU_HANG_SEC=0.3 mpirun -n 2 %s %s/tests/simgpu/prog_nccl_late "
        "%s/id %s",
        wrapper, child_build(), folder, how);
    child_remove(folder);
    return c;
}

/* Started by mpirun, or by a script that mpirun starts. */
static const char *const wrappers[] = {"", "sh -c '\"$0\" \"$@\"; exit $?'"};

START_TEST(a_rank_without_a_call_yet_does_not_hang)
{
    struct child c = meet_late(wrappers[_i], "1200");
    ck_assert_msg(c.status == 0 && !*c.err, "%d\n%s%s", c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(a_rank_that_ends_without_a_call_is_a_hang)
{
    struct child c = meet_late(wrappers[_i], "300 ends");
    ck_assert_msg(c.status != 0 && strstr(c.err, "the run hangs") &&
                      strstr(c.err, "ncclCommInitRank at prog_nccl_late.c:"),
                  "%d\n%s%s", c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("ranks");
    TCase *const t = tcase_create("ranks");
    tcase_set_timeout(t, 2 * MANY_SEC);
    tcase_add_test(t, sixty_four_ranks_reduce);
    tcase_add_test(t, sixty_four_ranks_open_each_others_memory);
    tcase_add_loop_test(t, a_limit_is_named_with_what_lifts_it, 0,
                        sizeof limits / sizeof *limits);
    tcase_add_test(t, a_graph_that_cannot_be_mapped_is_no_time);
    tcase_add_test(t, ranks_take_few_addresses);
    tcase_add_loop_test(t, a_rank_without_a_call_yet_does_not_hang, 0, 2);
    tcase_add_loop_test(t, a_rank_that_ends_without_a_call_is_a_hang, 0, 2);
    suite_add_tcase(s, t);
    return suite_run(s);
}
