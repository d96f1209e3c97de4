/* cuRAND's numbers in kernels are those of cuRAND: numbers.txt is what its own
 * header gives on the host (tests/real-libraries.sh holds it true). */
#include <check.h>

#include "child.h"
#include "suite.h"

START_TEST(numbers_are_those_of_curand)
{
    struct child c = child_run(60,
                               "SIMGPU_CHECK=1 %s/tests/curand/prog_curand | "
                               "diff - tests/curand/numbers.txt",
                               child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("curand");
    TCase *const t = tcase_create("curand");
    tcase_set_timeout(t, 600);
    tcase_add_test(t, numbers_are_those_of_curand);
    suite_add_tcase(s, t);
    return suite_run(s);
}
