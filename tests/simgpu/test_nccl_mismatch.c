/* What is reported of ranks that call NCCL differently, or not at all, to the
 * letter. */
#include <check.h>
#include <string.h>

#include "child.h"
#include "golden.h"
#include "suite.h"

#define GOLDEN "tests/simgpu/messages.txt#nccl mismatch"
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

static const struct {
    const char *name, *says; /* NULL: not accused */
} ignored[] = {
    {"call", "ncclBroadcast at prog_nccl32_ignored.c:25 returned "
             "ncclInvalidArgument, and the program did not look; 1 later call "
             "failed"},
    {"call-seen", NULL},
    {"asked", NULL},
    {"group", "ncclBroadcast at prog_nccl32_ignored.c:44 returned "
              "ncclInvalidArgument, and the program did not look\n"},
    {"group-seen", NULL},
    {"call-in-group-seen", NULL},
    {"end-of-group", "ncclGroupEnd at prog_nccl32_ignored.c:68 returned "
                     "ncclInvalidUsage, and the program did not look\n"},
    {"destroyed", NULL},
};

START_TEST(ignored_failures_are_counted)
{
    struct child c =
        child_run(60, "SIMGPU_CHECK=1 %s/tests/simgpu/prog_nccl32_ignored %s",
                  child_build(), ignored[_i].name);
    const char *const says = ignored[_i].says;
    ck_assert_msg(says ? c.status == 70 && strstr(c.err, says) != NULL
                       : c.status == 0 && strstr(c.err, ": 0 hazards, 0 warn"),
                  "%s: status %d: %s%s", ignored[_i].name, c.status, c.out,
                  c.err);
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
    tcase_add_loop_test(t, ignored_failures_are_counted, 0,
                        sizeof ignored / sizeof *ignored);
    suite_add_tcase(s, t);
    return suite_run(s);
}
