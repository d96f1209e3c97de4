/* Sharded training: the solution earns everything, the skeleton nothing, and
 * each mistake costs what its patch says it does. */
#include <check.h>

#include "child.h"
#include "labtest.h"

START_TEST(a_checkpoint_that_fails_leaves_nothing_behind)
{
    struct child c = child_run(60, "%s/tests/labs/prog_lab8", child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

static void own_tests(TCase *t)
{
    tcase_add_test(t, a_checkpoint_that_fails_leaves_nothing_behind);
}

int main(void)
{
    static const struct labtest lab = {.lab = "lab8-sharded-training",
                                       .nmutants = 8};
    return labtest_main(&lab, own_tests);
}
