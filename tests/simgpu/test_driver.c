/*
 * The driver API: its rules under every schedule, and what the execution graph
 * holds of streams that wait for each other's values.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "replayed.h"
#include "suite.h"

static const char *const schedules[] = {"eager", "late", "random:1",
                                        "random:2"};
enum { SCHEDULES = sizeof schedules / sizeof *schedules };

/* Run prog_driver on two ranks, with its graph saved to dir, "" for none. */
static struct child run(const char *schedule, const char *dir, const char *arg)
{
    return child_run(120,
                     "SIMGPU_GRAPH=%s SIMGPU_SCHEDULE=%s mpirun -n 2 "
                     "%s/tests/simgpu/prog_driver %s",
                     dir, schedule, child_build(), arg);
}

START_TEST(the_driver_keeps_its_rules)
{
    struct child c = run(schedules[_i], "", "");
    ck_assert_msg(!strstr(c.out, "FAILED") && strstr(c.out, "ok    ") &&
                      c.status == 0,
                  "schedule %s: status %d\n%s\n%s", schedules[_i], c.status,
                  c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(a_value_that_never_comes_is_named)
{
    struct child c = run("eager", "", "never");
    ck_assert_int_ne(c.status, 0);
    const char *const says[] = {"the run hangs", "cuStreamWaitValue32 at",
                                ">= 201; it is ", "allocation made at"};
    for (int i = 0; i < 4; i++)
        ck_assert_msg(strstr(c.err, says[i]) != NULL, "\"%s\" is not in:\n%s",
                      says[i], c.err);
    child_clear(&c);
}
END_TEST

/* The number of the graph's waits that follow a write of the other rank's; each
 * must end after it. */
static int count_signals(const struct graph *g, const struct replay *r)
{
    int n = 0;
    for (uint32_t at = 0; at < g->nnodes; at++) {
        const struct graph_view *const v = &g->nodes[at];
        if (v->part == 0 || strcmp(v->name, "cuStreamWaitValue32") != 0)
            continue;
        ck_assert_uint_eq(v->node.ndeps, 1);
        const uint32_t from = graph_dep(g, at, 0);
        ck_assert_str_eq(g->nodes[from].name, "cuStreamWriteValue32");
        ck_assert_uint_ge(replay_times(r)[at].end_ps,
                          replay_times(r)[from].end_ps);
        n += g->nodes[from].node.rank != v->node.rank;
    }
    return n;
}

START_TEST(a_wait_follows_the_write_that_fulfilled_it)
{
    char dir[] = "/tmp/commlab-driver-XXXXXX";
    ck_assert(mkdtemp(dir) != NULL);
    uint64_t end_ps = 0;
    for (int i = 0; i < 3; i++) {
        struct child c = run(schedules[i], dir, "");
        ck_assert_msg(c.status == 0, "%s", c.err);
        struct replayed saved;
        replayed_saved(&saved, dir);
        ck_assert_int_eq(count_signals(saved.g, saved.r), 2 * 200);
        // the model doesn't depend on timing
        ck_assert(i == 0 || replay_end_ps(saved.r) == end_ps);
        end_ps = replay_end_ps(saved.r);
        replayed_release(&saved);
        child_clear(&c);
    }
    struct child c = child_run(10, "rm -r %s", dir);
    child_clear(&c);
}
END_TEST

START_TEST(fabric_handles_reach_other_processes)
{
    static const char *const machines[] = {"dgx-h100", "gb200-nvl72"};
    struct child c = child_run(60,
                               "SIMGPU_TOPO=%s mpirun -n 2 "
                               "%s/tests/simgpu/prog_fabric %d",
                               machines[_i], child_build(), _i);
    ck_assert_msg(
        !strstr(c.out, "FAILED") && strstr(c.out, "ok    ") && c.status == 0,
        "%s: status %d\n%s\n%s", machines[_i], c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("driver");
    TCase *const t = tcase_create("driver");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, the_driver_keeps_its_rules, 0, SCHEDULES);
    tcase_add_test(t, a_value_that_never_comes_is_named);
    tcase_add_test(t, a_wait_follows_the_write_that_fulfilled_it);
    tcase_add_loop_test(t, fabric_handles_reach_other_processes, 0, 2);
    suite_add_tcase(s, t);
    return suite_run(s);
}
