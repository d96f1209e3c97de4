/* What NCCL says of two ranks in one process, to the letter. */
#include <check.h>

#include "child.h"
#include "golden.h"
#include "suite.h"

#define GOLDEN "tests/simgpu/messages.txt#nccl"
#define DEVICE "tests/simgpu/messages.txt#nccl device"
/* Addresses, hosts, processes and lines of the kit's code are left out, and
 * what is said again and again. */
#define STABLE                                                                 \
    " 2>&1 | sed 's/0x[0-9a-f]\\{5,\\}/ADDRESS/g; s/^[^ ]*:[0-9]*:[0-9]* "     \
    "\\[/["                                                                    \
    "/; s/\\.c:[0-9]* NCCL/.c NCCL/' | uniq"

START_TEST(calls_and_their_errors_are_explained)
{
    struct child c = child_run(60,
                               "NCCL_DEBUG=TRACE NCCL_DEBUG_SUBSYS=ALL "
                               "%s/tests/simgpu/prog_nccl32_pair" STABLE,
                               child_build());
    golden_expect_part(GOLDEN, "calls", c.out);
    child_clear(&c);
}
END_TEST

/* Errors, parameters and the limits of configurations. */
START_TEST(errors_and_parameters_read_as_expected)
{
    struct child c =
        child_run(60, "env -u NCCL_DEBUG %s/tests/simgpu/prog_nccl32_texts",
                  child_build());
    golden_expect("tests/simgpu/messages.txt#nccl errors", c.out);
    child_clear(&c);
}
END_TEST

/* How many lines of each kind a setting brings. */
START_TEST(settings_choose_what_is_said)
{
    struct child c = child_run(
        60,
        "unset NCCL_DEBUG NCCL_DEBUG_SUBSYS NCCL_DEBUG_FILE\n"
        "while read setting\n"
        "do echo \"$setting\"\n"
        "env $setting NCCL_ALGO=RING %s/tests/simgpu/prog_nccl32_pair few 2>&1 "
        "| grep 'NCCL [^C]' | sed 's/.*NCCL/NCCL/; s/0x.*//; s/:.*//' | "
        "LC_ALL=C sort | "
        "uniq -c\n"
        "done << END\n"
        "A=0\nNCCL_DEBUG=VERSION\nNCCL_DEBUG=warn\nNCCL_DEBUG=info\n"
        "NCCL_DEBUG=ABORT\nNCCL_DEBUG=INF\n"
        "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=COLL\n"
        "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=tuning,env\n"
        "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=^INIT,COLL\n"
        "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=all\n"
        "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=GRAPH\n"
        "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=ALLOC,COL,NONE\n"
        "NCCL_DEBUG=WARN NCCL_DEBUG_SUBSYS=ALL\n"
        "END",
        child_build());
    golden_expect_part(GOLDEN, "settings", c.out);
    child_clear(&c);
}
END_TEST

/* It goes on where NCCL's lines went before. */
START_TEST(settings_are_read_again_when_asked_to)
{
    struct child c = child_run(60,
                               "env -u NCCL_DEBUG_SUBSYS NCCL_DEBUG=VERSION "
                               "%s/tests/simgpu/prog_nccl32_pair reset" STABLE,
                               child_build());
    golden_expect_part(GOLDEN, "reset", c.out);
    child_clear(&c);
}
END_TEST

/* Of a level of WARN and more. */
START_TEST(a_debug_file_has_the_name_that_is_asked_for)
{
    struct child c =
        child_run(60,
                  "d=$(mktemp -d) && cd $d\n"
                  "for f in 'a%%%%b' 'c%%x' 'd%%' 'no/folder'\n"
                  "do NCCL_DEBUG=WARN NCCL_DEBUG_FILE=$f "
                  "%1$s/tests/simgpu/prog_nccl32_pair few | grep -v ': 0'\n"
                  "done\n"
                  "NCCL_DEBUG=VERSION NCCL_DEBUG_FILE=e "
                  "%1$s/tests/simgpu/prog_nccl32_pair few | grep -v ': 0'\n"
                  "for f in *; do echo \"$f: $(cat \"$f\")\"; done\n"
                  "rm -r $d",
                  child_build());
    golden_expect_part(GOLDEN, "files", c.out);
    child_clear(&c);
}
END_TEST

/* The device API's: of host functions, and of kernels that make a mistake. */
START_TEST(device_communicators_are_explained)
{
    struct child c = child_run(
        60, "%s/tests/simgpu/prog_nccl_device_faults" STABLE, child_build());
    golden_expect_part(DEVICE, "host", c.out);
    child_clear(&c);
}
END_TEST

START_TEST(mistakes_in_kernels_are_explained)
{
    struct child c = child_run(120,
                               "p=%s/tests/simgpu/prog_nccl_device_faults\n"
                               "for i in $(seq 0 $(($($p count) - 1)))\n"
                               "do $p $i; echo \"status $?\"; done 2>&1 | "
                               "sed 's/0x[0-9a-f]*/ADDRESS/g; "
                               "s/atomics.h:[0-9]*/atomics.h/'",
                               child_build());
    golden_expect_part(DEVICE, "kernels", c.out);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("what NCCL says");
    TCase *const t = tcase_create("texts");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, calls_and_their_errors_are_explained);
    tcase_add_test(t, errors_and_parameters_read_as_expected);
    tcase_add_test(t, settings_choose_what_is_said);
    tcase_add_test(t, settings_are_read_again_when_asked_to);
    tcase_add_test(t, a_debug_file_has_the_name_that_is_asked_for);
    tcase_add_test(t, device_communicators_are_explained);
    tcase_add_test(t, mistakes_in_kernels_are_explained);
    suite_add_tcase(s, t);
    return suite_run(s);
}
