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

/* What --scaling prints of a number of ranks. */
struct scaled {
    double state, activations, ms, rate, percent;
};

static struct scaled scaled(int nranks, const char *options, int of)
{
    struct scaled s;
    char head[16];
    struct child c =
        child_run(60, "mpirun -n %d %s/solutions/lab8 --scaling --layers 4 %s",
                  nranks, child_build(), options);
    snprintf(head, sizeof head, "\n%6d ", of);
    const char *const at = strstr(c.out, head);
    ck_assert_msg(c.status == 0 && at &&
                      sscanf(at + strlen(head), "%lf %lf %lf %lf %lf", &s.state,
                             &s.activations, &s.ms, &s.rate, &s.percent) == 5,
                  "%s%s", c.out, c.err);
    child_clear(&c);
    return s;
}

/* Shares of four blocks and E, two slots, one in bf16, and E once more. */
START_TEST(a_transformer_holds_its_shares_and_two_units)
{
    const double gib = 1 << 30, c = 4096, e = 256 * c;
    const double block = 4 * c * c + 2 * c * 18432 + 2 * c;
    const double all = 4 * block + e + 8192 * c + c;
    const struct scaled s = scaled(8, "", 8);
    ck_assert_double_eq_tol(
        s.state, (16 * all / 8 + 4 * 4 * block + 2 * block + 8 * e) / gib,
        0.01);
    ck_assert_double_eq_tol(s.rate, 16384 / s.ms * 1000, s.rate / 1e3);
    ck_assert_double_eq(s.percent, 100);
}
END_TEST

START_TEST(recomputation_takes_a_third_more_time_and_less_memory)
{
    const struct scaled kept = scaled(8, "--recompute 0", 8);
    const struct scaled again = scaled(8, "--recompute 1", 8);
    ck_assert_double_gt(again.ms, 1.2 * kept.ms);
    ck_assert_double_lt(again.ms, 1.34 * kept.ms);
    ck_assert_double_lt(again.activations, kept.activations / 2);
    ck_assert_double_eq(again.state, kept.state);
}
END_TEST

START_TEST(a_step_takes_the_time_that_is_asked_for)
{
    const struct scaled s = scaled(8, "--tokens-per-s 46000", 8);
    ck_assert_double_eq_tol(s.rate, 46000, 50);
}
END_TEST

static void own_tests(TCase *t)
{
    tcase_add_test(t, a_transformer_holds_its_shares_and_two_units);
    tcase_add_test(t, recomputation_takes_a_third_more_time_and_less_memory);
    tcase_add_test(t, a_step_takes_the_time_that_is_asked_for);
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
