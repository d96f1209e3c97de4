/*
 * What students see when they make a typical mistake: each patch of LAB.patch
 * is the lab's solution with one mistake, and LAB.txt has what `make labN &&
 * mpirun` and `make grade-labN` print of it (mistake.sh).
 */
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strstr */

#include "child.h"
#include "golden.h"
#include "labtest.h" /* labtest_root */
#include "mutant.h"
#include "suite.h"

enum { LEAST = 40, MISTAKE_SEC = 300 };

static const char *mistakes[MUTANT_MAX]; /* "FILE NAME" */
static int nmistakes;

START_TEST(there_are_many_mistakes)
{
    ck_assert_int_ge(nmistakes, LEAST);
}
END_TEST

START_TEST(a_mistake_is_explained)
{
    const char *const patch = mistakes[_i];
    char text[4200];
    struct child c =
        child_run(MISTAKE_SEC, "%s/tests/mistakes/mistake.sh %s %s",
                  labtest_root(), patch, child_build());
    ck_assert_msg(c.status == 0 && !c.timed_out, "%s: %s%s", patch, c.out,
                  c.err);
    ck_assert_msg(strstr(c.out, " FAIL ") || strstr(c.out, "does not compile"),
                  "%s: nothing finds it:\n%s", patch, c.out);
    char *const lab = mutant_lab(patch);
    snprintf(text, sizeof text, "%s/tests/mistakes/%s.txt", labtest_root(),
             lab);
    free(lab);
    golden_expect_part(text, strchr(patch, ' ') + 1, c.out);
    child_clear(&c);
}
END_TEST

int main(void)
{
    nmistakes = mutant_find("mistakes", "*", mistakes);
    Suite *const s = suite_create("mistakes");
    TCase *const t = tcase_create("mistakes");
    tcase_set_timeout(t, 400);
    tcase_add_test(t, there_are_many_mistakes);
    tcase_add_loop_test(t, a_mistake_is_explained, 0, nmistakes);
    suite_add_tcase(s, t);
    return suite_run(s);
}
