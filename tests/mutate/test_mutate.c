/*
 * make mutate on a toy: a file of two functions, a suite of one program. What
 * dies, what survives, and what the exit status says.
 */
#include <check.h>
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* strtol */
#include <string.h> /* strstr */

#include "child.h"
#include "labtest.h"
#include "suite.h"

enum { SEC = 120 };

static char toy[CHILD_FOLDER];

static void write_file(const char *name, const char *text)
{
    char path[CHILD_FOLDER + 64];
    snprintf(path, sizeof path, "%s/%s", toy, name);
    FILE *const f = fopen(path, "w");
    ck_assert_msg(f && fputs(text, f) >= 0 && fclose(f) == 0, "%s", path);
}

static const char makefile[] = "needs/toy/toy: build/tests/toy/test_toy\n"
                               "build/sim/obj/%.o: %.c\n"
                               "\t@mkdir -p $(@D)\n"
                               "\t$(CC) -O1 $(CFLAGS) -c $< -o $@\n"
                               "build/tests/%: tests/%.c build/sim/obj/toy.o\n"
                               "\t@mkdir -p $(@D)\n"
                               "\t$(CC) $^ -o $@\n";

static const char code[] = "int toy_distance(int a, int b)\n"
                           "{\n"
                           "    if (a > b)\n"
                           "        return a - b;\n"
                           "    return b - a;\n"
                           "}\n"
                           "int toy_double(int a)\n"
                           "{\n"
                           "    return 2 * a;\n"
                           "}\n";

/* A suite that looks at toy_double(a) for one a. */
static void write_suite(int a)
{
    char text[512];
    snprintf(
        text, sizeof text,
        "int toy_distance(int, int), toy_double(int);\n"
        "int main(void)\n"
        "{\n"
        "    return toy_distance(1, 3) != 2 || toy_distance(3, 1) != 2 ||\n"
        "           toy_double(%d) != %d;\n"
        "}\n",
        a, 2 * a);
    write_file("tests/toy/test_toy.c", text);
}

static void setup(void)
{
    child_folder(toy, "mutate");
    struct child c = child_run(
        SEC, "cd %s && git init -q && mkdir -p tests/toy tests/mutate", toy);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
    write_file(".gitignore", "/build\n");
    write_file("Makefile", makefile);
    write_file("toy.c", code);
    write_file("tests/suites.mk", "$(call suite,toy/toy,0)\n");
    write_file("tests/mutate/claims", "toy* toy/test_toy\n");
    write_file("tests/mutate/equivalent",
               "toy.c toy_distance\n"
               "- if (a > b)\n"
               "+ if (a >= b)\n"
               "Of equals the distance is 0 either way.\n");
    write_file("tests/mutate/named", "toy.c toy_distance\n"
                                     "-     if (a > b)\n"
                                     "+     if (b > a)\n"
                                     "A negative distance.\n");
    write_suite(3);
}

static void teardown(void)
{
    child_remove(toy);
}

enum { ALL = 1000 };

/* n mutants of the toy's code, and the report. */
static struct child mutate(int n)
{
    return child_run(SEC,
                     "cd %s && { SLACK_SEC=4 %s/tests/mutate/mutate.sh "
                     "%s/mutants build/mutate %d 1 toy; status=$?; "
                     "cat build/mutate/report.txt; exit $status; }",
                     toy, labtest_root(), child_build(), n);
}

static void expect(const struct child *c, const char *text)
{
    ck_assert_msg(strstr(c->out, text) != NULL, "no \"%s\" in:\n%s%s", text,
                  c->out, c->err);
}

START_TEST(a_suite_that_notices_everything_passes)
{
    struct child c = mutate(ALL);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    expect(&c, "killed     toy.c:3  relational  toy/test_toy: status 1\n"
               "    - if (a > b)\n"
               "    + if (a <= b)\n");
    expect(&c, "equivalent toy.c:3  relational  Of equals the distance is 0");
    expect(&c, "killed     toy.c:9  return  toy/test_toy: status 1\n");
    expect(&c, "killed     toy.c  named");
    ck_assert_ptr_null(strstr(c.out, "survived  "));
    child_clear(&c);
}
END_TEST

START_TEST(what_no_suite_notices_survives_until_one_does)
{
    write_suite(0);
    struct child c = mutate(ALL);
    ck_assert_msg(c.status == 1, "%s%s", c.out, c.err);
    expect(&c, "survived   toy.c:9  return  \n"
               "    - return 2 * a;\n"
               "    + return 0;\n");
    expect(&c, "killed     toy.c:9  arithmetic"); // 2 / 0
    child_clear(&c);
    write_suite(3);
    c = mutate(ALL);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    expect(&c, "killed     toy.c:9  return  toy/test_toy");
    child_clear(&c);
}
END_TEST

START_TEST(a_mutant_that_never_ends_is_killed)
{
    write_file("tests/mutate/named", "toy.c toy_distance\n"
                                     "-     return b - a;\n"
                                     "+     while (a < b);\n"
                                     "+     return b - a;\n"
                                     "It never ends.\n");
    struct child c = mutate(0);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    expect(&c, "killed     toy.c  named  toy/test_toy: time");
    child_clear(&c);
}
END_TEST

