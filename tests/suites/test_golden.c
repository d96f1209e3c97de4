/*
 * Golden files and digests show the line that differs. Other suites run in a
 * folder with a copy of their golden files, in which one line is changed.
 */
#include <check.h>
#include <stdio.h>  /* sscanf */
#include <string.h> /* strstr */

#include "child.h"
#include "suite.h"

/* The root of the tree, where tests run. */
static void copy(const char *dir, const char *folder)
{
    struct child c = child_run(30, "mkdir -p %s/%s && cp -r %s/. %s/%s", dir,
                               folder, folder, dir, folder);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
}

static struct child run(const char *dir, const char *settings,
                        const char *suite)
{
    return child_run(120, "cd %s && %s %s/tests/%s 2>&1", dir, settings,
                     child_build(), suite);
}

static const struct {
    const char *suite, *folder;
    const char *edit; /* of files of the folder */
    const char *says[4];
} changes[] = {
    // a text that is kept, of a suite that has digests of others
    {"judge/test_drawn",
     "tests/judge/drawn",
     "gzip -dc texts.gz | sed '/^==== data 1$/{n;n;s/^/odd/}' | gzip > x && "
     "mv x texts.gz",
     {"tests/judge/drawn/texts.gz data 1, line 2: differs", "\n- odd  ",
      "\n+   "}},
    // a line of another text, by its digest
    {"judge/test_drawn",
     "tests/judge/drawn",
     "sed -i '/^==== data$/{n;n;s/./=/20}' digests.txt",
     {"data: \"data ", "\" differs first in line ", " or soon after it:\n",
      "TEXT_OF='data "}},
    // a line of a part of a packed file
    {"topo/test_figures",
     "tests/topo/figures",
     "gzip -dc machines.gz | sed '/^==== paths$/{n;n;n;s/^/odd /}' | gzip > x "
     "&& mv x machines.gz",
     {"tests/topo/figures/machines.gz paths, line 3: differs", "\n- odd ",
      "\n+ "}},
    // lines of a part that suites share
    {"hazards/test_words",
     "tests/hazards",
     "sed -i '/^==== words$/{n;n;s/$/!/;n;s/$/!\\nmore/;n;n;s/$/!/}' "
     "golden.txt",
     {"tests/hazards/golden.txt words, line 2: differs", "!\n- ", "!\n- more\n",
      "\n+ "}},
    {"hazards/test_words",
     "tests/hazards",
     "sed -i '/^==== words$/{n;n;s/$/!/;n;n;n;s/$/!/}' golden.txt",
     {"!\n+   sum reads them at a.c:1 (rank 0, stream 1 of device 0)\n"
      "- -> uninitialised read: ",
      "made at m:1!\n+ -> uninitialised read: "}},
    // a part that is missing
    {"hazards/test_words",
     "tests/hazards",
     "sed -i '/^==== words$/,$d' golden.txt",
     {"tests/hazards/golden.txt words, line 1: differs", "\n+ ", "\n+ ..."}},
    // what an H100 printed, which no update rewrites
    {"runtime/test_h100",
     "tests/runtime",
     "gzip -dc h100/random.gz | sed 's/ s1 e0 2 = 1 / s1 e0 2 = 7 /' | "
     "gzip > x && mv x h100/random.gz",
     {"prog_random 3009: tests/runtime/h100/apart.txt gives no reason",
      "- cudaStreamWaitEvent s1 e0 2 = 7 | 000\n"
      "+ cudaStreamWaitEvent s1 e0 2 = 1 | 000\n"}},
};
enum { UPDATED = sizeof changes / sizeof *changes - 1 };

START_TEST(a_line_that_differs_is_shown)
{
    char dir[CHILD_FOLDER];
    child_folder(dir, "golden");
    copy(dir, changes[_i].folder);
    struct child c = child_run(30, "cd %s/%s && %s", dir, changes[_i].folder,
                               changes[_i].edit);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
    c = run(dir, "", changes[_i].suite);
    ck_assert_int_ne(c.status, 0);
    for (int k = 0; k < 4 && changes[_i].says[k]; k++)
        ck_assert_msg(strstr(c.out, changes[_i].says[k]) != NULL,
                      "it should say \"%s\":\n%s", changes[_i].says[k], c.out);
    child_clear(&c);
    child_remove(dir);
}
END_TEST

/* The command that the message names prints that text and no other. */
START_TEST(a_text_of_a_digest_can_be_printed)
{
    struct child c = run(".", "TEXT_OF='data 7'", "judge/test_drawn");
    const char *const text = strstr(c.out, "# data 7\n  ");
    ck_assert_msg(c.status == 0 && text && !strstr(text + 1, "# data"), "%s",
                  c.out);
    child_clear(&c);
}
END_TEST

START_TEST(an_update_restores_what_was_changed)
{
    char dir[CHILD_FOLDER];
    child_folder(dir, "golden");
    copy(dir, changes[_i].folder);
    struct child c = child_run(30, "cd %s/%s && %s", dir, changes[_i].folder,
                               changes[_i].edit);
    child_clear(&c);
    c = run(dir, "UPDATE_GOLDEN=1", changes[_i].suite);
    ck_assert_msg(c.status == 0, "%s", c.out);
    child_clear(&c);
    c = child_run(30, "diff -r %s %s/%s", changes[_i].folder, dir,
                  changes[_i].folder);
    ck_assert_msg(c.status == 0, "%s", c.out);
    child_clear(&c);
    child_remove(dir);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("golden");
    TCase *const t = tcase_create("golden");
    tcase_set_timeout(t, 200);
    SUITE_LOOP(t, a_line_that_differs_is_shown, changes);
    tcase_add_test(t, a_text_of_a_digest_can_be_printed);
    tcase_add_loop_test(t, an_update_restores_what_was_changed, 0, UPDATED);
    suite_add_tcase(s, t);
    return suite_run(s);
}
