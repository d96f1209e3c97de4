/*
 * A student's copy of the kit has no right answers: both `mpirun build/labN`
 * and `make grade-labN` leave answered questions out of the total, and print
 * the same one.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "child.h"
#include "suite.h"

/* Make a kit without hidden plans in $dir, whose grader works on its own
 * path. */
static const char make_kit[] =
    "dir=$(mktemp -d \"${TMPDIR:-/tmp}/commlab-totals-XXXXXX\")\n"
    "trap 'rm -rf \"$dir\"' EXIT\n"
    "build=%s; root=$(dirname \"$build\"); cd \"$dir\" || exit 1\n"
    "mkdir -p build grader/plans\n"
    "ln -s \"$build\"/* build && rm build/grade\n"
    "cp \"$build/grade\" build\n"
    "ln -s \"$root/common\" \"$root/solutions\" \"$root/labs\" .\n"
    "cp -r \"$root\"/grader/plans/*.yaml \"$root/grader/plans/times\" "
    "grader/plans\n"
    "cp -r \"$root/solutions/lab0-first-steps\" own\n"
    "%s\n";

/* The end of a table, from its total on. */
static const char *total_of(const struct child *c)
{
    const char *const total = strstr(c->out, "\ntotal ");
    ck_assert_msg(total != NULL, "no total: \n%s%s", c->out, c->err);
    return total;
}

static const struct {
    const char *edit, *total;
} submissions[] = {
    {":", "\ntotal 3 of 3 points\nwithout 2 answered questions, which the "
          "course's grader judges\n"},
    // a question that is not answered counts
    {"sed -i '/^last_kernel_us *=/d' own/answers.txt",
     "\ntotal 3 of 5 points\nwithout 1 answered question, which the course's "
     "grader judges\n"},
};

START_TEST(answered_questions_are_left_out_of_both_totals)
{
    char script[1024];
    snprintf(script, sizeof script,
             "%s\nbuild/grade run --lab lab0 --case "
             "ring-small,host-returns,last-kernel own",
             submissions[_i].edit);
    struct child graded = child_run(300, make_kit, child_build(), script);
    snprintf(script, sizeof script,
             "%s\nCOMMLAB_ANSWERS=own/answers.txt mpirun -n 4 "
             "build/solutions/lab0 --case ring-small,host-returns,last-kernel",
             submissions[_i].edit);
    struct child run = child_run(300, make_kit, child_build(), script);
    ck_assert_str_eq(total_of(&graded), submissions[_i].total);
    ck_assert_str_eq(total_of(&run), submissions[_i].total);
    child_clear(&graded);
    child_clear(&run);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("totals");
    TCase *const t = tcase_create("totals");
    tcase_set_timeout(t, 600);
    SUITE_LOOP(t, answered_questions_are_left_out_of_both_totals, submissions);
    suite_add_tcase(s, t);
    return suite_run(s);
}
