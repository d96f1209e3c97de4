/*
 * NCCL in kernels: its probes hold under every schedule, from 2 to 8 ranks, on
 * one node and over a network.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "child.h"
#include "golden.h"
#include "recorded.h"
#include "suite.h"

static const struct {
    int nranks;
    const char *schedule, *machine;
} runs[] = {{2, "eager", "dgx-h100"},    {3, "late", "dgx-h100"},
            {5, "random:1", "dgx-h100"}, {8, "late", "dgx-h100"},
            {4, "random:2", "dgx-h100"}, {2, "late", "4x:gh200"},
            {4, "eager", "4x:gh200"},    {3, "random:3", "4x:gh200"}};
enum { RUNS = sizeof runs / sizeof *runs };

START_TEST(kernels_communicate)
{
    struct child c = child_run(
        280,
        "SIMGPU_CHECK=1 SIMGPU_TOPO=%s SIMGPU_SCHEDULE=%s mpirun -n %d "
        "%s/tests/simgpu/prog_nccl_device",
        runs[_i].machine, runs[_i].schedule, runs[_i].nranks, child_build());
    ck_assert_msg(!c.timed_out && c.status == 0 && !strstr(c.out, "FAILED") &&
                      strstr(c.out, "which add up") &&
                      strstr(c.err, "check: 0 hazards, 0 warnings"),
                  "%d ranks, %s, %s: status %d%s\n%s%s", runs[_i].nranks,
                  runs[_i].schedule, runs[_i].machine, c.status,
                  c.timed_out ? ", timed out" : "", c.out, c.err);
    child_clear(&c);
}
END_TEST

/* What kernels send over a network, with what each of it follows. */
START_TEST(the_graph_has_what_kernels_send)
{
    struct child c;
    struct graph *const g =
        recorded_run(&c,
                     "SIMGPU_TOPO=4x:gh200 mpirun -n 2 "
                     "%s/tests/simgpu/prog_nccl_device puts_with_signals "
                     "values_of_many",
                     child_build());
    FILE *const f = golden_begin();
    for (uint32_t at = 0; at < g->nnodes; at++) {
        const struct graph_view *const v = &g->nodes[at];
        if (!strstr(v->name, "gin_") && !strstr(v->name, "ncclGin"))
            continue;
        calls_print(f, g, v);
        if (v->node.latency_ps)
            fprintf(f, "  after %llu ps\n",
                    (unsigned long long)v->node.latency_ps);
    }
    golden_end(f, "tests/simgpu/graphs.txt#nccl device");
    graph_free(g);
    child_clear(&c);
}
END_TEST

START_TEST(a_machine_without_multimem_says_so)
{
    struct child c =
        child_run(60,
                  "SIMGPU_TOPO=dgx-a100 mpirun -n 2 "
                  "%s/tests/simgpu/prog_nccl_device reduces_in_the_switch",
                  child_build());
    ck_assert_int_ne(c.status, 0);
    ck_assert_msg(strstr(c.out, "FAILED a device communicator is created"),
                  "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("NCCL in kernels");
    TCase *const t = tcase_create("probes");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, kernels_communicate, 0, RUNS);
    tcase_add_test(t, the_graph_has_what_kernels_send);
    tcase_add_test(t, a_machine_without_multimem_says_so);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
