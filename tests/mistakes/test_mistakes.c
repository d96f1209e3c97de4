/*
 * What students see when they make a typical mistake: each patch is a lab's
 * solution with one mistake, followed by what `make labN && mpirun` and `make
 * grade-labN` print of it (mistake.sh).
 */
#include <check.h>
#include <glob.h>
#include <stdio.h>  /* snprintf */
#include <string.h> /* strstr */

#include "child.h"
#include "golden.h"
#include "labtest.h" /* labtest_root */
#include "suite.h"

enum { LEAST = 40, MISTAKE_SEC = 300 };

static glob_t mistakes; /* patches */

static void list_mistakes(void)
{
    char pattern[4200];
    snprintf(pattern, sizeof pattern, "%s/tests/mistakes/*.patch",
             labtest_root());
    glob(pattern, 0, NULL, &mistakes);
}

START_TEST(there_are_many_mistakes)
{
    ck_assert_uint_ge(mistakes.gl_pathc, LEAST);
}
END_TEST

START_TEST(a_mistake_is_explained)
{
    const char *const patch = mistakes.gl_pathv[_i];
    struct child c =
        child_run(MISTAKE_SEC, "%s/tests/mistakes/mistake.sh %s %s",
                  labtest_root(), patch, child_build());
    ck_assert_msg(c.status == 0 && !c.timed_out, "%s: %s%s", patch, c.out,
                  c.err);
    ck_assert_msg(strstr(c.out, " FAIL ") || strstr(c.out, "does not compile"),
                  "%s: nothing finds it:\n%s", patch, c.out);
    golden_expect_part(patch, "what the student sees", c.out);
    child_clear(&c);
}
END_TEST

int main(void)
{
    list_mistakes();
    Suite *const s = suite_create("mistakes");
    TCase *const t = tcase_create("mistakes");
    tcase_set_timeout(t, 400);
    tcase_add_test(t, there_are_many_mistakes);
    tcase_add_loop_test(t, a_mistake_is_explained, 0, (int)mistakes.gl_pathc);
    suite_add_tcase(s, t);
    return suite_run(s);
}
