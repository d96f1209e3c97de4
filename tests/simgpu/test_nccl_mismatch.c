/* What is reported of ranks that call NCCL differently, or not at all, to the
 * letter. */
#include <check.h>

#include "child.h"
#include "golden.h"
#include "suite.h"

#define GOLDEN "tests/simgpu/nccl_mismatch.txt"
/* Run way $1 of the program. Which worker reports it, and lines of the kit's
 * programs, are left out, and what other threads wait for. */
#define RUN                                                                    \
    "run() { %s/tests/simgpu/prog_nccl32_mismatch $1 2>&1 | "                  \
    "sed 's/\\.c:[0-9]*/.c/g; /(host)/d'; }\n"

START_TEST(differences_are_reported)
{
    struct child c = child_run(
        120,
        RUN "for i in $(seq 0 $(($(run count) - 1)))\n"
            "do [ $i -lt 12 ] || export SIMGPU_HANG_SEC=0.3 # they are hangs\n"
            "echo \"way $i\"; run $i; done",
        child_build());
    golden_expect_part(GOLDEN, "ways", c.out);
    child_clear(&c);
}
END_TEST

START_TEST(types_and_operations_have_names)
{
    struct child c = child_run(120,
                               RUN "for w in 1 2 3 4 5; do WAY=$w run 1; done\n"
                                   "WAY=1 run 2",
                               child_build());
    golden_expect_part(GOLDEN, "names", c.out);
    child_clear(&c);
}
END_TEST

START_TEST(a_peer_that_aborts_ends_calls)
{
    struct child c =
        child_run(60, "%s/tests/simgpu/prog_nccl32_abort", child_build());
    ck_assert_msg(c.status == 0, "status %d: %s%s", c.status, c.out, c.err);
    golden_expect_part(GOLDEN, "aborts", c.out);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("calls of NCCL that differ");
    TCase *const t = tcase_create("mismatch");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, differences_are_reported);
    tcase_add_test(t, types_and_operations_have_names);
    tcase_add_test(t, a_peer_that_aborts_ends_calls);
    suite_add_tcase(s, t);
    return suite_run(s);
}
