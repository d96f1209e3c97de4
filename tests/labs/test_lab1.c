/* Lab 1: the solution earns everything, the skeleton nothing, and each mistake
 * costs what its patch says it does. */
#include <check.h>
#include <string.h> /* strstr */

#include "child.h"
#include "labtest.h"

START_TEST(labs_are_what_the_solutions_generate)
{
    struct child c =
        child_run(30, "%s/common/skeletons.sh --check", labtest_root());
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

static void own_tests(TCase *t)
{
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
