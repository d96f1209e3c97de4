/*
 * What students see when they make a typical mistake: each patch is a lab's
 * solution with one mistake, and the file of the same name what `make labN &&
 * mpirun` and `make grade-labN` print of it (mistake.sh). MISTAKES=1 in the
 * environment rewrites these files.
 */
#define _GNU_SOURCE
#include <check.h>
#include <dirent.h> /* scandir */
#include <stdio.h>  /* asprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strstr */

#include "child.h"
#include "labtest.h" /* labtest_root */
#include "suite.h"

enum { LEAST = 40, MISTAKE_SEC = 300 };

static struct dirent **mistakes; /* patches, sorted */
static int nmistakes;

static int is_patch(const struct dirent *d)
{
    const char *const dot = strrchr(d->d_name, '.');
    return dot && strcmp(dot, ".patch") == 0;
}

static void list_mistakes(void)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/tests/mistakes", labtest_root());
    nmistakes = scandir(path, &mistakes, is_patch, alphasort);
}

/* The path of a mistake's file with this ending. */
static char *path_of(int i, const char *ending)
{
    char *path;
    const char *const name = mistakes[i]->d_name;
    ck_assert(asprintf(&path, "%s/tests/mistakes/%.*s.%s", labtest_root(),
                       (int)(strrchr(name, '.') - name), name, ending) > 0);
    return path;
}

START_TEST(there_are_many_mistakes)
{
    ck_assert_int_ge(nmistakes, LEAST);
}
END_TEST

START_TEST(a_mistake_is_explained)
{
    const char *const rewrite = getenv("MISTAKES");
    char *const patch = path_of(_i, "patch"), *const text = path_of(_i, "txt");
    struct child c =
        child_run(MISTAKE_SEC, "%s/tests/mistakes/mistake.sh %s %s",
                  labtest_root(), patch, child_build());
    ck_assert_msg(c.status == 0 && !c.timed_out, "%s: %s%s", patch, c.out,
                  c.err);
    if (rewrite && strcmp(rewrite, "1") == 0) {
        FILE *const f = fopen(text, "w");
        ck_assert(f && fputs(c.out, f) >= 0 && fclose(f) == 0);
    }
    struct child golden = child_run(30, "cat %s", text);
    ck_assert_msg(strcmp(c.out, golden.out) == 0,
                  "%s differs (MISTAKES=1 rewrites it):\n%s", text, c.out);
    ck_assert_msg(strstr(c.out, " FAIL ") || strstr(c.out, "does not compile"),
                  "%s: nothing finds it", patch);
    child_clear(&golden);
    child_clear(&c);
    free(patch);
    free(text);
}
END_TEST

int main(void)
{
    list_mistakes();
    Suite *const s = suite_create("mistakes");
    TCase *const t = tcase_create("mistakes");
    tcase_set_timeout(t, 400);
    tcase_add_test(t, there_are_many_mistakes);
    tcase_add_loop_test(t, a_mistake_is_explained, 0, nmistakes);
    suite_add_tcase(s, t);
    return suite_run(s);
}
