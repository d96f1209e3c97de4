/*
 * Whole batches: a small class here, and through Slurm; and a short turn of the
 * fuzzers. Their full forms are run by hand: see the scripts' heads.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* printf */
#include <stdlib.h> /* mkdtemp */

#include "child.h"
#include "grader/base/folder.h"
#include "suite.h"

enum { SKIPPED = 77 };

static void run_script(const char *script, const char *args)
{
    char dir[] = "/tmp/commlab-class-XXXXXX";
    ck_assert(mkdtemp(dir) != NULL);
    struct child c = child_run(1500, "%s/../tests/%s %s %s %s", child_build(),
                               script, child_build(), dir, args);
    printf("%s: %s", script, c.out);
    ck_assert_msg(c.status == 0 || c.status == SKIPPED, "status %d\n%s%s",
                  c.status, c.out, c.err);
    child_clear(&c);
    folder_remove(dir);
}

START_TEST(a_class_is_graded_killed_and_resumed)
{
    run_script("grader/class.sh", "");
}
END_TEST

START_TEST(a_class_is_graded_by_slurm)
{
    run_script("grader/slurm.sh", "");
}
END_TEST

START_TEST(readers_survive_damaged_input)
{
    run_script("fuzz/fuzz.sh", "3");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("class");
    TCase *const t = tcase_create("class");
    tcase_set_timeout(t, 1600);
    tcase_add_test(t, a_class_is_graded_killed_and_resumed);
    tcase_add_test(t, a_class_is_graded_by_slurm);
    tcase_add_test(t, readers_survive_damaged_input);
    suite_add_tcase(s, t);
    return suite_run(s);
}
