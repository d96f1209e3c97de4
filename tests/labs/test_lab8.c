/* Sharded training: the solution earns everything, the skeleton nothing, and
 * each mistake costs what its patch says it does. */
#include <check.h>
#include <stdio.h>  /* sscanf */
#include <string.h> /* strstr */

#include "child.h"
#include "labtest.h"

START_TEST(a_checkpoint_that_fails_leaves_nothing_behind)
{
    struct child c = child_run(60, "%s/tests/labs/prog_lab8", child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

/* What --costs prints of a way to train. */
struct row {
    double held, most_held, sent, most_sent, ms;
};

static struct row row_of(const char *text, const char *name)
{
    struct row r;
    const char *const at = strstr(text, name);
    ck_assert_msg(at != NULL &&
                      sscanf(at + strlen(name), "%lf %lf %lf %lf %lf", &r.held,
                             &r.most_held, &r.sent, &r.most_sent, &r.ms) == 5,
                  "no row %s in\n%s", name, text);
    return r;
}

/* Widths that can be divided by the ranks, and one that can't. */
START_TEST(costs_are_those_of_the_formulas)
{
    static const struct {
        int nranks, width;
    } runs[] = {{1, 256}, {2, 1024}, {4, 1024}, {5, 511}, {8, 1024}};
    const double unit = 4.0 * runs[_i].width * runs[_i].width / (1 << 20);
    const double n = runs[_i].nranks, once = 12 * unit * (n - 1) / n;
    struct child c = child_run(
        60, "mpirun -n %d %s/solutions/lab8 --costs --width %d --depth 12",
        runs[_i].nranks, child_build(), runs[_i].width);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    const struct row all = row_of(c.out, "data parallel"),
                     two = row_of(c.out, "ZeRO-2"),
                     three = row_of(c.out, "ZeRO-3"),
                     fsdp = row_of(c.out, "FSDP"),
                     narrow = row_of(c.out, "in bf16");
    const double zeros = 0.02; // MiB, with two digits' rounding
    ck_assert_double_eq_tol(all.held, 4 * 12 * unit, zeros);
    ck_assert_double_eq_tol(two.held, 12 * unit * (1 + 4 / n) + unit, zeros);
    ck_assert_double_eq_tol(three.held, 4 * 12 * unit / n + 2 * unit, zeros);
    ck_assert_double_eq_tol(fsdp.held, 4 * 12 * unit / n + 4 * unit, zeros);
    ck_assert_double_eq_tol(all.sent, 2 * once, zeros);
    ck_assert_double_eq_tol(two.sent, 2 * once, zeros);
    ck_assert_double_eq_tol(three.sent, (3 - 1 / 12.0) * once, zeros);
    ck_assert_double_eq_tol(fsdp.sent, (3 - 2 / 12.0) * once, zeros);
    ck_assert_double_eq_tol(narrow.held, fsdp.held + unit / 2, zeros);
    ck_assert_double_eq_tol(narrow.sent, fsdp.sent - (2 - 2 / 12.0) / 2 * once,
                            zeros);
    ck_assert(narrow.held <= narrow.most_held + zeros &&
              narrow.sent <= narrow.most_sent + zeros);
    ck_assert(fsdp.held <= fsdp.most_held && two.held <= two.most_held &&
              fsdp.sent <= fsdp.most_sent);
    ck_assert(runs[_i].width < 1024 || fsdp.ms < three.ms);
    child_clear(&c);
}
END_TEST

/* Nodes hold what their ranks would alone, and only shares leave them. */
START_TEST(hybrid_costs_are_those_of_a_node_and_shares)
{
    const double unit = 4, all = 12 * unit;
    struct child c =
        child_run(60, "mpirun -n 4 %s/solutions/lab8 --costs --per-node 2",
                  child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    const struct row hybrid = row_of(c.out, "hybrid");
    ck_assert_double_eq_tol(hybrid.held, 4 * all / 2 + 4 * unit, 0.02);
    ck_assert_double_eq_tol(hybrid.sent,
                            (3 - 2 / 12.0) * all / 2 + 2 * all / 2 / 2, 0.02);
    ck_assert(hybrid.held <= hybrid.most_held &&
              hybrid.sent <= hybrid.most_sent);
    child_clear(&c);
}
END_TEST

static void own_tests(TCase *t)
{
    tcase_add_test(t, hybrid_costs_are_those_of_a_node_and_shares);
    tcase_add_loop_test(t, costs_are_those_of_the_formulas, 0, 5);
    tcase_add_test(t, a_checkpoint_that_fails_leaves_nothing_behind);
}

int main(void)
{
    static const struct labtest lab = {.lab = "lab8-sharded-training",
                                       .nmutants = 8};
    return labtest_main(&lab, own_tests);
}
