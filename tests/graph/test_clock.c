/*
 * The clock of a running program: its times are consistent.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "suite.h"
#include "topo/topo.h"

/* The lines of a run, in an order independent of which rank printed first. */
static struct child clock_run(int nranks, const char *prefix)
{
    return child_run(120,
                     "f=$(mktemp); %s mpirun -n %d %s/tests/graph/prog_clock > "
                     "$f; s=$?; sort -s -k2,2n $f; rm -f $f; exit $s",
                     prefix, nranks, child_build());
}

/* The value of the n-th line of rank 0 that begins with `what`. */
static double figure(const char *out, const char *what, int n)
{
    char key[64];
    snprintf(key, sizeof key, "rank 0 %s ", what);
    const char *at = strstr(out, key);
    for (; at && n > 0; n--)
        at = strstr(at + 1, key);
    ck_assert_msg(at != NULL, "no '%s' in\n%s", key, out);
    return strtod(at + strlen(key), NULL);
}

START_TEST(figures_agree_with_each_other)
{
    struct child c = clock_run(2, "");
    ck_assert_msg(c.status == 0, "%s", c.err);
    for (int i = 0; i < 4; i++) {
        ck_assert_double_gt(figure(c.out, "copy", i), 0);
        ck_assert_double_gt(figure(c.out, "all", i), figure(c.out, "copy", i));
        ck_assert_double_gt(figure(c.out, "joined", i),
                            figure(c.out, "under-way", i));
    }
    // The same work takes as long before a barrier as after it.
    ck_assert_double_eq_tol(figure(c.out, "before", 0),
                            figure(c.out, "after", 0), 1e-6);
    ck_assert_double_gt(figure(c.out, "across", 0), 0);
    ck_assert_double_eq_tol(figure(c.out, "backwards", 0),
                            -(figure(c.out, "before", 0) +
                              figure(c.out, "across", 0) +
                              figure(c.out, "after", 0)),
                            1e-6);
    ck_assert_double_ge(figure(c.out, "waited", 0),
                        figure(c.out, "message", 0) + 1e-4);
    ck_assert_double_gt(figure(c.out, "polled-event", 0),
                        figure(c.out, "waited", 0));
    ck_assert_double_gt(figure(c.out, "polled-stream", 0),
                        figure(c.out, "polled-event", 0));
    ck_assert_ptr_null(strstr(c.out, "went back"));
    child_clear(&c);
}
END_TEST

/* Calls of a group are collected, and launched once, at its end. */
START_TEST(a_group_costs_the_host_one_launch)
{
    char err[200];
    struct topo *const topo = topo_load("dgx-h100", err, sizeof err);
    ck_assert_msg(topo != NULL, "%s", err);
    const double launch_sec = (double)topo_costs(topo)->launch_host_ps * 1e-12;
    const double api_sec = (double)topo_costs(topo)->api_host_ps * 1e-12;
    struct child c = clock_run(2, "");
    ck_assert_msg(c.status == 0, "%s", c.err);
    // Querying the time is a call, too.
    ck_assert_double_eq_tol(figure(c.out, "group-of-1", 0),
                            launch_sec + api_sec, 1e-12);
    ck_assert_double_eq_tol(figure(c.out, "group-of-5", 0),
                            launch_sec + 5 * api_sec, 1e-12);
    child_clear(&c);
    topo_free(topo);
}
END_TEST

START_TEST(an_unknown_algorithm_is_refused)
{
    struct child c = clock_run(1, "env NCCL_DEBUG=WARN NCCL_ALGO=RINGS");
    ck_assert_int_ne(c.status, 0);
    ck_assert_msg(
        strstr(c.out, "NCCL_ALGO: Unrecognized element token \"RINGS\"") !=
            NULL,
        "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(the_algorithm_that_is_asked_for_changes_the_times)
{
    struct child a = clock_run(2, "env NCCL_ALGO=RING NCCL_PROTO=SIMPLE");
    struct child b = clock_run(2, "env NCCL_ALGO=TREE NCCL_PROTO=LL");
    ck_assert_msg(a.status == 0 && b.status == 0, "%s%s", a.err, b.err);
    ck_assert_str_ne(a.out, b.out);
    child_clear(&a);
    child_clear(&b);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("clock");
    TCase *const t = tcase_create("clock");
    tcase_add_test(t, figures_agree_with_each_other);
    tcase_add_test(t, a_group_costs_the_host_one_launch);
    tcase_add_test(t, an_unknown_algorithm_is_refused);
    tcase_add_test(t, the_algorithm_that_is_asked_for_changes_the_times);
    tcase_set_timeout(t, 900);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
