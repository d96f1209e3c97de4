/* What calls of the runtime return and say, right and wrong ones: values.txt
 * has the lines that the parts of the programs print. */
#include <check.h>
#include <string.h>

#include "cases.h"
#include "child.h"
#include "suite.h"

static struct cases cases;

START_TEST(calls_return_what_they_should)
{
    const struct test_case *const t = &cases.at[_i];
    struct child c = child_run(30, "%s/tests/runtime/%.*s %s", child_build(),
                               (int)strcspn(t->input, "\n"), t->input, t->name);
    ck_assert_msg(c.status == 0, "%s: status %d: %s", t->name, c.status, c.err);
    cases_same_words(t, c.out);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("runtime");
    TCase *const t = tcase_create("runtime");
    cases_add(&cases, "tests/runtime/values.txt");
    tcase_add_loop_test(t, calls_return_what_they_should, 0, cases.n);
    suite_add_tcase(s, t);
    return suite_run(s);
}
