/* Plans: each limit from both sides, all keys, and answers to drawn numbers. */
#define _GNU_SOURCE
#include <check.h>
#include <math.h>   /* NAN */
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* mkstemp */
#include <string.h> /* strstr */
#include <unistd.h> /* unlink */

#include "judge/plan.h"
#include "suite.h"

const struct judge_lab *const judge_labs[] = {NULL};

static char path[64], err[512];

static struct plan *load(const char *text)
{
    strcpy(path, "/tmp/commlab-limits-XXXXXX");
    const int fd = mkstemp(path);
    ck_assert(fd >= 0);
    ck_assert(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    err[0] = 0;
    struct plan *const p = plan_load(path, NULL, err, sizeof err);
    unlink(path);
    return p;
}

#define HEAD    "lab: x\nfiles: [a.c]\nranks: [4]\n"
#define CASES   "cases:\n  - "
#define CASE    "{name: a, part: 1, kind: k"
#define FIVE(x) x ", " x ", " x ", " x ", " x
#define L4(a)   a "a: 1, " a "b: 1, " a "c: 1, " a "d: 1, "

static const struct {
    const char *plan, *says; /* NULL: a good one */
} limits[] = {
    {HEAD CASES "{name: a, kind: k, part: 99}\n", NULL},
    {HEAD CASES "{name: a, kind: k, part: 100}\n",
     ":5: part is a number from 1 to 99, not \"100\""},
    {HEAD CASES "{name: a, kind: k, part: 0}\n",
     ":5: part is a number from 1 to 99, not \"0\""},
    {HEAD CASES CASE ", points: 1000}\n", NULL},
    {HEAD CASES CASE ", points: 0}\n", NULL},
    {HEAD CASES CASE ", points: 1000.5}\n",
     ":5: points is a number from 0 to 1000, not \"1000.5\""},
    {HEAD CASES CASE ", points: ''}\n",
     ":5: points is a number from 0 to 1000, not \"\""},
    {HEAD CASES CASE ", points: 1x}\n",
     ":5: points is a number from 0 to 1000, not \"1x\""},
    {HEAD CASES CASE ", points: 1e-999}\n",
     ":5: points is a number from 0 to 1000, not \"1e-999\""},
    {HEAD CASES CASE ", ranks: [1, 1024]}\n", NULL},
    {HEAD CASES CASE ", ranks: 1025}\n",
     ":5: a number of ranks is a number from 1 to 1024, not \"1025\""},
    {HEAD CASES CASE
     ", ranks: [" FIVE("1") ", " FIVE("2") ", " FIVE("3") ", 4]}\n",
     NULL},
    {HEAD CASES CASE
     ", ranks: [" FIVE("1") ", " FIVE("2") ", " FIVE("3") ", 4, 5]}\n",
     ":5: ranks has more than 16 entries"},
    {HEAD CASES CASE ", with: {" L4("a") L4("b") L4("c") L4("d") "}}\n", NULL},
    {HEAD CASES CASE ", with: {" L4("a") L4("b") L4("c") L4("d") "e: 1}}\n",
     ":5: more than 16 parameters"},
    {HEAD CASES CASE ", full: 1, none: 1000}\n", NULL},
    {HEAD CASES CASE ", none: 1001}\n",
     ":5: none is a number from 1 to 1000, not \"1001\""},
    {HEAD CASES CASE ", full: 2, none: 2}\n",
     ":5: a: full (2) is less than none (2)"},
    {HEAD CASES CASE ", full: 2, full: 2}\n",
     ":5: unknown or repeated key \"full\" in a case"},
    {HEAD CASES CASE ", none: 3, none: 3}\n",
     ":5: unknown or repeated key \"none\" in a case"},
    {HEAD CASES CASE ", kind: l}\n",
     ":5: unknown or repeated key \"kind\" in a case"},
    {HEAD CASES CASE ", topo: a, topo: b}\n",
     ":5: unknown or repeated key \"topo\" in a case"},
    {HEAD "none: 3\nnone: 3\n", ":5: unknown or repeated key \"none\""},
    {HEAD "lab: y\n", ":4: unknown or repeated key \"lab\""},
    {HEAD "files: b.c\n", ":4: unknown or repeated key \"files\""},
    {HEAD "ranks: 4\n", ":4: unknown or repeated key \"ranks\""},
    {HEAD "topo: a\ntopo: b\n", ":5: unknown or repeated key \"topo\""},
    {HEAD "title: a\ntitle: b\n", ":5: unknown or repeated key \"title\""},
    {HEAD "timezone: UTC\ntimezone: UTC\n",
     ":5: unknown or repeated key \"timezone\""},
    {HEAD "grace: 0\n", ":4: grace is a number from 1 to 1440, not \"0\""},
    {HEAD "grace: 5\ngrace: 5\n", ":5: unknown or repeated key \"grace\""},
    {HEAD "isolation: 4\n", ":4: isolation is a number from 0 to 3, not \"4\""},
    {HEAD "isolation: 3\n" CASES CASE "}\n", NULL},
    {HEAD "idea: {31: x}\n" CASES CASE "}\n", NULL},
    {HEAD "idea: {32: x}\n", ":4: a part is a number from 1 to 31"},
    {HEAD "idea: {0: x}\n", ":4: a part is a number from 1 to 31"},
    {HEAD "idea: {2: x, 2: y}\n", ":4: the idea of part 2 is given twice"},
    {HEAD "idea: {2: ''}\n", ":4: the idea of part 2 is empty"},
    {"files: [.a]\n", ":1: a file to edit is a plain name, not \".a\""},
    {"files: ['']\n", ":1: a file to edit is a plain name, not \"\""},
    {"lab: -x\n", ":1: lab is lower-case letters, digits and -, not \"-x\""},
    {"lab: ''\n", ":1: lab is lower-case letters, digits and -, not \"\""},
    {HEAD CASES "{name: a, part: 1}\n",
     ":5: a case needs a name, a part and a kind"},
    {HEAD CASES "{name: a, kind: k}\n",
     ":5: a case needs a name, a part and a kind"},
    {HEAD CASES "{part: 1, kind: k}\n",
     ":5: a case needs a name, a part and a kind"},
    {HEAD "numbers: {abcdefghijklmnopqrstuvwxyzABCDE: [1, 2]}\n" CASES CASE
          "}\n",
     NULL},
    {HEAD "numbers: {abcdefghijklmnopqrstuvwxyzABCDEF: [1, 2]}\n",
     ":4: a number's name is letters, digits and _, not"},
    {HEAD "numbers: {1a: [1, 2]}\n",
     ":4: a number's name is letters, digits and _, not \"1a\""},
    {HEAD "numbers: {g: {a: [1, 1], b: [2, 3]}, c: [4, 5]}\n" CASES CASE "}\n",
     NULL},
    {HEAD "numbers: {a: [" FIVE("1") "]}\n", ":4: a has the choice 1 twice"},
    {"lab: x\nfiles: [a.c]\n", ": a plan needs lab, files and cases"},
    {"lab: x\nranks: [4]\n" CASES CASE "}\n",
     ": a plan needs lab, files and cases"},
    {"files: [a.c]\nranks: [4]\n" CASES CASE "}\n",
     ": a plan needs lab, files and cases"},
};

START_TEST(a_limit_holds_from_both_sides)
{
    struct plan *const p = load(limits[_i].plan);
    const char *const says = limits[_i].says;
    ck_assert_msg((p != NULL) == (says == NULL), "%s: %s", limits[_i].plan,
                  err);
    const size_t n = strlen(path);
    if (says)
        ck_assert_msg(strncmp(err, path, n) == 0 &&
                          strncmp(err + n, says, strlen(says)) == 0,
                      "\"%s\", not \"%s\"", err, says);
    plan_free(p);
}
END_TEST

START_TEST(all_keys_of_a_plan_are_read)
{
    struct plan *const p =
        load("lab: lab-1\ntitle: A title\nfiles: [a.c, b.c]\nranks: [2, 4]\n"
             "topo: dgx-a100\ntimezone: Europe/Berlin\nisolation: 2\n"
             "grace: 10\n"
             "full: 1.5\nnone: 8\nidea: {1: one, 3: three}\n" CASES
             "{name: a, part: 3, kind: k, points: 2.5, timed: 1}\n"
             "  - {name: b, part: 2, kind: l, full: 2, none: 4, ranks: 3,\n"
             "     topo: dgx-1v, with: {n: 0x10, m: -3}}\n");
    ck_assert_msg(p != NULL, "%s", err);
    ck_assert_str_eq(p->lab, "lab-1");
    ck_assert_str_eq(p->title, "A title");
    ck_assert_int_eq(p->nfiles, 2);
    ck_assert_str_eq(p->file[0], "a.c");
    ck_assert_str_eq(p->file[1], "b.c");
    ck_assert_str_eq(p->timezone, "Europe/Berlin");
    ck_assert_int_eq(p->isolation, 2);
    ck_assert_int_eq(p->grace, 10);
    ck_assert_str_eq(p->idea[1], "one");
    ck_assert_str_eq(p->idea[3], "three");
    ck_assert(p->idea[2] == NULL);
    const struct plan_case *const a = &p->cases[0], *const b = &p->cases[1];
    ck_assert(a->part == 3 && a->points == 2.5 && a->timed && a->pinned);
    ck_assert(a->nranks == 2 && a->ranks[0] == 2 && a->ranks[1] == 4);
    ck_assert(a->full == 1.5 && a->none == 8 && !a->hidden);
    ck_assert_str_eq(a->topo, "dgx-a100");
    ck_assert(b->part == 2 && b->points == 0 && !b->timed && b->pinned);
    ck_assert(b->nranks == 1 && b->ranks[0] == 3);
    ck_assert(b->full == 2 && b->none == 4);
    ck_assert_str_eq(b->topo, "dgx-1v");
    ck_assert_str_eq(b->kind, "l");
    ck_assert(plan_int(b, "n", 0) == 16 && plan_int(b, "m", 0) == -3);
    ck_assert(plan_tolerance(b) == 0);
    plan_free(p);
}
END_TEST

START_TEST(a_plan_without_them_has_the_kits_defaults)
{
    struct plan *const p = load(HEAD CASES CASE "}\n");
    ck_assert_msg(p != NULL, "%s", err);
    const struct plan_case *const a = &p->cases[0];
    ck_assert_str_eq(a->topo, PLAN_TOPO);
    ck_assert(a->full == 1.2 && a->none == 10 && !a->pinned && !a->timed);
    ck_assert(p->isolation == 0 && p->grace == 0 && !p->title && !p->timezone);
    ck_assert(plan_check_times(p, err, sizeof err) == 0);
    plan_free(p);
}
END_TEST

static const struct {
    const char *name;
    size_t nbytes;
    const char *near;
} asked[] = {
    {"rxxg", 64, "ring"}, // two letters
    {"xxxg", 64, ""},     // three
    {"ring", 15, "ring, ring-odd"},
    {"ring", 14, "ring"}, // no room for the last letter
    {"ring", 5, "ring"},
    {"ring", 4, ""},
};

START_TEST(near_names_are_whole_ones)
{
    char near[64];
    struct plan *const p = load(HEAD CASES "{name: ring, part: 1, kind: k}\n"
                                           "  - {name: ring-odd, part: 1, "
                                           "kind: k}\n");
    memset(near, '#', sizeof near);
    plan_near(p, asked[_i].name, near, asked[_i].nbytes);
    ck_assert_str_eq(near, asked[_i].near);
    ck_assert(asked[_i].nbytes == sizeof near || near[asked[_i].nbytes] == '#');
    plan_free(p);
}
END_TEST

/* ---- answers to drawn numbers -------------------------------------------- */

/* Of these, a and b go together. */
#define OF(n, in, ...)                                                         \
    {                                                                          \
        .name = #n, .group = #in, .choice = {__VA_ARGS__}, .nchoices = 2       \
    }
static const struct numbers drawn = {
    .of = {OF(a, g, "1", "2"),
           OF(b, g, "10", "20"),
           OF(c, c, "100", "300"),
           OF(m, m, "dgx-1v", "dgx-a100"),
           {.name = "z",
            .group = "z",
            .choice = {"1", "2", "3", "4", "5", "6", "7", "8", "9"},
            .nchoices = 9}},
    .n = 5};

static const struct {
    const char *formula, *by_m; // by_m: if m has the second choice
    double tolerance;
    const char *says; // NULL: all draws differ enough
} differ[] = {
    {"a + b", NULL, .01, NULL}, // 11 and 22: never 21
    {"a * b", NULL, .01, NULL}, // 10 and 40: not 20 twice
    {"a + b + c", NULL, .01, NULL},
    {"a + 1.01 * m", NULL, .01,
     "a 2, m dgx-1v gives 2, and a 1, m dgx-a100 gives 2.01"},
    {"c + a", NULL, .01, "a 1, c 100 gives 101, and a 2, c 100 gives 102"},
    {"c + a", NULL, .0016, NULL}, // 302 * 2 * 0.0016 is less than 1
    {"c + a", NULL, .0017, "a 1, c 300 gives 301, and a 2, c 300 gives 302"},
    {"-c - a", NULL, .0017, "a 2, c 300 gives -302, and a 1, c 300 gives -301"},
    {"7", "9", .01, NULL},
    {"7", "7.1", .01, "m dgx-1v gives 7, and m dgx-a100 gives 7.1"},
    {"a", "b", .01, NULL},
    {"5", NULL, 0, "it uses no drawn number"},
    {"5", NULL, .01, "it uses no drawn number"},
    {"a", NULL, 0, NULL},
    {"z > 5", NULL, 0, NULL}, // 5 of 9 are alike: half of all, rounded up
    {"z > 6", NULL, 0, " gives 0, and z "},
    {"z > 3", NULL, 0, " gives 1, and z "},
    {"z * 1000 + a + c", NULL, 1e-6, NULL},
    {"a + q", NULL, 0, "at column 5: there is no number \"q\""},
    {"a", "q", 0, "at column 1: there is no number \"q\""},
};

START_TEST(students_answers_differ_or_two_are_named)
{
    const struct answer a = {
        .formula = {(char *)differ[_i].formula, (char *)differ[_i].by_m},
        .n = differ[_i].by_m ? 2 : 1,
        .by = differ[_i].by_m ? &drawn.of[3] : NULL};
    const int bad =
        answer_differs(&drawn, &a, differ[_i].tolerance, err, sizeof err);
    ck_assert_msg(bad == (differ[_i].says ? -1 : 0), "%s", err);
    if (bad)
        ck_assert_msg(strstr(err, differ[_i].says), "%s", err);
}
END_TEST

START_TEST(an_answer_is_the_formulas_of_the_choice)
{
    static const struct answer by = {
        .formula = {"a + b", "c"}, .n = 2, .by = &drawn.of[3]};
    double value = 0;
    struct draw d = {{1, 1, 1, 0}};
    ck_assert(answer_value(&drawn, &by, &d, &value, err, sizeof err) == 0);
    ck_assert_double_eq(value, 22);
    d.choice[3] = 1;
    ck_assert(answer_value(&drawn, &by, &d, &value, err, sizeof err) == 0);
    ck_assert_double_eq(value, 300);
    ck_assert(numbers_find(&drawn, "c") == &drawn.of[2]);
    ck_assert(numbers_find(&drawn, "g") == NULL);
}
END_TEST

/* 5 numbers of 10 choices have as many draws as are tried, and 6 too many. */
START_TEST(an_answer_with_too_many_draws_is_refused)
{
    static struct numbers many = {.n = 6};
    static char names[6][2], digits[10][2];
    for (int i = 0; i < 6; i++) {
        names[i][0] = (char)('a' + i);
        many.of[i] = (struct number){
            .name = names[i], .group = names[i], .nchoices = 10};
        for (int k = 0; k < 10; k++) {
            digits[k][0] = (char)('0' + k);
            many.of[i].choice[k] = digits[k];
        }
    }
    struct answer a = {.formula = {"a + b + c + d"}, .n = 1};
    ck_assert_int_eq(answer_check(&many, &a, err, sizeof err), 0);
    a.formula[0] = "a + b + c + d + e";
    ck_assert_int_eq(answer_check(&many, &a, err, sizeof err), -1);
    ck_assert_str_eq(err, "it has more than 100000 draws");
}
END_TEST

/* Who has which numbers never changes, or answers of a term become wrong. */
START_TEST(a_students_draw_is_fixed)
{
    const struct draw d = numbers_draw(&drawn, "lab-1", "ada"),
                      e = numbers_draw(&drawn, "lab-2", "ada"),
                      f = numbers_draw(&drawn, "lab-1", "bob");
    static const int want[3][5] = {
        {1, 1, 1, 0, 4}, {0, 0, 0, 1, 5}, {0, 0, 0, 1, 3}};
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(d.choice[i], want[0][i]);
        ck_assert_int_eq(e.choice[i], want[1][i]);
        ck_assert_int_eq(f.choice[i], want[2][i]);
    }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("limits");
    TCase *const t = tcase_create("limits");
    tcase_add_loop_test(t, a_limit_holds_from_both_sides, 0,
                        sizeof limits / sizeof *limits);
    tcase_add_test(t, all_keys_of_a_plan_are_read);
    tcase_add_test(t, a_plan_without_them_has_the_kits_defaults);
    tcase_add_loop_test(t, near_names_are_whole_ones, 0,
                        sizeof asked / sizeof *asked);
    tcase_add_loop_test(t, students_answers_differ_or_two_are_named, 0,
                        sizeof differ / sizeof *differ);
    tcase_add_test(t, an_answer_is_the_formulas_of_the_choice);
    tcase_add_test(t, an_answer_with_too_many_draws_is_refused);
    tcase_add_test(t, a_students_draw_is_fixed);
    suite_add_tcase(s, t);
    return suite_run(s);
}
