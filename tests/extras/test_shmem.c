/* What NVSHMEM says of mistakes, and of words, on one PE, and of two PEs that
 * differ. */
#include <check.h>

#include "child.h"
#include "golden.h"
#include "suite.h"

#define GOLDEN "tests/extras/shmem.txt#said"

START_TEST(each_mistake_is_explained)
{
    // addresses differ from run to run
    struct child c = child_run(120,
                               "p=%s/tests/extras/prog_shmem_faults\n"
                               "for i in $(seq 0 $(($($p) - 1)))\n"
                               "do $p $i; echo \"status $?\"; done 2>&1 | "
                               "sed 's/0x[0-9a-f]*/ADDRESS/g'",
                               child_build());
    golden_expect_part(GOLDEN, "mistakes", c.out);
    child_clear(&c);
}
END_TEST

START_TEST(pes_have_to_ask_for_the_same_size)
{
    struct child c =
        child_run(60,
                  "mpirun -n 2 %s/tests/extras/prog_shmem_faults sizes 2>&1 | "
                  "sed -n 's/^simgpu: rank [01]: //p' | LC_ALL=C sort -u",
                  child_build());
    golden_expect_part(GOLDEN, "sizes", c.out);
    child_clear(&c);
}
END_TEST

START_TEST(pes_that_differ_are_reported)
{
    struct child c = child_run(
        120,
        "p=%s/tests/extras/prog_shmem_peers\n"
        "for i in $(seq 0 $(($($p) - 1)))\n"
        "do mpirun -n 2 $p $i 2>&1 | awk -f tests/extras/shmem_peers.awk\n"
        "done",
        child_build());
    golden_expect_part(GOLDEN, "peers", c.out);
    child_clear(&c);
}
END_TEST

START_TEST(words_compare_as_their_types_do)
{
    struct child c =
        child_run(60, "%s/tests/extras/prog_shmem_words", child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    golden_expect_part(GOLDEN, "words", c.out);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("what NVSHMEM says");
    TCase *const t = tcase_create("texts");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, each_mistake_is_explained);
    tcase_add_test(t, pes_have_to_ask_for_the_same_size);
    tcase_add_test(t, pes_that_differ_are_reported);
    tcase_add_test(t, words_compare_as_their_types_do);
    suite_add_tcase(s, t);
    return suite_run(s);
}
