/* Copies between devices: direct with peer access, else through the host. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "suite.h"

static const struct {
    const char *machine;
    int from, to;
    double off, on; /* GB/s as measured on such machines */
} pairs[] = {
    {"a100-cubemesh", 0, 1, 9.5, 93.6}, {"a100-cubemesh", 0, 4, 9.5, 46.8},
    {"a100-cubemesh", 0, 2, 10.8, 7.5}, // across sockets, staging is faster
    {"dgx-h100", 3, 5, 37.5, 379.8},    {"pcie-4090", 0, 1, 19.5, 25.5},
};

static double figure(const char *out, const char *what)
{
    const char *const at = strstr(out, what);
    ck_assert_msg(at != NULL, "no '%s' in\n%s", what, out);
    return strtod(at + strlen(what), NULL);
}

START_TEST(copies_go_straight_only_while_peer_access_is_enabled)
{
    struct child c = child_run(60,
                               "SIMGPU_TOPO=%s %s/tests/simgpu/prog_peers "
                               "%d %d",
                               pairs[_i].machine, child_build(), pairs[_i].from,
                               pairs[_i].to);
    ck_assert_msg(c.status == 0, "status %d: %s", c.status, c.err);
    // 16 MiB: the latency is up to a twentieth of the time
    const double on = pairs[_i].on, off = pairs[_i].off;
    ck_assert_double_eq_tol(figure(c.out, "before "), off, .05 * off);
    ck_assert_double_eq_tol(figure(c.out, "enabled "), on, .1 * on);
    ck_assert_double_eq_tol(figure(c.out, "back "), on, .1 * on);
    ck_assert_double_eq_tol(figure(c.out, "after "), off, .05 * off);
    child_clear(&c);
}
END_TEST

START_TEST(enabling_what_cannot_be_is_an_error)
{
    struct child c = child_run(
        60, "SIMGPU_TOPO=dgx-1v %s/tests/simgpu/prog_peers 0 4", child_build());
    ck_assert_int_ne(c.status, 0);
    ck_assert_msg(strstr(c.err, "peer access is not supported") != NULL, "%s",
                  c.err);
    child_clear(&c);
}
END_TEST

/* Under SIMGPU_CHECK=1 the failure is explained. */
START_TEST(ranks_of_two_nodes_are_no_peers)
{
    struct child c = child_run(60,
                               "SIMGPU_CHECK=1 SIMGPU_TOPO=2x:gh200@ndr mpirun "
                               "-n 8 %s/tests/simgpu/prog_nodes",
                               child_build());
    ck_assert_msg(!strstr(c.out, "FAILED") &&
                      strstr(c.out, "but only those of a node for peers") &&
                      strstr(c.out, "memory of another node doesn't open"),
                  "%s%s", c.out, c.err);
    ck_assert_msg(strstr(c.err, "between nodes: cudaIpcOpenMemHandle at "
                                "prog_nodes.cpp:58 opens a handle of rank 0, "
                                "which is on node 0, and this rank on node 1."),
                  "%s", c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    TCase *const tc = tcase_create("peers");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc,
                        copies_go_straight_only_while_peer_access_is_enabled, 0,
                        sizeof pairs / sizeof *pairs);
    tcase_add_test(tc, enabling_what_cannot_be_is_an_error);
    tcase_add_test(tc, ranks_of_two_nodes_are_no_peers);
    Suite *const s = suite_create("simgpu: peers");
    suite_add_tcase(s, tc);
    return suite_run(s);
}