START_TEST(when_its_minutes_are_over_no_further_mutant_is_tried)
{
    struct child c = child_run(SEC,
                               "cd %s && %s/tests/mutate/mutate.sh %s/mutants "
                               "build/mutate %d 1 toy 1 0",
                               toy, labtest_root(), child_build(), ALL);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    expect(&c,
           "\nall                            0       0        0          0");
    child_clear(&c);
}
END_TEST

/* Of many seeds, none in front: what is judged in a few minutes is a sample. */
START_TEST(each_file_is_as_likely_to_come_early)
{
    enum { FILES = 8, SEEDS = 64 };
    int places[FILES + 1] = {0};
    for (int seed = 1; seed <= SEEDS; seed++) {
        struct child c =
            child_run(SEC,
                      "seq %d | awk -v seed=%d -f %s/tests/mutate/order.awk "
                      "| sort -n | cut -f 2-",
                      FILES, seed, labtest_root());
        char *at = c.out;
        for (int place = 1; place <= FILES; place++) {
            const long file = strtol(at, &at, 10);
            ck_assert(file >= 1 && file <= FILES);
            places[file] += place;
        }
        child_clear(&c);
    }
    const double mean = (1 + FILES) / 2.0;
    for (int file = 1; file <= FILES; file++)
        ck_assert_double_eq_tol((double)places[file] / SEEDS, mean, 1);
}
END_TEST

START_TEST(texts_that_are_only_equal_or_not_have_no_order)
{
    static const struct {
        const char *code;
        int drawn; /* whether the arguments are exchanged */
    } cases[] = {
        {"if (strcmp(a, b) == 0)", 0}, {"if (!strcmp(a, b))", 0},
        {"if (strcmp(a, b) != 0)", 0}, {"if (memcmp(a, b, c) == 0)", 1},
        {"if (strcmp(a, b) < 0)", 1},  {"if (strcmp(a, b))", 1},
        {"if (!calloc(a, b))", 0},     {"if (!other(a, b))", 1},
        {"if (strcmp(a, b) == 1)", 1}, {"x = fmin(a, b)", 0},
        {"x = fmax(a, b)", 0},         {"x = fmod(a, b)", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "void f(void)\n{\n    %s\n        g();\n}\n", cases[i].code);
        write_file("compare.c", text);
        struct child c =
            child_run(SEC, "%s/mutants 1 %s/compare.c", child_build(), toy);
        ck_assert_msg(!!strstr(c.out, "arguments") == cases[i].drawn,
                      "%s\n%s%s", cases[i].code, c.out, c.err);
        child_clear(&c);
    }
}
END_TEST

/* It stops, and says this. */
static void expect_refused(const char *says)
{
    struct child c = mutate(ALL);
    ck_assert_int_eq(c.status, 2);
    ck_assert_msg(strstr(c.err, says), "%s", c.err);
    child_clear(&c);
}

START_TEST(what_cannot_be_judged_is_an_error_by_name)
{
    write_file("tests/mutate/claims", "other.c toy/test_toy\n");
    expect_refused("no suite claims toy.c");

    write_file("tests/mutate/claims", "toy* toy/test_toy\n");
    write_file("tests/mutate/named", "toy.c toy_distance\n"
                                     "- if (a == b)\n"
                                     "+ if (a != b)\n"
                                     "Nothing.\n");
    expect_refused("not once in toy.c");

    write_file("tests/mutate/named", "toy.c toy_distance\n"
                                     "-     if (a > b)\n"
                                     "+     if (a > )\n"
                                     "No code.\n");
    expect_refused("no other code in toy.c");

    write_file("tests/mutate/named", "");
    write_file("tests/mutate/equivalent", "toy.c toy_distance\n"
                                          "- if (a > b)\n"
                                          "+ if (a <= b)\n"
                                          "It is not.\n");
    struct child c = mutate(ALL);
    ck_assert_int_eq(c.status, 1);
    expect(&c, "wrong      toy.c:3  relational  not equivalent: toy/test_toy");
    child_clear(&c);

    write_file("tests/toy/test_toy.c", "int main(void) { return 1; }\n");
    write_file("tests/mutate/equivalent", "");
    c = mutate(ALL);
    ck_assert_int_eq(c.status, 1); // it is left out
    ck_assert_msg(strstr(c.err, "toy/test_toy fails without a mutation"), "%s",
                  c.err);
    expect(&c, "mutate: toy/test_toy fails without a mutation");
    expect(&c, "survived   toy.c:3");
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("mutate");
    TCase *const t = tcase_create("toy");
    tcase_set_timeout(t, SEC);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_suite_that_notices_everything_passes);
    tcase_add_test(t, what_no_suite_notices_survives_until_one_does);
    tcase_add_test(t, a_mutant_that_never_ends_is_killed);
    tcase_add_test(t, when_its_minutes_are_over_no_further_mutant_is_tried);
    tcase_add_test(t, each_file_is_as_likely_to_come_early);
    tcase_add_test(t, texts_that_are_only_equal_or_not_have_no_order);
    tcase_add_test(t, what_cannot_be_judged_is_an_error_by_name);
    suite_add_tcase(s, t);
    return suite_run(s);
}
