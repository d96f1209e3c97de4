/*
 * Shuffles from lanes that take no part: what they read is undefined on a GPU,
 * and with SIMGPU_CHECK=1 no number that a program could take for right.
 */
#include <check.h>

#include "child.h"
#include "suite.h"

START_TEST(a_checked_program_gets_no_plausible_value)
{
    struct child c = child_run(
        60, "SIMGPU_CHECK=1 %s/tests/simgpu/prog_shuffle", child_build());
    ck_assert_int_eq(c.status, 0);
    ck_assert_str_eq(c.out,
                     "ended: lane 3 got 7, lane 7 b, lane 17 cbcbcbcb\n"
                     "apart: lane 3 got 13, lane 7 cbcbcbcb, lane 17 1\n");
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("shuffle");
    TCase *const t = tcase_create("shuffle");
    tcase_add_test(t, a_checked_program_gets_no_plausible_value);
    tcase_set_timeout(t, 120);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
