/* Lab 1: the solution earns everything, the skeleton nothing, and each mistake
 * costs what its patch says it does. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* strtod */
#include <string.h> /* strstr */

#include "child.h"
#include "judge/plan.h"
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

/* Its nodes are not the machine's, whose ports then carry what they carry. */
START_TEST(nodes_of_a_case_may_be_others_than_the_machines)
{
    struct child c = child_run(120,
                               "SIMGPU_TOPO=2x-dgx-h100 mpirun -n 16 "
                               "%s/solutions/lab1 --case hierarchical",
                               child_build());
    ck_assert_msg(strstr(c.out, "total 1 of 1 points") != NULL, "%s%s", c.out,
                  c.err);
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

enum { MACHINES = 5 }; /* that may be measured */

/* Set the plan's student to one who was drawn this choice of a number. */
static void find_student(struct plan *p, const char *name, int choice)
{
    const int at = (int)(numbers_find(&p->numbers, name) - p->numbers.of);
    char student[16];
    int i = 0;
    do {
        snprintf(student, sizeof student, "s%d", i++);
        plan_draw(p, student);
    } while (p->draw.choice[at] != choice);
}

static double number_of(const struct plan *p, const char *name)
{
    const struct number *const n = numbers_find(&p->numbers, name);
    return strtod(n->choice[p->draw.choice[n - p->numbers.of]], NULL);
}

static double right_answer(const struct plan *p, const char *name)
{
    return plan_find(p, name)->right;
}

/* What the solution measures on a machine is the answer of its students. */
START_TEST(measured_answers_are_what_the_solution_measures)
{
    struct plan *const p = labtest_plan("lab1-collectives");
    const struct number *const machine = numbers_find(&p->numbers, "machine");
    ck_assert_int_eq(machine->nchoices, MACHINES);
    find_student(p, "machine", _i);
    struct child c =
        child_run(120, "SIMGPU_TOPO=%s mpirun -n 8 %s/solutions/lab1 --sums",
                  machine->choice[_i], child_build());
    const char *const alpha = strstr(c.out, "fit: alpha"), *const beta = strstr(
                                                               c.out, "beta");
    ck_assert_msg(alpha && beta, "%s%s", c.out, c.err);
    ck_assert_double_eq(strtod(alpha + strlen("fit: alpha"), NULL),
                        right_answer(p, "answer-alpha"));
    ck_assert_double_eq(strtod(beta + strlen("beta"), NULL),
                        right_answer(p, "answer-beta"));
    plan_free(p);
    child_clear(&c);
}
END_TEST

/* Exactly one of the four claims is impossible. */
START_TEST(each_student_has_one_impossible_claim)
{
    struct plan *const p = labtest_plan("lab1-collectives");
    int seen[5] = {0};
    for (int i = 0; i < numbers_find(&p->numbers, "claim_1_ms")->nchoices;
         i++) {
        find_student(p, "claim_1_ms", i);
        const double t1 = number_of(p, "claim_1_ms"),
                     t2 = number_of(p, "claim_2_ms"),
                     t3 = number_of(p, "claim_3_ms"),
                     t4 = number_of(p, "claim_4_us");
        const int claim = (int)right_answer(p, "answer-impossible");
        const double busy[] = {875 / t1 / 450, 1875 / t2 / 300, 100 / t3 / 450,
                               17500 / t4 / 450};
        for (int k = 0; k < 4; k++) // far from the limit, either way
            ck_assert(k + 1 == claim ? busy[k] > 1.05 : busy[k] < 0.95);
        seen[claim]++;
    }
    for (int k = 1; k <= 4; k++)
        ck_assert_int_eq(seen[k], 2);
    plan_free(p);
}
END_TEST

static void own_tests(TCase *t)
{
    tcase_add_loop_test(t, times_are_the_plans_under_every_schedule, 0,
                        sizeof jobs / sizeof *jobs);
    tcase_add_test(t, only_jobs_that_are_tested_are_timed);
    tcase_add_loop_test(t, measured_answers_are_what_the_solution_measures, 0,
                        MACHINES);
    tcase_add_test(t, each_student_has_one_impossible_claim);
    tcase_add_test(t, labs_are_what_the_solutions_generate);
    tcase_add_test(t, an_unknown_case_is_a_usage_error);
    tcase_add_test(t, one_case_runs_alone_with_another_seed);
    tcase_add_test(t, nodes_of_a_case_may_be_others_than_the_machines);
    tcase_add_test(t, a_foreign_mpirun_is_an_error);
}

int main(void)
{
    static const int ranks[] = {1, 2, 3, 4, 5, 6, 7, 8, 0};
    static const struct labtest lab1 = {
        .lab = "lab1-collectives", .ranks = ranks, .nmutants = 6};
    return labtest_main(&lab1, own_tests);
}
