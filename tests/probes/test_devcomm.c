/* NCCL's device API on 2 to 8 ranks, on one node and on two; each probe checks
 * itself, under every schedule. And how long it takes. */
#include <check.h>
#include <stdlib.h> /* strtod */
#include <string.h> /* strstr */

#include "child.h"
#include "probe_run.h"
#include "suite.h"

/* Programs of tests/probes, and how many probes they have. */
static const struct family {
    const char *name;
    int nprobes;
} families[] = {
    {"prog_dev_lsa", 16}, {"prog_dev_multimem", 8}, {"prog_dev_gin", 11}};
static const struct {
    int nranks;
    const char *schedule, *machine;
} runs[] = {
    {2, "eager", "dgx-h100"},    {3, "late", "dgx-h100"},
    {5, "random:1", "dgx-h100"}, {8, "late", "dgx-h100"},
    {8, "eager", "dgx-b200"},    {4, "random:2", "gh200"},
    {8, "late", "4x:gh200@ndr"}, {6, "random:3", "2x:gh200@tcpxo"},
};
enum {
    RUNS = sizeof runs / sizeof *runs,
    FAMILIES = sizeof families / sizeof *families
};

START_TEST(a_part_of_the_device_api_does_what_it_says)
{
    const struct family *const f = &families[_i / RUNS];
    const int n = runs[_i % RUNS].nranks;
    const char *const schedule = runs[_i % RUNS].schedule;
    const char *const machine = runs[_i % RUNS].machine;
    struct child c =
        child_run(120,
                  "SIMGPU_CHECK=1 SIMGPU_TOPO=%s SIMGPU_SCHEDULE=%s mpirun "
                  "-n %d %s/tests/probes/%s < /dev/null",
                  machine, schedule, n, child_build(), f->name);
    ck_assert_msg(!c.timed_out && c.status == 0 &&
                      strstr(c.err, "check: 0 hazards, 0 warnings"),
                  "%s, %d ranks, %s, %s: status %d\n%s%s", f->name, n, schedule,
                  machine, c.status, c.out, c.err);
    ck_assert_int_eq(probe_count(c.out, "pass "), f->nprobes * n);
    child_clear(&c);
}
END_TEST

START_TEST(modelled_time_does_not_depend_on_the_schedule)
{
    probe_times("SIMGPU_TOPO=4x:gh200@ndr mpirun -n 8",
                "probes/prog_dev_gin all_to_all_by_puts "
                "all_to_all_by_stores_and_puts counters_free_the_source",
                "ncclGin::put");
}
END_TEST

/* Microseconds of prog_dev_time by a way of moving bytes. */
static double us_of(const char *way, const char *machine, int nranks, int MiB)
{
    struct child c = child_run(
        120, "SIMGPU_TOPO=%s mpirun -n %d %s/tests/probes/prog_dev_time %d",
        machine, nranks, child_build(), MiB);
    const char *const at = strstr(c.out, way);
    ck_assert_msg(c.status == 0 && at, "%s, %s: status %d\n%s%s", machine, way,
                  c.status, c.out, c.err);
    const double us = strtod(at + strlen(way), NULL);
    child_clear(&c);
    return us;
}

/* GB/s of 3 MiB beyond the first. */
static double rate(const char *way, const char *machine, int nranks)
{
    const double us =
        us_of(way, machine, nranks, 4) - us_of(way, machine, nranks, 1);
    return 3 * 1048576 / us / 1000;
}

/* Each GPU sends and receives S (1 + 1/n), as in an NVLS all-reduce. */
START_TEST(the_switch_reduces_at_the_rate_of_nvls)
{
    static const struct {
        const char *machine;
        int nranks;
        double port_GBps; // common/topo/arch.c: links, and NVLS's share of them
    } at[] = {{"dgx-h100", 8, 18 * 21.1 * .81},
              {"dgx-h100", 4, 18 * 21.1 * .81},
              {"dgx-b200", 8, 18 * 42 * .81}};
    const double want = at[_i].port_GBps / (1 + 1. / at[_i].nranks);
    const double got = rate("switch ", at[_i].machine, at[_i].nranks);
    ck_assert_msg(got > .98 * want && got < 1.02 * want,
                  "%s, %d ranks: %g GB/s, not %g", at[_i].machine,
                  at[_i].nranks, got, want);
}
END_TEST

/* By loads and stores each GPU sends, and receives, 2 S (n - 1) / n. */
START_TEST(loads_and_stores_take_all_the_bytes_over_the_link)
{
    const double want = 18 * 21.1 * .66 / (2 * 7. / 8);
    const double got = rate("loads ", "dgx-h100", 8);
    ck_assert_msg(got > .97 * want && got < 1.03 * want, "%g GB/s, not %g", got,
                  want);
}
END_TEST

/* Even inside a node, bytes go through the NICs: at the rate of `commgraph
 * speeds` from node to node. Each rank puts to the next, so that between two
 * nodes as many bytes reach a NIC as within one. */
START_TEST(puts_have_the_speed_of_the_network)
{
    static const struct {
        const char *machine;
        int nranks;
        double GBps;
    } at[] = {{"dgx-h100", 4, 48.5},         {"gh200", 4, 23.8},
              {"gh200@ndr", 4, 25},          {"gh200@efa", 4, 25},
              {"gh200@roce", 4, 23.8},       {"gh200@tcpxo", 4, 23.5},
              {"2x:dgx-h100@ndr", 16, 48.5}, {"2x:gh200@ndr", 8, 25}};
    const double got = rate("put ", at[_i].machine, at[_i].nranks);
    ck_assert_msg(got > .98 * at[_i].GBps && got < 1.02 * at[_i].GBps,
                  "%s: %g GB/s, not %g", at[_i].machine, got, at[_i].GBps);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("devcomm");
    TCase *const t = tcase_create("probes");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, a_part_of_the_device_api_does_what_it_says, 0,
                        FAMILIES * RUNS);
    tcase_add_test(t, modelled_time_does_not_depend_on_the_schedule);
    tcase_add_loop_test(t, the_switch_reduces_at_the_rate_of_nvls, 0, 3);
    tcase_add_test(t, loads_and_stores_take_all_the_bytes_over_the_link);
    tcase_add_loop_test(t, puts_have_the_speed_of_the_network, 0, 8);
    suite_add_tcase(s, t);
    return suite_run(s);
}
