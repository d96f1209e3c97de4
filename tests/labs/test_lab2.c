/* Lab 2: what all labs have to show; training on a file gives the same losses
 * on any number of ranks; its commands measure what the handout says. */
#include <check.h>
#include <stdio.h>  /* sscanf */
#include <stdlib.h> /* strtod */
#include <string.h> /* strstr */

#include "child.h"
#include "labtest.h"

/* Losses that a training run printed. */
static int losses(const char *out, double *loss, int most)
{
    int n = 0;
    for (const char *at = out; n < most && (at = strstr(at, "loss ")); n++)
        loss[n] = strtod(at += 5, NULL);
    return n;
}

static struct child train(int nranks)
{
    struct child c = child_run(120,
                               "mpirun -n %d %s/solutions/lab2 --train --data "
                               "%s/common/topo/FORMAT.md --steps 20 --batch 24",
                               nranks, child_build(), labtest_root());
    ck_assert_msg(c.status == 0, "%d ranks: %s%s", nranks, c.out, c.err);
    return c;
}

START_TEST(a_file_is_learnt_alike_on_any_number_of_ranks)
{
    enum { MOST = 16 };
    double one[MOST], many[MOST];
    struct child c = train(1);
    const int n = losses(c.out, one, MOST);
    child_clear(&c);
    ck_assert_int_ge(n, 10);
    ck_assert_msg(one[n - 1] < one[0] - 1, "the loss goes from %g to %g only",
                  one[0], one[n - 1]);
    c = train(3);
    ck_assert_int_eq(losses(c.out, many, MOST), n);
    for (int i = 0; i < n; i++)
        ck_assert_double_eq_tol(one[i], many[i], 0.0021);
    child_clear(&c);
}
END_TEST

static const char *const wrong_usage[] = {
    "--train --data common/topo/FORMAT.md --batch 7",
    "--compare --tensor-mb 0",
    "--bucket-sweep --mb x",
};

START_TEST(wrong_usage_is_said_once)
{
    struct child c = child_run(60, "cd %s; mpirun -n 2 %s/solutions/lab2 %s",
                               labtest_root(), child_build(), wrong_usage[_i]);
    ck_assert_int_eq(c.status, 2);
    ck_assert_msg(c.err[0], "%s said nothing", wrong_usage[_i]);
    child_clear(&c);
}
END_TEST

START_TEST(a_bucket_sweep_checks_every_result)
{
    struct child c =
        child_run(120, "mpirun -n 2 %s/solutions/lab2 --bucket-sweep --mb 1",
                  child_build());
    ck_assert_msg(c.status == 0 && strstr(c.out, "32 all-reduces") &&
                      strstr(c.out, "1 all-reduce\n") &&
                      strstr(c.out, "bfloat16") &&
                      strstr(c.out, "# Out of bounds values : 0 OK"),
                  "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

/* How many times faster the better way of each pair is. */
START_TEST(each_way_that_should_be_faster_is)
{
    struct child c =
        child_run(240, "mpirun -n 8 %s/solutions/lab2 --compare --tensor-mb 1",
                  child_build());
    int pairs = 0;
    for (const char *at = c.out; (at = strstr(at, " times faster")); pairs++) {
        const char *begin = at;
        while (begin > c.out && begin[-1] != ' ')
            begin--;
        ck_assert_msg(strtod(begin, NULL) > 1.5, "%s", c.out);
        at++;
    }
    ck_assert_msg(c.status == 0 && pairs == 3, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

static void own_tests(TCase *t)
{
    tcase_add_test(t, a_file_is_learnt_alike_on_any_number_of_ranks);
    tcase_add_loop_test(t, wrong_usage_is_said_once, 0,
                        sizeof wrong_usage / sizeof *wrong_usage);
    tcase_add_test(t, a_bucket_sweep_checks_every_result);
    tcase_add_test(t, each_way_that_should_be_faster_is);
}

int main(void)
{
    static const struct labtest lab2 = {.lab = "lab2-gradient-sync",
                                        .nmutants = 8};
    return labtest_main(&lab2, own_tests);
}
