/*
 * Same code under other names; and what the lab gave to all is nobody's.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <string.h> /* strlen */

#include "child.h"
#include "fds.h"
#include "grader/ledger/ledger.h"
#include "grader/vet/similar.h"
#include "heap.h"
#include "planted.h"
#include "suite.h"

static const char ring[] = "for (int i = 0; i < n - 1; i++) {\n"
                           "    send(buf + (r - i + n) % n * k, k, next);\n"
                           "    recv(tmp, k, prev);\n"
                           "    add(buf + (r - i - 1 + n) % n * k, tmp, k);\n"
                           "}\n";
static const char renamed[] =
    "// my own work\n"
    "for (int step = 0;\n     step < size - 1; step++) {\n"
    "    push(data + (me - step + size) % size * part, part, right);\n"
    "    pull(scratch, part, left); /* 1 */\n"
    "    sum(data + (me - step - 1 + size) % size * part, scratch, part);\n"
    "}\n";
static const char other[] =
    "int half = n / 2;\nwhile (half > 0) {\n    if (r & half)\n"
    "        exchange(buf, half);\n    else\n        reduce(buf, half);\n"
    "    half /= 2;\n}\nreturn half;\n";
static const char given[] =
    "__global__ void k(float *x) {\n    int i = blockIdx.x * blockDim.x + "
    "threadIdx.x;\n    x[i] += 1.0f;\n}\n";

static int percent(const char *base, const char *a, const char *b)
{
    struct similar *const s = similar_new();
    if (base)
        similar_base(s, base, strlen(base));
    const int x = similar_add(s, a, strlen(a)),
              y = similar_add(s, b, strlen(b));
    const int own = similar_own(s, x);
    const int shared = similar_shared(s, x, y);
    similar_free(s);
    return own ? 100 * shared / own : -1;
}

START_TEST(other_names_and_layout_hide_nothing)
{
    ck_assert_int_eq(percent(NULL, ring, renamed), 100);
    ck_assert_int_eq(percent(NULL, ring, other), 0);
}
END_TEST

START_TEST(what_the_lab_gave_is_nobodys)
{
    char a[1000], b[1000];
    snprintf(a, sizeof a, "%s%s", given, ring);
    snprintf(b, sizeof b, "%s%s", given, other);
    ck_assert_int_gt(percent(NULL, a, b), 20);
    ck_assert_int_lt(percent(given, a, b), 5);
    ck_assert_int_eq(percent(given, given, given), -1); // nothing of its own
}
END_TEST

/* Two given files make no code of a student's where one ends and the other
 * begins. */
START_TEST(files_do_not_run_into_each_other)
{
    char both[1000];
    snprintf(both, sizeof both, "%s%c%s", given, SIMILAR_BREAK, given);
    ck_assert_int_eq(percent(given, both, both), -1);
    snprintf(both, sizeof both, "%c%s%c%s", SIMILAR_BREAK, given, SIMILAR_BREAK,
             ring);
    ck_assert_int_eq(percent(given, both, renamed), 100);
}
END_TEST

START_TEST(the_lines_that_are_shared_are_marked)
{
    char a[1000];
    snprintf(a, sizeof a, "%s%s", other, ring);
    struct similar *const s = similar_new();
    const int x = similar_add(s, a, strlen(a)),
              y = similar_add(s, renamed, strlen(renamed));
    unsigned char lines[20] = {0};
    similar_lines(s, x, y, lines, 20);
    for (int i = 0; i < 20; i++)
        ck_assert_msg(lines[i] == (i >= 9 && i < 14), "line %d: %d", i,
                      lines[i]);
    similar_free(s);
}
END_TEST

static const char *const odd[] = {"",     "\"",          "'",  "/*",
                                  "//",   "#",           "\\", "a\\",
                                  "\"\\", "# \\\n x \\", "0x", "'\\"};

START_TEST(odd_text_is_read_to_its_end)
{
    struct similar *const s = similar_new();
    similar_base(s, odd[_i], strlen(odd[_i]));
    ck_assert_int_eq(similar_add(s, odd[_i], strlen(odd[_i])), 0);
    ck_assert_int_eq(similar_own(s, 0), 0);
    similar_free(s);
}
END_TEST

#define PAD ";;;;;;;;;;;;;;;;" /* a run: SIMILAR_RUN tokens */

