/*
 * The critical path: a chain without gaps from a run's beginning to its end,
 * through the operations that delayed it.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/temp.h"
#include "child.h"
#include "graph/explain/path.h"
#include "replayed.h"
#include "suite.h"

enum { US = 1000000 }; /* ps */

static void expect_chain(const struct path *p, const struct replay *r)
{
    uint64_t at_ps = 0;
    for (size_t i = 0; i < p->n; i++) {
        ck_assert_uint_eq(p->step[i].begin_ps, at_ps);
        ck_assert_uint_gt(p->step[i].end_ps, at_ps);
        at_ps = p->step[i].end_ps;
    }
    ck_assert_uint_eq(at_ps, replay_end_ps(r));
}

static const char *const runs[] = {
    "SIMGPU_DATALESS=on mpirun -n 4 %s/tests/graph/prog_ddp 2",
    "mpirun -n 3 %s/tests/graph/prog_clock",
    "mpirun -n 4 %s/solutions/lab1",
};

START_TEST(the_path_of_a_run_has_no_gaps)
{
    char command[256], dir[256];
    ck_assert(mkdtemp(temp_path(dir, sizeof dir, "commlab-path")) != NULL);
    snprintf(command, sizeof command, runs[_i], child_build());
    struct child c = child_run(240, "SIMGPU_GRAPH=%s; export SIMGPU_GRAPH; %s",
                               dir, command);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
    struct replayed saved;
    struct path p;
    replayed_saved(&saved, dir);
    ck_assert_int_eq(path_find(&p, saved.g, replay_times(saved.r)), 0);
    expect_chain(&p, saved.r);
    path_release(&p);
    replayed_release(&saved);
    c = child_run(60, "rm -r %s", dir);
    child_clear(&c);
}
END_TEST

/* A wait names the last kernel of a group; the first one delayed it. */
START_TEST(it_leads_through_the_slowest_of_a_group)
{
    struct replayed t;
    replayed_init(&t, "dgx-h100", 1);
    struct graph_ref last = {0};
    for (int us = 30; us > 0; us -= 10)
        last = SYNTHETIC(&t.s, 0,
                         .node = {.kind = GRAPH_KERNEL,
                                  .queue = 1,
                                  .group = 1,
                                  .latency_ps = (uint64_t)us * US});
    SYNTHETIC(&t.s, 0, .node = {.kind = GRAPH_HOST, .latency_ps = US},
              .deps = {last});
    replayed_run(&t, NULL);
    struct path p;
    ck_assert_int_eq(path_find(&p, t.g, replay_times(t.r)), 0);
    expect_chain(&p, t.r);
    ck_assert_uint_eq(p.step[0].end_ps - p.step[0].begin_ps, 30 * US);
    path_release(&p);
    replayed_release(&t);
}
END_TEST

/* Rank 1's kernel is the slower one; then the collective, then rank 0's. */
START_TEST(it_leads_through_who_came_last)
{
    struct replayed t;
    replayed_init(&t, "dgx-h100", 2);
    struct graph_ref last[2];
    for (uint32_t r = 0; r < 2; r++) {
        SYNTHETIC(&t.s, r,
                  .node = {.kind = GRAPH_KERNEL,
                           .queue = 1,
                           .place = (int32_t)r,
                           .latency_ps = (10 + 90 * r) * US});
        SYNTHETIC(&t.s, r,
                  .node = {.kind = GRAPH_COLL,
                           .queue = 1,
                           .op = TOPO_OP_ALLREDUCE,
                           .place = (int32_t)r,
                           .match = 7,
                           .match_kind = GRAPH_MATCH_ALL,
                           .match_size = 2,
                           .match_rank = r,
                           .bytes = 1 << 20});
        last[r] = SYNTHETIC(&t.s, r,
                            .node = {.kind = GRAPH_KERNEL,
                                     .queue = 1,
                                     .place = (int32_t)r,
                                     .latency_ps = (50 - 20 * r) * US});
    }
    replayed_run(&t, NULL);
    struct path p;
    ck_assert_int_eq(path_find(&p, t.g, replay_times(t.r)), 0);
    expect_chain(&p, t.r);
    ck_assert_uint_eq(p.n, 3);
    ck_assert_uint_eq(p.step[0].node,
                      graph_find(t.g, (struct graph_ref){1, 1}));
    ck_assert_uint_eq(t.g->nodes[p.step[1].node].node.kind, GRAPH_COLL);
    ck_assert_uint_eq(p.step[2].node, graph_find(t.g, last[0]));
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(p.step[i].part, PATH_DEVICE);
    path_release(&p);
    replayed_release(&t);
}
END_TEST

