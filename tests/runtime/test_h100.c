/* What an H100 prints of the same calls: h100/values.txt and h100/random.gz
 * have it, h100/apart.txt where simgpu's lines differ, and why:
 *
 *     ==== PROGRAM PART
 *     # the reasons
 *     - a line of the H100's
 *     + a line of simgpu's
 *
 * A part without differences has no section there. UPDATE_GOLDEN=1
 * rewrites the lines and keeps the reasons. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h> /* free */
#include <string.h>

#include "cases.h"
#include "child.h"
#include "golden.h"
#include "suite.h"

static struct cases cases;

#define APART "tests/runtime/h100/apart.txt"

/* The lines at a part's beginning that start with #, from APART. */
static char *reasons_of(const char *part)
{
    char *const why = golden_part(APART, part);
    char *end = why;
    while (*end == '#')
        end += strcspn(end, "\n") + 1;
    *end = '\0';
    return why;
}

/* What an H100 printed on the left, what this machine does on the right. */
static struct child compared(const char *dir, const struct test_case *t)
{
    char path[CHILD_FOLDER + 8];
    snprintf(path, sizeof path, "%s/gpu", dir);
    FILE *const f = fopen(path, "w");
    ck_assert(f && fputs(t->expected, f) >= 0 && fclose(f) == 0);
    const struct child c = child_run(
        30,
        "cd %s && CUDA_VISIBLE_DEVICES=0 %s/tests/runtime/%.*s %s > sim && "
        "{ diff --old-line-format='- %%L' --new-line-format='+ %%L' "
        "--unchanged-line-format= gpu sim; [ $? -lt 2 ]; }",
        dir, child_build(), (int)strcspn(t->input, "\n"), t->input, t->name);
    ck_assert_msg(c.status == 0, "%s: status %d: %s", t->name, c.status, c.err);
    return c;
}

START_TEST(simgpu_says_what_an_h100_says)
{
    const struct test_case *const t = &cases.at[_i];
    char dir[CHILD_FOLDER], part[256], *text;
    child_folder(dir, "h100");
    snprintf(part, sizeof part, "%.*s %s", (int)strcspn(t->input, "\n"),
             t->input, t->name);
    char *const why = reasons_of(part);
    struct child c = compared(dir, t);
    ck_assert_msg(!*c.out || *why,
                  "%s: " APART " gives no reason for differences:\n%s", part,
                  c.out);
    ck_assert_int_ge(asprintf(&text, "%s%s", *c.out ? why : "", c.out), 0);
    golden_expect_part(APART, part, text);
    free(text);
    free(why);
    child_clear(&c);
    child_remove(dir);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("h100");
    TCase *const t = tcase_create("h100");
    cases_add(&cases, "tests/runtime/h100/values.txt");
    cases_add(&cases, "tests/runtime/h100/random.gz");
    tcase_add_loop_test(t, simgpu_says_what_an_h100_says, 0, cases.n);
    suite_add_tcase(s, t);
    return suite_run(s);
}