static const struct {
    const char *text;
    int tokens, lines; /* in it, and above what follows it */
} pieces[] = {
    {"", 0, 0},
    {"a1_B", 1, 0},
    {"_", 1, 0},
    {"1.5e3f", 1, 0},
    {"0x1F", 1, 0},
    {"x.y", 3, 0},
    {"a/b", 3, 0},
    {"/", 1, 0},
    {"a / *b", 4, 0},
    {"/**/", 0, 0},
    {"/*/ */", 0, 0},
    {"/* * / **/", 0, 0},
    {"a/* x\n\n */b", 2, 2},
    {"// x\n", 0, 1},
    {"//\n", 0, 1},
    {"a// x \\\n y\n", 1, 2},
    {"// x \\\n\n", 0, 2},
    {"# x \\\n y\n", 0, 2},
    {"#\\\n\n", 0, 2},
    {"a # b", 3, 0},
    {"a\n # b\n", 1, 2},
    {"/**/# b\n", 0, 1},
    {"'a'", 1, 0},
    {"'\\''", 1, 0},
    {"\"'\"", 1, 0},
    {"\"\\\"\"", 1, 0},
    {"\"\\\\\"", 1, 0},
    {"\"open\n", 1, 1},
    {"\"a\\\nb\"", 1, 1},
    {"\"/*\"", 1, 0},
    {"a \t\r\f b", 2, 0},
};

START_TEST(tokens_and_lines_are_counted)
{
    char text[100];
    unsigned char lines[8] = {0};
    struct similar *const s = similar_new();
    similar_add(s, PAD, strlen(PAD));
    snprintf(text, sizeof text, "%s%s", pieces[_i].text, PAD);
    similar_add(s, text, strlen(text));
    ck_assert_msg(similar_own(s, 1) == pieces[_i].tokens + SIMILAR_RUN,
                  "\"%s\": %d tokens", pieces[_i].text,
                  similar_own(s, 1) - SIMILAR_RUN);
    ck_assert_int_eq(similar_shared(s, 1, 0), SIMILAR_RUN);
    ck_assert_int_eq(similar_shared(s, 0, 1), SIMILAR_RUN);
    similar_lines(s, 1, 0, lines, 8);
    for (int i = 0; i < 8; i++)
        ck_assert_msg(lines[i] == (i == pieces[_i].lines), "\"%s\": line %d",
                      pieces[_i].text, i);
    memset(lines, 0, sizeof lines);
    similar_lines(s, 1, 0, lines, pieces[_i].lines); // no room for it
    ck_assert_int_eq(lines[pieces[_i].lines], 0);
    similar_free(s);
}
END_TEST

/* What a text ends with, and how many tokens that is. */
static const struct {
    const char *text;
    int tokens;
} endings[] = {
    {"a", 1},      {"_", 1},    {"1.", 1},     {"/", 1},     {"a/", 2},
    {"// xy", 0},  {"// x", 0}, {"//", 0},     {"// \\", 0}, {"/* x", 0},
    {"/*", 0},     {"/*/", 0},  {"/* x *", 0}, {"/**/", 0},  {"/* */a", 1},
    {"\n# xy", 0}, {"\n#", 0},  {"\n# \\", 0}, {"#", 1},     {"# xy", 2},
    {"\"x", 1},    {"\"", 1},   {"'\\", 1},    {"\"\"a", 2}, {" ", 0},
};

START_TEST(a_text_may_end_anywhere)
{
    char text[100];
    struct similar *const s = similar_new();
    snprintf(text, sizeof text, "%s%s", PAD, endings[_i].text);
    similar_add(s, text, strlen(text));
    ck_assert_msg(similar_own(s, 0) == endings[_i].tokens + SIMILAR_RUN,
                  "\"%s\": %d tokens", endings[_i].text,
                  similar_own(s, 0) - SIMILAR_RUN);
    similar_free(s);
}
END_TEST

static const struct {
    const char *a, *b;
    int same;
} tokens[] = {
    {"a", "bcd", 1},     {"1", "2.5", 1}, {"'a'", "\"bc\"", 1},
    {"a", "1", 0},       {"1", "'1'", 0}, {"a", "'a'", 0},
    {"for", "while", 0}, {"for", "a", 0}, {"while", "a", 0},
    {"break", "a", 0},   {"fo", "a", 1},  {"fors", "a", 1},
    {"+", "-", 0},       {"+", "a", 0},   {"for", "for", 1},
    {"{", "{", 1},
};

