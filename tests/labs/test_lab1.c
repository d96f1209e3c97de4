/* Lab 1: the solution earns everything, the skeleton nothing, and each mistake
 * costs what its patch says it does. */
#define _GNU_SOURCE
#include <check.h>
#include <string.h> /* strstr */

#include "child.h"
#include "labtest.h"

START_TEST(labs_are_what_the_solutions_generate)
{
    struct child c =
        child_run(30, "%s/common/kit/skeletons.sh --check", labtest_root());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(an_unknown_case_is_a_usage_error)
{
    struct child c =
        child_run(30, "mpirun -n 1 %s/solutions/lab1 --case no", child_build());
    ck_assert_int_eq(c.status, 2);
    ck_assert_msg(strstr(c.err, "there is no case \"no\"") != NULL, "%s",
                  c.err);
    child_clear(&c);
}
END_TEST

START_TEST(one_case_runs_alone_with_another_seed)
{
    struct child c =
        child_run(30, "mpirun -n 2 %s/solutions/lab1 --case ring --seed 77",
                  child_build());
    ck_assert_msg(c.status == 0 && strstr(c.out, "seed 77") &&
                      strstr(c.out, "total 5 of 5 points"),
                  "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(a_foreign_mpirun_is_an_error)
{
    struct child c = child_run(30, "OMPI_COMM_WORLD_SIZE=4 %s/solutions/lab1",
                               child_build());
    ck_assert_int_ne(c.status, 0);
    ck_assert_msg(strstr(c.err, "belongs to another MPI") != NULL, "%s", c.err);
    child_clear(&c);
}
END_TEST

/* ---- times --------------------------------------------------------------- */

/* Jobs that the plan's timed cases need; the plan was timed under eager. */
static const struct {
    int nranks;
    const char *topo, *schedule, *options;
} jobs[] = {
    {8, "dgx-h100", "eager", ""},
    {8, "dgx-h100", "late", ""},
    {8, "dgx-h100", "random:1", ""},
    {6, "pcie-4090", "late", ""},
    {16, "2x-dgx-h100", "late", ""},
    {16, "2x-dgx-h100", "random:2", "--hidden"},
};

/* Every line of times that the program prints is in the plan's file, to the
 * last digit. */
START_TEST(times_are_the_plans_under_every_schedule)
{
    struct child want =
        child_run(10,
                  "cat %s/grader/plans/times/lab1-collectives.yaml "
                  "%s/grader/plans/hidden/times/lab1-collectives.yaml",
                  labtest_root(), labtest_root());
    struct child c =
        child_run(300,
                  "SIMGPU_TOPO=%s SIMGPU_SCHEDULE=%s mpirun -n %d "
                  "%s/solutions/lab1 --times %s",
                  jobs[_i].topo, jobs[_i].schedule, jobs[_i].nranks,
                  child_build(), jobs[_i].options);
    int lines = 0;
    char *rest;
    for (char *line = strtok_r(c.out, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest), lines++)
        ck_assert_msg(strstr(want.out, line) != NULL, "%s, %s: %s",
                      jobs[_i].topo, jobs[_i].schedule, line);
    ck_assert_msg(c.status == 0 && lines > 0, "%s", c.err);
    child_clear(&want);
    child_clear(&c);
}
END_TEST

START_TEST(only_jobs_that_are_tested_are_timed)
{
    struct child c = child_run(
        30,
        "p=%s/solutions/lab1; $p --list --times; $p --list --times --hidden",
        child_build());
    ck_assert_str_eq(c.out, "8 dgx-h100\n16 2x-dgx-h100\n6 pcie-4090\n"
                            "16 2x-dgx-h100\n");
    child_clear(&c);
}
END_TEST

/* ---- answers ------------------------------------------------------------- */

/* The solution's answers are right by the hidden plan, and a student's copy,
 * which has none, tells nothing about them. */
START_TEST(answers_are_in_the_hidden_plan_alone)
{
    struct child c = child_run(
        10,
        "cd %s && sed -n 's/^\\([a-z_A-Z]*\\) = /  \\1: /p' "
        "solutions/lab1-collectives/answers.txt | while read -r line; do "
        "grep -cF -- \"$line\" grader/plans/hidden/lab1-collectives.yaml; "
        "done",
        labtest_root());
    ck_assert_str_eq(c.out, "1\n1\n1\n1\n1\n1\n");
    child_clear(&c);
}
END_TEST

static void own_tests(TCase *t)
{
    tcase_add_loop_test(t, times_are_the_plans_under_every_schedule, 0,
                        sizeof jobs / sizeof *jobs);
    tcase_add_test(t, only_jobs_that_are_tested_are_timed);
    tcase_add_test(t, answers_are_in_the_hidden_plan_alone);
    tcase_add_test(t, labs_are_what_the_solutions_generate);
    tcase_add_test(t, an_unknown_case_is_a_usage_error);
    tcase_add_test(t, one_case_runs_alone_with_another_seed);
    tcase_add_test(t, a_foreign_mpirun_is_an_error);
}

int main(void)
{
    static const int ranks[] = {1, 2, 3, 4, 5, 6, 7, 8, 0};
    static const struct labtest lab1 = {
        .lab = "lab1-collectives", .ranks = ranks, .nmutants = 6};
    return labtest_main(&lab1, own_tests);
}
