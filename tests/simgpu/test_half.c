/*
 * The small floats have the same bits as CUDA's: prog_half's checksums over all
 * their values are those it prints when compiled with CUDA 13.0's headers.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "suite.h"

static const char *const sums[] = {
    "f9189238fd288ae1 half: one value",
    "a0aa7cf2a34c17e1 bfloat16: one value",
    "c5045572450c5599 half: two values",
    "647af675d4d9ce3f bfloat16: two values",
    "5df704e034fcfd6d float to half",
    "3882fa90ea4e476d float to bfloat16",
    "0d4de90fa4821b65 double to both",
    "c0d0dafe28fce775 float to fp8",
    "e43badc04bdf9325 fp8",
};
enum { SUMS = sizeof sums / sizeof *sums };

static struct child c;

static void setup(void)
{
    c = child_run(120, "%s/tests/simgpu/prog_half", child_build());
}

static void teardown(void)
{
    child_clear(&c);
}

START_TEST(all_values_give_cudas_bits)
{
    ck_assert_msg(strstr(c.out, sums[_i]) != NULL, "%s is not in:\n%s",
                  sums[_i], c.out);
}
END_TEST

START_TEST(the_types_keep_their_rules)
{
    ck_assert_msg(c.status == 0 && !strstr(c.out, "FAILED") &&
                      strstr(c.out, "ok    "),
                  "%s%s", c.out, c.err);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("half");
    TCase *const t = tcase_create("half");
    tcase_set_timeout(t, 150);
    tcase_add_unchecked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, all_values_give_cudas_bits, 0, SUMS);
    tcase_add_test(t, the_types_keep_their_rules);
    suite_add_tcase(s, t);
    return suite_run(s);
}
