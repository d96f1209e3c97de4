/* Plans: what is read from them, and what is said of bad ones. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* mkstemp */
#include <string.h> /* strstr */
#include <unistd.h> /* unlink */

#include "judge/plan.h"

/* A file with this text; the caller unlinks it. */
static const char *file_of(const char *text, char *path)
{
    strcpy(path, "/tmp/commlab-plan-XXXXXX");
    const int fd = mkstemp(path);
    ck_assert(fd >= 0);
    ck_assert(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    return path;
}

#define HEAD "lab: x\ntitle: X\nfiles: [a.c]\nranks: [4]\n"
#define CASE "{name: a, part: 1, kind: k"
static const struct bad_plan {
    const char *text, *says;
} bad_plans[] = {
    {HEAD "cases:\n  - {name: a}\n",
     ":6: a case needs a name, a part and a kind"},
    {HEAD "cases:\n  - " CASE ", points: many}\n",
     ":6: points is a number from 0 to 1000, not \"many\""},
    {HEAD "cases:\n  - " CASE ", points: -1}\n",
     ":6: points is a number from 0 to 1000, not \"-1\""},
    {HEAD "cases:\n  - " CASE ", points: nan}\n", ":6: points is a number"},
    {HEAD "cases:\n  - {name: a, kind: k, part: 1.5}\n",
     ":6: part is a whole number, not 1.5"},
    {HEAD "cases:\n  - " CASE "}\n  - " CASE "}\n",
     ":7: two cases are called a"},
    {HEAD "cases:\n  - " CASE ", colour: red}\n",
     ":6: unknown or repeated key \"colour\" in a case"},
    {HEAD "cases:\n  - " CASE ", name: b}\n",
     ":6: unknown or repeated key \"name\" in a case"},
    {HEAD "cases:\n  - {name: A b, part: 1, kind: k}\n",
     ":6: name is lower-case letters, digits and -, not \"A b\""},
    {HEAD "cases:\n  - " CASE ", with: {n: 1, n: 2}}\n",
     ":6: the parameter n is given twice"},
    {HEAD "cases:\n  - " CASE ", with: {n: [1, 2]}}\n",
     ":6: a parameter is a single value"},
    {HEAD "cases:\n  - " CASE ", with: 3}\n",
     ":6: with is a list of \"key: value\""},
    {HEAD "extra: 1\n", ":5: unknown or repeated key \"extra\""},
    {"lab: x\nfiles: [../a.c]\n", ":2: a file to edit is a plain name"},
    {"lab: x\nfiles: [a.c\n", ":3: "},
    {"", ": a plan needs lab, files and cases"},
    {"lab: x\n", ": a plan needs lab, files and cases"},
    {"- a\n", ":1: a plan is a list of \"key: value\""},
    {HEAD "cases:\n  - " CASE ", ranks: [0]}\n",
     ":6: a number of ranks is a number from 1"},
    {"lab: x\nfiles: [a.c]\ncases:\n  - " CASE "}\n",
     ":4: a needs ranks, its own or before all cases"},
};

START_TEST(a_bad_plan_is_named_with_its_line)
{
    char path[64], err[512] = "", want[600];
    file_of(bad_plans[_i].text, path);
    ck_assert(plan_load(path, NULL, err, sizeof err) == NULL);
    snprintf(want, sizeof want, "%s%s", path, bad_plans[_i].says);
    ck_assert_msg(strncmp(err, want, strlen(want)) == 0, "\"%s\", not \"%s\"",
                  err, want);
    unlink(path);
}
END_TEST

START_TEST(a_plan_that_is_not_there_is_an_error)
{
    char err[512] = "";
    ck_assert(plan_load("/no/plan.yaml", NULL, err, sizeof err) == NULL);
    ck_assert_str_eq(err, "/no/plan.yaml: No such file or directory");
}
END_TEST

START_TEST(a_plan_and_its_hidden_cases_are_read)
{
    char path[64], hidden[64], err[512] = "";
    file_of(HEAD "cases:\n  - {name: a, part: 2, points: 2.5, kind: k, ranks: "
                 "[2, 3], with: {count: 7, type: int8}}\n",
            path);
    file_of("cases:\n  - {name: b, part: 1, kind: k}\n", hidden);
    struct plan *const p = plan_load(path, hidden, err, sizeof err);
    ck_assert_msg(p != NULL, "%s", err);
    ck_assert_str_eq(p->lab, "x");
    ck_assert_str_eq(p->title, "X");
    ck_assert_int_eq(p->nfiles, 1);
    ck_assert_int_eq(p->ncases, 2);
    const struct plan_case *const a = &p->cases[0], *const b = &p->cases[1];
    ck_assert_int_eq(a->nranks, 2);
    ck_assert_int_eq(a->ranks[1], 3);
    ck_assert(a->points == 2.5);
    ck_assert_int_eq(plan_int(a, "count", 0), 7);
    ck_assert_int_eq(plan_int(a, "absent", 9), 9);
    ck_assert_str_eq(plan_text(a, "type", "float"), "int8");
    ck_assert_int_eq(a->hidden, 0);
    ck_assert_int_eq(b->hidden, 1);
    ck_assert_int_eq(b->ranks[0], 4);
    ck_assert(plan_find(p, "b") == b && plan_find(p, "c") == NULL);
    plan_free(p);
    unlink(path);
    unlink(hidden);
}
END_TEST

START_TEST(hidden_cases_need_not_exist)
{
    char path[64], err[512] = "";
    file_of(HEAD "cases: [" CASE "}]\n", path);
    struct plan *const p = plan_load(path, "/no/file", err, sizeof err);
    ck_assert_msg(p != NULL && p->ncases == 1, "%s", err);
    plan_free(p);
    unlink(path);
}
END_TEST

START_TEST(names_that_may_have_been_meant_are_found)
{
    static const char *const asked[][2] = {
        {"rnig", "ring"},
        {"ring", "ring, ring-odd"},
        {"broadcast-even", "broadcast"},
        {"xyzzy", ""},
        {"", ""},
    };
    char path[64], near[64], err[512] = "";
    file_of(HEAD "cases:\n  - {name: ring, part: 1, kind: k}\n"
                 "  - {name: ring-odd, part: 1, kind: k}\n"
                 "  - {name: broadcast, part: 1, kind: k}\n",
            path);
    struct plan *const p = plan_load(path, NULL, err, sizeof err);
    ck_assert_msg(p != NULL, "%s", err);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        plan_near(p, asked[i][0], near, sizeof near);
        ck_assert_str_eq(near, asked[i][1]);
    }
    plan_near(p, "ring", near, 10); // no room for the second
    ck_assert_str_eq(near, "ring");
    plan_free(p);
    unlink(path);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("plan");
    TCase *const t = tcase_create("plan");
    tcase_add_loop_test(t, a_bad_plan_is_named_with_its_line, 0,
                        sizeof bad_plans / sizeof *bad_plans);
    tcase_add_test(t, a_plan_that_is_not_there_is_an_error);
    tcase_add_test(t, a_plan_and_its_hidden_cases_are_read);
    tcase_add_test(t, hidden_cases_need_not_exist);
    tcase_add_test(t, names_that_may_have_been_meant_are_found);
    suite_add_tcase(s, t);
    SRunner *const r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
