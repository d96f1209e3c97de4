/*
 * Why there are no points: how a class' messages are counted and ordered, and
 * which of them JUnit calls errors.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* free */
#include <string.h> /* strstr */

#include "fds.h"
#include "grader/export/export.h"
#include "grader/export/export_pages.h"
#include "heap.h"
#include "suite.h"

enum { NCASES = 40 };

static struct student students[] = {{.key = "ada"}, {.key = "bob"}};
static struct grading_case cases[2][NCASES];
static struct row rows[2] = {
    {.student = &students[0],
     .attempt = 1,
     .g = {.message = "", .notes = "", .cases = cases[0]}},
    {.student = &students[1],
     .attempt = 1,
     .g = {.message = "", .notes = "", .cases = cases[1]}},
};
static const struct export class = {.lab = "lab1-x", .row = rows, .nrows = 2};

/* A case of that row without points. */
static struct grading_case *add(int row, const char *message)
{
    struct grading_case *const c = &cases[row][rows[row].g.ncases++];
    *c = (struct grading_case){.name = "case",
                               .message = message,
                               .rerun = "",
                               .outcome = OUTCOME_FAIL,
                               .max_score = 1};
    return c;
}

/* "TEXT|STUDENTS|CASES\n" of each. */
static char *reasons(void)
{
    char *text = NULL;
    size_t n, i;
    json_t *const all = export_class_reasons(&class);
    const json_t *r;
    FILE *const f = open_memstream(&text, &n);
    json_array_foreach(all, i, r)
        fprintf(f, "%s|%d|%d\n", json_string_value(json_object_get(r, "text")),
                (int)json_integer_value(json_object_get(r, "students")),
                (int)json_integer_value(json_object_get(r, "cases")));
    fclose(f);
    json_decref(all);
    return text;
}

static void ck_reasons(const char *want)
{
    char *const text = reasons();
    ck_assert_str_eq(text, want);
    free(text);
}

START_TEST(reasons_come_by_students_then_cases_then_name)
{
    for (int i = 0; i < 3; i++)
        add(0, "of one student");
    add(0, "b of both");
    add(1, "b of both");
    add(0, "a of both");
    add(1, "a of both");
    add(0, "c of both");
    add(1, "c of both");
    add(1, "c of both");
    add(1, "of one");
    ck_reasons("c of both|2|3\n"
               "a of both|2|2\n"
               "b of both|2|2\n"
               "of one student|1|3\n"
               "of one|1|1\n");
}
END_TEST

/* Nor are submissions that are not there. */
START_TEST(points_are_no_reason)
{
    add(0, "passes")->outcome = OUTCOME_PASS;
    add(0, "has a part")->score = 0.5;
    rows[1].g.message = "the whole";
    ck_reasons("the whole|1|1\n");
    rows[1].attempt = 0;
    ck_reasons("");
}
END_TEST

START_TEST(at_most_15_are_shown)
{
    static char text[NCASES][8];
    for (int i = 0; i < 17; i++) {
        snprintf(text[i], sizeof text[i], "%c", 'a' + i);
        add(0, text[i]);
    }
    add(1, "a");
    ck_reasons("a|2|2\nb|1|1\nc|1|1\nd|1|1\ne|1|1\nf|1|1\ng|1|1\nh|1|1\n"
               "i|1|1\nj|1|1\nk|1|1\nl|1|1\nm|1|1\nn|1|1\no|1|1\n");
}
END_TEST

#define TEN     "abcdefghij"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define LONG    HUNDRED TEN TEN TEN TEN TEN "abcdefgh" /* 158 */

/* Alike but for their numbers, what is behind a line, or behind 158 bytes. */
static const struct {
    const char *message[2], *is;
} alike[] = {
    {{"1 of 20", "31 of 4"}, "N of N"},
    {{"12a3", "4a56"}, "NaN"},
    {{"element 0x1\nmore", "element 2x34\n"}, "element NxN"},
    {{LONG, LONG "ij"}, LONG},
    {{"\n", ""}, ""},
};

START_TEST(alike_messages_are_one_reason)
{
    char want[256];
    add(0, alike[_i].message[0]);
    add(1, alike[_i].message[1]);
    snprintf(want, sizeof want, "%s|2|2\n", alike[_i].is);
    ck_reasons(want);
}
END_TEST

START_TEST(a_letter_makes_another_reason)
{
    add(0, LONG);
    add(1, HUNDRED TEN TEN TEN TEN TEN "abcdefgx");
    ck_reasons(LONG "|1|1\n" HUNDRED TEN TEN TEN TEN TEN "abcdefgx|1|1\n");
}
END_TEST

/* ---- JUnit --------------------------------------------------------------- */

static const struct {
    const char *message;
    enum outcome outcome;
    int unfinished, is_error;
} endings[] = {
    {"the run ended", OUTCOME_FAIL, 1, 1},
    {"it prints too much", OUTCOME_FAIL, 1, 1},
    {"rank 1 did not get to the end", OUTCOME_FAIL, 0, 0}, // but words
    {"it is wrong", OUTCOME_SUSPECTED, 0, 0},
    {"it is wrong", OUTCOME_INFRA, 0, 1},
};

START_TEST(a_run_without_an_end_is_an_error)
{
    char path[] = "/tmp/commlab-reasons-XXXXXX", text[2048] = "", want[64];
    struct export e = class;
    struct grading_case *const c = add(0, endings[_i].message);
    c->outcome = endings[_i].outcome;
    c->unfinished = endings[_i].unfinished;
    FILE *const f = fdopen(mkstemp(path), "r");
    ck_assert_ptr_nonnull(f);
    e.out = path;
    e.nrows = 1;
    ck_assert_int_eq(export_junit(&e), 0);
    ck_assert_uint_gt(fread(text, 1, sizeof text - 1, f), 0);
    fclose(f);
    remove(path);
    snprintf(want, sizeof want, "failures=\"%d\" errors=\"%d\"",
             !endings[_i].is_error, endings[_i].is_error);
    ck_assert_msg(strstr(text, want) != NULL, "%s: %s", want, text);
    const char *const tag = endings[_i].is_error ? "</error>" : "</failure>";
    ck_assert_msg(strstr(text, tag) != NULL, "%s: %s", tag, text);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("reasons");
    TCase *const t = tcase_create("reasons");
    heap_watch(t);
    fds_watch(t);
    tcase_add_test(t, reasons_come_by_students_then_cases_then_name);
    tcase_add_test(t, points_are_no_reason);
    tcase_add_test(t, at_most_15_are_shown);
    SUITE_LOOP(t, alike_messages_are_one_reason, alike);
    tcase_add_test(t, a_letter_makes_another_reason);
    SUITE_LOOP(t, a_run_without_an_end_is_an_error, endings);
    suite_add_tcase(s, t);
    return suite_run(s);
}