START_TEST(the_command_prints_the_chain_and_its_sums)
{
    char dir[CHILD_FOLDER];
    child_folder(dir, "commlab-path");
    struct child c = child_run(120,
                               "SIMGPU_GRAPH=%s/run SIMGPU_DATALESS=on mpirun "
                               "-n 4 %s/tests/graph/prog_ddp && "
                               "%s/commgraph critical-path %s/run",
                               dir, child_build(), child_build(), dir);
    child_remove(dir);
    ck_assert_msg(c.status == 0, "%s", c.err);
    const char *const slow = strstr(c.out, "backward");
    ck_assert_msg(slow && strstr(slow, "ncclAllReduce") &&
                      strstr(slow, "update"),
                  "%s", c.out);
    ck_assert_ptr_nonnull(strstr(c.out, "share"));
    child_clear(&c);
    c = child_run(60, "%s/commgraph critical-path", child_build());
    ck_assert_int_eq(c.status, 2);
    child_clear(&c);
}
END_TEST

/* The path of a span has no gaps, either: it leads from the first call of the
 * span to its last end. */
START_TEST(the_path_of_a_part_has_no_gaps)
{
    struct replayed t;
    replayed_init(&t, "dgx-h100", 1);
    for (uint32_t i = 0; i < 4; i++)
        SYNTHETIC(&t.s, 0,
                  .node = {.kind = GRAPH_KERNEL,
                           .queue = 1 + i % 2,
                           .host_ps = 2 * US,
                           .latency_ps = (30 - 10 * (i == 2)) * US});
    replayed_run(&t, NULL);
    // calls end at 2, 4, 6, 8 us; queue 1: 2-32, 32-52; queue 2: 4-34, 34-64
    static const struct {
        char in[4];
        uint64_t begin_us, end_us;
        uint32_t nsteps;
    } part[] = {{{1, 1, 1, 1}, 0, 64, 4},  // two calls, two kernels
                {{0, 0, 1, 0}, 4, 52, 2},  // the rest of the first, the third
                {{0, 0, 0, 1}, 6, 64, 2}}; // the rest of the second, the fourth
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        struct path p;
        ck_assert_int_eq(path_find_part(&p, t.g, replay_times(t.r), part[i].in),
                         0);
        ck_assert_uint_eq(p.n, part[i].nsteps);
        ck_assert_uint_eq(p.step[0].begin_ps, part[i].begin_us * US);
        for (size_t k = 1; k < p.n; k++)
            ck_assert_uint_eq(p.step[k].begin_ps, p.step[k - 1].end_ps);
        ck_assert_uint_eq(p.step[p.n - 1].end_ps, part[i].end_us * US);
        path_release(&p);
    }
    replayed_release(&t);
}
END_TEST

START_TEST(the_command_prints_the_path_of_a_span)
{
    char dir[CHILD_FOLDER];
    child_folder(dir, "commlab-path");
    struct child c = child_run(
        120,
        "cd %s; SIMGPU_GRAPH=run SIMGPU_DATALESS=on mpirun -n 4 "
        "%s/tests/graph/prog_ddp && %s/commgraph critical-path run "
        "--span 'cost: 1e8' && ! %s/commgraph critical-path run --span nosuch",
        dir, child_build(), child_build(), child_build());
    child_remove(dir);
    ck_assert_msg(c.status == 0, "%s", c.err);
    ck_assert_str_eq(
        c.err, "commgraph: the run has no operation in a span \"nosuch\"\n");
    // it begins at 0, without the run's set-up, and its shares are its own
    ck_assert_msg(strstr(c.out, "\n       0.000 ") &&
                      !strstr(c.out, "ncclCommInitRank") &&
                      strstr(c.out, "\nSpan \"cost: 1e8\" begins ") &&
                      !strstr(c.out, "The run ends"),
                  "%s", c.out);
    double share = 0;
    for (const char *p = c.out; (p = strchr(p, '%')); p++) {
        const char *begin = p;
        while (begin > c.out && begin[-1] != ' ')
            begin--;
        share += atof(begin);
    }
    ck_assert_double_eq_tol(share, 100, 0.5);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("path");
    TCase *const t = tcase_create("path");
    tcase_add_loop_test(t, the_path_of_a_run_has_no_gaps, 0,
                        sizeof runs / sizeof *runs);
    tcase_add_test(t, it_leads_through_the_slowest_of_a_group);
    tcase_add_test(t, it_leads_through_who_came_last);
    tcase_add_test(t, the_command_prints_the_chain_and_its_sums);
    tcase_add_test(t, the_path_of_a_part_has_no_gaps);
    tcase_add_test(t, the_command_prints_the_path_of_a_span);
    tcase_set_timeout(t, 600);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