START_TEST(names_numbers_and_strings_are_one_each)
{
    char a[100], b[100];
    snprintf(a, sizeof a, "%s %s", tokens[_i].a, PAD);
    snprintf(b, sizeof b, "%s %s", tokens[_i].b, PAD);
    struct similar *const s = similar_new();
    similar_add(s, a, strlen(a));
    similar_add(s, b, strlen(b));
    ck_assert_int_eq(similar_shared(s, 0, 1), SIMILAR_RUN + tokens[_i].same);
    similar_free(s);
}
END_TEST

START_TEST(a_run_has_16_tokens)
{
    char text[] = PAD;
    const size_t n = strlen(text);
    struct similar *const s = similar_new();
    text[n - 1] = 0;
    ck_assert_int_eq(similar_add(s, text, n - 1), 0);
    ck_assert_int_eq(similar_add(s, PAD, n), 1);
    ck_assert_int_eq(similar_own(s, 0), 0);
    ck_assert_int_eq(similar_own(s, 1), SIMILAR_RUN);
    ck_assert_int_eq(similar_shared(s, 1, 0), 0);
    similar_free(s);
}
END_TEST

static char dir[CHILD_FOLDER];

START_TEST(pairs_clusters_and_earlier_terms_are_listed)
{
    child_folder(dir, "similar");
    planted_roster(dir, "student\nada\nbob\n");
    planted_source(dir, "ada", ring);
    planted_source(dir, "bob", ring);
    struct child c = child_run(10,
                               "cd %s && mv L.db O.db && mv L.db.key "
                               "O.db.key",
                               dir);
    child_clear(&c);
    planted_roster(dir, "student\ncyd\ndan\neve\n");
    planted_source(dir, "cyd", renamed);
    planted_source(dir, "dan", ring);
    planted_source(dir, "eve", other);
    c = child_run(
        60,
        "cd %s && %s/tests/grader/grade similarity --ledger L.db --lab lab1 "
        "--earlier O.db -o out && sed -n '/id=\"data\"/{n;p}' out/pair-1.html",
        dir, child_build());
    ck_assert_msg(c.status == 0, "%s", c.err);
    ck_assert_msg(strstr(c.out, "cluster: cyd dan O.db:ada O.db:bob\n") != NULL,
                  "%s", c.out);
    ck_assert(strstr(c.out, "cyd                      dan ") != NULL);
    ck_assert(strstr(c.out, "100 %") != NULL && !strstr(c.out, "eve"));
    ck_assert(strstr(c.out, "\n5 pairs;") != NULL); // none among the earlier
    ck_assert(strstr(c.out, "\"    recv(tmp, k, prev);\"") != NULL);
    child_clear(&c);
    c = child_run(60,
                  "cd %s && %s/tests/grader/grade export --ledger L.db --lab "
                  "lab1 --format "
                  "moss -o moss && cat moss/moss.txt && ls moss/base",
                  dir, child_build());
    ck_assert_msg(strstr(c.out, " -b base/p2p.c") != NULL &&
                      strstr(c.out, "cyd/*.c\n") != NULL &&
                      strstr(c.out, "\nallreduce.c\n") != NULL,
                  "%s%s", c.out, c.err);
    child_clear(&c);
    child_remove(dir);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("similar");
    TCase *const t = tcase_create("similar");
    heap_watch(t);
    fds_watch(t);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, other_names_and_layout_hide_nothing);
    tcase_add_test(t, what_the_lab_gave_is_nobodys);
    tcase_add_test(t, files_do_not_run_into_each_other);
    tcase_add_test(t, the_lines_that_are_shared_are_marked);
    tcase_add_loop_test(t, odd_text_is_read_to_its_end, 0,
                        sizeof odd / sizeof *odd);
    tcase_add_loop_test(t, tokens_and_lines_are_counted, 0,
                        sizeof pieces / sizeof *pieces);
    SUITE_LOOP(t, a_text_may_end_anywhere, endings);
    tcase_add_loop_test(t, names_numbers_and_strings_are_one_each, 0,
                        sizeof tokens / sizeof *tokens);
    tcase_add_test(t, a_run_has_16_tokens);
    tcase_add_test(t, pairs_clusters_and_earlier_terms_are_listed);
    suite_add_tcase(s, t);
    return suite_run(s);
}
