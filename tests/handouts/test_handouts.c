/* What the handouts show is what the kit prints; and the tool that says so
 * does see a difference. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* mkdtemp */
#include <string.h> /* strstr */

#include "child.h"
#include "labtest.h"
#include "suite.h"

enum { TOOL_SEC = 900 };

/* Run the tool on a handout with this text in a folder of its own. */
static struct child on_text(const char *option, const char *text, char *dir)
{
    char path[64];
    strcpy(dir, "/tmp/commlab-handout-XXXXXX");
    ck_assert(mkdtemp(dir) != NULL);
    snprintf(path, sizeof path, "%s/page.md", dir);
    FILE *const f = fopen(path, "w");
    ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
    return child_run(TOOL_SEC, "%s/common/kit/handouts.sh %s %s",
                     labtest_root(), option, path);
}

static void remove_dir(const char *dir)
{
    struct child c = child_run(30, "rm -r %s", dir);
    child_clear(&c);
}

struct row {
    const char *text, *says; /* says: NULL, the handout is true */
};

static const struct row rows[] = {
    {"Plain text.\n", NULL},
    {"```console\n$ echo a; echo b\na\nb\n```\n", NULL},
    {"```console\n$ echo a; echo b\na\n...\n```\n", NULL},
    {"```console\n$ echo a; echo b\n...\na\nb\n...\n```\n", NULL},
    {"```console\n$ true\n$ echo $((6 * 7))\n42\n```\n", NULL},
    {"```console\n$ ls $TMP\n```\n", NULL},
    {"```console\n$ echo a\nb\n```\n", "page.md:2: $ echo a"},
    {"```console\n$ echo a; echo b\na\n```\n", "page.md:2: $ echo a; echo b"},
    {"```console\n$ true\na\n```\n", "page.md:2: $ true"},
    {"```console\n$ echo a\n", "a block is not closed"},
    {"<!-- figure f/x.svg: true -->\n", "no figure came out"},
    {"<!-- figure f/x.svg: echo > $OUT -->\n", "is not what its command draws"},
};

START_TEST(a_handout_that_lies_is_found)
{
    char dir[64];
    struct child c = on_text("--check", rows[_i].text, dir);
    if (rows[_i].says)
        ck_assert_msg(c.status == 1 && strstr(c.out, rows[_i].says), "%d: %s%s",
                      c.status, c.out, c.err);
    else
        ck_assert_msg(c.status == 0 && !*c.out, "%d: %s%s", c.status, c.out,
                      c.err);
    child_clear(&c);
    remove_dir(dir);
}
END_TEST

START_TEST(what_the_tool_writes_is_true)
{
    char dir[64];
    struct child c = on_text("",
                             "Text.\n```console\n$ echo a\nb\n```\n"
                             "<!-- figure f/x.svg: echo 7 > $OUT -->\n",
                             dir);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
    c = child_run(TOOL_SEC,
                  "%s/common/kit/handouts.sh --check %s/page.md && "
                  "grep -x a %s/page.md && grep -x 7 %s/f/x.svg",
                  labtest_root(), dir, dir, dir);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
    remove_dir(dir);
}
END_TEST

START_TEST(every_handout_shows_what_the_kit_prints)
{
    struct child c = child_run(TOOL_SEC, "%s/common/kit/handouts.sh --check",
                               labtest_root());
    ck_assert_msg(c.status == 0 && !c.timed_out, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("handouts");
    TCase *const t = tcase_create("handouts");
    tcase_set_timeout(t, 1000);
    tcase_add_loop_test(t, a_handout_that_lies_is_found, 0,
                        sizeof rows / sizeof *rows);
    tcase_add_test(t, what_the_tool_writes_is_true);
    tcase_add_test(t, every_handout_shows_what_the_kit_prints);
    suite_add_tcase(s, t);
    return suite_run(s);
}
