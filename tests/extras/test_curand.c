/* cuRAND's numbers in kernels are those of cuRAND: numbers.txt is what its own
 * header gives on the host, and host.txt what its library's generators on the
 * host give (tests/real-libraries.sh holds them true). */
#include <check.h>
#include <string.h> /* strstr */

#include "child.h"
#include "golden.h"
#include "suite.h"

START_TEST(numbers_are_those_of_curand)
{
    struct child c = child_run(60,
                               "SIMGPU_CHECK=1 %s/tests/extras/prog_curand | "
                               "diff - tests/extras/curand_numbers.txt",
                               child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(generators_of_host_code_give_the_numbers_of_curand)
{
    static const char *const where[] = {"", "device"};
    struct child c =
        child_run(120,
                  "SIMGPU_CHECK=1 %s/tests/extras/prog_curand_host %s | "
                  "diff - tests/extras/curand_host.txt",
                  child_build(), where[_i]);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(each_call_says_what_is_wrong)
{
    struct child c =
        child_run(60, "%s/tests/extras/prog_curand_calls", child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    golden_expect("tests/extras/curand_calls.txt", c.out);
    child_clear(&c);
}
END_TEST

START_TEST(a_generator_that_is_not_here_and_host_memory_are_named)
{
    static const struct {
        const char *argument, *says;
        int status;
    } runs[] = {
        {"sobol", "prog_curand_misuse.c:19: simgpu has no generator 201", 0},
        {"pageable", "prog_curand_misuse.c:24: the output is 0x", 70},
        {"short",
         "prog_curand_misuse.c:26: the output needs 4096 bytes, but starts at "
         "byte 0 of",
         70},
    };
    struct child c = child_run(60, "%s/tests/extras/prog_curand_misuse %s",
                               child_build(), runs[_i].argument);
    ck_assert_msg(c.status == runs[_i].status && strstr(c.err, runs[_i].says),
                  "status %d\n%s%s", c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("curand");
    TCase *const t = tcase_create("curand");
    tcase_set_timeout(t, 600);
    tcase_add_test(t, each_call_says_what_is_wrong);
    tcase_add_test(t, numbers_are_those_of_curand);
    tcase_add_loop_test(t, generators_of_host_code_give_the_numbers_of_curand,
                        0, 2);
    tcase_add_loop_test(
        t, a_generator_that_is_not_here_and_host_memory_are_named, 0, 3);
    suite_add_tcase(s, t);
    return suite_run(s);
}
